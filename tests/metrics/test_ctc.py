import json
from dataclasses import replace

import numpy as np
import pytest

from nlgauge.data.corpus import Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import SpecError
from nlgauge.metrics.ctc import Consistency, Engagingness, Groundedness, MeanAlignment, Preservation, Relevance
from tests.engine.fake import FakeModel
from tests.metrics.pieces import pieces, prepared, scored, shown

ALL = (Consistency, Relevance, Preservation, Groundedness, Engagingness, MeanAlignment)
ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")

SOURCE = "The library opens in May."


def value(metric, row, model=None):
    """The value of a row, which has one."""
    (one,) = scored(metric, [row], model)
    assert one.reason is None
    return one.parts[0]


def literal(text, others, layer=3):
    """Definition 3.1 by embedding matching, a token at a time."""
    requests = [VectorsRequest(one, (layer,)) for one in (text, *others)]
    features = Engine(FakeModel()).features(requests)
    own, *theirs = (features[request] for request in requests)
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


# ---- Values


def test_aspects_are_the_papers_formulas():
    y, x, c, refs = ROW.candidate, ROW.source, ROW.context, ROW.references
    y_x, x_y = literal(y, [x]).mean(), literal(x, [y]).mean()
    assert value(Consistency(), ROW) == pytest.approx(y_x)
    assert value(Relevance(), ROW) == pytest.approx(np.mean([literal(r, [y]).mean() for r in refs]) * y_x)
    assert value(Preservation(), ROW) == pytest.approx(2 * y_x * x_y / (y_x + x_y))
    assert value(Groundedness(), ROW) == pytest.approx(literal(y, [c]).sum())
    assert value(Engagingness(), ROW) == pytest.approx(literal(y, [c, x]).sum())
    assert value(MeanAlignment(), ROW) == pytest.approx(literal(y, [c, x]).mean())


@pytest.mark.parametrize(("layer", "number"), [(0, 0), (2, 2), (-1, 3), (-4, 0)])
def test_layers_are_counted_from_either_end(layer, number):
    metric = Consistency(layer=layer)
    assert value(metric, ROW) == pytest.approx(literal(ROW.candidate, [ROW.source], number).mean())
    assert prepared(metric).facts == {"layer": number}


def test_the_layer_that_a_models_card_names_takes_the_place_of_the_last():
    model = FakeModel(card=ModelCard(layers={"CTC": 1}))
    assert prepared(Consistency(), model=model).facts == {"layer": 1}
    assert prepared(Consistency(layer=-2), model=model).facts == {"layer": 2}
    assert value(Consistency(), ROW, model) == pytest.approx(literal(ROW.candidate, [ROW.source], 1).mean())


def test_a_card_may_name_a_layer_for_each_aspect_and_one_for_the_others():
    model = FakeModel(card=ModelCard(layers={"CTC": 1, "Engagingness": 2, "Consistency": 0}))
    asked = (Consistency(), Relevance(), Engagingness(), MeanAlignment())
    assert [prepared(metric, model=model).facts["layer"] for metric in asked] == [0, 1, 2, 2]


def by_hand(metric, candidate, source):
    """The value of a row whose texts have tokens by hand; context and source are the same."""
    row = Row(candidate.text, (), source.text, source.text)
    features = Features({VectorsRequest(one.text, (3,)): one for one in (candidate, source)})
    (one,) = metric.score_rows([row], prepared(metric, [row]), features)
    return one.parts[0]


X = [[1.0, 0], [0.6, 0.8], [0, 2.0], [-1, 0]]
SOURCE_TOKENS = pieces("w1", [[0, 1.0], [3.0, 0], [0, 1.0]], frame=True)


def test_a_word_is_the_mean_of_its_pieces_and_punctuation_is_none():
    candidate = pieces("lib|rary opens .", X)
    assert by_hand(Consistency(), candidate, SOURCE_TOKENS) == pytest.approx(((1 + 0.6) / 2 + 0) / 2)
    assert by_hand(Groundedness(), candidate, SOURCE_TOKENS) == pytest.approx((1 + 0.6) / 2 + 0)


def test_a_cosine_below_nothing_is_nothing():
    assert by_hand(Consistency(), pieces("opens", [[-1.0, 0]]), pieces("w1", [[3.0, 0]])) == 0
    assert by_hand(Preservation(), pieces("w1", [[1.0, 0]]), pieces("w2", [[0, 1.0]])) == 0


