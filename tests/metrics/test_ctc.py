import json
from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import VectorsRequest
from nlgauge.errors import SpecError
from nlgauge.metrics.ctc import Consistency, Engagingness, Groundedness, MeanAlignment, Preservation, Relevance
from tests.engine.fake import FakeModel
from tests.metrics.pieces import pieces

ALL = (Consistency, Relevance, Preservation, Groundedness, Engagingness, MeanAlignment)
ROW = Row("w1 w2 w3", ("w2 w4", "w1 w9 w9"), "w3 w1 w5 w6", "w2 w7")

SOURCE = "The library opens in May."


def scored(metric, rows, model=None):
    """Value and evidence of each row on a small deterministic model."""
    corpus, engine = Corpus(tuple(rows)), Engine(model or FakeModel())
    bound = metric.scorer(corpus, engine)
    found = {}
    for indices, features in engine.stream([bound.needs(row) for row in corpus]):
        some = [corpus[i] for i in indices]
        values = bound.score(some, features)
        found.update({i: (v, bound.evidence(r, features)) for i, r, v in zip(indices, some, values, strict=True)})
    return [found[i] for i in range(len(corpus))]


def value(metric, row, model=None):
    ((found, _),) = scored(metric, [row], model)
    assert found.reason is None
    return found.parts[0]


def literal(text, others, layer=3, special=False):
    """Definition 3.1 by embedding matching, a token at a time."""
    own, *theirs = Engine(FakeModel()).features([(t, VectorsRequest((layer,))) for t in (text, *others)])
    out = []
    for i in np.flatnonzero(~own.special):
        best = -2.0
        for other in theirs:
            for j in range(len(other.ids)):
                if special or not other.special[j]:
                    x, y = own.vectors[0, i].astype(float), other.vectors[0, j].astype(float)
                    best = max(best, sum(x * y) / np.sqrt(sum(x * x) * sum(y * y)))
        out.append(best if special else min(max(best, 0), 1))
    return np.array(out)


def reasons(metric, **columns):
    ((found, evidence),) = scored(metric, [replace(ROW, **columns)])
    assert np.isnan(found.parts[0])
    assert evidence == {}
    return found.reason


# ---- Values


def test_aspects_are_the_papers_formulas():
    y, x, c, refs = ROW.candidate, ROW.source, ROW.context, ROW.references
    y_x, x_y = literal(y, [x]).mean(), literal(x, [y]).mean()
    assert value(Consistency(), ROW) == pytest.approx(y_x)
    assert value(Relevance(), ROW) == pytest.approx(np.mean([literal(r, [y]).mean() for r in refs]) * y_x)
    assert value(Preservation(), ROW) == pytest.approx(2 * y_x * x_y / (y_x + x_y))
    assert value(Preservation(harmonic_factor=1), ROW) == pytest.approx(y_x * x_y / (y_x + x_y))
    assert value(Groundedness(), ROW) == pytest.approx(literal(y, [c]).sum())
    assert value(Engagingness(), ROW) == pytest.approx(literal(y, [c, x]).sum())
    assert value(MeanAlignment(), ROW) == pytest.approx(literal(y, [c, x]).mean())


def test_the_published_code_matches_special_tokens_and_joins_the_texts_of_a_dialogue():
    y, x, c = ROW.candidate, ROW.source, ROW.context
    assert value(Consistency(published=True), ROW) == pytest.approx(literal(y, [x], special=True).mean())
    joined = literal(y, [f"{c}\n\n\n{x}"], special=True)
    assert value(Engagingness(published=True), ROW) == pytest.approx(joined.sum())
    assert value(MeanAlignment(published=True), ROW) == pytest.approx(joined.mean())


@pytest.mark.parametrize(("layer", "number"), [(0, 0), (2, 2), (-1, 3), (-4, 0)])
def test_layers_are_counted_from_either_end(layer, number):
    metric = Consistency(layer=layer)
    assert value(metric, ROW) == pytest.approx(literal(ROW.candidate, [ROW.source], number).mean())
    assert metric.scorer(Corpus((ROW,)), Engine(FakeModel())).signature["layer"] == number


def features(**texts):
    """Tokens by hand, for the texts that stand under them."""
    return {(feature.text, VectorsRequest((3,))): feature for feature in texts.values()}


def by_hand(metric, candidate, source):
    row = Row(candidate.text, (), source.text, source.text)
    scorer = metric.scorer(Corpus((row,)), Engine(FakeModel()))
    (found,) = scorer.score([row], features(candidate=candidate, source=source))
    return found.parts[0], found.reason


X = [[1.0, 0], [0.6, 0.8], [0, 2.0], [-1, 0]]
SOURCE_TOKENS = pieces("w1", [[0, 1.0], [3.0, 0], [0, 1.0]], frame=True)


