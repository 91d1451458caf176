"""A T5 of random weights and a few pieces: gaps against `generate` and against the definition."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
transformers = pytest.importorskip("transformers", reason="needs nlgauge[torch]")

import nlgauge  # noqa: E402
from nlgauge.engine.features.likelihood import Seq2SeqRequest  # noqa: E402
from nlgauge.engine.models.capabilities import GAP_FILLER, TOKENIZER  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from tests.engine.fake import answers  # noqa: E402
from tests.engine.models.detectors import write_t5  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("t5")


@pytest.fixture(scope="module")
def net(folder):
    return write_t5(folder)


@pytest.fixture(scope="module")
def model(folder, net):
    return load(str(folder))


def test_log_probabilities_are_the_definition_and_padding_changes_nothing(model, net):
    begin, end = model[GAP_FILLER].sentinels
    ids = np.array([[33, begin, 35, 1, 0, 0], [begin, 38, 35, 33, 33, 1]])
    attend = (ids != 0).astype(np.int64)
    truths = [[34, 5], [33]]
    logs, _ = model[GAP_FILLER].fill(ids, attend, truths)
    for row, truth in enumerate(truths):
        kept = torch.from_numpy(ids[row, attend[row] == 1])[None]
        total = 0.0
        for step, token in enumerate([*truth, end]):
            given = torch.tensor([[0, begin, *truth[:step]]])
            with torch.no_grad():
                logits = net(input_ids=kept, decoder_input_ids=given).logits[0, -1].double()
            total += float(torch.log_softmax(logits, -1)[token])
        assert logs[row] == pytest.approx(total, abs=1e-4)
    alone, _ = model[GAP_FILLER].fill(ids[:1, :4], attend[:1, :4], truths[:1])
    assert alone[0] == pytest.approx(logs[0], abs=1e-5)


def test_the_metric_runs_on_it_and_says_so(folder):
    rows = {"candidates": ["the cat sat.", "mat"], "sources": ["the cat sat on the mat", "the mat"]}
    table = nlgauge.evaluate(metrics="MaskEval(scoring='log_probability')", model=str(folder), **rows)
    (spec,) = table.columns
    assert np.isfinite(table.values(spec)).all() and "|words:sentinels|" in str(table.signatures[spec])


def test_a_text_is_written_as_the_loss_says(model, net):
    texts, other = ["the cat sat", "mat"], "on the mat."
    found = answers(model, *(Seq2SeqRequest(text, other) for text in texts))
    tokens = {text: [*model[TOKENIZER].encode([text])[0].ids.tolist(), 1] for text in [*texts, other]}
    for text, one in zip(texts, found, strict=True):
        with torch.inference_mode():
            loss = net(input_ids=torch.tensor([tokens[other]]), labels=torch.tensor([tokens[text]])).loss
        assert one.log_probabilities.mean() == pytest.approx(-float(loss), abs=1e-5)
        assert one.offsets[-1].tolist() == [len(text), len(text)]