def test_stopwords_count_or_not():
    candidate = pieces("The library op|the of", [[1.0, 0], [0.6, 0.8], [0.8, 0.6], [0, 1.0], [1, 0]])
    assert by_hand(Groundedness(), candidate, SOURCE_TOKENS) == pytest.approx(0.6 + 0.4)
    assert by_hand(Groundedness(stopwords=True), candidate, SOURCE_TOKENS) == pytest.approx(1 + 0.6 + 0.4 + 1)


def test_rescaling_is_of_each_alignment():
    model = FakeModel(card=ModelCard(bertscore_baseline={3: (0.1, 0.2, 0.4)}))
    plain = literal(ROW.candidate, [ROW.source])
    expected = ((plain - 0.4) / 0.6).clip(0, 1).mean()
    assert value(Consistency(rescale="token"), ROW, model) == pytest.approx(expected)
    assert prepared(Consistency(rescale="token"), model=model).facts == {"layer": 3, "baseline": "0.400000"}


@pytest.mark.parametrize("kind", [Consistency, Relevance, Preservation, MeanAlignment])
@pytest.mark.usefixtures("one_model")
def test_a_text_that_repeats_the_others_is_fully_aligned(kind):
    row = Row(SOURCE, (SOURCE, SOURCE), SOURCE, SOURCE)
    assert value(kind(), row, loading.load("pocket")) == pytest.approx(1, abs=1e-6)


def test_a_source_more_is_never_less():
    for candidate in ("w1 w2 w3", "w8", "w5 w5 w6 w7"):
        row = replace(ROW, candidate=candidate)
        assert value(Engagingness(), row) >= value(Groundedness(), row)
        assert value(Relevance(), row) <= value(Consistency(), row)


@pytest.mark.usefixtures("one_model")
def test_what_the_source_does_not_say_is_aligned_worse():
    rows = [Row(text, (SOURCE,), SOURCE, SOURCE) for text in ("The library opens in May.", "The baker sings in Rome.")]
    for kind in ALL:
        good, bad = (one.parts[0] for one in scored(kind(), rows, loading.load("pocket")))
        assert good > bad


# ---- No value, and why


@pytest.mark.parametrize("kind", ALL)
def test_a_missing_column_is_named(kind):
    for column in kind.needed:
        assert reason(kind(), **{column: () if column == "references" else None}) == f"no {column.rstrip('s')}"


@pytest.mark.parametrize("kind", ALL)
def test_what_an_aspect_does_not_read_may_be_missing(kind):
    blank = {"references": (), "source": None, "context": None}
    for column in kind().columns:
        blank.pop(column, None)
    assert value(kind(), replace(ROW, **blank)) == value(kind(), ROW)


def test_texts_without_words():
    for kind in ALL:
        assert reason(kind(), candidate="") == reason(kind(), candidate="?!") == "the candidate has no words"
    assert reason(Consistency(), source="?!") == "no words in the source"
    assert reason(Groundedness(), context=" ") == "no words in the context"
    assert reason(Engagingness(), context="", source="...") == "no words in the context and the source"
    assert reason(Relevance(), references=("", "?")) == "no reference has words"
    assert reason(Groundedness(), candidate="What is it about") == "the candidate has nothing but stop-words"
    assert value(Groundedness(stopwords=True), replace(ROW, candidate="of the")) > 0


def test_what_is_left_out_is_noted():
    (one,) = scored(Relevance(), [replace(ROW, references=("w2 w4", "", "?"))])
    assert one.notes == ("references without words left out",)
    assert one.parts[0] == value(Relevance(), replace(ROW, references=("w2 w4",)))
    (one,) = scored(Engagingness(), [replace(ROW, source="")])
    assert one.notes == ("no words in one of the context and the source",)
    assert one.parts[0] == value(Groundedness(), ROW)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "wrong", [{"layer": True}, {"layer": None}, {"aligner": "X"}, {"stopwords": "no"}, {"rescale": "all"}]
)
def test_parameters_outside_their_domain_are_refused(kind, wrong):
    with pytest.raises(SpecError, match=f"{kind.__name__}: "):
        kind(**wrong)


@pytest.mark.parametrize("layer", [4, -5])
def test_a_layer_that_the_model_does_not_have_is_refused(layer):
    with pytest.raises(SpecError, match=f"Consistency: model 'fake' has layers 0 to 3; asked for {layer}"):
        prepared(Consistency(layer=layer))


