"""Rows that a metric reads once: what it requests, follow-ups in several rounds, and cascades of two scorers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

import nlgauge
from nlgauge import Corpus, MetricError, Row
from nlgauge.contract.base import RowMetric
from nlgauge.contract.then import OfModel, Then
from nlgauge.data.evidence import Evidence, Item
from nlgauge.engine.features.request import ByModel, Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.progress import Progress
from nlgauge.metrics import Reading, Scored, ScoredRows, Value

READ: Counter[str] = Counter()
SCORED: Counter[str] = Counter()
ROUNDS = 3


def asked(text: str, round_: int) -> VectorsRequest:
    return VectorsRequest(f"{text} {'again ' * round_}".strip(), (1,))


class InRounds(Reading):
    """Asks for a longer text each time, as often as `ROUNDS` says."""

    def __init__(self, row: Row) -> None:
        self.text = row.candidate
        READ[row.candidate] += 1
        self.requests = [asked(self.text, 0)]

    def followup(self, features: Features) -> list[VectorsRequest]:
        known = sum(asked(self.text, round_) in features for round_ in range(ROUNDS))
        return [asked(self.text, known)] if known < ROUNDS else []

    def score(self, features: Features) -> Scored:
        SCORED[self.text] += 1
        found = [features[asked(self.text, round_)] for round_ in range(ROUNDS)]
        sizes = tuple(math.nan if one is None else float(len(one.ids)) for one in found)
        reason = "no words" if any(map(math.isnan, sizes)) else None
        return Scored(Value(sizes, reason), lambda: Evidence(items=[Item(self.text, {"sizes": list(sizes)})]))


@dataclass(frozen=True)
class Sizes(RowMetric):
    """The tokens of a text, in each round."""

    parts = ("first", "second", "third")
    columns = ("candidate",)  # type: ignore[assignment]

    model: str | None = None

    def read_row(self, row: Row, prepared: Any) -> Reading:
        return InRounds(row)


TEXTS = ["A cat sat.", "Snow fell all night.", "A hen laid an egg in the hat."]


@pytest.mark.usefixtures("one_model")
@pytest.mark.parametrize("options", [{}, {"rows_per_block": 1}, {"evidence": True}])
def test_a_row_is_read_and_scored_once_however_often_it_asks(options: dict[str, Any]) -> None:
    READ.clear()
    SCORED.clear()
    table = nlgauge.evaluate(candidates=TEXTS, metrics=Sizes(), cache=False, **options)
    assert READ == SCORED == Counter(TEXTS)
    column = table.column(table.metrics[0])
    # "again" is one word more in each round.
    assert (column.values[:, 1:] - column.values[:, :-1] == 1).all()
    shown = {number: one["items"][0]["name"] for number, one in column.evidence.items()}
    assert shown == (dict(enumerate(TEXTS)) if options.get("evidence") else {})
    turned = nlgauge.evaluate(candidates=TEXTS[::-1], metrics=Sizes(), cache=False, **options)
    assert turned.column(turned.metrics[0]).values[::-1].tolist() == column.values.tolist()


@pytest.mark.usefixtures("one_model")
def test_follow_ups_finish_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[tuple[float, int]] = []
    reach = Progress.reach

    def recorded(self: Progress, done: float) -> None:
        reach(self, done)
        reached.append((self.done, self.work))

    monkeypatch.setattr(Progress, "reach", recorded)
    nlgauge.evaluate(candidates=TEXTS, metrics=Sizes(), cache=False, progress=True)
    assert reached[-1] == (sum(map(len, TEXTS)),) * 2, "longer texts are asked for later, which nobody expected"
    assert all(done <= work for done, work in reached)


def test_a_part_counts_as_expected_whatever_its_work_is() -> None:
    progress = Progress(shown=False)
    progress.expect(100, 10)
    progress.part(40)
    progress.reach(30)
    assert str(progress) == "about 3 of 10 rows"
    progress.reach(90)
    assert str(progress) == "about 4 of 10 rows"
    progress.part(60)
    progress.reach(progress.done + 10)
    assert str(progress) == "about 5 of 10 rows"
    alone = Progress(shown=False)
    alone.expect(100, 10)
    alone.reach(90)
    assert str(alone) == "about 9 of 10 rows"


def test_a_metric_that_cannot_read_says_so() -> None:
    @dataclass(frozen=True)
    class Neither(RowMetric):
        columns = ("candidate",)  # type: ignore[assignment]

    with pytest.raises(MetricError, match="has neither score_rows nor read_row: write one of them"):
        nlgauge.evaluate(candidates=["a"], metrics=Neither(), cache=False)


class Told(Reading):
    """Has the number that it was told, or none."""

    together: ClassVar[list[list[str]]] = []

    def __init__(self, name: str, number: float) -> None:
        self.name, self.number = name, number

    def score(self, features: Features) -> Scored:
        reason = f"nothing by {self.name}" if math.isnan(self.number) else None
        value = Value((self.number, 10 * self.number), reason, (f"by {self.name}",))
        return Scored(value, lambda: Evidence(items=[Item(self.name, {})]))

    @classmethod
    def score_all(cls, readings: Sequence[Told], features: Features) -> ScoredRows:
        cls.together.append([one.name for one in readings])
        return super().score_all(readings, features)


@dataclass(frozen=True)
class Teller:
    """Reads a pair of numbers: the first of a name, or the second."""

    name: str
    which: int

    def read(self, numbers: tuple[float, float], /) -> Told:
        return Told(self.name, numbers[self.which])


NAN = math.nan


def decided(scored: Scored) -> bool:
    """Whether the first is sure."""
    number = scored.value.parts[0]
    return number < 0.2 or number >= 0.8


CASCADE = Then(Teller("first", 0), Teller("second", 1), decided)


def told(*rows: tuple[float, float]) -> ScoredRows:
    features, readings = Features({}), [CASCADE.read(row) for row in rows]
    assert not any(list(one.followup(features)) for one in readings)
    return type(readings[0]).score_all(readings, features)


@pytest.mark.parametrize(
    ("numbers", "parts", "reason", "by"),
    [
        ((0.1, 0.9), (0.1, 1.0, 1.0), None, "first"),
        ((0.8, 0.3), (0.8, 8.0, 1.0), None, "first"),
        ((0.2, 0.9), (0.9, 2.0, 2.0), None, "second"),
        ((0.5, NAN), (NAN, 5.0, NAN), "nothing by second", "second"),
        ((NAN, 0.7), (0.7, NAN, 2.0), "nothing by first", "second"),
        ((NAN, NAN), (NAN, NAN, NAN), "nothing by second", "second"),
    ],
)
def test_the_second_scorer_decides_where_the_first_cannot(
    numbers: tuple[float, float], parts: tuple[float, ...], reason: str | None, by: str
) -> None:
    (value,), evidence = told(numbers)
    assert value.parts == pytest.approx(parts, nan_ok=True) and value.reason == reason
    assert value.notes == (("by first",) if by == "first" else ("by first", "by second"))
    assert [item.name for item in evidence(0).items] == [by]


def test_the_second_scorer_reads_only_what_the_first_cannot_decide_and_that_together() -> None:
    Told.together.clear()
    rows = [(0.1, NAN), (0.5, 0.3), (0.9, NAN), (0.6, 0.4)]
    alone = [told(row).values[0] for row in rows]
    Told.together.clear()
    together = told(*rows)
    assert together.values == alone
    assert [together.evidence(at).items[0].name for at in range(4)] == ["first", "second", "first", "second"]
    assert Told.together == [["second", "second"]]


def test_features_of_another_model_are_asked_for_by_its_name_in_every_round() -> None:
    class Rows:
        def read(self, row: Row, /) -> Reading:
            return InRounds(row)

    (row,) = Corpus.from_texts(["A cat sat."])
    reading, found = OfModel("other", Rows()).read(row), {}
    requests = list(reading.requests)
    while requests:
        assert all(isinstance(one, ByModel) and one.model == "other" for one in requests)
        found.update(dict.fromkeys(requests))
        requests = [one for one in reading.followup(Features(found)) if one not in found]
    assert len(found) == ROUNDS
    assert reading.score(Features(found)).value.reason == "no words"
