"""Texts from left to right, against the definition taken one token at a time."""

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features import WrittenRequest
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import FakeModel, WritingModel

ALONE, FROM = WrittenRequest(), WrittenRequest("w9 w8")
TEXTS = ["w1", "w2 w3 w4", "w5 w5 w1 w0 w2 w7", "w3 w2"]
LONG = " ".join(f"w{i % 40}" for i in range(41))


def literal(model, ids, given):
    """Log-probability of each of some ids, one call a token."""
    rows = [np.array([ids[: end + 1]]) for end in range(len(ids))]
    other = None if given is None else (np.array([given]), np.ones((1, len(given)), np.int64))
    return [float(model.written_logs(row, other)[0, -1]) for row in rows]


def ids_of(model, text):
    return model.tokenizer.encode([text])[0].ids.tolist()


def test_a_causal_model_is_asked_for_the_texts_tokens():
    model = WritingModel()
    found = Engine(model).features([(text, ALONE) for text in TEXTS])
    for text, one in zip(TEXTS, found, strict=True):
        assert one.log_probabilities == pytest.approx(literal(model, ids_of(model, text), None))
        assert [text[a:b] for a, b in one.offsets] == text.split()
    assert len(model.rows_seen) == 1 + sum(len(text.split()) for text in TEXTS), "one batch, then the literal calls"


def test_one_with_an_encoder_is_asked_for_the_special_tokens_too():
    model = WritingModel(writes="from another text")
    found = Engine(model).features([(text, FROM) for text in TEXTS])
    given = [2, *ids_of(model, FROM.given), 3]
    for text, one in zip(TEXTS, found, strict=True):
        assert one.log_probabilities == pytest.approx(literal(model, [2, *ids_of(model, text), 3], given))
        assert [text[a:b] for a, b in one.offsets] == ["", *text.split(), ""]


@pytest.mark.parametrize(("writes", "request_"), [("alone", ALONE), ("from another text", FROM)])
def test_neither_order_nor_company_changes_a_text(writes, request_):
    needs = [(text, request_) for text in [*TEXTS, LONG]]
    together = Engine(WritingModel(writes=writes)).features(needs)
    turned = Engine(WritingModel(writes=writes)).features(needs[::-1])[::-1]
    alone = [Engine(WritingModel(writes=writes)).features([need])[0] for need in needs]
    for one, two, three in zip(together, turned, alone, strict=True):
        np.testing.assert_allclose(two.log_probabilities, one.log_probabilities, rtol=1e-12)
        np.testing.assert_allclose(three.log_probabilities, one.log_probabilities, rtol=1e-12)


def test_a_long_text_is_read_in_windows_and_each_token_once():
    model = WritingModel()  # room for 15 tokens after the first
    (found,) = Engine(model).features([(LONG, ALONE)])
    assert [LONG[a:b] for a, b in found.offsets] == LONG.split()
    ids = ids_of(model, LONG)
    first, second = literal(model, ids[:15], None), literal(model, ids[7:22], None)
    assert found.log_probabilities[:15] == pytest.approx(first)
    assert found.log_probabilities[15:22] == pytest.approx(second[8:]), "seen from where most stands before them"
    (last,) = Engine(WritingModel(writes="from another text")).features([(LONG, FROM)])
    assert len(last.log_probabilities) == 43 and [LONG[a:b] for a, b in last.offsets[[0, -1]]] == ["", ""]
    (cut,) = Engine(model, "cut").features([(LONG, ALONE)])
    assert cut.log_probabilities == pytest.approx(first)
    with pytest.raises(InputError, match="row 1: a text of 41"):
        Engine(model, "error").features([(LONG, ALONE)])


def test_of_a_long_other_text_the_beginning_is_read_unless_that_is_refused():
    model = WritingModel(writes="from another text")
    shown = " ".join(LONG.split()[:14])
    for other in (LONG, shown):
        (found,) = Engine(model).features([("w1 w2", WrittenRequest(other))])
        expected = literal(model, [2, *ids_of(model, "w1 w2"), 3], [2, *ids_of(model, shown), 3])
        assert found.log_probabilities == pytest.approx(expected)
    with pytest.raises(InputError, match="a text of 41"):
        Engine(model, "error").features([("w1 w2", WrittenRequest(LONG))])


def test_empty_texts_have_no_answer():
    engine = Engine(WritingModel(writes="from another text"))
    assert engine.features([("", FROM), ("w1", WrittenRequest("")), ("w1", FROM)])[:2] == [None, None]


@pytest.mark.parametrize(
    ("model", "request_"),
    [(FakeModel(), ALONE), (WritingModel(), FROM), (WritingModel(writes="from another text"), ALONE)],
)
def test_what_a_model_does_not_write_is_refused(model, request_):
    with pytest.raises(SpecError, match="'fake' does not write that way"):
        Engine(model).features([("w1", request_)])


def test_the_budget_keeps_logits_in_bounds(monkeypatch):
    monkeypatch.setattr("nlgauge.engine.writing._LOGITS", 45 * 6)
    model = WritingModel()
    Engine(model).features([(text, ALONE) for text in TEXTS])
    assert all(rows * length <= 6 for rows, length in model.rows_seen) and len(model.rows_seen) > 1