def test_a_word_is_the_mean_of_its_pieces_and_punctuation_is_none():
    candidate = pieces("lib|rary opens .", X)
    assert by_hand(Consistency(), candidate, SOURCE_TOKENS)[0] == pytest.approx(((1 + 0.6) / 2 + 0) / 2)
    assert by_hand(Groundedness(), candidate, SOURCE_TOKENS)[0] == pytest.approx((1 + 0.6) / 2 + 0)


def test_to_the_published_code_a_piece_is_a_word_and_a_cosine_may_be_negative():
    candidate = pieces("lib|rary opens .", X)
    # The special tokens around the source point along the second axis.
    assert by_hand(Groundedness(published=True), candidate, SOURCE_TOKENS)[0] == pytest.approx(1 + 0.8 + 1 + 0)
    bare = pieces("w1", [[3.0, 0]])
    assert by_hand(Groundedness(published=True), candidate, bare)[0] == pytest.approx(1 + 0.6 + 0 - 1)
    assert by_hand(Consistency(), pieces("opens", [[-1.0, 0]]), bare)[0] == 0


def test_stopwords_count_or_not():
    candidate = pieces("The library op|the of", [[1.0, 0], [0.6, 0.8], [0.8, 0.6], [0, 1.0], [1, 0]])
    assert by_hand(Groundedness(), candidate, SOURCE_TOKENS)[0] == pytest.approx(0.6 + 0.4)
    assert by_hand(Groundedness(stopwords=True), candidate, SOURCE_TOKENS)[0] == pytest.approx(1 + 0.6 + 0.4 + 1)
    # Inside a word a piece is no stop-word, for all its letters.
    published = by_hand(Groundedness(published=True), candidate, pieces("w1", [[3.0, 0]]))[0]
    assert published == pytest.approx(0.6 + 0.8 + 0)


def test_rescaling_is_of_each_alignment_or_of_the_harmonic_mean():
    model = FakeModel()
    model.bertscore_baseline = {3: (0.1, 0.2, 0.4)}
    plain = literal(ROW.candidate, [ROW.source])
    expected = ((plain - 0.4) / 0.6).clip(0, 1).mean()
    assert value(Consistency(rescale="token"), ROW, model) == pytest.approx(expected)
    whole = value(Preservation(), ROW, model)
    assert value(Preservation(rescale="score"), ROW, model) == pytest.approx((whole - 0.4) / 0.6)
    assert Consistency(rescale="token").scorer(Corpus((ROW,)), Engine(model)).signature["baseline"] == "0.400000"


@pytest.mark.parametrize("kind", [Consistency, Relevance, Preservation, MeanAlignment])
def test_a_text_that_repeats_the_others_is_fully_aligned(kind):
    row = Row(SOURCE, (SOURCE, SOURCE), SOURCE, SOURCE)
    assert nlgauge.evaluate(Corpus((row,)), metrics=kind()).values(kind())[0] == pytest.approx(1, abs=1e-6)


def test_a_source_more_is_never_less():
    for candidate in ("w1 w2 w3", "w8", "w5 w5 w6 w7"):
        row = replace(ROW, candidate=candidate)
        assert value(Engagingness(), row) >= value(Groundedness(), row)
        assert value(Relevance(), row) <= value(Consistency(), row)


def test_what_the_source_does_not_say_is_aligned_worse():
    rows = [Row(text, (SOURCE,), SOURCE, SOURCE) for text in ("The library opens in May.", "The baker sings in Rome.")]
    for kind in ALL:
        good, bad = nlgauge.evaluate(Corpus(tuple(rows)), metrics=kind()).values(kind())
        assert good > bad


# ---- No value, and why


@pytest.mark.parametrize("kind", ALL)
def test_a_missing_column_is_named(kind):
    for column in kind.needed:
        assert reasons(kind(), **{column: () if column == "references" else None}) == f"no {column.rstrip('s')}"


@pytest.mark.parametrize("kind", ALL)
def test_columns_that_an_aspect_does_not_need_may_be_missing(kind):
    blank = {"references": (), "source": None, "context": None}
    for column in kind.needed:
        blank.pop(column)
    value(kind(), replace(ROW, **blank))


def test_texts_without_words():
    for kind in ALL:
        assert reasons(kind(), candidate="") == reasons(kind(), candidate="?!") == "the candidate has no words"
    assert reasons(Consistency(), source="?!") == "no words in the source"
    assert reasons(Groundedness(), context=" ") == "no words in the context"
    assert reasons(Engagingness(), context="", source="...") == "no words in the context and the source"
    assert reasons(Relevance(), references=("", "?")) == "no reference has words"
    assert reasons(Groundedness(), candidate="What is it about") == "the candidate has nothing but stop-words"
    assert value(Groundedness(stopwords=True), replace(ROW, candidate="of the")) > 0


