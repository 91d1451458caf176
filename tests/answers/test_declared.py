"""A number of trust is one field: its value, column, sentence and note follow from the declaration."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nlgauge.answers.trust.decisions import Rule
from nlgauge.answers.trust.declared import Column, Words, clauses, columns_of, declared, number, values_by
from nlgauge.answers.trust.facts import Decisions, Facts
from nlgauge.answers.trust.numbers import TABLES, Trust
from nlgauge.data.jsonable import jsonable
from nlgauge.show.tables import empty, words


@dataclass(frozen=True, kw_only=True)
class More(Trust):
    """With one number more."""

    passing: float = number(
        lambda decisions: float(decisions.passed.mean()),
        math.nan,
        part="decisions",
        column=Column(table="decisions", head="pass", digits=1),
        said=Words(lambda one: f"lets pass {one.passing:.0%}"),
        noted=Words(lambda one: "few rows pass" if one.passing < 0.1 else None, place=-1),
    )


def facts(passed: list[bool]) -> Facts:
    """The facts of a scorer that decides about four rows, two of them bad."""
    bad, rows = np.array([True, True, False, False]), np.array(passed)
    decided = Decisions(
        rule=Rule(0.5, "given"), sign=1, bad=bad, good=~bad, passed=rows, fitted=rows, clusters=np.arange(4)
    )
    return Facts(metric="M", aspect="a", rated=4, rows=4, decisions=decided)


def test_one_field_makes_value_column_sentence_and_note() -> None:
    one = More(**values_by(More, facts([True, False, False, False])))
    assert one.passing == 0.25 and one.tpr.value == 0.5 and one.kappa == -0.5
    shown = {column.title([one], 0.1): words(cell(one)) for column, cell in columns_of(More, "decisions", False)}
    assert shown["pass"] == "0.2" and shown["kappa"] == "-0.50" and list(shown)[-1] == "pass"
    assert clauses(one, "said")[-1] == "lets pass 25%" and not clauses(one, "noted")
    assert jsonable(one)["passing"] == 0.25
    assert clauses(More(**values_by(More, facts([False] * 4))), "noted") == ["few rows pass"]


def test_without_its_part_a_number_has_its_default() -> None:
    one = More(**values_by(More, Facts(metric="M", aspect="a", rated=4, rows=9, reason="no row has a score")))
    assert math.isnan(one.passing) and math.isnan(one.tpr.value) and one.bad is None and one.rows == 9
    assert all(empty(cell(one)) for column, cell in columns_of(More, "decisions", True))
    assert clauses(one, "noted") == ["no row has a score"]


def test_every_field_is_declared_and_every_column_stands_in_a_table() -> None:
    made = declared(Trust)
    parts = set(vars(facts([True] * 4)))
    assert {one.part for one in made.values()} <= parts | {""}
    assert {one.column.table for one in made.values() if one.column is not None} == set(TABLES)
