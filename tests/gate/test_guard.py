"""The gate on a stream: each sentence as `check` finds it alone, whatever pieces the text comes in."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Guard, InputError, SpecError, registry
from nlgauge.faithfulness import exact_checks
from nlgauge.gate.guard import cut
from tests.metrics.court import court

SOURCE = ["A late return costs two crowns a day.", "The reading room opens at nine."]
QUESTION = "What does a late return cost?"
SENTENCES = [
    "Hello!",
    "A late return costs 5.50 crowns a day [1].",
    "The reading room opens at nine.",
    "The documents do not say who pays.",
]


@pytest.mark.usefixtures("one_model")
def test_each_sentence_is_found_as_by_the_gate_alone() -> None:
    guard = Guard(SOURCE, QUESTION)
    found = list(guard.read(" ".join(SENTENCES)))
    rows = [{"candidate": one, "source": SOURCE, "question": QUESTION} for one in SENTENCES]
    for number, (row, one) in enumerate(zip(rows, found, strict=True), 1):
        table = nlgauge.evaluate([row], metrics="Faithfulness", evidence=True, cache=False)
        (alone,) = nlgauge.check(table, grounded=True).outcomes
        assert math.isclose(one.value, alone.value) or (math.isnan(one.value) and math.isnan(alone.value))
        assert replace(one, value=0.0) == replace(alone, value=0.0, row=number, answer=row["candidate"])
    assert [one.finding for one in found] == ["no claim", "contradicted", "supported", "abstained"]
    assert found[1].why == "5.50 crowns: the source has two crowns"
    assert guard.outcomes == found and not guard.passed


@given(st.lists(st.integers(0, 100), max_size=8))
def test_pieces_of_any_length_are_cut_into_the_same_sentences(places: list[int]) -> None:
    text = "It costs 3.50 crowns. No more!  Is that all?\n\nYes, e.g. for 2. groups. 三。四。"
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    held, ended = "", []
    for begin, end in pairwise(edges):
        some, held = cut(held + text[begin:end])
        ended += some
    whole, rest = cut(text)
    assert [*ended, held.strip()] == [*whole, rest.strip()]


@pytest.mark.usefixtures("one_model")
def test_a_source_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    sentences = exact_checks.sentences_of

    def counted(text: str) -> object:
        read.append(text)
        return sentences(text)

    monkeypatch.setattr(exact_checks, "sentences_of", counted)
    source = ["The Tarn bridge was closed in March.", "It opens again in June."]
    guard = Guard(source)
    for month in ("May", "June", "July"):
        guard.add(f"The Tarn bridge was closed in {month}.")
    assert read.count("\n".join(source)) == 1 and len(guard.outcomes) == 3


def test_what_is_no_text_is_one_line() -> None:
    for source in (None, [], ""):
        with pytest.raises(InputError, match=r"source is .*, and an answer is grounded in nothing"):
            Guard(source)
    with pytest.raises(InputError, match="the answer is None, not a text"):
        Guard("The ferry left.").add(None)  # type: ignore[arg-type]


def test_sentences_are_read_by_the_model_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="other': there is no such folder"):
        Guard("The ferry left.", model=str(tmp_path / "other"))


def _ferry(text: str) -> float:
    """Yes where the judged answer says nine."""
    return 0.9 if "leaves at nine" in text.split("An answer:")[-1] else 0.1


def _lost(number: int, body: dict[str, object]) -> tuple[int, dict[str, str], bytes] | None:
    """Fail on all questions but the first short one of a run."""
    return None if "Water is wet." in str(body) else (500, {}, b"{}")


def test_a_judge_decides_each_sentence_as_by_the_gate_alone() -> None:
    with court(_ferry) as server:
        spec = f"Judge('{server.url}')"
        guard = Guard("The ferry leaves at nine.", metric=spec)
        found = list(guard.read("It leaves at nine. It leaves at ten."))
        assert [(one.row, one.state) for one in found] == [(1, "passed"), (2, "failed")] and not guard.passed
        assert_allclose([one.value for one in found], [0.9, 0.1])
        for one in found:
            row = {"candidate": one.answer, "source": "The ferry leaves at nine."}
            table = nlgauge.evaluate([row], metrics=spec, evidence=True, cache=False)
            (alone,) = nlgauge.check(table, grounded=True).outcomes
            assert replace(one, row=1, answer=None) == replace(alone, answer=None)
        assert (
            Guard("The ferry leaves at nine.", metric=registry.metric(spec)).add("It leaves at nine.").state == "passed"
        )


def test_a_panel_that_holds_a_judge_decides_each_sentence_as_by_the_gate_alone(tmp_path: Path) -> None:
    source = "The ferry leaves at nine."
    rng = np.random.default_rng(2)
    rows = [
        {
            "candidate": f"It leaves at {'nine' if right else 'ten'}, they say ({number}).",
            "source": source,
            "item": f"i{number}",
            "scores": {"right": float(right if rng.random() < 0.9 else not right)},
        }
        for number, right in enumerate(rng.random(60) < 0.6)
    ]
    with court(_ferry) as server:
        members = [f"Judge('{server.url}')", "Faithfulness"]
        corpus = nlgauge.Corpus.from_records(rows)
        table = nlgauge.evaluate(corpus, metrics=members, cache=False)
        nlgauge.trust(table, corpus, replicates=0).panel().save(tmp_path / "panel.json")
        spec = f"Panel('{tmp_path / 'panel.json'}')"
        guard, asked = Guard(source, metric=spec), len(server.bodies)
        outcomes = list(guard.read("It leaves at nine. It leaves at ten."))
        assert len(server.bodies) == asked + 4, "of each sentence, after a short first question"
        assert [(outcome.row, outcome.state) for outcome in outcomes] == [(1, "passed"), (2, "failed")]
        for outcome in outcomes:
            sentence = nlgauge.evaluate([{"candidate": outcome.answer, "source": source}], metrics=spec, cache=False)
            (alone,) = nlgauge.check(sentence, grounded=True).outcomes
            assert outcome.value == alone.value and outcome.state == alone.state
        server.before = _lost
        lost = Guard(source, metric=spec).add("It leaves at nine.")
        assert math.isnan(lost.value) and lost.failed and "the judge did not answer" in (lost.problem or "")


def test_a_judge_that_cannot_be_read_passes_no_sentence() -> None:
    with court(_ferry) as server:
        guard = Guard("The ferry leaves at nine.", metric=f"Judge('{server.url}', retries=0)")
        assert guard.add("It leaves at nine.").state == "passed"
        server.before = _lost
        found = guard.add("It leaves at nine.")
        assert math.isnan(found.value) and found.state == "missing"
        assert "the judge did not answer: HTTP" in (found.problem or "")
        assert found.failed and not guard.passed


def test_a_metric_that_cannot_say_it_of_a_sentence_is_refused() -> None:
    with pytest.raises(SpecError, match=r"reads a column of the rows, and a sentence .* has none: take Faithfulness"):
        Guard("The ferry left.", metric="Column('verdict')")
    with pytest.raises(SpecError, match=r"Length.* gives no probability"):
        Guard("The ferry left.", metric="Length")
