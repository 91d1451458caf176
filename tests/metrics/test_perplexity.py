import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.errors import SpecError
from nlgauge.metrics.perplexity import Perplexity
from tests.engine.fake import FakeModel, WritingModel


def literal(model: FakeModel, text: str) -> float:
    """The definition, one position at a time, for a text that fits the window."""
    ids = model.tokenizer.encode([text])[0].ids
    row = np.array([[*model.tokenizer.prefix, *ids, *model.tokenizer.suffix]], dtype=np.int64)
    surprise = []
    for place, token in enumerate(ids, start=1):
        masked = row.copy()
        masked[0, place] = model.tokenizer.mask_id
        logits = model.masked_logits(masked, np.ones_like(masked), np.array([place]))[0].astype(float)
        surprise.append(np.log(np.exp(logits).sum()) - logits[token])
    return float(np.exp(np.mean(surprise)))


def test_it_is_the_definition():
    texts = ["w1 w2 w3", "w4", "w5 w6 w7 w8 w9 w1 w1"]
    corpus, engine = Corpus.from_texts(texts), Engine(FakeModel())
    scorer = Perplexity().scorer(corpus, engine)
    ((_, features),) = engine.stream([[need for row in corpus for need in scorer.needs(row)]])
    found = [value.parts[0] for value in scorer.score(list(corpus), features)]
    assert found == pytest.approx([literal(FakeModel(), text) for text in texts], rel=1e-5)
    tokens = scorer.evidence(corpus[0], features)["tokens"]
    assert [token["text"] for token in tokens] == ["w1", "w2", "w3"]
    assert np.exp(-np.mean([token["log_probability"] for token in tokens])) == pytest.approx(found[0])


def test_an_empty_candidate_has_no_value():
    corpus, engine = Corpus((Row(""),)), Engine(FakeModel())
    scorer = Perplexity().scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    (value,) = scorer.score(list(corpus), features)
    assert np.isnan(value.parts[0]) and value.reason == "the candidate has no words"
    assert scorer.evidence(corpus[0], features) == {}


@pytest.mark.usefixtures("one_model")
def test_a_jumbled_sentence_surprises_and_shares_its_pass_with_infolm():
    texts = ["The library opens again in May.", "Again the opens in library May."]
    table = nlgauge.evaluate(candidates=texts, references=[[texts[0]]] * 2, metrics=["Perplexity", "InfoLM"])
    plain, jumbled = table.values("Perplexity")
    assert 1 < plain < jumbled / 2
    assert table.run["models"]["pocket"]["encoded"] == 2


@pytest.mark.parametrize("stride", [0, 1.5, True])
def test_a_stride_that_is_none_is_refused(stride):
    with pytest.raises(SpecError, match="Perplexity: stride"):
        Perplexity(stride=stride)


def test_a_causal_model_is_read_from_left_to_right():
    corpus, engine = Corpus.from_texts(["w1 w2 w3"]), Engine(WritingModel())
    scorer = Perplexity().scorer(corpus, engine)
    ((_, features),) = engine.stream([scorer.needs(corpus[0])])
    (value,) = scorer.score(list(corpus), features)
    ids = engine.tokens(["w1 w2 w3"])[0].ids
    logs = WritingModel().written_logs(np.array([ids], np.int64), None)
    assert value.parts[0] == pytest.approx(np.exp(-logs.mean())) and scorer.signature == {"read": "left-to-right"}


def test_what_a_model_cannot_be_asked_is_refused():
    with pytest.raises(SpecError, match="masks no tokens"):
        Perplexity(stride=2).scorer(Corpus(()), Engine(WritingModel()))
    with pytest.raises(SpecError, match="ask it for BARTScore"):
        Perplexity().scorer(Corpus(()), Engine(WritingModel(writes="from another text")))
