"""Metrics are chosen by other data than those they are shown on."""

from __future__ import annotations

import math

import pytest

from nlgauge_lab.reproduce import choices
from nlgauge_lab.reproduce.choices import CHOICES, HEADLINE, TASKS, Choice, Rated, family, measurements, settings
from nlgauge_lab.reproduce.lines import BASELINE, OURS, PUBLISHED, SETS, UNFINISHED, Line
from nlgauge_lab.reproduce.suites import SUITES

HERE, THERE, ALSO = Rated("Here", "a"), Rated("There", "b"), Rated("Also", "c")


def line(
    rated: Rated, metric: str, value: float, model: str = "pocket@1", kind: str = OURS, level: str = "pooled"
) -> Line:
    return Line(
        data=rated.data,
        aspect=rated.aspect,
        level=level,
        coefficient="pearson",
        metric=metric,
        model=model,
        aligner="",
        value=value,
        low=math.nan,
        high=math.nan,
        n=9,
        missing=0,
        kind=kind,
        note="",
    )


def both(rated: Rated, **values: float) -> list[Line]:
    """Metrics that agree equally by two models."""
    return [line(rated, name, value, model) for name, value in values.items() for model in ("pocket@1", "base@2")]


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "CHOICES", {HERE: Choice("tests", (THERE, ALSO), THERE)})


def test_the_recommended_metric_has_the_largest_mean_on_other_data_whatever_it_says_here() -> None:
    lines = [*both(HERE, A=0.9, B=0.1, C=0.5), *both(THERE, A=0.2, B=0.6, C=0.7), *both(ALSO, A=0.3, B=0.9, C=0.7)]
    one, *_ = measurements(lines)
    assert one.recommended.metrics == {"pocket": "B", "base": "B"}  # .75, against .70 and .25
    assert one.recommended.by == "There, Also"
    assert one.recommended.value("base") == 0.1
    assert one.sister is not None and one.sister.metrics == {"pocket": "C", "base": "C"}
    assert one.best.metrics == {"pocket": "A", "base": "A"}
    flipped = [found._replace(value=1 - found.value) if found.data == "Here" else found for found in lines]
    assert measurements(flipped)[0].recommended.metrics == one.recommended.metrics
    assert measurements(flipped)[0].sister == one.sister._replace(lines=measurements(flipped)[0].sister.lines)  # type: ignore[union-attr]


def test_one_name_stands_for_all_models_and_a_sister_chooses_for_each() -> None:
    there = [
        line(THERE, "A", 0.9),
        line(THERE, "A", 0.1, "base@2"),
        line(THERE, "B", 0.6),
        line(THERE, "B", 0.6, "base@2"),
    ]
    one, *_ = measurements([*both(HERE, A=0.4, B=0.3), *there, *both(ALSO, A=0.5, B=0.5)])
    assert one.recommended.metrics == {"pocket": "B", "base": "B"}
    assert one.sister is not None and one.sister.metrics == {"pocket": "A", "base": "B"}


def test_a_metric_that_lacks_numbers_is_never_chosen() -> None:
    whole = [*both(HERE, A=0.9, B=0.1), *both(THERE, A=0.9, B=0.2), *both(ALSO, A=0.9, B=0.2)]
    assert measurements(whole)[0].recommended.metrics["pocket"] == "A"
    lacks = {"missing": 1}, {"kind": UNFINISHED, "note": "3 of 9 rows"}, {"missing": math.nan, "note": SETS}
    for change in lacks:
        for rated in (HERE, THERE):
            lines = [one._replace(**change) if one.metric == "A" and one.data == rated.data else one for one in whole]
            assert measurements(lines)[0].recommended.metrics == {"pocket": "B", "base": "B"}, (change, rated)
    unrecorded = [one._replace(missing=math.nan) for one in whole]
    assert measurements(unrecorded)[0].recommended.metrics["pocket"] == "A"


