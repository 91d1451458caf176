"""The decision about a set: by counts, accepted answers, ratings, or an earlier run."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlgauge import InputError, Row, ScoreTable, SpecError
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.gate import check
from nlgauge.gate.accepted import Acceptance, read
from nlgauge.gate.decision import by_ratings
from nlgauge.maths.inference import Measured
from nlgauge.maths.intervals import hypergeometric_p

SPEC = "Faithfulness"
BANDS = [[0.0, 0.5, 0.6, 0.55], [0.5, 1.0, 0.9, 0.85]]
"""Answers that share less than half of their wording cannot be read"""
FACTS = {
    "grounded": [0.5, 0.6],
    "strict": 0.1,
    "right_answers": {"answers": [0.05, 0.15, 0.25], "others": [0.06, 0.10, 0.60]},
    "bands": BANDS,
}
RATES = {"answers": [0.05, 0.15, 0.25], "long answers": [0.01, 0.05, 0.1], "others": [0.06, 0.1, 0.6]}


def table(
    values: Sequence[float],
    systems: Sequence[str] | None = None,
    questions: bool = True,
    wording: Sequence[float] | None = None,
    claims: Sequence[float] | None = None,
) -> ScoreTable:
    """Scores of answers, each to a question of its number."""
    names = systems or ["bot"] * len(values)
    rows = [
        Row(item=str(n), candidate=f"Answer {n}.", source="It is so.", question=f"What is {n}?" if questions else None)
        for n in range(len(values))
    ]
    shares = [1.0] * len(values) if wording is None else wording
    numbers = np.array([values, shares, [1.0] * len(values) if claims is None else claims], float).T
    details = ("wording", "claims")
    column = Column(parts=("probability", *details), values=numbers, reasons={}, details=details)
    return ScoreTable(
        rows=[(name, str(n)) for n, name in enumerate(names)],
        columns={SPEC: column},
        signatures={SPEC: Signature(SPEC, FACTS)},
        run={"texts": [row.fingerprint for row in rows]},
        version="0",
    )


def answers(passing: int, doubtful: int = 0, failing: int = 0) -> list[float]:
    return [0.9] * passing + [0.3] * doubtful + [0.05] * failing


def chance(count: int, n: int, share: float) -> float:
    """P(X >= count), term by term."""
    return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(count, n + 1))


@pytest.mark.parametrize(
    ("passing", "doubtful", "failing"), [(50, 0, 0), (37, 13, 0), (34, 14, 2), (30, 20, 0), (1, 0, 0)]
)
def test_what_right_answers_alone_make_passes(passing: int, doubtful: int, failing: int) -> None:
    verdict = check(table(answers(passing, doubtful, failing)), grounded=True)
    (system,) = verdict.decision.systems
    n, doubted = passing + doubtful + failing, doubtful + failing
    p = min(1.0, 2 * min(chance(doubted, n, 0.25), chance(failing, n, 0.05)))
    assert system.p == pytest.approx(p) and system.p >= 0.01
    assert verdict.passed and verdict.ruling == "passes" and verdict.decision.by == "alone"
    assert (system.n, system.doubted, system.failing) == (n, doubted, failing)
    low, high = system.expected
    answers_are = f"answer{'s' * (n != 1)} {'is' if 1 in (doubted, n) else 'are'}"
    said = f"{doubted} of {n} {answers_are} doubted; right answers alone make {low} to {high} of {n}"
    assert verdict.headline == f"The set passes: {said}"
    assert chance(low, n, 0.15) >= 0.975 and chance(high + 1, n, 0.25) <= 0.025
    assert ("even the strict threshold" in verdict.decision.following) == bool(failing)


@pytest.mark.parametrize(("passing", "doubtful", "failing"), [(26, 24, 0), (42, 0, 8), (0, 0, 3), (0, 5, 0)])
def test_more_than_right_answers_make_fails(passing: int, doubtful: int, failing: int) -> None:
    verdict = check(table(answers(passing, doubtful, failing)), grounded=True)
    (system,) = verdict.decision.systems
    assert verdict.ruling == "fails" and not verdict.passed and system.p < 0.01
    word = "are below the strict threshold" if failing else "are doubted"
    assert word in verdict.headline and "(p " in verdict.headline


def test_right_answers_alone_rarely_fail_the_gate() -> None:
    rng, failed = np.random.default_rng(3), 0
    for _ in range(400):
        values = rng.choice([0.9, 0.3, 0.05], size=50, p=[0.75, 0.2, 0.05])
        failed += check(table(values.tolist()), grounded=True).ruling == "fails"
    assert failed <= 8, "1 % is promised"


def test_texts_without_a_question_are_held_against_the_larger_shares() -> None:
    values = answers(26, 24)
    assert check(table(values), grounded=True).ruling == "fails"
    assert check(table(values, questions=False), grounded=True).ruling == "passes"


def test_each_row_is_held_against_the_share_of_its_kind() -> None:
    """Of 60 texts 20 answer in one claim, 20 in four, and 20 answer no question."""
    kinds = ["answers"] * 20 + ["long answers"] * 20 + ["others"] * 20
    scores = table(answers(30, 28, 2), claims=[4.0 if kind == "long answers" else 1.0 for kind in kinds])
    for row in range(40, 60):
        scores.run["texts"][row] = scores.run["texts"][row].rpartition(".")[0] + "."
    scores.signatures[SPEC] = Signature(SPEC, {**FACTS, "right_answers": RATES})
    (system,) = check(scores, grounded=True).decision.systems
    tails = []
    for count, place in ((30, 2), (2, 0)):
        chances = [1.0]  # of each number of doubted texts, text by text
        for kind in kinds:
            share = RATES[kind][place]
            chances = [a * (1 - share) + b * share for a, b in zip([*chances, 0.0], [0.0, *chances], strict=True)]
        tails.append(sum(chances[count:]))
    assert system.p == pytest.approx(min(1.0, 2 * min(tails)))
    scores.columns[SPEC] = replace(scores.columns[SPEC], parts=("probability", "wording", "sentences"))
    unknown = check(scores, grounded=True).decision.systems[0]
    assert unknown.p > system.p, "a long answer that is not known to be one may be a short one"


def test_systems_are_decided_each_and_share_the_level() -> None:
    values = [*answers(50), *answers(30, 20), *answers(0, 50)]
    verdict = check(table(values, ["a"] * 50 + ["b"] * 50 + ["c"] * 50), grounded=True)
    assert [one.ruling for one in verdict.decision.systems] == ["passes", "passes", "fails"]
    assert verdict.ruling == "fails" and verdict.headline.startswith("c: The set fails")
    almost = answers(28, 22)
    alone = check(table(almost), grounded=True).decision.systems[0].p
    assert 0.01 / 3 < alone < 0.01
    shared = check(table(almost * 3, [name for name in "abc" for _ in almost]), grounded=True)
    assert shared.ruling == "passes"


def test_a_row_without_a_value_fails_unless_it_is_allowed_and_nothing_checked_is_no_pass() -> None:
    lost = table([*answers(20), math.nan])
    lost.columns[SPEC].reasons[20] = "not English"
    assert check(lost, grounded=True).ruling == "fails"
    assert "1 of the rows has no value" in check(lost, grounded=True).headline
    assert check(lost, grounded=True, allow_missing=True).ruling == "passes"
    nothing = table([math.nan])
    nothing.columns[SPEC].reasons[0] = "claims nothing"
    assert check(nothing, grounded=True).nothing_checked and not check(nothing, grounded=True).passed


def test_a_sure_difference_fails_a_doubtful_row() -> None:
    scores = table(answers(20, 1))
    reason = {"said": "9 pm: the source has 9 am", "begin": 0, "end": 4, "sure": True}
    text = {"name": "candidate", "against": "source", "text": "9 pm", "words": [], "weak": 0.5, "quotes": []}
    scores.columns[SPEC].evidence[20] = {"texts": [{**text, "stretches": [], "reasons": [reason]}]}
    *_, last = check(scores, grounded=True).outcomes
    assert last.state == "failed" and "a difference is sure" in last.problem
    scores.columns[SPEC].evidence[20] = {"texts": [{**text, "stretches": [], "reasons": [{**reason, "sure": False}]}]}
    *_, last = check(scores, grounded=True).outcomes
    assert last.state == "doubtful"


OTHER = "in other words than the source, and the model cannot read such answers"


def test_answers_that_cannot_be_read_are_told_and_do_not_count() -> None:
    values = [*answers(20, 5), *answers(0, 0, 15)]
    verdict = check(table(values, wording=[0.5] * 25 + [0.49] * 15), grounded=True)
    (system,) = verdict.decision.systems
    assert (system.n, system.doubted, system.failing, system.unread) == (25, 5, 0, 15)
    assert verdict.ruling == "passes" and verdict.headline.endswith(f"; 15 of 40 answers are {OTHER}")
    assert check(table(values), grounded=True).ruling == "fails", "all of the same wording"
    last = verdict.outcomes[-1]
    assert (last.state, last.finding, last.failed, last.unsupported) == ("unread", "other words", False, ())
    assert (
        last.problem == last.why == "cannot say: in other words than the source (49% of its longer words stand there)"
    )
    assert verdict.findings == {"other words": 15, "doubtful": 5}
    strict = check(table(values, wording=[0.5] * 25 + [0.49] * 15), grounded=True, strict="fails")
    assert strict.passed and [one.state for one in strict.worst] == ["doubtful"] * 5 + ["unread"] * 15


def test_a_passing_number_of_an_answer_that_cannot_be_read_says_nothing() -> None:
    verdict = check(table(answers(3), wording=[0.9, 0.2, 1.0]), grounded=True)
    assert [one.state for one in verdict.outcomes] == ["passed", "unread", "passed"]
    unread = check(table(answers(3), wording=[0.1] * 3), grounded=True)
    assert unread.nothing_checked and unread.ruling == "fails" and not unread.passed
    two = check(table(answers(4), ["a", "a", "b", "b"], wording=[1, 1, 0.1, 0.1]), grounded=True)
    assert [one.ruling for one in two.decision.systems] == ["passes", "cannot tell"] and two.ruling == "cannot tell"
    assert two.headline.startswith(f"b: Whether the set passes cannot be told: 2 of 2 answers are {OTHER}")


@pytest.mark.parametrize("sure", [True, False])
def test_what_is_found_exactly_decides_about_an_answer_that_cannot_be_read(sure: bool) -> None:
    scores = table(answers(1, 1, 1), wording=[0.9, 0.1, 0.1])
    reason = {"said": "9 pm: the source has 9 am", "begin": 0, "end": 4, "sure": sure}
    refused = {"begin": 0, "end": 4, "quotes": [], "supported": 0.05, "abstains": sure}
    text = {"name": "candidate", "against": "source", "text": "9 pm", "words": [], "weak": 0.5, "quotes": []}
    scores.columns[SPEC].evidence[1] = {"texts": [{**text, "stretches": [], "reasons": [reason]}]}
    scores.columns[SPEC].evidence[2] = {"texts": [{**text, "stretches": [refused]}]}
    states = [one.state for one in check(scores, grounded=True).outcomes]
    assert states == (["passed", "failed", "failed"] if sure else ["passed", "unread", "unread"])


def test_a_model_whose_reading_was_not_measured_judges_every_wording() -> None:
    scores = table(answers(3), wording=[0.1, 0.5, 1.0])
    scores.signatures[SPEC] = Signature(SPEC, {name: fact for name, fact in FACTS.items() if name != "bands"})
    assert [one.state for one in check(scores, grounded=True).outcomes] == ["passed"] * 3
    scores.columns[SPEC].values[2, 1] = math.nan
    scores.signatures[SPEC] = Signature(SPEC, FACTS)
    assert [one.state for one in check(scores, grounded=True).outcomes] == ["unread", "passed", "passed"]


def test_a_row_just_below_the_upper_threshold_is_doubtful_and_does_not_count() -> None:
    verdict = check(table([0.55] * 30 + [0.9] * 10), grounded=True)
    assert verdict.ruling == "passes" and verdict.count("doubtful") == 30
    assert verdict.decision.systems[0].doubted == 0
    assert verdict.outcomes[0].problem == "doubtful: 0.5500 is between 0.5 and 0.6, and does not count"


# ---- Accepted answers


def accepting(scores: ScoreTable, rows: Sequence[int]) -> list[Acceptance]:
    return [Acceptance(texts=scores.run["texts"][row], reason="It is so.", date="2026-11-27") for row in rows]


def test_accepted_answers_do_not_count_until_a_text_changes() -> None:
    scores = table(answers(20, 12, 8))
    assert check(scores, grounded=True).ruling == "fails"
    accepted = accepting(scores, range(20, 40))
    verdict = check(scores, grounded=True, accepted=accepted)
    assert verdict.ruling == "passes" and verdict.decision.by == "accepted"
    assert verdict.decision.systems[0].n == 20
    scores.run["texts"] = [f"0{text}" for text in scores.run["texts"]]
    assert check(scores, grounded=True, accepted=accepted).ruling == "fails"


def test_from_twenty_on_accepted_answers_are_the_rate_of_false_alarms() -> None:
    """Half of 20 accepted answers are doubted: of 30 others 20 are no surprise, though they are beside the card."""
    scores = table([*answers(10, 10), *answers(10, 20)])
    assert check(scores, grounded=True).ruling == "fails"
    verdict = check(scores, grounded=True, accepted=accepting(scores, range(20)))
    (system,) = verdict.decision.systems
    p = sum(math.comb(30, k) * math.comb(20, 30 - k) for k in range(20, 31)) / math.comb(50, 30)
    assert verdict.ruling == "passes" and system.p == pytest.approx(min(1, 2 * p))
    assert "of 20 accepted answers 10" in verdict.headline
    # None of 20 accepted answers is doubted: then 12 of 30 are more than chance, though the card would let them pass.
    scores = table([*answers(20), *answers(18, 12)])
    assert check(scores, grounded=True).ruling == "passes"
    assert check(scores, grounded=True, accepted=accepting(scores, range(20))).ruling == "fails"


def test_every_answer_accepted_passes() -> None:
    scores = table(answers(0, 3, 2))
    verdict = check(scores, grounded=True, accepted=accepting(scores, range(5)))
    assert verdict.ruling == "passes" and "accepted all of its 5 answers" in verdict.headline


def test_fishers_test_is_the_sum_of_its_terms() -> None:
    for count, n, others, m in ((3, 10, 2, 12), (0, 5, 1, 4), (5, 5, 0, 30), (7, 9, 20, 25)):
        kind, whole = count + others, n + m
        p = sum(
            math.comb(n, k) * math.comb(m, kind - k) for k in range(count, min(n, kind) + 1) if kind - k <= m
        ) / math.comb(whole, kind)
        assert hypergeometric_p(count, n, others, m) == pytest.approx(p)


def test_a_file_of_accepted_answers_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    line = {"texts": "a.b.c.d", "reason": "It is so.", "date": "2026-11-27"}
    place = tmp_path / "accepted.jsonl"
    place.write_text(json.dumps(line) + "\n\n" + json.dumps(line) + "\n", encoding="utf-8")
    assert read(place) == [Acceptance(**line)] * 2
    without = {"texts": "a.b.c.d"}
    for wrong in ("{", "[]", *map(json.dumps, ({**line, "date": "soon"}, {**line, "texts": "a"}, without))):
        place.write_text(json.dumps(line) + "\n" + wrong + "\n", encoding="utf-8")
        with pytest.raises(InputError, match="row 2: this is no accepted answer"):
            read(place)
    place.write_text(json.dumps({**line, "reason": " "}), encoding="utf-8")
    with pytest.raises(InputError, match="without a reason"):
        read(place)
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "absent.jsonl")
    bare = table(answers(3))
    bare.run.clear()
    with pytest.raises(InputError, match="no digests"):
        check(bare, grounded=True, accepted=[Acceptance(**line)])


# ---- Ratings, and an earlier run


def rated(scores: ScoreTable, bad: Sequence[int], every: int = 1) -> dict[tuple[str, str], float]:
    return {key: float(n not in bad) for n, key in enumerate(scores.rows) if n % every == 0}


def test_ratings_decide_by_their_interval() -> None:
    scores = table(np.linspace(0.05, 0.95, 200).tolist())
    passes = check(scores, grounded=True, ratings=rated(scores, [5]), at_most_wrong=0.05)
    assert passes.ruling == "passes" and passes.decision.by == "ratings"
    share = passes.decision.systems[0].wrong
    assert share.low < 0.005 < share.high <= 0.05
    fails = check(scores, grounded=True, ratings=rated(scores, range(60)), at_most_wrong=0.05)
    assert fails.ruling == "fails" and "30 % of the answers are wrong" in fails.headline
    open_ = check(scores, grounded=True, ratings=rated(scores, [4], every=4), at_most_wrong=0.05)
    assert open_.ruling == "cannot tell" and not open_.passed
    assert open_.headline.startswith("Whether the set passes cannot be told") and "Rate" in open_.decision.following


@pytest.mark.parametrize(
    ("low", "value", "high", "ruling"),
    [
        (0.03, 0.10, 0.20, "cannot tell"),
        (0.01, 0.04, 0.09, "cannot tell"),
        (0.06, 0.10, 0.20, "fails"),
        (0.05, 0.10, 0.20, "cannot tell"),
        (0.00, 0.02, 0.05, "passes"),
    ],
)
def test_a_share_decides_by_both_ends_of_its_interval(low: float, value: float, high: float, ruling: str) -> None:
    share = Measured(value=value, low=low, high=high)
    (system,) = by_ratings((), {"bot": share}, {"bot": math.inf}, most=0.05).systems
    assert system.ruling == ruling


def test_rows_that_claim_nothing_are_no_answers_of_the_set() -> None:
    scores = table([*answers(20, 2), math.nan, math.nan])
    scores.columns[SPEC].reasons |= {22: "claims nothing", 23: "claims nothing"}
    (system,) = check(scores, grounded=True).decision.systems
    assert (system.n, system.doubted) == (22, 2)


def test_ratings_of_another_scale_and_of_two_questions_are_refused_and_never_pass() -> None:
    """On a scale from 1 to 5 no rating is below a half: all would be right."""
    scores = table(np.linspace(0.05, 0.95, 60).tolist())
    five = {key: 1.0 + n % 5 for n, key in enumerate(scores.rows)}
    with pytest.raises(InputError, match="ratings go from 1 to 5, and nobody has said which are wrong"):
        check(scores, grounded=True, ratings=five, at_most_wrong=0.05)
    right = dict.fromkeys(scores.rows, 1.0)
    with pytest.raises(InputError, match="the answers are rated for clear, right"):
        check(scores, grounded=True, ratings={"clear": right, "right": rated(scores, range(30))}, at_most_wrong=0.05)


def test_accepted_answers_need_a_model_whose_right_answers_were_measured() -> None:
    scores = table(answers(3))
    accepted = accepting(scores, [0])
    scores.signatures[SPEC] = Signature(SPEC, {"grounded": [0.5, 0.6]})
    with pytest.raises(SpecError, match="does not say how often it doubts right answers"):
        check(scores, grounded=True, accepted=accepted)


def test_an_earlier_run_decides_and_rows_that_fail_do_not() -> None:
    rng = np.random.default_rng(2)
    before = rng.uniform(0.3, 0.9, 40)
    now, worse = table([*before[:39] + 0.01, 0.05]), table((before - 0.25).clip(0.01).tolist())
    verdict = check(now, grounded=True, against=table(before.tolist()))
    assert verdict.ruling == "passes" and verdict.decision.by == "against" and verdict.count("failed") == 1
    assert check(worse, grounded=True, against=table(before.tolist())).ruling == "fails"
    unsure = check(now, grounded=True, against=table(before.tolist()), margin=0.0001)
    assert unsure.ruling == "fails" and "not shown" in unsure.headline


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"strict": "fails"}, "of the source's support"),
        ({"at_most_wrong": 0.05, "at_least": 0.3}, "of the source's support"),
        ({"grounded": True, "strict": "often"}, "neither 'fails' nor 'doubtful'"),
        ({"grounded": True, "at_most_wrong": 0.05}, "ratings of some answers"),
        ({"grounded": True, "ratings": {("bot", "0"): 1.0}}, "the share that may be wrong"),
        ({"grounded": True, "ratings": {("bot", "0"): 1.0}, "at_most_wrong": 5}, "no share between 0 and 1"),
        ({"grounded": True, "strict": "fails", "ratings": {("bot", "0"): 1.0}, "at_most_wrong": 0.05}, "single rows"),
    ],
)
def test_options_that_do_not_go_together_are_refused(asked: dict, why: str) -> None:
    with pytest.raises(SpecError, match=why):
        check(table(answers(3)), **asked)
