"""Faithfulness: its sub-scores, what the question and exact checks do to them, and that no number of the gate moved."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import nlgauge
from nlgauge import Faithfulness
from nlgauge.data.corpus import Row
from nlgauge.engine import aligners
from nlgauge.engine.models.card import ModelCard
from nlgauge.engine.models.packing import PACKINGS
from nlgauge.errors import SpecError
from tests.engine.fake import FakeModel
from tests.metrics.pieces import prepared, scored, shown

ROW = Row("w1 w2 w3", (), "w3 w1 w5 w6")
YES, NO = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))
BEFORE = [
    json.loads(line) for line in (Path(__file__).parent / "gate_before.jsonl").read_text(encoding="utf-8").splitlines()
]
"""What the gate said when `Consistency(aligner='D')` was its metric: of `examples/rag_v1.jsonl` and `rag_v2.jsonl`, and
of odd answers; but for "I do not know.", which the gate finds false now where the source has what is asked for"""


@pytest.mark.usefixtures("one_model")
def test_no_number_and_no_verdict_of_the_gate_moved() -> None:
    rows = [{name: row[name] for name in ("candidate", "source", "question")} for row in BEFORE]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", evidence=True, cache=False)
    for part in Faithfulness().parts:
        before = [np.nan if row["values"][part] is None else row["values"][part] for row in BEFORE]
        np.testing.assert_allclose(table.values("Faithfulness", part), before, rtol=1e-4, atol=1e-5)
    probability = table.values("Faithfulness", "probability")
    np.testing.assert_array_equal(table.values("Faithfulness"), probability, "it is the first sub-score")
    outcomes = nlgauge.check(table, grounded=True).outcomes
    now = [one.state == "passed" for one, row in zip(outcomes, BEFORE, strict=True) if row["state"] != "unsure"]
    assert now == [row["state"] == "passed" for row in BEFORE if row["state"] != "unsure"]
    evidence = table.columns["Faithfulness"].evidence
    texts = [evidence.get(n, {}).get("texts", [{}])[0] for n in range(len(BEFORE))]
    said = [[one["said"] for one in text.get("reasons", [])] for text in texts]
    assert said == [row["differences"] for row in BEFORE]
    assert [text.get("unsupported", []) for text in texts] == [row["spans"] for row in BEFORE]


def test_the_parts_are_of_the_worst_stretch_of_all_words_and_of_those_below_the_threshold():
    # 16 tokens of the fake model hold stretches of 6; of the second stretch nothing is supported.
    row = replace(ROW, candidate="w1 w3 w5 w2. \n w7 w8", source="w1 w3 w5 w6")
    model = FakeModel(card=ModelCard(aligner_threshold=0.5, aligner_temperature=4.0))
    metric = Faithfulness()
    assert metric.parts == ("probability", "score", "least_stretch", "unsupported")
    assert metric.details == ("unsupported",)
    (one,) = scored(metric, [row], model)
    mean = (3 * YES + 3 * NO) / 6
    assert one.parts == pytest.approx((1 / (1 + np.exp(0 / 4)), mean, mean, 3 / 6))
    long = replace(row, candidate="w1 w3 w5 w6 w1 w3. \n w7 w8 w9 w1")
    (one,) = scored(metric, [long], model)
    mean, worst = (6 * YES + 4 * NO) / 10, (YES + 3 * NO) / 4
    assert one.parts == pytest.approx((1 / (1 + np.exp(0 / 4)), mean, worst, 4 / 10))
    (text,) = shown(metric, long, model)["texts"]
    assert [long.candidate[begin:end] for begin, end in text["unsupported"]] == ["w3. \n w7 w8 w9"]


@pytest.mark.parametrize(
    ("said", "there", "highest"), [("fell.", "rose", np.inf), ("fell", "rose", np.inf), ("5 km.", "6 km", -1)]
)
def test_a_difference_lowers_the_probability_of_its_segment_alone(said, there, highest):
    row = replace(ROW, candidate=f"w1 w2 w3 {said} \n w1 w2 w3", source=f"w1 w2 w3 {there}")
    metric = Faithfulness()
    chances, parts = [], []
    for languages in ((), ("en",)):
        model = FakeModel(card=ModelCard(languages=languages))
        (one,) = scored(metric, [row], model)
        (text,) = shown(metric, row, model)["texts"]
        chances.append([stretch["supported"] for stretch in text["stretches"]])
        differs = said.rstrip(".")
        assert [reason["said"] for reason in text["reasons"]] == [f"{differs}: the source has {there}"]
        assert [row.candidate[one["begin"] : one["end"]] for one in text["reasons"]] == [differs]
        assert [row.source[one["begin"] : one["end"]] for one in text["quotes"]] == [row.source]
        assert [one["text"] for one in text["quotes"]] == [row.source]
        assert one.parts[0] == min(chances[-1])
        parts.append(one.parts[1:])
    (plain, other), (doubted, same) = chances
    assert np.log(doubted / (1 - doubted)) == pytest.approx(min(np.log(plain / (1 - plain)) - 2, highest))
    assert same == other and parts[0] == parts[1]
    assert prepared(metric, model=FakeModel(card=ModelCard(languages=("en",)))).facts["exact_checks"] == 2


@pytest.mark.usefixtures("one_model")
def test_a_cached_score_is_one_of_its_question(tmp_path: Path) -> None:
    def score(question: str, cache: Path | bool) -> float:
        row = {"candidate": "No.", "source": "The library opens at nine on Mondays.", "question": question}
        return nlgauge.evaluate([row], metrics="Faithfulness", cache=cache).values("Faithfulness").item()

    asked = ("Does the library open at nine?", "Does the library open at ten?")
    alone = [score(question, False) for question in asked]
    assert alone[0] != pytest.approx(alone[1])
    assert [score(question, tmp_path) for question in asked] == pytest.approx(alone)


def test_an_answer_without_a_source_or_a_claim_has_no_value() -> None:
    rows = [replace(ROW, source=None), replace(ROW, source="?!"), replace(ROW, candidate="Thanks for asking!")]
    said = [one.reason for one in scored(Faithfulness(), rows)]
    assert said == ["no source", "no words in the source", "the candidate claims nothing"]
    assert shown(Faithfulness(), rows[2]) == {}


def test_a_model_that_gives_one_number_for_a_text_is_no_judge_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    regression = next(one for one in PACKINGS if one.regression)
    monkeypatch.setattr(aligners, "packer_of", lambda model: SimpleNamespace(packing=regression, name="r"))
    with pytest.raises(SpecError, match=r"predicts one number for a text.*take Consistency\(aligner='R'\)"):
        prepared(Faithfulness())