@pytest.mark.parametrize("known", [{}, {2: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    with pytest.raises(SpecError, match="no baseline for layer 3: choose rescale='none'"):
        prepared(Consistency(rescale="token"), model=FakeModel(card=ModelCard(bertscore_baseline=known)))


# ---- Trained aligners, on a model that finds a word supported, with log-odds 2, where the other text has it

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


def test_the_regressed_share_stands_for_every_word_and_shows_none():
    assert value(Consistency(aligner="R"), ROW) == pytest.approx(2 / 3)
    assert shown(Consistency(aligner="R"), ROW) == {}
    assert value(Groundedness(aligner="R"), ROW) == pytest.approx(3 * 1 / 3)
    # Two words count, and the share is of all four.
    assert value(Groundedness(aligner="R"), replace(ROW, candidate="the w1 of w2")) == pytest.approx(2 * 1 / 4)


@pytest.mark.parametrize("aligner", ["D", "R"])
def test_trained_aligners_say_why_there_is_no_value(aligner):
    assert reason(Consistency(aligner=aligner), source=None) == "no source"
    assert reason(Consistency(aligner=aligner), source=" ?! ") == "no words in the source"
    assert reason(Consistency(aligner=aligner), candidate="") == "the candidate has no words"
    assert reason(Groundedness(aligner=aligner), candidate="the of") == "the candidate has nothing but stop-words"


def test_a_pass_a_text_or_a_pass_a_pair():
    assert Consistency().cost == "encoding"
    for aligner in ("D", "R"):
        metric = Consistency(aligner=aligner)
        assert metric.cost == "pairs"
        assert prepared(metric).facts == {"aligner": "abababab", "rows": "128@16"}
        limited = prepared(metric, model=FakeModel(card=ModelCard(aligner_evidence=4)))
        assert limited.facts == {"aligner": "abababab", "rows": "128@16", "evidence": 4}


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
def test_a_sure_difference_lowers_the_probability_of_its_stretch_alone(said):
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
    assert np.log(doubted / (1 - doubted)) == pytest.approx(np.log(plain / (1 - plain)) - 2)
    assert same == other and parts[0] == parts[1]
    assert prepared(metric, model=FakeModel(card=ModelCard(languages=("en",)))).facts["exact_checks"] == 2


def test_an_aligner_that_was_not_taught_to_judge_whole_texts_says_so():
    class Older(FakeModel):
        def align(self, ids, attend, side):
            logits, shares, text, against = super().align(ids, attend, side)
            return logits, shares, np.full_like(text, np.nan), against

    (one,) = scored(Consistency(aligner="D"), [ROW], Older())
    assert one.parts[:3] == pytest.approx(((YES + NO + YES) / 3, (YES + NO + YES) / 3, 1 / 3))
    assert np.isnan(one.parts[3])
    assert one.reason == "the aligner was not trained to judge whole texts"
    (text,) = shown(Consistency(aligner="D"), ROW, Older())["texts"]
    assert "supported" not in text["stretches"][0]


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


def test_a_model_without_an_aligner_is_refused():
    model = FakeModel()
    model.abilities[ALIGNER] = None
    with pytest.raises(SpecError, match="model 'fake' has no aligner: choose aligner='E'"):
        prepared(Consistency(aligner="D"), model=model)


# ---- Odd and long texts, on the embedded model


@pytest.mark.usefixtures("one_model")
def test_a_special_token_written_in_a_text_is_text():
    words = ["", "[MASK]", "[ mask ]", "[SEP]", "[ sep ]"]
    rows = [Row(f"The library {w} opens.", (SOURCE,), SOURCE, SOURCE, item=w) for w in words]
    for kind in ALL:
        values = np.array([one.parts[0] for one in scored(kind(), rows, loading.load("pocket"))])
        np.testing.assert_allclose(values[1::2], values[2::2], rtol=1e-4)
        assert (values[1::2] != values[0]).all()


@pytest.mark.parametrize(("aligner", "high", "low"), [("E", 0.6, 0.4), ("D", 0.9, 0.6)])
@pytest.mark.usefixtures("one_model")
def test_a_source_beyond_the_window_is_read_to_its_end(aligner, high, low):
    filler = "Rain fell on the hills. " * 120
    rows = [Row(SOURCE, (), filler + end) for end in ("", SOURCE)]
    without, with_it = (one.parts[0] for one in scored(Consistency(aligner=aligner), rows, loading.load("pocket")))
    assert with_it > high > low > without


@pytest.mark.usefixtures("one_model")
def test_the_shipped_aligner_finds_what_the_source_does_not_say():
    source = "The old bridge over the river was closed on Monday. Inspectors had found rust in three of its cables."
    text = "The bridge was closed on Monday after inspectors found rust, and two hundred workers lost their jobs."
    (candidate,) = shown(Consistency(aligner="D"), Row(text, (), source), loading.load("pocket"))["texts"]
    marked = [word["text"] for word in candidate["words"] if word["alignment"] < candidate["weak"]]
    assert {"workers", "lost"} <= set(marked)
    assert not {"bridge", "closed", "Monday", "inspectors", "rust"} & set(marked)


# ---- Evidence


@pytest.mark.parametrize(
    "text", ["Zürich's can't-do, 3.5 %!", "图书馆五月 reopens 🙂", "e\u0301lan\u200d vital", "a\0b"]
)
@pytest.mark.parametrize("aligner", ["E", "D"])
@pytest.mark.usefixtures("one_model")
def test_evidence_holds_the_words_at_their_places(text, aligner):
    metric, row, model = Consistency(aligner=aligner), Row(text, (), SOURCE), loading.load("pocket")
    (candidate,) = json.loads(json.dumps(shown(metric, row, model)))["texts"]
    assert (candidate["name"], candidate["against"], candidate["text"]) == ("candidate", "source", text)
    for word in candidate["words"]:
        assert word["text"] == text[word["begin"] : word["end"]] != ""
        assert 0 <= word["alignment"] <= 1
    assert np.mean([word["alignment"] for word in candidate["words"]]) == pytest.approx(value(metric, row, model))


def test_evidence_of_relevance_has_both_sides():
    texts = shown(Relevance(), ROW)["texts"]
    sides = [(t["name"], t["against"], t["text"]) for t in texts]
    references = [("reference", "candidate", text) for text in ROW.references]
    assert sides == [("candidate", "source", ROW.candidate), *references]
    own, *others = (np.mean([word["alignment"] for word in t["words"]]) for t in texts)
    assert own * np.mean(others) == pytest.approx(value(Relevance(), ROW))


def test_weak_is_what_the_aligner_says_of_itself():
    model = FakeModel(card=ModelCard(aligner_threshold=0.55))
    for aligner, weak in (("E", 0.6), ("D", 0.55)):
        texts = shown(Consistency(aligner=aligner), ROW, model)["texts"]
        assert [text["weak"] for text in texts] == [weak]


def test_evidence_leaves_out_words_that_do_not_count():
    (text,) = shown(Groundedness(), replace(ROW, candidate="the w1 of w2"))["texts"]
    assert [word["text"] for word in text["words"]] == ["w1", "w2"]
    assert (text["name"], text["against"]) == ("candidate", "context")


def test_a_question_is_read_by_an_aligner_that_was_taught_to_and_supports_nothing():
    asked = Row("w1 w9", source="w1 w2", question="w9?")
    alone = Row("w1 w9", source="w1 w2")

    class Reading(FakeModel):
        def align(self, ids, attend, side):
            self.sides = side
            return super().align(ids, attend, side)

    for asks in (False, True):
        model = Reading(card=ModelCard(aligner_asks=asks))
        values = [scored(Consistency(aligner="D"), [row], model)[0].parts for row in (alone, asked)]
        assert values[0] == values[1]  # the word of the question is not supported by it
        assert (model.sides == 2).any() == asks


def test_a_text_in_a_language_that_the_model_does_not_read_has_no_value():
    german = "Die Brücke wurde am Montag geschlossen, nachdem die Prüfer Rost gefunden hatten."
    rows = [Row("w1", source=german), Row(german, source="w1 w2")]
    for aligner in ("D", "R"):
        for row, name in zip(rows, ("source", "candidate"), strict=True):
            (one,) = scored(Consistency(aligner=aligner), [row], FakeModel(card=ModelCard(languages=("en",))))
            assert np.isnan(one.parts).all()
            assert one.reason == f"the {name} is not in English (German), and the model reads English alone"
            (one,) = scored(Consistency(aligner=aligner), [row], FakeModel(card=ModelCard(languages=("en", "de"))))
            assert not np.isnan(one.parts).any()
