from dataclasses import replace

import numpy as np
import pytest

from nlgauge.data.corpus import Row
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge.metrics.ctc import Consistency, Engagingness, Groundedness, MeanAlignment, Preservation, Relevance
from tests.engine.fake import FakeModel, answers
from tests.metrics.pieces import prepared, scored, shown

ALL = (Consistency, Relevance, Preservation, Groundedness, Engagingness, MeanAlignment)
ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")


def value(metric, row, model=None):
    """The value of a row, which has one."""
    (one,) = scored(metric, [row], model)
    assert one.reason is None
    return one.parts[0]


def literal(text, others, layer=3):
    """Definition 3.1 by embedding matching, a token at a time."""
    requests = [VectorsRequest(one, (layer,)) for one in (text, *others)]
    own, *theirs = answers(FakeModel(), *requests)
    out = []
    for i in np.flatnonzero(~own.special):
        best = -2.0
        for other in theirs:
            for j in np.flatnonzero(~other.special):
                x, y = own.vectors[0, i].astype(float), other.vectors[0, j].astype(float)
                best = max(best, sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)))
        out.append(min(max(best, 0), 1))
    return np.array(out)


def reason(metric, **columns):
    """Why a row has no value; neither has it evidence then."""
    row = replace(ROW, **columns)
    (one,) = scored(metric, [row])
    assert np.isnan(one.parts).all()
    assert shown(metric, row) == {}
    return one.reason


def test_aspects_are_the_papers_formulas():
    y, x, c, refs = ROW.candidate, ROW.source, ROW.context, ROW.references
    y_x, x_y = literal(y, [x]).mean(), literal(x, [y]).mean()
    assert value(Consistency(), ROW) == pytest.approx(y_x)
    assert value(Relevance(), ROW) == pytest.approx(np.mean([literal(r, [y]).mean() for r in refs]) * y_x)
    assert value(Preservation(), ROW) == pytest.approx(2 * y_x * x_y / (y_x + x_y))
    assert value(Groundedness(), ROW) == pytest.approx(literal(y, [c]).sum())
    assert value(Engagingness(), ROW) == pytest.approx(literal(y, [c, x]).sum())
    assert value(MeanAlignment(), ROW) == pytest.approx(literal(y, [c, x]).mean())


def test_texts_without_words():
    for kind in ALL:
        assert reason(kind(), candidate="") == reason(kind(), candidate="?!") == "the candidate has no words"
    assert reason(Consistency(), source="?!") == "no words in the source"
    assert reason(Groundedness(), context=" ") == "no words in the context"
    assert reason(Engagingness(), context="", source="...") == "no words in the context and the source"
    assert reason(Relevance(), references=("", "?")) == "no reference has words"
    assert reason(Groundedness(), candidate="What is it about") == "the candidate has nothing but stop-words"
    assert value(Groundedness(stopwords=True), replace(ROW, candidate="of the")) > 0


