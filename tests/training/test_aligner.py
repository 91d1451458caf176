"""The aligner's trainer on a body of two layers and forty words, in a world where a word is supported where it stands
in the context."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.engine.fake import WORDS, answers, tiny_tokenizer

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")
pytest.importorskip("onnx", reason="training needs nlgauge[train]")

from transformers import BertConfig, BertForMaskedLM  # noqa: E402

from nlgauge.engine.features.alignment import AlignmentRequest  # noqa: E402
from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.models.card import DocumentFrequencies  # noqa: E402
from nlgauge.engine.models.onnx import open_onnx  # noqa: E402
from nlgauge.training.aligner import AlignerConfig, Trainer  # noqa: E402
from nlgauge.training.aligner_rows import encode  # noqa: E402
from nlgauge.training.export import write_folder  # noqa: E402
from nlgauge.training.weak_labels.examples import Example  # noqa: E402


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    folder = tmp_path_factory.mktemp("body")
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(WORDS), max_position_embeddings=32, tie_word_embeddings=True, **shape)
    net = BertForMaskedLM(config)
    tensors = {name: parameter.detach().numpy() for name, parameter in net.named_parameters()}
    counts = DocumentFrequencies(np.ones(len(WORDS), np.int64), 2)
    write_folder(folder, tensors, config.to_dict(), tiny_tokenizer(), counts)
    return folder


def example(rng: np.random.Generator, number: int) -> Example:
    known = rng.choice(40, 12, replace=False)
    own = [f"w{w}" for w in np.where(rng.random(5) < 0.7, rng.choice(known, 5), rng.choice(40, 5))]
    text = " ".join(own)
    begins = np.cumsum([0, *(len(word) + 1 for word in own[:-1])])
    places = tuple((int(begin), int(begin) + len(word)) for begin, word in zip(begins, own, strict=True))
    supported = tuple(int(word[1:]) in known for word in own)
    context = " ".join(f"w{w}" for w in known)
    return Example(context, text, places, supported, "reference", "made", "up", number)


@pytest.fixture(scope="module")
def examples():
    rng = np.random.default_rng(1)
    return [example(rng, i) for i in range(400)]


def trainer(body, examples, out, **changes) -> Trainer:
    config = replace(AlignerConfig(epochs=3, batch_tokens=32 * 8, body_rate=2e-3, head_rate=1e-2), **changes)
    return Trainer(config, body, examples[:320], examples[320:], out)


def test_it_learns_and_the_shipped_form_says_the_same(body, examples, tmp_path):
    run = trainer(body, examples, tmp_path)
    before = run.evaluate()
    run.run(evaluate_every=1000, save_every=1000)
    after = run.curve[-1]
    assert after["auc"] > max(0.9, before["auc"]) and after["loss"] < before["loss"] - 0.2
    folder = run.finish(body)
    one = examples[330]
    requests = BagRequest(one.text, 1.0), AlignmentRequest(one.text, (one.context,))
    bag, found = answers(open_onnx(folder, "made"), *requests)
    assert bag is not None  # the model that it was made from is in the folder
    row = encode(one, run.tokenizer, 32)
    with torch.no_grad():
        inputs = [torch.tensor(x)[None] for x in (row.ids, np.ones_like(row.ids), row.side)]
        logits, share = run.model.eval()(*inputs)
    np.testing.assert_allclose(found.logits, logits[0, 1:6], atol=0.15)  # what eight bits a weight cost
    assert found.aggregate == pytest.approx(share.item(), abs=0.05)


def test_a_resumed_run_equals_an_unbroken_one(body, examples, tmp_path):
    whole = trainer(body, examples[:60] + examples[320:330], tmp_path / "a")
    half = trainer(body, examples[:60] + examples[320:330], tmp_path / "b")
    for _ in range(4):
        whole.train_step()
    for _ in range(2):
        half.train_step()
    half.save()
    other = trainer(body, examples[:60] + examples[320:330], tmp_path / "b")
    assert other.resume() and other.step == 2
    for _ in range(2):
        other.train_step()
    for ours, theirs in zip(whole.model.parameters(), other.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)
