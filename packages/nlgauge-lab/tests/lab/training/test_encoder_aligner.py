"""D and R on encoders of transformers: trained, loaded, scored and exported; the loss against its literal form."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("transformers", reason="needs nlgauge[torch]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

import torch
import transformers
from safetensors.torch import load_file

import nlgauge
from nlgauge.engine.english import is_stopword
from nlgauge.engine.models.capabilities import ALIGNER
from nlgauge.engine.models.detector import export_detector
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.training.aligner import AlignerConfig
from nlgauge_lab.training.aligner_rows import Shape, encode
from nlgauge_lab.training.aligner_run import train
from nlgauge_lab.training.encoder_aligner import EncoderAlignerTrainer, EncoderBody
from nlgauge_lab.training.labelled import read_labelled
from tests.engine.models.detectors import bert, deberta, roberta, scaled, word_pieces

SOURCE = "Two trains were late on Monday, and the bridge over the river was closed. Nobody was hurt in the storm."
TEXTS = [
    ("The bridge was closed on Monday.", []),
    ("The bridge was closed on Friday.", [[25, 31]]),
    ("Two hundred trains were late.", [[4, 11]]),
    ("Nobody lost jobs in the storm.", [[7, 16]]),
    ("Rain fell for a week.", [[0, 20]]),
]
RECIPE = """body = "pocket"
seed = 1
[shape]
row = 128
[training]
batch_tokens = 512
body_rate = 1e-3
head_rate = 1e-3
warmup = 2
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoders")
    for make, kind in ((roberta, "AutoModelForMaskedLM"), (deberta, "AutoModel"), (bert, "AutoModel")):
        splitter, config = make()
        splitter.save_pretrained(folder / make.__name__)
        scaled(getattr(transformers, kind).from_config(config)).save_pretrained(folder / make.__name__)
    rows = [{"source": f"{SOURCE} {n}.", "candidate": text, "spans": spans} for n in range(9) for text, spans in TEXTS]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return folder


def trained(world, out, body, aligner, steps=20):
    return train(
        out,
        labelled=world / "mine.jsonl",
        config=world / "recipe.toml",
        body=str(world / body),
        aligner=aligner,
        steps=steps,
    )


def scores(spec, model):
    rows = [{"candidate": text, "source": SOURCE, "context": SOURCE} for text, _ in TEXTS]
    return next(iter(nlgauge.evaluate(rows, metrics=spec, model=str(model), cache=False).columns.values())).values


def literal(folder, text, source):
    """The published code's numbers: the pair in the tokenizer's form, the states of a word's sub-words added."""
    splitter = transformers.AutoTokenizer.from_pretrained(folder)
    net = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    encoded = splitter(text, source, return_tensors="pt", return_offsets_mapping=True)
    offsets, of = encoded.pop("offset_mapping")[0].tolist(), encoded.sequence_ids(0)
    states = []
    net.classifier.register_forward_hook(lambda module, inputs, output: states.append(inputs[0][0]))
    with torch.no_grad():
        net(**encoded)
        found = []
        for word in re.finditer(r"\w+", text):
            own = [
                at
                for at, (begin, end) in enumerate(offsets)
                if of[at] == 0 and end > word.start() and max(begin, word.start()) < min(end, word.end())
            ]
            found.append((word.span(), net.classifier(states[0][own].sum(0))))
    return found


@pytest.mark.parametrize("body", ["roberta", "deberta"])
def test_d_is_trained_loaded_scored_and_exported_with_equal_numbers(world, tmp_path, body):
    folder = trained(world, tmp_path / "out", body, "D")
    log = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert log[-1]["step"] == 20 and "mine" in (folder / "ALIGNER.md").read_text(encoding="utf-8")
    model, card = load(str(folder)), json.loads((folder / "card.json").read_text(encoding="utf-8"))["aligner"]
    assert model[ALIGNER].packer.name == "ctc text@128" and model.card.aligner_threshold == card["threshold"]
    found, verdicts = scores("Consistency(aligner='D')", folder), scores("Faithfulness", folder)
    for (text, _), row, (probability, *_) in zip(TEXTS, found, verdicts, strict=True):
        words = torch.stack([logits for _, logits in literal(folder, text, SOURCE)])
        assert row[0] == pytest.approx(torch.softmax(words, -1)[:, 0].mean().item(), abs=1e-6)
        worst = (words[:, 0] - words[:, 1]).min().item() / card["temperature"]
        assert probability <= 1 / (1 + np.exp(-worst)) + 1e-6  # the exact checks lower some
    assert np.ptp(found[:, 0]) > 1e-3
    more = EncoderBody(load(str(folder)), str(folder), Shape(row=128), AlignerConfig(), "aligner").network()
    kept, saved = more.net.state_dict(), load_file(folder / "model.safetensors")
    assert kept.keys() == saved.keys() and all(torch.equal(kept[name], value) for name, value in saved.items())
    with pytest.raises(SpecError, match="predicts no share of a text: choose aligner='D'"):
        scores("Consistency(aligner='R')", folder)
    pytest.importorskip("onnxscript", reason="torch makes graphs with onnxscript")
    export_detector(load(str(folder), backend="torch", device="cpu"), tmp_path / "graph")
    assert load(str(tmp_path / "graph")).backend.startswith("onnxruntime")
    np.testing.assert_allclose(scores("Consistency(aligner='D')", tmp_path / "graph"), found, atol=1e-6)


