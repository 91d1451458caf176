"""Faithfulness: its sub-scores, what the question and exact checks do to them, and what stands in its evidence."""

import json
from collections.abc import Sequence
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
NO_SURE = 1 / (1 + np.exp(1))
YES, NO = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))
ODD = [
    json.loads(line) for line in (Path(__file__).parent / "odd_answers.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Answers of `examples/rag_v1.jsonl` and `rag_v2.jsonl`, and odd ones, with their differences from the source"""


def of_claims(chances: Sequence[float]) -> float:
    """Return the probability of an answer, from the odds against its claims, whose sum is divided by the root of n."""
    if min(chances) == 0:
        return 0.0
    return 1 / (1 + sum((1 - chance) / chance for chance in chances) / len(chances) ** 0.5)


@pytest.mark.usefixtures("one_model")
def test_the_evidence_of_an_answer_has_its_differences_its_claims_and_its_number() -> None:
    rows = [{name: row[name] for name in ("candidate", "source", "question")} for row in ODD]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", evidence=True, cache=False)
    probability = table.values("Faithfulness", "probability")
    np.testing.assert_array_equal(table.values("Faithfulness"), probability, "it is the first sub-score")
    evidence = table.columns["Faithfulness"].evidence
    for n, row in enumerate(ODD):
        text = evidence.get(n, {}).get("texts", [{}])[0]
        reasons = text.get("reasons", [])
        assert [one["said"] for one in reasons] == row["differences"]
        claims = [one["supported"] for one in text.get("stretches", [])]
        literal = of_claims(claims) if claims else np.nan
        if any(one.get("sure") for one in reasons):
            literal = min(literal, 1 / (1 + np.exp(1)))
        assert probability[n] == pytest.approx(literal, nan_ok=True)


@pytest.mark.usefixtures("one_model")
def test_a_claim_before_a_question_is_judged_as_it_is_alone() -> None:
    right, wrong = "the ferry leaves at nine.", "the ferry leaves at ten."
    said = [right, wrong, *(f"{claim} do you want to book?" for claim in (right, wrong))]
    source = "The ferry leaves at nine. It carries cars."
    table = nlgauge.evaluate(candidates=said, sources=[source] * len(said), metrics="Faithfulness", cache=False)
    alone, before = np.split(table.values("Faithfulness"), 2)
    np.testing.assert_allclose(before, alone, rtol=1e-6)
    assert before[0] > 0.5 > before[1]


@pytest.mark.usefixtures("one_model")
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("The ferry leaves at nine and the", "it is no answer: it breaks off"),
        ("I do not know when the ferry leaves.", "it says alone that something is not there"),
        ("The ferry leaves at nine.", None),
    ],
)
def test_a_sub_score_that_is_missing_has_its_reason(said: str, why: str | None) -> None:
    source = "The ferry leaves at nine. It carries cars."
    table = nlgauge.evaluate(candidates=[said], sources=[source], metrics="Faithfulness", cache=False)
    assert np.isnan(table.values("Faithfulness", "wording")[0]) == (why is not None)
    assert table.columns["Faithfulness"].reasons.get(0) == why


@pytest.mark.usefixtures("one_model")
def test_a_claim_has_the_same_number_alone_and_among_others() -> None:
    source = " ".join(f"Hall {n} of the Tarn museum holds {n} paintings of the river." for n in range(2, 40))
    source = f"The ferry leaves at nine. {source} There is a shop on board, and the trip takes two hours."
    said = ["The ferry leaves at nine.", "There is a cinema on board.", "Hall 7 holds 7 paintings of the river."]
    rows = [{"candidate": text, "source": source} for text in (*said, " ".join(said), " ".join(said[::-1]))]
    table = nlgauge.evaluate(rows, metrics="Faithfulness", evidence=True, cache=False)
    alone = table.values("Faithfulness")[:3]
    for row, order in ((3, alone), (4, alone[::-1])):
        (text,) = table.columns["Faithfulness"].evidence[row]["texts"]
        assert [one["supported"] for one in text["stretches"]] == pytest.approx(order.tolist(), abs=1e-5)
        assert table.values("Faithfulness")[row] == pytest.approx(of_claims(alone), abs=1e-5)


def test_the_parts_are_of_the_worst_stretch_of_all_words_and_of_those_below_the_threshold():
    # 16 tokens of the fake model hold claims of 6; of the second claim nothing is supported.
    def both(*unsupported: int) -> float:
        """Return the probability of claims of log-odds 3 less 1 for each unsupported word, over the temperature."""
        return of_claims([1 / (1 + np.exp(-(3 - one) / 4)) for one in unsupported])

    row = replace(ROW, candidate="w1 w3 w5 w2. \n w7 w8", source="w1 w3 w5 w6")
    model = FakeModel(card=ModelCard(aligner_threshold=0.5, aligner_temperature=4.0))
    metric = Faithfulness()
    assert metric.parts == ("probability", "score", "least_stretch", "unsupported", "wording", "claims")
    assert metric.details == ("unsupported", "wording", "claims")
    (one,) = scored(metric, [row], model)
    mean = (3 * YES + 3 * NO) / 6
    assert one.parts == pytest.approx((both(1, 2), mean, NO, 3 / 6, 3 / 6, 2))
    long = replace(row, candidate="w1 w3 w5 w6 w1 w3. \n w7 w8 w9 w1")
    (one,) = scored(metric, [long], model)
    mean, worst = (6 * YES + 4 * NO) / 10, (YES + 3 * NO) / 4
    assert one.parts == pytest.approx((both(1, 3), mean, worst, 4 / 10, 7 / 10, 2))
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
        both = of_claims(chances[-1])
        assert one.parts[0] == pytest.approx(min(both, NO_SURE) if languages and highest < 0 else both)
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
