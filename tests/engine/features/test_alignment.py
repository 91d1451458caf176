"""Alignments by a model that finds a token supported, at log-odds 2, where the other text has it, else at -2."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel

texts = st.lists(st.sampled_from(WORDS[5:]), max_size=40).map(" ".join)


def aligned(request, **options):
    return Engine(FakeModel(), **options).features([request])[request]


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(st.lists(texts, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3),
    st.integers(1, 400),
)
@settings(max_examples=25, deadline=None)
def test_a_token_is_aligned_where_any_window_of_any_other_text_supports_it(some, others, batch_tokens):
    """Windows, batches and order must not show."""
    requests = [AlignmentRequest(text, against) for text in some for against in others]
    features = Engine(FakeModel(), batch_tokens=batch_tokens).features(requests)
    for request in requests:
        text, alignment = request.text, features[request]
        there = {word for other in request.against for word in other.split()}
        if not text or not there:
            assert alignment is None
            continue
        assert (alignment.logits > 0).tolist() == [word in there for word in text.split()]
        assert [text[begin:end] for begin, end in alignment.offsets] == text.split()
        if len(text.split()) < 6:
            shares = [np.mean([w in o.split() for w in text.split()]) for o in request.against if o and len(o) < 20]
            assert alignment.aggregate >= max(shares, default=0) - 1e-6


def test_the_aggregate_of_a_text_in_parts_is_their_mean_by_size():
    text = " ".join(["w1"] * 9 + ["w2"] * 3)
    alignment = aligned(AlignmentRequest(text, ("w1 w3 w4 w5 w6 w7 w8 w9",)))
    # Windows [0, 6), [3, 9) and [6, 12) are supported by 1, 1 and 1/2, and used for 4, 3 and 5 tokens.
    assert alignment.aggregate == pytest.approx((4 * 1 + 3 * 1 + 5 / 2) / 12)


def test_what_is_cut_has_no_alignment():
    text = " ".join(WORDS[5:25])
    request = AlignmentRequest(text, (text,))
    alignment = aligned(request, window="cut")
    assert [text[begin:end] for begin, end in alignment.offsets] == text.split()[:6]
    with pytest.raises(InputError, match="row 1"):
        Engine(FakeModel(), window="error").check([request], 1)
    # Each fits alone, and the two do not fit together.
    pair = AlignmentRequest("w1 w2 w3 w4 w5 w6 w7", ("w1 w2 w3 w4 w5 w6 w7",))
    with pytest.raises(InputError, match="read together"):
        Engine(FakeModel(), window="error").check([pair], 1)


def test_a_model_without_an_aligner_is_refused():
    model = FakeModel()
    model.aligner = None
    with pytest.raises(SpecError, match="'fake' has no aligner: choose aligner='E'"):
        Engine(model).features([AlignmentRequest("w1", ("w2",))])