@pytest.mark.parametrize("known", [{}, {2: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    with pytest.raises(SpecError, match="no baseline for layer 3: choose rescale='none'"):
        prepared(Consistency(rescale="token"), model=FakeModel(card=ModelCard(bertscore_baseline=known)))


YES, NO = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))


def test_a_trained_aligner_gives_every_word_its_own_confidence():
    rows = [ROW, replace(ROW, item="b", candidate="w3 w3")]
    first, second = scored(Consistency(aligner="D"), rows)
    assert first.parts[0] == pytest.approx((YES + NO + YES) / 3)
    assert second.parts[0] == pytest.approx(YES)
    (text,) = shown(Consistency(aligner="D"), ROW)["texts"]
    assert [word["alignment"] for word in text["words"]] == pytest.approx([YES, NO, YES])
    assert value(Groundedness(aligner="D"), ROW) == pytest.approx(NO + YES + NO)
    assert value(Engagingness(aligner="D"), ROW) == pytest.approx(3 * YES)
    covered = ((YES + NO) / 2 + (YES + 2 * NO) / 3) / 2
    assert value(Relevance(aligner="D"), ROW) == pytest.approx(covered * (YES + NO + YES) / 3)


def test_the_aligner_d_decides():
    # 16 tokens of the fake model hold stretches of 6; of the second stretch nothing is supported.
    row = replace(ROW, candidate="w1 w3 w5 w2. \n w7 w8", source="w1 w3 w5 w6")
    model = FakeModel(card=ModelCard(aligner_threshold=0.5, aligner_temperature=4.0))
    metric = Consistency(aligner="D")
    assert metric.parts == ("score", "least_stretch", "unsupported", "probability")
    assert metric.details == ("unsupported",)
    (one,) = scored(metric, [row], model)
    assert one.parts[:3] == pytest.approx(((3 * YES + 3 * NO) / 6, (3 * YES + 3 * NO) / 6, 3 / 6))
    assert one.parts[3] == pytest.approx(1 / (1 + np.exp(0 / 4)))
    long = replace(row, candidate="w1 w3 w5 w6 w1 w3. \n w7 w8 w9 w1")
    (one,) = scored(metric, [long], model)
    assert one.parts[0] == pytest.approx((6 * YES + 4 * NO) / 10)
    assert one.parts[1] == pytest.approx((YES + 3 * NO) / 4)
    assert one.parts[2] == pytest.approx(4 / 10)
    assert one.parts[3] == pytest.approx(1 / (1 + np.exp(0 / 4)))
    (text,) = shown(metric, long, model)["texts"]
    assert [long.candidate[begin:end] for begin, end in text["unsupported"]] == ["w3. \n w7 w8 w9"]
    for other in (Consistency(), Consistency(aligner="R"), Relevance(aligner="D"), Groundedness(aligner="D")):
        assert (other.parts, other.details) == (("score",), ())


@pytest.mark.parametrize("said", ["fell.", "fell"])
def test_a_sure_difference_lowers_the_probability_of_its_segment_alone(said):
    row = replace(ROW, candidate=f"w1 w2 w3 {said} \n w1 w2 w3", source="w1 w2 w3 rose")
    metric = Consistency(aligner="D")
    chances, parts = [], []
    for languages in ((), ("en",)):
        model = FakeModel(card=ModelCard(languages=languages))
        (one,) = scored(metric, [row], model)
        (text,) = shown(metric, row, model)["texts"]
        chances.append([stretch["supported"] for stretch in text["stretches"]])
        assert [reason["said"] for reason in text["reasons"]] == ["fell: the source has rose"]
        assert [row.candidate[one["begin"] : one["end"]] for one in text["reasons"]] == ["fell"]
        assert [row.source[one["begin"] : one["end"]] for one in text["quotes"]] == ["w1 w2 w3 rose"]
        assert [one["text"] for one in text["quotes"]] == ["w1 w2 w3 rose"]
        assert one.parts[3] == min(chances[-1])
        parts.append(one.parts[:3])
    (plain, other), (doubted, same) = chances
    assert np.log(doubted / (1 - doubted)) == pytest.approx(min(np.log(plain / (1 - plain)) - 2, -1))
    assert same == other and parts[0] == parts[1]
    assert prepared(metric, model=FakeModel(card=ModelCard(languages=("en",)))).facts["exact_checks"] == 2


def test_all_of_a_long_source_is_read_on_request():
    source = " \n ".join(f"{word} w10 w11 w12 w13" for word in ("w1", "w2", "w3", "w4"))  # rows have room for one
    row = replace(ROW, candidate="w1 w2 w3 w4", source=source)
    whole = Consistency(aligner="D", reading="windows")
    assert str(whole) == "Consistency(aligner='D', reading='windows')"
    assert value(whole, row) == pytest.approx(YES)
    assert value(Consistency(aligner="D"), row) == pytest.approx((YES + 3 * NO) / 4)
    assert value(Groundedness(aligner="R", reading="windows"), ROW) == pytest.approx(3 * 1 / 3)
    with pytest.raises(SpecError, match="reading is for aligner='D' or 'R'; leave it out"):
        Consistency(reading="windows")
    with pytest.raises(SpecError, match="reading='all' is not one of 'search', 'windows'"):
        Consistency(aligner="D", reading="all")


@pytest.mark.parametrize("parameter", [{"layer": 2}, {"rescale": "token"}])
def test_what_belongs_to_embeddings_is_refused_elsewhere(parameter):
    with pytest.raises(SpecError, match="is for aligner='E'"):
        Consistency(aligner="D", **parameter)