def test_r_learns_shares_and_numbers_of_words(world, tmp_path):
    splitter = transformers.AutoTokenizer.from_pretrained(world / "bert")
    for aligner, spec in (("R", "Consistency(aligner='R')"), ("R-sum", "Groundedness(aligner='R')")):
        folder = trained(world, tmp_path / aligner, "bert", aligner)
        net = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
        for (text, _), row in zip(TEXTS, scores(spec, folder), strict=True):
            with torch.no_grad():
                (wanted,) = net(**splitter(SOURCE, text, return_tensors="pt")).logits[0].tolist()
            assert row[0] == pytest.approx(wanted, abs=1e-6), aligner
    with pytest.raises(SpecError, match="predicts one number for a text: choose aligner='R'"):
        scores("Consistency(aligner='D')", folder)


def trainer(world, out, body, aligner):
    config, source = AlignerConfig(aligner=aligner, steps=1), str(world / body)
    own = EncoderBody(load(source), source, Shape(row=128), config, "body")
    rows = list(read_labelled(world / "mine.jsonl"))[:4]
    made = encode(rows, own.checkpoint.tokenizer, np.ones(1), Shape(), own.pairing, own.stopwords)
    run = EncoderAlignerTrainer(config, own.network(), [one for some in made for one in some], {}, 1, out)
    run.model.eval()
    return own, run, rows


def test_the_loss_of_d_is_the_mean_over_texts_of_their_words_cross_entropy(world, tmp_path):
    own, run, rows = trainer(world, tmp_path, "roberta", "D")
    own.write(tmp_path / "model", run.model, 0.5, 1.0)
    wanted = []
    for row in rows:
        words = literal(tmp_path / "model", row.candidate, row.source)
        labels = [int(any(begin < last and first < end for first, last in row.spans)) for (begin, end), _ in words]
        logits = torch.stack([one for _, one in words])
        wanted.append(torch.nn.functional.cross_entropy(logits, torch.tensor(labels)).item())
    parts = run.loss(run.batch(run.rows))
    total = sum(weight * part.item() for weight, part in zip(run.weights, parts, strict=True))
    assert total == pytest.approx(np.mean(wanted), abs=1e-6)


@pytest.mark.parametrize("aligner", ["R", "R-sum"])
def test_the_loss_of_r_is_the_squared_error_of_the_share_or_the_number(world, tmp_path, aligner):
    own, run, rows = trainer(world, tmp_path, "bert", aligner)
    splitter, wanted = own.checkpoint.splitter, []
    for row in rows:
        right = [
            not any(word.start() < last and first < word.end() for first, last in row.spans)
            for word in re.finditer(r"\w+", row.candidate)
            if aligner == "R" or not is_stopword(word[0])
        ]
        with torch.no_grad():
            said = run.model.net(**splitter(row.source, row.candidate, return_tensors="pt")).logits[0, 0].item()
        wanted.append((said - (np.mean(right) if aligner == "R" else np.sum(right))) ** 2)
    parts = run.loss(run.batch(run.rows))
    total = sum(weight * part.item() for weight, part in zip(run.weights, parts, strict=True))
    assert total == pytest.approx(np.mean(wanted), abs=1e-5)


def test_what_cannot_be_trained_is_refused_in_one_line(world, tmp_path):
    splitter = word_pieces()
    splitter.save_pretrained(tmp_path / "gpt")
    transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=len(splitter), n_positions=64, n_embd=32, n_layer=1, n_head=2)
    ).save_pretrained(tmp_path / "gpt")
    with pytest.raises(SpecError, match="is no encoder: an aligner has to see the source from every word"):
        trained(world, tmp_path / "out", tmp_path / "gpt", "D")
    with pytest.raises(SpecError, match="learns D and R together: leave --aligner out"):
        train(tmp_path / "out", labelled=world / "mine.jsonl", config=world / "recipe.toml", aligner="R")
    (tmp_path / "again.toml").write_text('start = "aligner"\n' + RECIPE, encoding="utf-8")
    with pytest.raises(InputError, match="has no aligner"):
        train(tmp_path / "out", labelled=world / "mine.jsonl", config=tmp_path / "again.toml", body=str(world / "bert"))
