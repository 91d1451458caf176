"""The larger model as its distribution ships it, opened from its folder: it need not be installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge import evaluate
from nlgauge.engine.models.capabilities import MASKED_LM, MASKED_PAIRS, TOKENIZER
from nlgauge.engine.models.onnx import open_onnx

FOLDER = Path(__file__).parents[1] / "packages" / "nlgauge-base" / "src" / "nlgauge_base" / "model"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="packages/nlgauge-base is not beside the tests")
TEXTS = ("paris is the capital of [MASK] .", "she put the kettle on and made a cup of [MASK] .", "they [MASK] home .")
SOURCE, REFERENCE = "The ferry came at nine, late.", "The boat came late."
ROWS = [
    {"candidate": candidate, "references": [REFERENCE], "source": SOURCE}
    for candidate in ("The ferry was late.", "Bread cheap of is.")
]


@pytest.fixture(scope="module")
def base():
    return open_onnx(FOLDER, "base")


def masked(model, texts):
    """Ids, which of them there are, and where the mask of each text stands in the flattened rows."""
    tokens = [[one.ids for one in model[TOKENIZER].encode(text.split("[MASK]"))] for text in texts]
    rows = [
        [*model[TOKENIZER].prefix, *before, model.mask_id, *after, *model[TOKENIZER].suffix] for before, after in tokens
    ]
    length = max(map(len, rows))
    ids = np.array([row + [0] * (length - len(row)) for row in rows])
    attend = np.array([[1] * len(row) + [0] * (length - len(row)) for row in rows])
    at = np.array([n * length + row.index(model.mask_id) for n, row in enumerate(rows)])
    return ids, attend, at


def test_torch_computes_the_same(base):
    pytest.importorskip("torch", reason="needs nlgauge[torch]")
    from nlgauge.engine.models.loading import load

    other = load(str(FOLDER), backend="torch")
    arguments = masked(base, TEXTS)
    np.testing.assert_allclose(
        other[MASKED_LM].masked_logits(*arguments), base[MASKED_LM].masked_logits(*arguments), atol=1e-3
    )
    seen = np.array([*base[TOKENIZER].prefix, *base[TOKENIZER].encode([SOURCE])[0].ids, *base[TOKENIZER].suffix])
    ours, theirs = (
        one[MASKED_PAIRS].pair_logits(*arguments, one[MASKED_PAIRS].other_text(seen)) for one in (base, other)
    )
    np.testing.assert_allclose(theirs, ours, atol=1e-3)


@pytest.mark.parametrize(
    ("spec", "sign"),
    [
        ("InfoLM", -1),
        ("Perplexity", -1),
        ("MaskEval", 1),
        ("Consistency(aligner='D')", 1),
        ("BERTScore", 1),
        ("ReplyFit", 1),
    ],
)
def test_every_part_of_it_tells_the_better_row(spec, sign):
    table = evaluate(ROWS, metrics=spec, model=str(FOLDER), cache=False)
    better, worse = table.values(next(iter(table.columns)))
    assert sign * better > sign * worse


def test_the_shipped_graphs_are_what_the_code_writes(tmp_path):
    pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")
    pytest.importorskip("nlgauge_lab", reason="writing graphs needs nlgauge-lab[train]")
    from nlgauge_lab.training.export import write_graphs

    for path in [*FOLDER.glob("*.safetensors"), FOLDER / "config.json"]:
        (tmp_path / path.name).symlink_to(path)
    write_graphs(tmp_path)
    shipped = {path.name: path.read_bytes() for path in FOLDER.glob("*.onnx")}
    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.onnx")} == shipped