def test_without_other_data_nothing_is_recommended_unless_it_is_given() -> None:
    lines = both(HERE, A=0.9, B=0.1)
    [one] = measurements(lines)
    assert one.recommended.lines == {} and one.sister is None and one.best.metrics["pocket"] == "A"
    choices.CHOICES[HERE] = Choice("tests", given="B", why="definition")
    [one] = measurements(lines)
    assert one.recommended.value("pocket") == 0.1 and one.recommended.by == "definition"
    choices.CHOICES[HERE] = Choice("tests", given="C", why="definition")  # which was not measured
    assert measurements(lines)[0].recommended.lines == {}
    assert [found.task for found in measurements(both(THERE, A=1.0))] == [""]


def test_a_metric_without_a_model_may_be_recommended_and_is_no_best() -> None:
    plain = [line(rated, "P", 0.8, "", BASELINE) for rated in (HERE, THERE, ALSO)]
    lines = [*plain, *both(HERE, A=0.5), *both(THERE, A=0.5), *both(ALSO, A=0.5)]
    one, *_ = measurements(lines)
    assert one.recommended.metrics == {"pocket": "P", "base": "P"} and one.recommended.value("base") == 0.8
    assert one.best.metrics == {"pocket": "A", "base": "A"}
    assert one.baseline is not None and one.baseline.metric == "P"


def test_the_largest_published_number_stands_beside_them() -> None:
    printed = [line(HERE, "old", 0.3, "", PUBLISHED), line(HERE, "new", 0.4, "", PUBLISHED)]
    [one] = measurements([*printed, *both(HERE, A=0.5)])
    assert one.published is not None and one.published.metric == "new"


def test_how_many_words_are_masked_makes_no_other_metric() -> None:
    names = "InfoLM(stride=8)", "InfoLM(measure='kl', stride=8)", "MaskEval(weights='candidate', stride=8)", "InfoLM"
    assert [family(name) for name in names] == [
        "InfoLM",
        "InfoLM(measure='kl')",
        "MaskEval(weights='candidate')",
        "InfoLM",
    ]
    lines = [*both(HERE, **{"InfoLM(stride=8)": 0.2}), *both(THERE, InfoLM=0.5), *both(ALSO, InfoLM=0.5)]
    assert measurements(lines)[0].recommended.value("pocket") == 0.2


def test_no_choice_is_made_by_the_data_that_it_is_shown_on_nor_by_data_for_tests_alone() -> None:
    titles = {suite.title: [aspect.replace("_", " ") for aspect in suite.aspects] for suite in SUITES}
    for rated, choice in CHOICES.items():
        makers = [*choice.by, *([choice.sister] if choice.sister else [])]
        assert rated.aspect in titles[rated.data] and choice.task in TASKS
        for maker in makers:
            assert maker.aspect in titles[maker.data], maker
            assert maker.data != rated.data and not maker.data.startswith("QAGS"), rated
        assert (choice.given is None) == (choice.why == "") and not (choice.given and choice.by)
        assert choice.given is None or any(choice.given in suite.specs for suite in SUITES if suite.title == rated.data)
    assert {Rated(*head[:2]) for head in HEADLINE} <= CHOICES.keys()


def test_a_setting_is_chosen_on_the_other_sets_and_measured_on_the_one_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choices, "FAMILIES", {"A, b": ("A", "B")})
    monkeypatch.setattr(choices, "CHOICES", dict.fromkeys((HERE, THERE, ALSO), Choice("tests")))
    lines = [*both(HERE, A=0.5, B=0.1), *both(THERE, A=0.4, B=0.6), *both(ALSO, A=0.3, B=0.7)]
    unasked = both(Rated("Here", "style"), A=0.0, B=1.0)
    [one, other] = settings([*lines, *unasked])
    assert (one.model, other.model) == ("pocket", "base") and one[2:] == other[2:]
    assert (one.sets, one.columns, one.changed) == (3, 3, 1)
    # Without Here B is the best (.65 against .35), without There A by .4 against .4, the first; without Also A.
    assert one.default == pytest.approx((0.5 + 0.4 + 0.3) / 3)
    assert one.chosen == pytest.approx((0.1 + 0.4 + 0.3) / 3)
    assert one.best == pytest.approx((0.5 + 0.6 + 0.7) / 3)
    assert settings(lines[:2]) == []
