"""Rows that raters passed by: which they are, the worst case of an estimate, and no promise beyond what they bear."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.answers.estimated_means import Estimate
from nlgauge.answers.rated_scores import RatedScores
from nlgauge.data.table import Column
from nlgauge.maths.inference import Measured
from nlgauge.ratings.blanks import Blanks
from nlgauge.ratings.labels import Aspect
from nlgauge.ratings.project import ProjectRatings, RatingProject
from nlgauge.ratings.refusing import blank
from nlgauge.ratings.sampling import DrawnRow
from tests.command import nlgauge as command
from tests.ratings.hidden import SPEC, outputs
from tests.ratings.projects import fill, project

TABLE, CORPUS, TRUTH = outputs(150, 0)
BAD_THIRD = [f"r{number:03d}" for number in range(1, 121) if number % 15 in (0, 3, 7, 11)]
"""Names of 32 of 120 rows"""


def test_rows_before_the_last_rated_one_are_blank() -> None:
    asked = np.random.default_rng(0).permutation(np.append(np.arange(1, 31), 0))  # of one row nobody was asked

    def places(rated: list[int], refused: list[int] | None = None) -> list[int]:
        found = blank(asked, np.isin(asked, rated), None if refused is None else np.isin(asked, refused))
        return sorted(asked[found].tolist())

    assert places(list(range(1, 31))) == places([]) == []
    assert places([1, 2, 3, 4, 5]) == []  # the others are not reached yet
    assert places([1, 2, 4, 5, 6, 8]) == [3, 7]
    # Whoever writes n/a has reached a row.
    assert places([1, 2, 4, 5, 6, 8], refused=[7, 10]) == [3, 7, 9, 10]


def test_rows_behind_the_last_rated_one_are_blank_where_leaving_all_of_them_out_is_likely() -> None:
    asked = np.arange(1, 101)
    every_fourth = asked % 4 == 0
    # A quarter is left out: two rows more are left out in 1 of 16 sheets, three in 1 of 64.
    for rest, counted in ((2, True), (3, False)):
        rated = ~every_fourth & (asked <= 100 - rest)
        assert blank(asked, rated)[100 - rest :].all() == counted
        assert blank(asked, rated)[: 100 - rest].sum() == every_fourth[: 100 - rest].sum()


def rated(folder: Path, rating: Callable[[DrawnRow], object]) -> ProjectRatings:
    """The ratings of a project of 120 of the 300 rows."""
    if not folder.exists():
        project(folder, CORPUS, 120)
    fill(folder, rating)
    return RatingProject.load(folder).ratings()


def good(row: DrawnRow) -> int:
    """32 of 120 rows are bad."""
    return int(row.name not in BAD_THIRD)


def some_blank(row: DrawnRow) -> object:
    """Of the bad rows, every fourth is rated."""
    return 1 if good(row) else "" if BAD_THIRD.index(str(row.name)) % 4 else 0


def test_ratings_that_are_all_alike_beside_blank_rows_are_refused(tmp_path: Path) -> None:
    """The rater marks the good rows and leaves the bad ones empty."""
    for empty in ("", "n/a"):
        ratings = rated(tmp_path / "p", lambda row, empty=empty: 1 if good(row) else empty)  # type: ignore[misc]
        with pytest.raises(
            InputError, match=r"all 88 ratings are 1, and 32 of the 120 rows .* are blank: rate them"
        ) as of:
            nlgauge.estimate(TABLE, ratings, pooled=True)
        assert "if the 32 blank rows were bad: about 73.3 of 100 (64." in str(of.value)
        for asked in (nlgauge.calibrate, nlgauge.trust):
            with pytest.raises(InputError, match="all 88 ratings are 1, and 32 of the 120 rows"):
                asked(TABLE, ratings)
    # On a scale, and where the share below a number is asked for.
    folder = tmp_path / "scale"
    project(folder, CORPUS, 120, [Aspect("good", 1, 5)])
    fill(folder, lambda row: 5 if good(row) else "")
    with pytest.raises(InputError, match="all 88 ratings are 5, and 32 of the 120 rows"):
        nlgauge.estimate(TABLE, RatingProject.load(folder).ratings(), pooled=True)
    fill(folder, lambda row: 4 + int(str(row.name)[-1]) % 2 if good(row) else "")
    ratings = RatingProject.load(folder).ratings()
    with pytest.raises(InputError, match="all 88 ratings are 0, and 32 of the 120 rows"):
        nlgauge.estimate(TABLE, ratings, below=3, pooled=True)
    with pytest.raises(InputError, match="all 88 ratings are 1, and 32 of the 120 rows"):
        nlgauge.calibrate(TABLE, ratings, below=3)


def estimated(ratings: dict[str, float], made: RatingProject, **how: object) -> list[Estimate]:
    """Estimates of ratings by the names of the sheet."""
    by_name = {("sheet", name): float(rating) for name, rating in ratings.items()}
    return nlgauge.estimate(TABLE, {"good": by_name}, draw=made.draw, scale=(0, 1), **how).records  # type: ignore[arg-type]


def ends(one: Estimate) -> Measured:
    return Measured(one.estimate, one.low, one.high)


@pytest.mark.parametrize("below", [None, 1.0])
def test_the_worst_case_is_the_estimate_of_bad_rows(tmp_path: Path, below: float | None) -> None:
    ratings = rated(tmp_path / "p", some_blank)
    made = RatingProject.load(tmp_path / "p")
    found = nlgauge.estimate(TABLE, ratings, below=below)
    known = {str(row.name): float(value) for row in made.draw.sheet if (value := str(some_blank(row)))}
    system = {str(row.name): row.system for row in made.draw.sheet}
    left = [name for name in system if name not in known]
    for place, name in enumerate("ab"):
        of = [row for row in left if system[row] == name]
        case = found[place].blank
        assert case is not None and case.blank == len(of) > 5
        for rating, said in ((0.0, case.worst), (1.0, case.best)):
            filled = estimated({**known, **dict.fromkeys(of, rating)}, made, below=below)[place]
            assert said == pytest.approx(ends(filled))
        toward = case.worst.value - found[place].estimate
        assert (toward < 0) == (below is None)
        # Bad rows one after the other, in the order of the table, until the estimate leaves its interval.
        rows = [(row.system, row.item) for row in CORPUS]
        keys = {(row.system, row.item): str(row.name) for row in made.draw.sheet}
        order = [keys[row] for row in rows if keys.get(row) in of]
        counts = [
            count
            for count in range(1, len(order) + 1)
            if not found[place].low
            <= estimated({**known, **dict.fromkeys(order[:count], 0.0)}, made, below=below)[place].estimate
            <= found[place].high
        ]
        assert case.tipping == min(counts, default=None)
    difference = found[2]
    assert difference.blank is not None and difference.blank.blank == len(left)
    ahead = "a" if difference.estimate > 0 else "b"
    filled_all = {**known, **{row: float((system[row] != ahead) == (below is None)) for row in left}}
    if below is None:
        assert difference.blank.worst == pytest.approx(ends(estimated(filled_all, made)[2]))


def test_the_worst_case_and_the_tipping_point_are_said(tmp_path: Path) -> None:
    ratings = rated(tmp_path / "p", some_blank)
    TABLE.save(tmp_path / "scores.jsonl")
    found = nlgauge.estimate(TABLE, ratings)
    case = found[0].blank
    assert case is not None and case.tipping is not None
    whole = min(case.worst.low, found[0].low), max(case.best.high, found[0].high)
    said = (
        f"a, good: if the {case.blank} blank rows were bad: about {100 * case.worst.value:.3g} of 100 "
        f"({100 * case.worst.low:.3g} to {100 * case.worst.high:.3g}), so the truth is anywhere from "
        f"{100 * whole[0]:.3g} to {100 * whole[1]:.3g}; from {case.tipping} such rows on the estimate leaves its "
        "interval above."
    )
    assert said in found.answers
    text = command("estimate", tmp_path / "scores.jsonl", "--ratings", tmp_path / "p")
    assert text.exit_code == 0 and said in " ".join(text.stdout.split())
    assert (
        "their scores are like those" not in text.stderr and "blank, because raters passed them by: 24" in text.stderr
    )
    record = json.loads(
        command("estimate", tmp_path / "scores.jsonl", "--ratings", tmp_path / "p", "--format", "json").stdout
    )
    assert record["agreement"] == [] and record["estimates"][0]["wider"] == 1
    assert record["estimates"][0]["blank"] == {
        "blank": case.blank,
        "tipping": case.tipping,
        **dict(zip(("worst", "worst_low", "worst_high"), case.worst, strict=True)),
        **dict(zip(("best", "best_low", "best_high"), case.best, strict=True)),
    }


def test_a_difference_tips_where_it_is_no_longer_shown_or_is_shown(tmp_path: Path) -> None:
    """System b is better; its last rows on the sheet but few are blank."""

    def rating(row: DrawnRow, bad: str) -> int:
        return int(row.system == "b" or str(row.name)[-1] not in bad) * int(row.name not in ("r001", "r005", "r007"))

    tips = []
    for bad in ("123456", "12", "1"):
        ratings = rated(tmp_path / "p", lambda row, bad=bad: "" if str(row.name)[-1] in "78" else rating(row, bad))  # type: ignore[misc]
        found = nlgauge.estimate(TABLE, ratings)[2]
        case, shown = found.blank, not found.low <= 0 <= found.high
        assert case is not None and case.blank == 24 and found.estimate < 0
        # The worst case takes b's blank rows for bad and a's for good.
        assert case.worst.value > found.estimate > case.best.value
        tips.append((shown, case.tipping))
        said = case.sentence(ends(found), 100, True)
        assert said.startswith("if the 24 blank rows were bad for the one system and good for the other: about ")
        assert said.endswith(
            f"from {case.tipping} such rows on the difference {'is no longer' if shown else 'would be'} shown"
            if case.tipping
            else f"even then the difference {'is still' if shown else 'is not'} shown"
        )
    assert [shown for shown, _ in tips] == [True, True, False] and tips[0][1] is None
    assert all(tip is not None and 0 < tip < 24 for _, tip in tips[1:])


def test_the_tipping_point_of_a_difference_is_the_least_number_of_rows() -> None:
    """One of a's 10 rows moves the difference by more than one of b's 40 rows."""
    values = np.concatenate([np.repeat([1.0, np.nan], [6, 4]), np.repeat([1.0, 0.0, np.nan], [20, 10, 10])])
    a, b = np.arange(10), np.arange(10, 50)

    def again(ratings: np.ndarray) -> Measured:
        apart = float(np.nanmean(ratings[a]) - np.nanmean(ratings[b]))
        return Measured(apart, apart - 0.2, apart + 0.2)

    found = again(values)
    case = Blanks.of(np.isnan(values), values, (0, 1), None).worst_case(found, again, [a, b])
    assert case is not None and found.low > 0
    tips = []
    for of_a, of_b in product(range(5), range(11)):
        ratings = values.copy()
        ratings[a[6 : 6 + of_a]], ratings[b[30 : 30 + of_b]] = 0, 1
        if again(ratings).low <= 0:
            tips.append(of_a + of_b)
    assert case.tipping == min(tips) and case.blank == 14

    def turned(ratings: np.ndarray) -> Measured:
        value, low, high = again(ratings)
        return Measured(-value, -high, -low)

    other = Blanks.of(np.isnan(values), values, (0, 1), None).worst_case(turned(values), turned, [b, a])
    assert other is not None and other.tipping == case.tipping, "whichever system is the first"
    assert case.worst.value == pytest.approx(0.6 - 0.75) and case.best.value == pytest.approx(1 - 0.5)


def test_a_sheet_that_is_not_finished_is_no_alarm(tmp_path: Path) -> None:
    ratings = rated(tmp_path / "p", lambda row: good(row) if str(row.name) <= "r070" else "")
    found = nlgauge.estimate(TABLE, ratings)
    assert all(one.blank is None and one.reason is None for one in found)
    assert not any("blank" in said for said in [*found.answers, *found.notes])
    whole = nlgauge.calibrate(TABLE, ratings)
    assert whole.blank == 0 and whole.notes[0] == "good: 50 of 120 rows that were drawn are not rated"
    # Whoever writes n/a further down has reached these rows.
    refused = rated(
        tmp_path / "p", lambda row: good(row) if str(row.name) <= "r070" else "n/a" * int(row.name == "r080")
    )
    names = {"a": "c", "b": "d"}
    assert nlgauge.calibrate(TABLE, refused).blank == 10
    assert nlgauge.calibrate(TABLE.renamed(names), refused.renamed(names)).blank == 10
    # All good and not finished is no alarm either.
    assert nlgauge.estimate(TABLE, rated(tmp_path / "p", lambda row: 1 if str(row.name) <= "r070" else ""))[0].low < 1


def test_few_blank_rows_widen_by_what_they_bear(tmp_path: Path) -> None:
    ratings = rated(tmp_path / "p", lambda row: good(row) if str(row.name) not in ("r010", "r050") else "")
    (found,) = nlgauge.estimate(TABLE, ratings, pooled=True)
    assert found.blank is not None and found.blank.blank == 2 and found.blank.tipping is None
    assert 0 <= found.estimate - found.blank.worst.value <= 2.5 / 120
    assert "even then the estimate stays within its interval above" in found.blank.sentence(ends(found), 100, False)


RNG = np.random.default_rng(0)


def scores_of(rows: int, wrong: float) -> tuple[np.ndarray, np.ndarray]:
    scores = np.round(RNG.normal(size=rows), 2)
    return scores, RNG.random(rows) < wrong / (1 + np.exp(3 * scores))


def test_no_promise_goes_beyond_what_blank_rows_bear() -> None:
    """Whatever the blank rows are, a threshold that is certified beside them is certified with their ratings too."""
    made = {"risk": 0, "recall": 0}
    for _ in range(20):
        scores, bad = scores_of(200, 0.9)
        asked = np.arange(200) < 120
        left = asked & (RNG.random(200) < 0.05)
        for by, promise in (("risk", 0.25), ("recall", 0.6)):
            beside = RatedScores(scores, asked & ~left, bad & asked & ~left, np.arange(200), asked, left)
            found = (beside.certified if by == "risk" else beside.recalled)(promise, 0.1)
            made[by] += found.reason is None
            for kind in range(3):
                truth = np.where(left, (np.ones(200), np.zeros(200), RNG.random(200) < 0.5)[kind], bad).astype(bool)
                whole = RatedScores(scores, asked, truth & asked, np.arange(200), asked)
                full = (whole.certified if by == "risk" else whole.recalled)(promise, 0.1)
                if found.reason is None:
                    assert full.reason is None and full.threshold <= found.threshold
    assert min(made.values()) > 5


def test_a_blank_row_that_passes_counts_as_one_more_bad_row_that_is_missed() -> None:
    """10 of 10 bad rows are stopped: .8^10 = .107, and with one missed of 11, P(X <= 1) = .322, of Binomial(11, .2)."""
    scores = np.arange(40.0)
    left = np.arange(40) == 39
    rows = RatedScores(scores, ~left, scores < 10, np.arange(40), np.ones(40, bool), left)
    assert rows.recalled(0.8, 0.33).reason is None and rows.recalled(0.8, 0.31).reason is not None
    assert rows.recalled(0.8, 0.31).tipping == 1
    assert replace(rows, tested=~left, blank=None).recalled(0.8, 0.11).reason is None


def test_a_promise_beside_blank_rows_that_are_bad_is_broken_in_few_drawings() -> None:
    """The rater leaves 4 of 5 bad rows blank, as if the risk were a fifth of what it is."""
    population = np.round(np.random.default_rng(1).normal(size=200_000), 2)
    broken = made = today = 0
    for _ in range(150):
        scores, bad = scores_of(150, 0.9)
        rated = ~bad | (RNG.random(150) < 0.2)
        rows = RatedScores(scores, rated, bad & rated, np.arange(150), np.ones(150, bool), ~rated)
        found = rows.certified(0.2, 0.1)
        today += replace(rows, tested=rated, blank=None).certified(0.05, 0.1).reason is None
        if found.reason is None:
            made += 1
            passed = population[population >= found.threshold]
            broken += float((0.9 / (1 + np.exp(3 * passed))).mean()) > 0.2
    assert made > 100 and broken / 150 <= 0.1 and today > 0


def test_the_tipping_point_of_a_promise_is_the_first_number_of_bad_rows_that_undoes_it() -> None:
    tipped = 0
    for _ in range(12):
        scores, bad = scores_of(150, 0.5)
        left = RNG.random(150) < 0.15
        rows = RatedScores(scores, ~left, bad & ~left, np.arange(150), np.ones(150, bool), left)
        found, order = rows.certified(0.15, 0.1), np.flatnonzero(left)[np.argsort(-scores[left], kind="stable")]
        holds = []
        for count in range(len(order) + 1):
            truth = bad & ~left
            truth[order[:count]] = True
            every = np.ones(150, bool)
            holds.append(RatedScores(scores, every, truth, np.arange(150), every).certified(0.15, 0.1).reason is None)
        first = holds.index(False) if False in holds else None
        assert found.tipping == (first or None) and (found.reason is None) == all(holds)
        tipped += bool(first)
    assert tipped > 2


ONE = Corpus(tuple(replace(row, item=f"{row.system}{row.item}", system="a") for row in CORPUS))
"""The same rows, of one system"""


def scored(rows: list[DrawnRow], quality: dict[str, float]) -> ScoreTable:
    values = np.array([quality.get(str(row.name), 0.0) for row in rows])
    return ScoreTable([(row.system, row.item) for row in rows], {SPEC: Column(("f1",), values[:, None])}, {})


def test_no_threshold_is_certified_over_blank_rows(tmp_path: Path) -> None:
    made = project(tmp_path / "p", ONE, 120)
    project(tmp_path / "q", ONE, 120)
    rng = np.random.default_rng(0)
    quality = {str(row.name): float(rng.normal() + 4 * good(row)) for row in made.draw.sheet}
    table = scored(list(made.draw.rows), quality)
    ratings = rated(tmp_path / "p", lambda row: good(row) if int(str(row.name)[1:]) % 5 else "")
    whole = nlgauge.calibrate(table, rated(tmp_path / "q", good), risk=0.1)
    assert whole.chosen[0].reason is None and whole.chosen[0].tipping is None and whole.blank == 0
    found = nlgauge.calibrate(table, ratings, risk=0.1)
    risk = found.chosen[0]
    assert found.blank == 24 and math.isnan(risk.threshold) and risk.tipping is not None and 0 < risk.tipping < 24
    assert f"none holds if {risk.tipping} of the 24 blank rows that are tested are bad, at worst" in str(risk.reason)
    assert "in the tests of a promise 24 blank rows, which raters passed by, count as bad" in " ".join(found.notes)
    (line,) = nlgauge.trust(table, ratings, risk=0.1, replicates=10)
    assert math.isnan(line.certified) and (line.blank, line.tipping) == (24, risk.tipping)
    assert line.rated == 96 == sum(of.n for of in line.reliability) and line.bad == found.bad
    # Two blank rows cost little.
    few = rated(tmp_path / "p", lambda row: good(row) if row.name not in ("r010", "r050") else "")
    assert nlgauge.calibrate(table, few, risk=0.1).chosen[0].reason is None
    (line,) = nlgauge.trust(table, few, risk=0.1, replicates=10)
    assert line.certified == pytest.approx(nlgauge.calibrate(table, few, risk=0.1).chosen[0].threshold)