def test_what_is_left_out_is_noted():
    ((found, _),) = scored(Relevance(), [replace(ROW, references=("w2 w4", "", "?"))])
    assert found.notes == ("references without words left out",)
    assert found.parts[0] == value(Relevance(), replace(ROW, references=("w2 w4",)))
    ((found, _),) = scored(Engagingness(), [replace(ROW, source="")])
    assert found.notes == ("no words in one of the context and the source",)
    assert found.parts[0] == value(Groundedness(), ROW)


@pytest.mark.parametrize("text", ["", "of the"])
def test_to_the_published_code_nothing_is_0(text):
    for kind in (Consistency, Groundedness, Engagingness, MeanAlignment):
        assert value(kind(published=True, stopwords=False), replace(ROW, candidate=text)) == 0
    for kind in (Relevance, Preservation):
        assert reasons(kind(published=True), candidate="") == "no words in the candidate"


def test_directions_that_cancel_each_other_have_no_value():
    assert by_hand(Preservation(), pieces("w1", [[1.0, 0]]), pieces("w2", [[0, 1.0]])) == (0.0, None)
    # Cosines of exactly 1/4 and -3/4: P is 1/4 and R their mean, -1/4.
    texts = (
        pieces("w1", [[1, 0, 0, 0, 0, 0, 0]]),
        pieces("w2 w3", [[1, 1, 1, 1, 2, 2, 2], [-3, 1, 1, 1, 2, 0, 0]]),
    )
    found, reason = by_hand(Preservation(published=True), *texts)
    assert np.isnan(found)
    assert reason == "the two directions cancel each other"


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
        scored(Consistency(layer=layer), [ROW])


@pytest.mark.parametrize("known", [None, {2: (0.5, 0.5, 0.5)}])
def test_rescaling_without_a_baseline_is_refused(known):
    model = FakeModel()
    model.bertscore_baseline = known
    with pytest.raises(SpecError, match="no baseline for layer 3: choose rescale='none'"):
        scored(Consistency(rescale="token"), [ROW], model)


# ---- Trained aligners, on a model that finds a word supported, with log-odds 2, where the other text has it

YES, NO = 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))


def test_a_trained_aligner_gives_every_word_its_own_confidence():
    rows = [ROW, replace(ROW, item="b", candidate="w3 w3")]
    first, second = scored(Consistency(aligner="D"), rows)
    assert first[0].parts[0] == pytest.approx((YES + NO + YES) / 3)
    assert second[0].parts[0] == pytest.approx(YES)
    (text,) = first[1]["texts"]
    assert [word["alignment"] for word in text["words"]] == pytest.approx([YES, NO, YES])
    assert value(Groundedness(aligner="D"), ROW) == pytest.approx(NO + YES + NO)
    assert value(Engagingness(aligner="D"), ROW) == pytest.approx(3 * YES)
    covered = ((YES + NO) / 2 + (YES + 2 * NO) / 3) / 2
    assert value(Relevance(aligner="D"), ROW) == pytest.approx(covered * (YES + NO + YES) / 3)


def test_the_regressed_share_stands_for_every_word_and_shows_none():
    ((found, evidence),) = scored(Consistency(aligner="R"), [ROW])
    assert found.parts[0] == pytest.approx(2 / 3)
    assert evidence == {}
    assert value(Groundedness(aligner="R"), ROW) == pytest.approx(3 * 1 / 3)
    # Two words count, and the share is of all four.
    assert value(Groundedness(aligner="R"), replace(ROW, candidate="the w1 of w2")) == pytest.approx(2 * 1 / 4)


@pytest.mark.parametrize("aligner", ["D", "R"])
def test_trained_aligners_say_why_there_is_no_value(aligner):
    assert reasons(Consistency(aligner=aligner), source=None) == "no source"
    assert reasons(Consistency(aligner=aligner), source=" ?! ") == "no words in the source"
    assert reasons(Consistency(aligner=aligner), candidate="") == "the candidate has no words"
    assert reasons(Groundedness(aligner=aligner), candidate="the of") == "the candidate has nothing but stop-words"


def test_the_aligners_own_weights_are_in_the_signature():
    for aligner in ("D", "R"):
        scorer = Consistency(aligner=aligner).scorer(Corpus((ROW,)), Engine(FakeModel()))
        assert scorer.signature == {"aligner": "abababab"}


