"""Slips of the published tables: those that are known, made-up ones of each kind, and bounds against small cases."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from nlgauge_lab.reproduce import published
from nlgauge_lab.reproduce.published import table, tables
from nlgauge_lab.reproduce.slips import Slip, _impossible, _of_rho, _of_tau, slips
from tests.command import nlgauge

COLUMNS = [["all", aspect, "system", how] for aspect in ("a", "b") for how in ("pearson", "spearman", "kendall")]
CLEAN = [0.9, 0.8, 0.6, 0.85, 0.9, 0.8]


def made(*rows: dict[str, Any], **other: Any) -> dict[str, Any]:
    """A table of five systems."""
    facts = {"name": "made-up", "paper": "ctc", "title": "made up", "digits": 3, "systems": {"all": 5}}
    return {**facts, "data": {"all": [{"file": "tiny"}]}, "columns": COLUMNS, "rows": list(rows), **other}


def found(monkeypatch: pytest.MonkeyPatch, *records: dict[str, Any]) -> list[Slip]:
    monkeypatch.setattr("nlgauge_lab.reproduce.slips.tables", lambda: {one["name"]: table(one) for one in records})
    return slips()


def test_the_known_ones_are_found_and_put_right() -> None:
    known = {(slip.table, slip.row): slip for slip in slips()}
    assert known["mark-evaluate-table-5", "ME CAPTURE, max pooling, K = 1"][3:] == (
        "0.850",
        "the mean of the 5 numbers is 0.884",
        "0.884",
    )
    assert known["infolm-table-3", "every row"].taken == "exchanged"
    assert known["infolm-table-3", "TER"].taken == "38.0 80.0 - 78.6"
    assert known["ctc-table-f5", "Engagingness (E), as defined"].why.startswith("elsewhere: ctc-table-3 0.4937")
    assert known["ctc-table-d1", "FactCC-prob"].why.endswith("both are of 17")
    assert known["baryscore-webnlg", "ROUGE-1"].taken == "-"
    rows = {row.name: row for row in tables()["infolm-table-3"].rows}
    assert rows["Fisher-Rao"].published[:3] == (86.0, 89.7, 75.0)
    assert rows["METEOR"].published[:3] == (None, 86.5, 70.0)
    assert rows["TER"].published[11] is None
    best = published.best("webnlg2020", "correctness", "system", "pearson")
    assert best is not None
    assert (best.value, best.row) == (pytest.approx(0.9), "BaryScore")


def test_what_is_put_right_is_a_slip_in_print() -> None:
    """No number is left out of the comparison for any other reason than that it cannot be right."""
    told = {(slip.table, slip.row) for slip in slips()} | {(slip.table, "every row") for slip in slips()}
    for one in tables().values():
        for row in one.rows:
            if row.misprints:
                assert (one.name, row.name) in told


def test_each_kind_is_found_where_it_was_put_and_not_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [
        {"row": "A", "rating": "a", "published": [1, 1, 1, 0.99, 0.9, 0.8]},
        {"row": "B", "rating": "b", "published": [0.99, 0.9, 0.8, 1, 1, 1]},
    ]
    clean = {"row": "clean", "why": "-", "published": CLEAN}
    assert found(monkeypatch, made(*people, clean)) == []

    def one(numbers: list[float], **more: Any) -> str:
        [slip] = found(monkeypatch, made(*people, {"row": "x", "why": "-", "published": numbers, **more}))
        assert slip.row == "x"
        return slip.why

    assert "between -1 and 1" in one([1.9, *CLEAN[1:3], None, *CLEAN[4:]])
    assert "mean of the 6 numbers is 0.808" in one(CLEAN, average=0.85)
    assert "impossible beside what is printed for a and b (0.990)" in one([0.9, 0.8, 0.6, 0.5, 0.9, 0.8])
    assert "unless many systems tie" in one([0.9, 0.8, 0.6, 0.85, 0.5, 0.2])
    assert "neither is a value of 5 systems" in one([0.9, 0.85, 0.7, 0.85, 0.9, 0.8])
    [slip] = found(monkeypatch, made(people[0], {**people[1], "published": [0.9, 0.9, 0.8, 1, 1, 1]}))
    assert slip.why == "the row of A prints 0.990 for these ratings"
    best = {"row": "best", "best": ["clean"], "published": [*CLEAN[:5], 0.6]}
    assert "clean has 0.800, and is one of those" in [slip.why for slip in found(monkeypatch, made(clean, best))]
    same = {"spec": "Length", "published": CLEAN}
    two = [made({"row": "x", **same}), made({"row": "x", **same, "published": [*CLEAN[:5], 0.6]}, name="later")]
    [slip] = found(monkeypatch, *two)
    assert (slip.table, slip.printed, slip.why) == ("later", "0.600", "elsewhere: made-up 0.800")


def test_the_values_and_bounds_are_those_of_all_orders_of_five() -> None:
    order = np.arange(5)
    orders = list(map(list, permutations(range(5))))
    rho = {round(spearmanr(order, one).statistic, 3) for one in orders}
    tau = {round(kendalltau(order, one).statistic, 3) for one in orders}
    grid = [n / 1000 for n in range(-1000, 1001)]
    assert {value for value in grid if _of_rho(value, 5, 1e-3)} >= rho
    assert not any(_of_tau(value, 5, 1e-3) for value in grid if min(abs(value - one) for one in tau) > 0.002)
    for one, other in product(orders[::7], orders[::11]):
        taus = [kendalltau(*pair).statistic for pair in ((order, one), (order, other), (one, other))]
        assert not _impossible(*taus, 1e-3, "kendall")
        rhos = [spearmanr(*pair).statistic for pair in ((order, one), (order, other), (one, other))]
        assert not _impossible(*rhos, 1e-3, "spearman")
        distance = abs(15 * taus[0] - 12 * rhos[0]) / 3  # Daniels' bound
        assert distance <= 1 + 1e-9
    assert _impossible(0.8, 0.2, 0.8, 1e-3, "kendall")


def test_the_command_prints_them_without_data() -> None:
    text = nlgauge("reproduce", "slips")
    assert text.exit_code == 0
    assert "the mean of the 5 numbers is 0.884; taken: 0.884" in text.stdout
    assert nlgauge("reproduce", "slips", "--format", "csv").stdout.count("\n") == len(slips()) + 1
