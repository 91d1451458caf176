"""T5 as the masked model of MaskEval: trained on pairs, loaded, scored; the loss against its literal form."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("transformers", reason="needs nlgauge[torch]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

import torch
import transformers
from safetensors.torch import load_file

import nlgauge
from nlgauge.engine.models.capabilities import GAP_FILLER
from nlgauge.engine.models.folder import write_hugging_face
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge_lab.studies.scorings import MaskEvalScorings
from nlgauge_lab.training.gaps import GapsTrainer
from nlgauge_lab.training.pairs import train
from nlgauge_lab.training.recipe import PairsConfig
from tests.engine.models.detectors import TEXTS, bert, write_t5

RECIPE = (
    'body = "t5"\nepochs = {}\nseed = 4\n[data]\nheld_out_every = 5\n[batches]\nsizes = [[96, 8]]\n'
    "[optimizer]\nrate = 1e-3\nwarmup_steps = 1\ndecay_share = 0.0\n"
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("t5")
    write_t5(folder / "t5")
    rows = [{"candidate": text.split(".")[0], "source": f"{text} {n}"} for n in range(14) for text in TEXTS[:3]]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "recipe.toml").write_text(RECIPE.format(5), encoding="utf-8")
    return folder


def test_it_is_trained_loaded_and_scored_with_equal_numbers_and_its_best_weights(world, tmp_path):
    folder = train(world / "pairs.jsonl", tmp_path / "out", world / "recipe.toml", body=str(world / "t5"))
    curve = [json.loads(line) for line in (tmp_path / "out" / "curve.jsonl").read_text(encoding="utf-8").splitlines()]
    assert curve[-1]["step"] >= 20 and curve[-1]["loss"] < curve[0]["loss"]
    best = min(curve, key=lambda point: point["loss"])
    assert f"those of step {best['step']}" in (folder / "PAIRS.md").read_text(encoding="utf-8")
    weights = load_file(folder / "model.safetensors")
    for name, value in load_file(tmp_path / "out" / "best.safetensors").items():
        assert torch.equal(weights[name], value), name
    assert GAP_FILLER in load(str(folder))
    net = transformers.T5ForConditionalGeneration.from_pretrained(folder).eval()
    splitter = transformers.AutoTokenizer.from_pretrained(folder)
    spec = "MaskEval(weights='candidate', scoring='log_probability')"
    table = nlgauge.evaluate(
        [{"candidate": "Rain fell", "source": TEXTS[1]}], metrics=spec, model=str(folder), cache=False
    )
    logs = []
    begin, end = splitter.convert_tokens_to_ids(["<extra_id_0>", "<extra_id_1>"])
    rain, fell = splitter("Rain fell", add_special_tokens=False).input_ids
    for gapped, word in (([begin, fell], rain), ([rain, begin], fell)):
        ids, target = [*gapped, 1, *splitter(TEXTS[1]).input_ids], [begin, word, end]
        with torch.no_grad():
            logits = net(input_ids=torch.tensor([ids]), labels=torch.tensor([target])).logits[0]
        found = torch.log_softmax(logits, -1)[range(len(target)), target]
        logs.append(found[1:].sum().item())
    assert table.values(spec)[0] == pytest.approx(np.mean(logs), abs=1e-6)
    varied = MaskEvalScorings(weights="candidate", model=str(folder))
    four = nlgauge.evaluate([{"candidate": "Rain fell", "source": TEXTS[1]}], metrics=[varied], cache=False)
    found = next(iter(four.columns.values())).values[0]
    assert found[3] == pytest.approx(np.mean(np.exp(np.array(logs) / 2)), abs=1e-6) and 0 < found[2] <= 1
    write_hugging_face(folder, tmp_path / "exported")
    assert load(str(tmp_path / "exported")).digest == load(str(folder)).digest
    again = train(world / "pairs.jsonl", tmp_path / "out", world / "recipe.toml", body=str(world / "t5"))
    assert all(torch.equal(value, weights[name]) for name, value in load_file(again / "model.safetensors").items())


def test_the_loss_is_the_cross_entropy_of_the_word_between_two_sentinels(world, tmp_path):
    config = PairsConfig(str(world / "t5"), {}, sizes=((96, 8),), held_out_every=5, longest=4000)
    trainer = GapsTrainer(config, world / "pairs.jsonl", tmp_path, load(str(world / "t5")))
    trainer.model.eval()
    rows, splitter, wanted = trainer.batch(0), transformers.AutoTokenizer.from_pretrained(world / "t5"), []
    for row in rows:
        text, target = splitter.decode(row.ids), splitter.decode(row.target)
        assert text.count("<extra_id_0>") == 1 and text.count("</s>") == 2
        assert target.startswith("<extra_id_0>") and target.endswith("<extra_id_1></s>")
        with torch.no_grad():
            logits = trainer.model(input_ids=torch.tensor([row.ids]), labels=torch.tensor([row.target])).logits[0]
        wanted += (-torch.log_softmax(logits, -1)[range(len(row.target)), row.target]).tolist()
    assert trainer.loss(rows).item() == pytest.approx(np.mean(wanted), abs=1e-5)
    seen = {tuple(row.ids) for step in range(trainer.epoch) for row in trainer.batch(step)}
    assert len(seen) > 20 and tuple(rows[0].ids) == tuple(trainer.batch(0)[0].ids)


def test_a_model_without_sentinels_is_refused_in_one_line(world, tmp_path):
    splitter, config = bert()
    splitter.save_pretrained(tmp_path / "bert")
    transformers.BertForMaskedLM(config).save_pretrained(tmp_path / "bert")
    with pytest.raises(InputError, match="fills no gaps"):
        train(world / "pairs.jsonl", tmp_path / "out", world / "recipe.toml", body=str(tmp_path / "bert"))
