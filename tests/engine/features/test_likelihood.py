"""Texts from left to right, against the definition taken one token at a time."""

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.likelihood import CausalRequest, Seq2SeqRequest
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import CausalModel, FakeModel, Seq2SeqModel

GIVEN = "w9 w8"
TEXTS = ["w1", "w2 w3 w4", "w5 w5 w1 w0 w2 w7", "w3 w2"]
LONG = " ".join(f"w{i % 40}" for i in range(41))


def read(request, model, window="slide"):
    return Engine(model, window).features([request])[request]


def literal(model, ids, given=None):
    """Log-probability of each of some ids, one call a token."""
    rows = [np.array([ids[: end + 1]]) for end in range(len(ids))]
    if given is None:
        return [float(model.causal_logs(row)[0, -1]) for row in rows]
    other = np.array([given]), np.ones((1, len(given)), np.int64)
    return [float(model.seq2seq_logs(row, *other)[0, -1]) for row in rows]


def ids_of(model, text):
    return model[TOKENIZER].encode([text])[0].ids.tolist()


def test_a_causal_model_is_asked_for_the_texts_tokens():
    model = CausalModel()
    features = Engine(model).features([CausalRequest(text) for text in TEXTS])
    assert len(model.rows_seen) == 1, "one batch"
    for text in TEXTS:
        likelihood = features[CausalRequest(text)]
        assert likelihood.log_probabilities == pytest.approx(literal(model, ids_of(model, text)))
        assert [text[a:b] for a, b in likelihood.offsets] == text.split()
        assert likelihood.text == text and not likelihood.cut


def test_one_with_an_encoder_is_asked_for_the_special_tokens_too():
    model = Seq2SeqModel()
    features = Engine(model).features([Seq2SeqRequest(text, GIVEN) for text in TEXTS])
    given = [2, *ids_of(model, GIVEN), 3]
    for text in TEXTS:
        likelihood = features[Seq2SeqRequest(text, GIVEN)]
        assert likelihood.log_probabilities == pytest.approx(literal(model, [2, *ids_of(model, text), 3], given))
        assert [text[a:b] for a, b in likelihood.offsets] == ["", *text.split(), ""]


@pytest.mark.parametrize("kind", [CausalModel, Seq2SeqModel])
def test_neither_order_nor_company_changes_a_text(kind):
    texts = [*TEXTS, LONG]
    requests = [CausalRequest(text) if kind is CausalModel else Seq2SeqRequest(text, GIVEN) for text in texts]
    together, turned = Engine(kind()).features(requests), Engine(kind()).features(requests[::-1])
    for request in requests:
        one, two, three = together[request], turned[request], read(request, kind())
        np.testing.assert_allclose(two.log_probabilities, one.log_probabilities, rtol=1e-12)
        np.testing.assert_allclose(three.log_probabilities, one.log_probabilities, rtol=1e-12)


def test_a_long_text_is_read_in_windows_and_each_token_once():
    model = CausalModel()  # room for 15 tokens after the first
    slid = read(CausalRequest(LONG), model)
    assert [LONG[a:b] for a, b in slid.offsets] == LONG.split()
    ids = ids_of(model, LONG)
    first, second = literal(model, ids[:15]), literal(model, ids[7:22])
    assert slid.log_probabilities[:15] == pytest.approx(first)
    assert slid.log_probabilities[15:22] == pytest.approx(second[8:]), "seen from where most stands before them"
    after = read(Seq2SeqRequest(LONG, GIVEN), Seq2SeqModel())
    assert len(after.log_probabilities) == 43 and [LONG[a:b] for a, b in after.offsets[[0, -1]]] == ["", ""]
    assert read(CausalRequest(LONG), model, "cut").log_probabilities == pytest.approx(first)
    with pytest.raises(InputError, match="a text of 41"):
        read(CausalRequest(LONG), model, "error")


def test_of_a_long_other_text_the_beginning_is_read_and_that_is_told_unless_it_is_refused():
    model = Seq2SeqModel()
    shown = " ".join(LONG.split()[:14])
    expected = literal(model, [2, *ids_of(model, "w1 w2"), 3], [2, *ids_of(model, shown), 3])
    for other in (LONG, shown):
        likelihood = read(Seq2SeqRequest("w1 w2", other), model)
        assert likelihood.log_probabilities == pytest.approx(expected)
        assert likelihood.cut == (other == LONG)
    with pytest.raises(InputError, match="a text of 41"):
        Engine(model, "error").check([Seq2SeqRequest("w1 w2", LONG)], row=1)


def test_empty_texts_have_no_answer():
    requests = [Seq2SeqRequest("", GIVEN), Seq2SeqRequest("w1", ""), Seq2SeqRequest("w1", GIVEN)]
    features = Engine(Seq2SeqModel()).features(requests)
    assert [features[request] is None for request in requests] == [True, True, False]
    assert read(CausalRequest(""), CausalModel()) is None


@pytest.mark.parametrize(
    ("model", "request_", "problem"),
    [
        (FakeModel(), CausalRequest("w1"), "'fake' is not a causal language model"),
        (Seq2SeqModel(), CausalRequest("w1"), "'fake' is not a causal language model"),
        (CausalModel(), Seq2SeqRequest("w1", GIVEN), "'fake' is not an encoder-decoder model"),
    ],
)
def test_what_a_model_cannot_do_is_refused(model, request_, problem):
    with pytest.raises(SpecError, match=problem):
        read(request_, model)


def test_the_budget_keeps_logits_in_bounds(monkeypatch):
    monkeypatch.setattr("nlgauge.engine.features.likelihood._LOGITS", 45 * 6)
    model = CausalModel()
    Engine(model).features([CausalRequest(text) for text in TEXTS])
    assert all(rows * length <= 6 for rows, length in model.rows_seen) and len(model.rows_seen) > 1
