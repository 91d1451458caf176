import numpy as np
import pytest

from nlgauge.engine.features.masked import MaskedLikelihoodRequest
from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER
from nlgauge.errors import SpecError
from nlgauge.metrics.perplexity import Perplexity
from tests.engine.fake import CausalModel, FakeModel, Seq2SeqModel, answers
from tests.metrics.pieces import prepared, row, scored, shown


def test_it_is_the_definition():
    texts = ["w1 w2 w3", "w4", "w5 w6 w7 w8 w9 w1 w1"]
    values = [value.parts[0] for value in scored(Perplexity(), map(row, texts))]
    found = answers(FakeModel(), *map(MaskedLikelihoodRequest, texts))  # held to their definition in tests/contracts
    assert values == pytest.approx([np.exp(-one.log_probabilities.mean()) for one in found])


def test_a_causal_model_is_read_from_left_to_right():
    model, one = CausalModel(), row("w1 w2 w3")
    (value,) = scored(Perplexity(), [one], model)
    (tokens,) = model[TOKENIZER].encode([one.candidate])
    logs = model.causal_logs(np.array([tokens.ids], np.int64))
    assert value.parts[0] == pytest.approx(np.exp(-logs.mean()))
    assert prepared(Perplexity(), model=model).facts == {"read": "left-to-right"}
    assert prepared(Perplexity()).facts == {}
    assert shown(Perplexity(), one, model)["texts"][0]["against"] == "words before each"


def test_what_a_model_cannot_be_asked_is_refused():
    with pytest.raises(SpecError, match="is a causal model: leave stride out"):
        prepared(Perplexity(stride=2), model=CausalModel())
    writer = Seq2SeqModel()
    writer.abilities[MASKED_LM] = None
    with pytest.raises(SpecError, match="use BARTScore"):
        prepared(Perplexity(), model=writer)
    encoder = FakeModel()
    encoder.abilities[MASKED_LM] = None
    with pytest.raises(SpecError, match="predicts no masked words"):
        prepared(Perplexity(), model=encoder)
