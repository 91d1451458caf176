"""The published tables: what the files hold fits together, and names are found."""

from __future__ import annotations

import pytest

from nlgauge import SpecError
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS
from nlgauge_lab.reproduce.published import KINDS, PAPERS, Table, best, find, tables
from nlgauge_lab.reproduce.rated import VIEWS

MADE = [pytest.param(one, id=one.name) for one in tables().values() if one.rows]


@pytest.mark.parametrize("one", MADE)
def test_a_table_fits_together(one: Table) -> None:
    names = [row.name for row in one.rows]
    assert len(set(names)) == len(names)
    assert one.kind in KINDS
    assert one.view in VIEWS
    assert one.columns
    assert set(one.data) == {column.data for column in one.columns}
    for column in one.columns:
        assert column.level in LEVELS
        assert column.coefficient in COEFFICIENTS
    for row in one.rows:
        assert sum(bool(way) for way in (row.spec, row.rating, row.best, row.why)) == 1, row.name
        assert (row.view or one.view) in VIEWS
        assert len(row.published) in (0, len(one.columns)), row.name
        assert all(value is None or abs(value) <= one.scale for value in row.published), row.name
        assert set(row.best) <= set(names[: names.index(row.name)])
        if not isinstance(row.spec, str | None):
            assert set(row.spec) >= set(one.data)


def test_every_paper_has_tables_and_no_name_stands_for_two() -> None:
    assert {one.paper for one in tables().values()} == set(PAPERS)
    assert not set(tables()) & {name for one in tables().values() for name in one.also}
    for one in tables().values():
        assert sum(map(bool, (one.rows, one.why, one.command))) == 1, f"{one.name} has no rows and does not say why"
        differs = any(row.published for row in one.rows)
        assert not one.rows or differs == (one.differs is not None), f"why ours differ: {one.name}"


def test_numbers_are_those_in_print() -> None:
    """One row of each family, read from the papers by eye."""
    rows = {
        ("ctc-table-d1", "CTC-D (XSUM)"): (0.5314, 0.4273, 0.3414, 0.9089, 0.6059, 0.3833),
        ("ctc-table-d3", "CTC-E (RoBERTa-large)"): (0.5198, 0.4990, 0.3671, 0.7539, 0.7324, 0.6167),
        ("ctc-table-e1", "CTC-E (RoBERTa-large-MNLI-9)"): (0.5216, 0.5236, 0.3805, 0.8081, 0.7133, 0.5152),
        ("ctc-table-f1", "F-1"): (0.0473, 0.0132, None, 0.9956, 1.0, None),
        ("ctc-table-f4", "CTC-R (PersonaChat)"): (0.4026, 0.3788, 0.3137, 0.9742, 0.7143, 0.6),
        ("maskeval-table-1", "MaskEval, candidate only"): (50.7, 25.9, 45.9, 28.6),
        ("maskeval-table-2", "BERTScore-f, 10 references"): (58.0, 54.7, 73.4),
        ("baryscore-webnlg", "BaryScore"): (91.7, 90.0, 78.3, 87.8, 78.2, 61.6, 89.4, 82.6, 70.0),
        ("infolm-table-3", "Fisher-Rao"): (
            89.7,
            86.0,
            75.0,
            78.7,
            70.5,
            51.6,
            93.3,
            95.7,
            85.3,
            87.6,
            84.4,
            70.0,
            92.4,
            93.8,
            81.6,
        ),
    }
    for (name, row), published in rows.items():
        assert next(entry for entry in tables()[name].rows if entry.name == row).printed == published


def test_an_unknown_name_is_refused_with_the_list() -> None:
    listed = r"no table or figure 'table-9'; there are .*ctc-table-d1.* all, results, detection and layers"
    with pytest.raises(SpecError, match=listed):
        find(["table-9"])
    with pytest.raises(SpecError, match=r"mark-evaluate-table-3 cannot be rebuilt: licence"):
        find(["mark-evaluate-table-3"])
    with pytest.raises(SpecError, match=r"maskeval-figure-4 is made by nlgauge score .* study parts-of-speech"):
        find(["maskeval-figure-4"])


def test_the_best_published_number_is_a_correlation_whatever_the_scale() -> None:
    found = best("summeval", "consistency", "pooled", "pearson")
    assert found is not None
    assert (found.value, found.row, found.table.name) == (0.5314, "CTC-D (XSUM)", "ctc-table-d1")
    fluency = best("webnlg2020", "fluency", "system", "pearson")
    assert fluency is not None  # people's own rows do not count: they have 100
    assert (fluency.value, fluency.row) == (pytest.approx(0.933), "Fisher-Rao")
    assert best("summeval", "coherence", "item", "pearson") is None
