"""Alignments by a model that finds a token supported, at log-odds 2, where the other text has it, else at -2.

Its rows hold 13 sub-words of both texts, so that a stretch has 6 at most, and a sentence of another text 7.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.models.capabilities import ALIGNER
from nlgauge.engine.models.card import ModelCard
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel

texts = st.lists(st.sampled_from([*WORDS[5:], "w1.", "w2."]), max_size=40).map(" ".join)
readings = st.sampled_from(["search", "windows"])
LONG = " ".join(WORDS[10:40])


def aligned(request, **options):
    return Engine(FakeModel(), **options).features([request])[request]


def quoted(alignment, request):
    return [request.against[quote.other][quote.begin : quote.end] for quote in alignment.quotes]


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(st.lists(texts, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3),
    st.integers(1, 400),
)
@settings(max_examples=25, deadline=None)
def test_a_token_is_aligned_where_any_part_of_any_other_text_supports_it(some, others, batch_tokens):
    """Where all is read, windows, batches and order must not show."""
    requests = [AlignmentRequest(text, against, "windows") for text in some for against in others]
    features = Engine(FakeModel(), batch_tokens=batch_tokens).features(requests)
    for request in requests:
        text, alignment = request.text, features[request]
        there = {word for other in request.against for word in other.split()}
        if not text or not there:
            assert alignment is None
            continue
        # "w1." is no word of the model's, and any such word is equal to any other.
        unknown = {"w1.", "w2."} if there & {"w1.", "w2."} else set()
        assert (alignment.logits > 0).tolist() == [word in there | unknown for word in text.split()]
        assert [text[begin:end] for begin, end in alignment.offsets] == text.split()


@given(
    st.lists(st.tuples(texts, st.lists(texts, max_size=3).map(tuple), readings), min_size=1, max_size=5, unique=True),
    st.integers(1, 400),
)
@settings(max_examples=25, deadline=None)
def test_batches_and_order_do_not_show(asked, batch_tokens):
    requests = [AlignmentRequest(*one) for one in asked]
    together = Engine(FakeModel(), batch_tokens=batch_tokens).features(requests[::-1])
    for request in requests:
        one, other = aligned(request), together[request]
        if one is None:
            assert other is None
            continue
        for name in ("offsets", "logits", "nearest"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
        assert (one.aggregate, one.stretches, one.quotes) == (other.aggregate, other.stretches, other.quotes)
        assert (one.nearest < len(one.quotes)).all()
        ends = [place for stretch in one.stretches for place in stretch[:2]]
        assert ends == sorted(ends) and (ends[0], ends[-1]) == (one.offsets[0, 0], one.offsets[-1, 1])


def test_only_what_is_like_a_stretch_is_read_of_a_long_text():
    request = AlignmentRequest("w1 w2", (f"{LONG}. \n w9 w1 w3 \n {LONG} \n w8 w2 \n {LONG}",))
    engine = Engine(FakeModel())
    alignment = engine.features([request])[request]
    assert engine.ledger.passes == 1
    assert quoted(alignment, request) == ["w9 w1 w3", "w8 w2"]
    assert alignment.nearest.tolist() == [0, 1]
    assert (alignment.logits > 0).all()
    everything = aligned(AlignmentRequest(request.text, request.against, "windows"))
    assert everything.logits.tolist() == alignment.logits.tolist()
    # The sentences are those of the part that supports the text best.
    assert "w9 w1 w3" in quoted(everything, request)
    assert len(everything.quotes) < 5


def test_all_is_read_where_nothing_is_shared_and_where_it_fits():
    engine = Engine(FakeModel())
    request = AlignmentRequest("w1 w2", (LONG,))
    alignment = engine.features([request])[request]
    assert engine.ledger.passes > 1
    assert (alignment.logits < 0).all()
    assert (alignment.nearest == -1).all()
    request = AlignmentRequest("w1 w2", ("w3 \n w4 \n w2",))
    assert quoted(aligned(request), request) == ["w3", "w4", "w2"]
    assert aligned(request).nearest.tolist() == [2, 2]  # of those that share something with its sentence


@pytest.mark.parametrize("reading", ["search", "windows"])
def test_an_aligner_reads_no_more_evidence_than_it_was_trained_with(reading):
    request = AlignmentRequest("w1 w2", (" \n ".join(["w1 w9 w8 w3", "w2 w9", *["w1 w5"] * 60]),), reading)
    for evidence, longest in ((0, 128), (1, 64)):
        model = FakeModel(window=160, card=ModelCard(aligner_evidence=evidence))
        alignment = Engine(model).features([request])[request]
        assert (alignment.logits > 0).all()
        assert longest < max(length for _, length in model.rows_seen) <= longest + 32


def test_of_several_texts_what_any_supports_is_supported():
    request = AlignmentRequest("w1 w2 w3", ("w1 w4", "", "w2 w5"))
    alignment = aligned(request)
    assert (alignment.logits > 0).tolist() == [True, True, False]
    assert alignment.stretches == ((0, 8, 1.0, (0, 1), 1.0),)
    assert [quote.other for quote in alignment.quotes] == [0, 2]
    assert alignment.nearest.tolist() == [0, 1, 0]
    assert alignment.aggregate == pytest.approx(1 / 3)


def test_what_is_said_of_a_text_in_stretches():
    text = " ".join(["w1"] * 9 + ["w2"] * 3)
    alignment = aligned(AlignmentRequest(text, ("w1 w3 w4 w5 w6 w7 w8 w9",)))
    # Of two stretches of six one is supported whole and one half.
    assert alignment.aggregate == pytest.approx((6 * 1 + 6 / 2) / 12)
    assert [stretch[:3] for stretch in alignment.stretches] == [(0, 17, 3.0), (18, 35, 0.0)]


@pytest.mark.parametrize("reading", ["search", "windows"])
def test_what_is_cut_has_no_alignment(reading):
    text = " ".join(WORDS[5:25])
    request = AlignmentRequest(text, (text,), reading)
    alignment = aligned(request, window="cut")
    assert [text[begin:end] for begin, end in alignment.offsets] == text.split()[:6]
    assert max(quote.end for quote in alignment.quotes) <= len(" ".join(text.split()[:7]))
    with pytest.raises(InputError, match="row 1"):
        Engine(FakeModel(), window="error").check([request], 1)
    # Each fits alone, and the two do not fit together.
    pair = AlignmentRequest("w1 w2 w3 w4 w5 w6 w7", ("w1 w2 w3 w4 w5 w6 w7",), reading)
    with pytest.raises(InputError, match="read together"):
        Engine(FakeModel(), window="error").check([pair], 1)


def test_a_source_is_split_and_sentences_are_found_once(monkeypatch):
    from nlgauge.engine import sentence_search

    asked = []
    sentences = sentence_search.sentences
    monkeypatch.setattr(sentence_search, "sentences", lambda text, *rest: asked.append(text) or sentences(text, *rest))
    engine = Engine(FakeModel())
    engine.features([AlignmentRequest(text, (LONG,)) for text in ("w9 w3", "w1 w2", "w4 \n w5")])
    assert asked.count(LONG) == 1
    assert engine.ledger.texts == 4


def test_a_model_without_an_aligner_is_refused():
    model = FakeModel()
    model.abilities[ALIGNER] = None
    with pytest.raises(SpecError, match="'fake' has no aligner: choose aligner='E'"):
        Engine(model).features([AlignmentRequest("w1", ("w2",))])
