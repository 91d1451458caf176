"""Cards: that they hold the numbers of correlate, no text and no rating, and that a board's clusters are honest."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable
from nlgauge.data.probes import read_probes
from nlgauge.data.table import Column
from nlgauge.maths.inference import mean_of
from nlgauge.stats.decisions import auroc
from nlgauge.stats.scorecard import Card, agreements, board, probe_rows, probe_shares
from nlgauge.stats.selection import selected
from tests.conftest import ROOT


def a_set(
    seed: int = 0, items: int = 40, systems: int = 4, noise: float = 1.0, yes_no: bool = False
) -> tuple[ScoreTable, Corpus]:  # fmt: skip
    """A set whose ratings are those of one seed, and a scorer with noise of its own."""
    rng, own = np.random.default_rng(99), np.random.default_rng(seed)
    keys = [(f"s{system}", f"i{item}") for item in range(items) for system in range(systems)]
    y = rng.normal(size=len(keys)) + np.repeat(rng.normal(size=items), systems)
    x = y + noise * own.normal(size=len(keys))
    x[3] = math.nan
    y = (y > 0).astype(float) if yes_no else y
    rows = [Row("secret", system=system, item=item, scores={"quality": value})
            for (system, item), value in zip(keys, y.tolist(), strict=True)]  # fmt: skip
    return ScoreTable(keys, {"M": Column(("score",), x[:, None])}, {}), Corpus(rows)


def card(name: str, *sets: tuple[ScoreTable, Corpus], trained: tuple[str, ...] | None = None) -> Card:
    found = [one for table, corpus in sets for one in agreements(table, corpus, "set", replicates=50)]
    return Card(name, f"{name}|1", "d", trained, {"rows": 1, "seconds": 1.0}, tuple(found), ())


@pytest.mark.parametrize(("systems", "measure"), [(4, "item"), (1, "pooled")])
def test_a_card_has_the_numbers_of_correlate_and_units_of_that_mean(systems: int, measure: str) -> None:
    table, corpus = a_set(items=120 // systems, systems=systems)
    (one,) = agreements(table, corpus, "set", replicates=200)
    assert (one.measure, one.rows, one.unscored) == (measure, 119, 1)
    for level in ("pooled", "item", "system"):
        of = nlgauge.correlate(table, corpus, level=level, replicates=0)[0].value
        assert_allclose(getattr(one, level), of)
    assert one.value == getattr(one, measure) and one.low < one.value < one.high
    assert_allclose(np.nanmean(one.units), one.value, atol=1e-6 if measure == "item" else 0.01)
    if measure == "pooled":
        x, y = table.values("M"), np.array([row.scores["quality"] for row in corpus])
        kept = np.isfinite(x)
        without = kept & (np.arange(120) != 7)
        r, left = (np.corrcoef(x[rows], y[rows])[0, 1] for rows in (kept, without))
        assert_allclose(one.units[7], 119 * r - 118 * left, atol=1e-5)


def test_ratings_of_yes_and_no_give_an_area() -> None:
    table, corpus = a_set(yes_no=True)
    (one,) = agreements(table, corpus, "set")
    x, y = table.values("M"), np.array([row.scores["quality"] for row in corpus])
    kept, items = np.isfinite(x), np.repeat(np.arange(40), 4)
    of = auroc(x[kept], y[kept] == 0, items[kept])
    assert one.measure == "AUROC" and (one.value, one.low, one.high) == of
    without = kept & (items != 5)
    rest = auroc(x[without], y[without] == 0, items[without]).value
    assert_allclose(one.units[5], 40 * one.value - 39 * rest, atol=1e-5)


def test_a_card_is_read_as_it_was_written_and_holds_no_text(tmp_path: Path) -> None:
    made = card("M", a_set(), trained=("snli",))
    made.save(tmp_path / "card.json")
    assert Card.load(tmp_path / "card.json") == made
    assert "secret" not in (tmp_path / "card.json").read_text(encoding="utf-8")
    for wrong in ("{}", "[1]", '{"format": "nlgauge-card-1", "sets": [{}]}'):
        (tmp_path / "wrong.json").write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="is not a card"):
            Card.load(tmp_path / "wrong.json")


def test_a_board_separates_who_differs_and_nobody_else() -> None:
    made = board([card("good", a_set(1)), card("alike", a_set(2), trained=("the SET of 2020",)),
                  card("poor", a_set(3, noise=4.0))])  # fmt: skip
    cluster = {one.scorer: one.cluster for one in made.lines}
    assert cluster == {"good": 1, "alike": 1, "poor": 2}
    assert made.first("good") == (1, 1) and made.first("poor") == (0, 1)
    assert [one.scorer for one in made.lines if one.trained] == ["alike"]


def test_cards_of_other_rows_or_ratings_are_not_compared() -> None:
    table, corpus = a_set()
    other = Corpus([replace(row, scores={"quality": -row.scores["quality"]}) for row in corpus])
    with pytest.raises(InputError, match="no set in common"):
        board([card("a", (table, corpus)), card("b", (table, other))])
    with pytest.raises(InputError, match="two cards are of one scorer"):
        board([card("a", (table, corpus))] * 2)
    with pytest.raises(InputError, match="needs two cards"):
        board([card("a", (table, corpus))])


@pytest.mark.parametrize(("systems", "yes_no"), [(4, False), (1, False), (1, True)], ids=["item", "pooled", "AUROC"])
def test_two_equal_scorers_seldom_differ(systems: int, yes_no: bool) -> None:
    rng, p = np.random.default_rng(5), []
    for _ in range(400):
        items = 40
        shared = rng.normal(size=(items, systems)) + rng.normal(size=(items, 1))
        units = []
        y = (shared > 0.5).astype(float) if yes_no else shared
        keys = [(f"s{system}", f"i{item}") for item in range(items) for system in range(systems)]
        corpus = Corpus([Row("x", system=s, item=i, scores={"q": v})
                         for (s, i), v in zip(keys, y.ravel().tolist(), strict=True)])  # fmt: skip
        for _ in range(2):
            x = shared + rng.normal(size=shared.shape)
            table = ScoreTable(keys, {"M": Column(("score",), x.reshape(-1, 1))}, {})
            units.append(np.array(agreements(table, corpus, "set", replicates=0)[0].units))
        p.append(mean_of(units[0] - units[1]).p())
    assert 0.004 < np.mean(np.array(p) < 0.05) < 0.085, np.mean(np.array(p) < 0.05)


def test_probes_are_ordered_by_who_knows_and_not_by_who_does_not() -> None:
    sources = read_probes()
    rows = probe_rows(sources)
    keys = [("system", row.item) for row, _ in rows]
    knows = np.array([[0.0 if role == "wrong" else 1.0] for _, role in rows])
    for values, share in ((knows, 1.0), (1 - knows, 0.0), (0 * knows, 0.5)):
        found = probe_shares(ScoreTable(keys, {"M": Column(("score",), values)}, {}), sources)
        assert {one.share for one in found} == {share} and found[-1].kind == "paraphrase"
    assert not any(row.candidate in row.references for row, _ in rows)


@pytest.mark.parametrize(
    ("name", "title", "level", "specs"),
    [
        ("asset", "ASSET simplification", "pooled", {"TokenF1": "TokenF1", "CopyRate": "CopyRate"}),
        ("usr_topicalchat", "TopicalChat", "pooled", {"Length": "Length"}),
        ("webnlg2020", "WebNLG 2020", "system", {"TokenF1(references='mean')": "TokenF1"}),  # as the page says of it
    ],
)
def test_cards_have_the_numbers_of_the_page_of_agreement(
    data: Path, name: str, title: str, level: str, specs: dict[str, str]
) -> None:
    corpus = Corpus.read(data / f"{name}.jsonl.gz")
    lines = csv.DictReader((ROOT / "docs" / "data" / "agreement.csv").read_text("utf-8").splitlines())
    page = {
        (line["metric"], line["aspect"]): float(line["value"])
        for line in lines
        if (line["data"], line["level"], line["coefficient"]) == (title, level, "pearson")
        and line["kind"] != "published"
    }
    for spec, line in specs.items():
        table = selected(nlgauge.evaluate(corpus, metrics=[spec], cache=False))
        for one in agreements(table, corpus, name, replicates=0):
            assert_allclose(getattr(one, level), page[line, one.aspect.replace("_", " ")], atol=5.01e-4)
