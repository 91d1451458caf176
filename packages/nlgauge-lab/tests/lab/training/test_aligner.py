"""The aligner's trainer on a body of two layers and forty words, in a world where a word is supported where it stands
in the source."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.engine.fake import WORDS, answers, tiny_tokenizer

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")
pytest.importorskip("onnx", reason="training needs nlgauge-lab[train]")

from lab.training.aligner_world import texts, write_body  # noqa: E402
from nlgauge.engine.features.alignment import AlignmentRequest  # noqa: E402
from nlgauge.engine.features.masked import BagRequest  # noqa: E402
from nlgauge.engine.models.capabilities import ALIGNER  # noqa: E402
from nlgauge.engine.models.loading import load  # noqa: E402
from nlgauge.engine.models.onnx import open_onnx  # noqa: E402
from nlgauge.engine.tokens import SubwordTokenizer  # noqa: E402
from nlgauge.errors import InputError  # noqa: E402
from nlgauge_lab.training.aligner import AlignerConfig, AlignerTrainer  # noqa: E402
from nlgauge_lab.training.aligner_rows import Shape, encode  # noqa: E402
from nlgauge_lab.training.aligner_run import finish, start  # noqa: E402

CONFIG = AlignerConfig(steps=120, batch_tokens=32 * 12, body_rate=2e-3, head_rate=1e-2, warmup=5)


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    return write_body(tmp_path_factory.mktemp("body"))


def rows(some):
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
        logits, share, text, against = run.model.eval()(batch.ids, batch.attend, batch.side)
    np.testing.assert_allclose(found.logits, logits[0, 1:6], atol=0.25)  # what eight bits a weight cost
    assert found.aggregate == pytest.approx(share.item(), abs=0.06)
    asked = run.batch(rows([replace(one, question="w3 w4")]))
    assert (asked.side == 2).any()
    with torch.no_grad():
        logits, share, text, against = run.model(asked.ids, asked.attend, asked.side)
    ids, attend, side = (x.numpy() for x in (asked.ids, asked.attend, asked.side))
    for backend in ("onnxruntime", "torch"):
        shipped = load(str(folder), backend=backend)[ALIGNER].align(ids, attend, side)
        np.testing.assert_allclose(shipped[2], text, atol=0.25)
        np.testing.assert_allclose(shipped[3], against, atol=0.25)


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


def test_a_batch_without_some_kind_of_label_has_no_such_loss(body, tmp_path):
    marked, unmarked = texts(30, 1), [replace(row, spans=None) for row in texts(60, 3) if not row.supported]
    run = trainer(body, tmp_path, [*marked, *unmarked], [])
    words, text, least, share, against = (part.item() for part in run.loss(run.batch(rows(marked))))
    assert words > 0 and text > 0 and least == 0 and share > 0 and against == 0
    words, text, least, share, against = (part.item() for part in run.loss(run.batch(rows(unmarked))))
    assert words == 0 and text > 0 and least > 0 and share == 0 and against == 0
    known = [replace(row, contradicted=True) for row in unmarked]
    *_, against = (part.item() for part in run.loss(run.batch(rows(known))))
    assert against > 0
    assert run.evaluate() is None
