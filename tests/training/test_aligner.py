"""The aligner's trainer on a body of two layers and forty words, in a world where a word is supported where it stands
in the source."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.engine.fake import WORDS, answers, tiny_tokenizer

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")
pytest.importorskip("onnx", reason="training needs nlgauge[train]")

from nlgauge.engine.features.alignment import AlignmentRequest  # noqa: E402
from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.models.bert import MaskedBert  # noqa: E402
from nlgauge.engine.models.card import DocumentFrequencies  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.engine.models.onnx import open_onnx  # noqa: E402
from nlgauge.engine.tokens import SubwordTokenizer  # noqa: E402
from nlgauge.errors import InputError, SpecError  # noqa: E402
from nlgauge.training.aligner import AlignerConfig, AlignerTrainer  # noqa: E402
from nlgauge.training.aligner_rows import UNKNOWN, Shape, encode  # noqa: E402
from nlgauge.training.aligner_run import finish, start, train  # noqa: E402
from nlgauge.training.export import write_folder  # noqa: E402
from nlgauge.training.labelled import Labelled  # noqa: E402

CONFIG = AlignerConfig(steps=120, batch_tokens=32 * 12, body_rate=2e-3, head_rate=1e-2, warmup=5)


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    folder = tmp_path_factory.mktemp("body")
    torch.manual_seed(0)
    config = {
        "model_type": "bert", "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 32, "vocab_size": len(WORDS), "max_position_embeddings": 64, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
    }  # fmt: skip
    net = MaskedBert(config)
    for name, parameter in net.named_parameters():
        if parameter.ndim > 1 and "LayerNorm" not in name:
            torch.nn.init.normal_(parameter, std=0.05)
    tensors = {name: parameter.detach().numpy() for name, parameter in net.named_parameters()}
    counts = DocumentFrequencies(np.ones(len(WORDS), np.int64), 2)
    write_folder(folder, tensors, config, tiny_tokenizer(), counts)
    return folder


def labelled(rng: np.random.Generator, spans: bool = True) -> Labelled:
    """Twelve words, and a text of five of which some are among them."""
    known = rng.choice(40, 12, replace=False)
    own = np.where(rng.random(5) < 0.7, rng.choice(known, 5), rng.choice(40, 5))
    words = [f"w{w}" for w in own]
    begins = np.cumsum([0, *(len(word) + 1 for word in words[:-1])]).tolist()
    places = [(begin, begin + len(word)) for begin, word in zip(begins, words, strict=True)]
    wrong = tuple(place for place, word in zip(places, own, strict=True) if word not in known)
    return Labelled(" ".join(f"w{w}" for w in known), " ".join(words), wrong if spans else None, not wrong)


def texts(number: int, seed: int, spans: bool = True) -> list[Labelled]:
    rng = np.random.default_rng(seed)
    return [labelled(rng, spans) for _ in range(number)]


def rows(some: list[Labelled]):
    tokenizer = SubwordTokenizer(tiny_tokenizer(), "[MASK]", "[PAD]")
    return [row for each in encode(some, tokenizer, np.ones(len(WORDS)), Shape(row=48, stretch=16)) for row in each]


def trainer(body, out, some, held, **changes) -> AlignerTrainer:
    config = replace(CONFIG, **changes)
    return AlignerTrainer(config, start(body, config), rows(some), {"held": rows(held)}, 0, out)


def test_it_learns_and_the_shipped_form_says_the_same(body, tmp_path):
    run = trainer(body, tmp_path, texts(320, 1), texts(80, 2))
    before = run.evaluate()["held"]
    run.run(evaluate_every=1000, save_every=1000)
    after = run.curve[-1]["held"]
    assert after["words"]["auc"] > max(0.9, before["words"]["auc"])
    assert after["texts"]["auc"] > 0.8
    folder = finish(run, body)
    one = texts(1, 5)[0]
    requests = BagRequest(one.candidate, 1.0), AlignmentRequest(one.candidate, (one.source,))
    model = open_onnx(folder, "made")
    bag, found = answers(model, *requests)
    assert bag is not None  # the model that it was made from is in the folder
    (row,) = rows([one])
    batch = run.batch([row])
    with torch.no_grad():
        logits, share, text = run.model.eval()(batch.ids, batch.attend, batch.side)
    np.testing.assert_allclose(found.logits, logits[0, 1:6], atol=0.25)  # what eight bits a weight cost
    assert found.aggregate == pytest.approx(share.item(), abs=0.06)
    ids, attend, side = (x.numpy() for x in (batch.ids, batch.attend, batch.side))
    for backend in ("onnx", "torch"):
        shipped = load(str(folder), backend=backend).aligner.align(ids, attend, side)
        np.testing.assert_allclose(shipped[2], text, atol=0.25)


@pytest.mark.parametrize("rank", [0, 4])
def test_a_text_known_to_be_unsupported_says_so_of_its_words(body, tmp_path, rank):
    """Nobody marked a word, and words are told apart all the same."""
    unmarked = [replace(row, spans=None) for row in texts(800, 3) if len(row.spans) == 1]
    some = unmarked + [row for row in texts(800, 4) if row.supported]
    run = trainer(body, tmp_path, some, texts(80, 2), steps=250, least_weight=2.0, rank=rank)
    assert (run.batch(run.rows[:1]).labels == UNKNOWN).all()
    run.run(evaluate_every=1000, save_every=1000)
    assert run.curve[-1]["held"]["words"]["auc"] > 0.75


def test_a_low_rank_is_what_is_stored(body, tmp_path):
    from safetensors.numpy import load_file

    run = trainer(body, tmp_path, texts(60, 1), texts(10, 2), steps=3, rank=2)
    run.run(evaluate_every=1000, save_every=1000)
    folder = finish(run, body)
    stored = load_file(folder / "aligner.safetensors")
    query = "bert.encoder.layer.0.attention.self.query.weight"
    assert stored[f"{query}.down"].shape == (2, 16) and query not in stored
    again = start(folder, replace(CONFIG, rank=2), "aligner")
    for (name, one), two in zip(run.model.named_parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=1e-2, rtol=1e-2, msg=name)
    with pytest.raises(InputError, match="no aligner"):
        start(body, CONFIG, "aligner")
    with pytest.raises(InputError, match="'middle' is none"):
        start(body, CONFIG, "middle")


def test_a_resumed_run_equals_an_unbroken_one(body, tmp_path):
    some, held = texts(60, 1), texts(10, 2)
    whole, half = (trainer(body, tmp_path / name, some, held, steps=6) for name in "ab")
    for _ in range(4):
        whole.train_step()
    for _ in range(2):
        half.train_step()
    half.save()
    other = trainer(body, tmp_path / "b", some, held, steps=6)
    assert other.resume() and other.step == 2
    for _ in range(2):
        other.train_step()
    for ours, theirs in zip(whole.model.parameters(), other.model.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_batch_without_some_kind_of_label_has_no_such_loss(body, tmp_path):
    marked, unmarked = texts(30, 1), [replace(row, spans=None) for row in texts(60, 3) if not row.supported]
    run = trainer(body, tmp_path, [*marked, *unmarked], [])
    words, text, least, share = (part.item() for part in run.loss(run.batch(rows(marked))))
    assert words > 0 and text > 0 and least == 0 and share > 0
    words, text, least, share = (part.item() for part in run.loss(run.batch(rows(unmarked))))
    assert words == 0 and text > 0 and least > 0 and share == 0
    assert run.evaluate() is None


def test_a_file_of_ones_own_rows_is_enough(body, tmp_path):
    lines = [json.dumps({"source": row.source, "candidate": row.candidate, "spans": row.spans}) for row in texts(60, 1)]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'body = "{body}"\nseed = 3\n[shape]\nrow = 48\nstretch = 16\n[training]\nsteps = 4\nbatch_tokens = 200\n',
        encoding="utf-8",
    )
    folder = train(tmp_path / "out", labelled=tmp_path / "mine.jsonl", config=recipe)
    card = (folder / "ALIGNER.md").read_text(encoding="utf-8")
    assert "| mine |" in card and "4 steps" in card
    assert load(str(folder)).aligner is not None
    with pytest.raises(SpecError, match="nothing to learn from"):
        train(tmp_path / "other", config=recipe)


def test_a_recipe_names_its_sets_and_how_often_each_is_read(body, tmp_path):
    for name, number, seed in (("one.train", 40, 1), ("two.train", 30, 2), ("two.dev", 10, 3)):
        lines = [
            json.dumps({"source": r.source, "candidate": r.candidate, "spans": r.spans}) for r in texts(number, seed)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        f'body = "{body}"\nseed = 3\n[shape]\nrow = 48\nstretch = 16\n'
        '[[labelled]]\nfiles = "one.train*"\ntimes = 2\nheld_out = 0.2\n[[labelled]]\nfiles = "two.train*"\nrows = 12\n'
        '[[held]]\nfiles = "two.dev*"\n[training]\nsteps = 2\nbatch_tokens = 200\n',
        encoding="utf-8",
    )
    card = (train(tmp_path / "out", labelled=tmp_path, config=recipe) / "ALIGNER.md").read_text(encoding="utf-8")
    table = [line.split("|")[1:-1] for line in card.splitlines() if line.startswith("| ") and "times" in line]
    counts = {name.strip(): (int(texts_), int(rows_), times.strip()) for name, texts_, rows_, times in table}
    assert counts["two.train"] == (12, 12, "1 times")
    assert 20 < counts["one.train"][0] < 40 and counts["one.train"][2] == "2 times"
    assert "| two.dev |" in card and "| one.train | 0." in card  # both are measured on