@pytest.mark.parametrize("parameter", [{"layer": 2}, {"rescale": "token"}, {"published": True}])
def test_what_belongs_to_embeddings_is_refused_elsewhere(parameter):
    with pytest.raises(SpecError, match="is of aligner='E'"):
        Consistency(aligner="D", **parameter)


def test_a_model_without_an_aligner_is_refused():
    model = FakeModel()
    model.aligner_digest = None
    with pytest.raises(SpecError, match="Consistency: model 'fake' has no aligner: choose aligner='E'"):
        scored(Consistency(aligner="D"), [ROW], model)


# ---- Odd and long texts, on the embedded model


@pytest.mark.usefixtures("one_model")
def test_a_special_token_written_in_a_text_is_text():
    words = ["", "[MASK]", "[ mask ]", "[SEP]", "[ sep ]"]
    rows = Corpus(tuple(Row(f"The library {w} opens.", (SOURCE,), SOURCE, SOURCE, item=w) for w in words))
    for kind in ALL:
        got = nlgauge.evaluate(rows, metrics=kind()).values(kind())
        np.testing.assert_allclose(got[1::2], got[2::2], rtol=1e-4)
        assert (got[1::2] != got[0]).all()


@pytest.mark.parametrize(("aligner", "high", "low"), [("E", 0.6, 0.3), ("D", 0.9, 0.6)])
@pytest.mark.usefixtures("one_model")
def test_a_source_beyond_the_window_is_read_to_its_end(aligner, high, low):
    filler = "Rain fell on the hills. " * 120
    rows = [Row(SOURCE, (), filler + end) for end in ("", SOURCE)]
    metric = Consistency(aligner=aligner)
    table = nlgauge.evaluate(Corpus(tuple(rows)), metrics=metric)
    without, with_it = table.values(metric)
    assert with_it > high > low > without
    assert table.run["models"]["pocket"]["longer"] == 2


@pytest.mark.usefixtures("one_model")
def test_the_shipped_aligner_finds_what_the_source_does_not_say():
    source = "The old bridge over the river was closed on Monday. Inspectors had found rust in three of its cables."
    text = "The bridge was closed on Monday after inspectors found rust, and five hundred people were hurt."
    metric = Consistency(aligner="D")
    table = nlgauge.evaluate(Corpus((Row(text, (), source),)), metrics=metric, evidence=True)
    (found,) = table.column(metric).evidence[0]["texts"]
    marked = [word["text"] for word in found["words"] if word["alignment"] < found["weak"]]
    assert {"five", "hundred", "people", "hurt"} <= set(marked)
    assert not {"bridge", "closed", "Monday", "inspectors", "rust"} & set(marked)


# ---- Evidence


@pytest.mark.parametrize(
    "text", ["Zürich's can't-do, 3.5 %!", "图书馆五月 reopens 🙂", "e\u0301lan\u200d vital", "a\0b"]
)
@pytest.mark.parametrize("aligner", ["E", "D"])
@pytest.mark.usefixtures("one_model")
def test_evidence_holds_the_words_at_their_places(text, aligner):
    metric = Consistency(aligner=aligner)
    table = nlgauge.evaluate(Corpus((Row(text, (), SOURCE),)), metrics=metric, evidence=True)
    (found,) = json.loads(json.dumps(table.column(metric).evidence[0]))["texts"]
    assert (found["name"], found["against"], found["text"]) == ("candidate", "source", text)
    for word in found["words"]:
        assert word["text"] == text[word["begin"] : word["end"]] != ""
        assert 0 <= word["alignment"] <= 1
    assert np.mean([word["alignment"] for word in found["words"]]) == pytest.approx(table.values(metric)[0])


def test_evidence_of_relevance_has_both_sides():
    ((found, evidence),) = scored(Relevance(), [ROW])
    sides = [(t["name"], t["against"], t["text"]) for t in evidence["texts"]]
    references = [("reference", "candidate", text) for text in ROW.references]
    assert sides == [("candidate", "source", ROW.candidate), *references]
    own, *others = (np.mean([word["alignment"] for word in t["words"]]) for t in evidence["texts"])
    assert own * np.mean(others) == pytest.approx(found.parts[0])


def test_weak_is_what_the_aligner_says_of_itself():
    for aligner, weak in (("E", 0.6), ("D", FakeModel.aligner_threshold)):
        ((_, evidence),) = scored(Consistency(aligner=aligner), [ROW])
        assert [text["weak"] for text in evidence["texts"]] == [weak]


def test_evidence_leaves_out_words_that_do_not_count():
    ((_, evidence),) = scored(Groundedness(), [replace(ROW, candidate="the w1 of w2")])
    (text,) = evidence["texts"]
    assert [word["text"] for word in text["words"]] == ["w1", "w2"]
    assert (text["name"], text["against"]) == ("candidate", "context")
