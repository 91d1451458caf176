"""Alignments by a model that finds a token supported, at log-odds 2, where the other text has it, else at -2.

Its rows hold 13 sub-words of both texts, so that a stretch has 6 at most, and a sentence of another text 7.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import CLAIM, SHAPE, AlignmentRequest
from nlgauge.engine.models.card import ModelCard
from tests.engine.fake import WORDS, FakeModel

texts = st.lists(st.sampled_from([*WORDS[5:], "w1.", "w2."]), max_size=40).map(" ".join)


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
        # The fake tokenizer leaves the final stop of a text out.
        own = text.removesuffix(".").split()
        there = {word for other in request.against for word in other.removesuffix(".").split()}
        if not text or not there:
            assert alignment is None
            continue
        # "w1." is no word of the model's, and any such word is equal to any other.
        unknown = {"w1.", "w2."} if there & {"w1.", "w2."} else set()
        assert (alignment.logits > 0).tolist() == [word in there | unknown for word in own]
        assert [text[begin:end] for begin, end in alignment.offsets] == own


@pytest.mark.parametrize("reading", ["search", "windows"])
def test_an_aligner_reads_no_more_evidence_than_it_was_trained_with(reading):
    request = AlignmentRequest("w1 w2", (" \n ".join(["w1 w9 w8 w3", "w2 w9", *["w1 w5"] * 60]),), reading)
    for evidence, longest in ((0, 128), (1, 64)):
        model = FakeModel(window=160, card=ModelCard(aligner_evidence=evidence))
        alignment = Engine(model).features([request])[request]
        assert (alignment.logits > 0).all()
        assert longest < max(length for _, length in model.rows_seen) <= longest + 32


@given(st.lists(texts.filter(lambda text: len(text.split()) < 7), min_size=2, max_size=5), texts)
@settings(max_examples=25, deadline=None)
def test_a_claim_is_read_apart_as_if_it_stood_alone(claims, source):
    said = [claim.replace(".", "") for claim in claims if claim.replace(".", "").strip()]
    ends = [sum(len(one) + 3 for one in said[:number]) - 3 for number in range(1, len(said) + 1)]
    whole = AlignmentRequest(" \n ".join(said), (source,), claims=tuple(ends))
    alone = [AlignmentRequest(one, (source,), claims=(len(one),)) for one in said]
    features = Engine(FakeModel(window=160)).features([whole, *alone])
    if not said or features[whole] is None:
        return
    for stretch, begin, request in zip(features[whole].stretches, [0, *(end + 3 for end in ends)], alone, strict=False):
        (only,) = features[request].stretches
        assert (stretch.begin - begin, stretch.end - begin, stretch.logit) == (only.begin, only.end, only.logit)
        assert len(stretch.quotes) == len(only.quotes)


def test_a_claim_is_read_with_less_of_a_long_source_than_a_stretch():
    source = " \n ".join(["w1 w9 w8 w3", "w2 w9", *["w1 w5"] * 200])
    longest = []
    for claims in ((2, 5), ()):
        model = FakeModel(window=400)
        Engine(model).features([AlignmentRequest("w1 w2", (source,), claims=claims)])
        longest.append(max(length for _, length in model.rows_seen))
    assert longest[0] <= CLAIM.least + 8 < SHAPE.row - 30 < longest[1]
