"""Texts from left to right, against the definition taken one token at a time."""

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.likelihood import Seq2SeqRequest
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError
from tests.engine.fake import Seq2SeqModel

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
