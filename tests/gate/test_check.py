"""The gate: thresholds for rows and for systems in either direction, rows without a value, and a verdict in words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.gate import Outcome, Unsupported, Verdict, check

NAN = math.nan
TEXT = {"name": "candidate", "against": "source", "text": "Wet sand", "words": [], "weak": 0, "unsupported": [[4, 8]]}
EVIDENCE = {"texts": [TEXT]}


@pytest.fixture
def table() -> ScoreTable:
    """A score with a missing value and evidence, a distance, one of two parts and a detail, and a
    corpus-level metric.
    """
    rows = [("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")]
    columns = {
        "Score": Column(
            ("score",), np.array([[0.8], [0.5], [NAN], [math.inf]]), {2: "the candidate is empty"}, {1: EVIDENCE}
        ),
        "Distance(k=1)": Column(("score",), np.array([[1.0], [2.0], [3.0], [4.0]]), higher_is_better=False),
        "Parts": Column(("f", "words"), np.array([[0.1, 5], [0.2, 6], [0.3, 7], [0.4, 8]]), details=("words",)),
        "Set": Column(("score",), np.array([[0.25], [0.75]]), level="system"),
    }
    return ScoreTable(rows, columns, {}, {"rows": 4}, "0")


def test_rows_under_the_threshold_fail_and_the_threshold_itself_passes(table: ScoreTable) -> None:
    found = check(table, "Score", at_least=0.8, allow_missing=True)
    assert [one.state for one in found.outcomes] == ["passed", "failed", "allowed", "passed"]
    (failed,) = found.failures
    assert (failed.row, failed.system, failed.item, failed.value) == (2, "A", "y", 0.5)
    assert failed.problem == "0.5000 is below 0.8"
    assert failed.unsupported == (Unsupported("candidate", "source", "Wet sand", ((4, 8),)),)
    assert not found.passed and found.count("passed") == 2
    assert check(table, "Score", at_least=0.5, allow_missing=True).passed


def test_a_row_without_a_value_fails_with_its_reason(table: ScoreTable) -> None:
    found = check(table, "Score", at_least=0)
    (failed,) = found.failures
    assert (failed.row, failed.state, failed.problem) == (3, "missing", "no value: the candidate is empty")
    assert math.isnan(failed.value) and not found.passed


def test_a_gate_that_could_decide_about_no_row_fails_whatever_is_allowed() -> None:
    empty = Column(("score",), np.array([[NAN], [NAN]]), {0: "the candidate is empty", 1: "the candidate is empty"})
    table = ScoreTable([("A", "x"), ("A", "y")], {"Score": empty}, {})
    for allowed in (False, True):
        found = check(table, "Score", at_least=0, allow_missing=allowed)
        assert found.nothing_checked and not found.passed
        assert (found.record["passed"], found.record["nothing_checked"]) == (False, True)
    empty.values[0] = 0.5
    found = check(table, "Score", at_least=0, allow_missing=True)
    assert found.passed and not found.nothing_checked


def test_a_value_next_to_the_threshold_is_shown_with_enough_digits() -> None:
    values = Column(("score",), np.array([[0.79999], [0.7999999], [math.nextafter(0.8, 0)]]))
    table = ScoreTable([("A", item) for item in "xyz"], {"M": values}, {})
    problems = [one.problem for one in check(table, at_least=0.8).failures]
    assert problems == ["0.799990 is below 0.8", "0.799999900 is below 0.8", "0.7999999999999999 is below 0.8"]


def test_a_part_is_the_first_or_the_one_that_is_named(table: ScoreTable) -> None:
    assert [one.value for one in check(table, "Parts", at_least=0).outcomes] == [0.1, 0.2, 0.3, 0.4]
    words = check(table, "Parts", part="words", at_least=6, at_most=7)
    assert [one.problem for one in words.failures] == ["5.0000 is below 6", "8.0000 is above 7"]
    assert words.higher_is_better is None


@pytest.mark.parametrize(
    ("arguments", "error", "say"),
    [
        ({"metric": "Score"}, SpecError, "nothing to check"),
        (
            {"metric": "Score", "at_most": 1},
            SpecError,
            "higher is better for Score: give at_least, --at-least in the command",
        ),
        ({"metric": "Distance", "at_least": 1}, SpecError, "better for Distance(k=1): give at_most, --at-most"),
        ({"metric": "Score", "at_least": NAN}, SpecError, "give a finite number"),
        ({"metric": "Parts words", "at_least": 2, "at_most": 1}, SpecError, "at least 2 and at most 1"),
        ({"metric": "Parts", "part": "g", "at_least": 1}, SpecError, "no sub-score 'g'; it has f, words"),
        ({"metric": "Other", "at_least": 1}, SpecError, "no metric Other"),
        ({"at_least": 1}, InputError, "several metrics (name one of Score, "),
    ],
)
def test_what_cannot_be_meant_is_refused(
    table: ScoreTable, arguments: dict[str, object], error: type, say: str
) -> None:
    with pytest.raises(error) as caught:
        check(table, **arguments)  # type: ignore[arg-type]
    assert say in str(caught.value)


def judged(*values: float, thresholds: list[float] | None = None) -> ScoreTable:
    """A table of `Faithfulness`, whose signature has the thresholds of its model."""
    spec = "Faithfulness"
    column = Column(("score", "probability"), np.array([[0.9, value] for value in values]), {3: "not English"})
    signature = Signature(spec, {} if thresholds is None else {"grounded": thresholds})
    return ScoreTable([("A", str(n)) for n in range(len(values))], {spec: column}, {spec: signature}, {}, "0")


def test_grounded_sorts_rows_and_decides_by_them_where_the_rate_of_false_alarms_is_not_known() -> None:
    found = check(judged(0.39, 0.4, 0.6, NAN, thresholds=[0.4, 0.6]), grounded=True)
    assert [one.state for one in found.outcomes] == ["failed", "doubtful", "passed", "missing"]
    assert [one.problem for one in found.outcomes] == [
        "0.3900 is below 0.4",
        "doubtful: 0.4000 is between 0.4 and 0.6",
        None,
        "cannot say: not English",
    ]
    assert not found.passed and found.part == "probability" and found.decision is None
    doubtful = judged(0.4, 0.7, thresholds=[0.4, 0.6])
    assert len(check(doubtful, grounded=True).failures) == 1 and not check(doubtful, grounded=True).passed
    assert not check(doubtful, grounded=True, strict="doubtful").passed
    assert check(doubtful, grounded=True, strict="fails").passed
    assert not check(judged(0.3, 0.7, thresholds=[0.4, 0.6]), grounded=True, strict="fails").passed


def test_rows_of_the_second_model_have_both_of_its_thresholds() -> None:
    values = np.array([[p, decided] for p in (0.3, 0.5, 0.65, 0.9) for decided in (1, 2)])
    facts = {"unsure": [0.2, 0.8], "then_grounded": [0.4, 0.6], "model": {"name": "m"}, "model_then": {"name": "n"}}
    spec, column = "Faithfulness", Column(("probability", "decided"), values, details=("decided",))
    rows = [("A", str(n)) for n in range(8)]
    found = check(ScoreTable(rows, {spec: column}, {spec: Signature(spec, facts)}, {}, "0"), grounded=True).outcomes
    assert [one.state for one in found[::2]] == ["doubtful", "doubtful", "doubtful", "passed"]
    assert [one.state for one in found[1::2]] == ["failed", "doubtful", "passed", "passed"]


def test_grounded_needs_thresholds_that_somebody_measured(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="has no measured thresholds"):
        check(judged(0.5), grounded=True)
    with pytest.raises(InputError, match="no metric with a probability"):
        check(table, grounded=True)
    with pytest.raises(SpecError, match="grounded has its own part"):
        check(judged(0.5, thresholds=[0.4, 0.6]), grounded=True, at_least=0.5)


def test_a_scores_file_from_before_faithfulness_is_checked_by_its_probability_and_compared_with_nothing() -> None:
    spec = "Consistency(aligner='D')"
    parts = ("score", "least_stretch", "unsupported", "probability")
    column = Column(parts, np.array([[0.9, 0.9, 0.1, value] for value in (0.3, 0.5, 0.7)]))
    rows = [("A", str(n)) for n in range(3)]
    old = ScoreTable(rows, {spec: column}, {spec: Signature(spec, {"grounded": [0.4, 0.6]})}, {}, "0")
    assert [one.state for one in check(old, grounded=True).outcomes] == ["failed", "doubtful", "passed"]
    new = judged(0.3, 0.5, 0.7, thresholds=[0.4, 0.6])
    with pytest.raises(InputError, match=r"which had this probability before; give the outputs of the earlier run"):
        check(new, grounded=True, against=old)
    with pytest.raises(InputError, match=r"it has Other\)"):
        check(new, grounded=True, against=replace(old, columns={"Other": column}))
    made = RatedThreshold(
        metric=spec,
        part="probability",
        direction="at_least",
        threshold=0.5,
        by="f1",
        risk=None,
        confidence=None,
        n=10,
        passing=0.5,
        aspect="right",
        below=0.5,
        signature="",
        facts={},
    )
    assert [one.state for one in check(old, threshold=made).outcomes] == ["failed", "passed", "passed"]
    plain = replace(old, columns={spec: Column(("score",), np.ones((3, 1)))})
    with pytest.raises(InputError, match=r"it has Consistency\(aligner='D'\)\)"):
        check(new, grounded=True, against=plain)
    with pytest.raises(InputError, match="Faithfulness has it now: score with it, and run nlgauge calibrate again"):
        check(plain, threshold=made)
    with pytest.raises(SpecError, match="no sub-score 'unsupported'; it has score; Faithfulness has it now"):
        plain.values(spec, "unsupported")


PASSED = Outcome("bot", "a", 1, 0.9, "passed", None, finding="supported", answer="It opens at nine.")
CLAIM = "It opens at nine, and <b>tea</b> is free."
INVENTED = Outcome(
    "bot",
    "b",
    2,
    0.125,
    "failed",
    "0.1250 is below 0.35",
    (Unsupported("candidate", "source", CLAIM, ((22, 32),)),),
    "not found",
    CLAIM,
)
OTHER = replace(INVENTED, row=3, finding="contradicted", reasons=("9 pm: the source has 9 am", "two: the source has 3"))
DOUBTFUL = Outcome(
    system="bot",
    item="d",
    row=4,
    value=0.38,
    state="doubtful",
    problem="doubtful: 0.38 is between 0.35 and 0.41",
    unsupported=(Unsupported("candidate", "source", CLAIM, ((22, 32),)),),
    finding="doubtful",
    answer=CLAIM,
)


def verdict(*outcomes: Outcome) -> Verdict:
    return Verdict("M", "p", True, 0.35, None, 0.05, outcomes)


def test_why_is_the_difference_then_the_words_then_the_number() -> None:
    assert OTHER.why == "9 pm: the source has 9 am; two: the source has 3"
    assert INVENTED.why == "the source does not say it: “<b>tea</b>”"
    assert DOUBTFUL.why == "not sure of: “<b>tea</b>”"
    assert replace(DOUBTFUL, unsupported=()).why == "it may not be what the source says"
    assert replace(INVENTED, finding=None).why == "0.1250 is below 0.35"
    assert replace(PASSED, reasons=("nine: the source has ten",)).why == ""


def test_the_headline_counts_what_fails() -> None:
    assert verdict(PASSED, INVENTED, OTHER).headline == "2 of 3 answers fail"
    assert verdict(PASSED, PASSED).headline == "All 2 answers pass"
    assert verdict(INVENTED).headline == "The answer fails"
    assert verdict().headline == "Nothing was checked"
    gone = Outcome("bot", "z", None, float("nan"), "missing", "the baseline has this row, and the outputs do not")
    assert verdict(PASSED, gone).headline == "The answer passes, and 1 of the earlier run is missing"
    system = Outcome("bot", None, None, 0.1, "failed", "0.1 is below 0.35")
    assert verdict(system, replace(system, state="passed")).headline == "1 of 2 systems fail"


def test_a_console_and_a_notebook_show_what_fails_and_why() -> None:
    found = verdict(PASSED, INVENTED, DOUBTFUL)
    first, head, *rows = repr(found).splitlines()
    assert first == "2 of 3 answers fail (1 supported, 1 not found, 1 doubtful)."
    assert head.split() == ["row", "item", "verdict", "why"]
    assert [row.split()[:2] for row in rows] == [["2", "b"], ["4", "d"]]
    html = found._repr_html_()
    assert "It opens at nine, and &lt;b&gt;tea&lt;/b&gt; is free." in html and "0.12" in html
    assert "<b>tea" not in html and "It opens at nine." not in html
    many = verdict(*(replace(INVENTED, row=number) for number in range(1, 26)))
    assert many._repr_html_().count('<tr><th scope="row"') == 20 and "5 more rows do not pass." in many._repr_html_()
    assert found.record["rows"][1]["why"] == INVENTED.why
