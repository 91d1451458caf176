"""What the torch models share: loading that fails in one line, windows, and a plain no to what a kind cannot do."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs nlgauge[torch]")
pytest.importorskip("transformers", reason="needs nlgauge[torch]")

from nlgauge.engine.torch_model import TorchModel, _window  # noqa: E402
from nlgauge.engine.transformers import TransformersModel  # noqa: E402
from nlgauge.errors import SpecError  # noqa: E402


def test_what_cannot_be_loaded_is_one_line(tmp_path):
    with pytest.raises(SpecError, match="cannot load model") as failure:
        TransformersModel(str(tmp_path), "empty")
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m, none: m.masked_logits(*[none] * 3), "no masked-LM head"),
        (lambda m, none: m.other_text(none), "no weights for pairs"),
        (lambda m, none: m.pair_logits(*[none] * 4), "no weights for pairs"),
        (lambda m, none: m.pair_states(*[none] * 3), "no weights for pairs"),
        (lambda m, none: m.fill(none, none, [[1]]), "fills no gaps"),
        (lambda m, none: m.written_logs(none, None), "does not write that way"),
        (lambda m, none: m.align(*[none] * 3), "has no aligner"),
    ],
)
def test_what_a_kind_cannot_do_it_says(call, says):
    bare = TorchModel.__new__(TorchModel)
    bare.name = "bare"
    with pytest.raises(SpecError, match=f"'bare' .*{says}|'bare' {says}"):
        call(bare, np.zeros((1, 1), np.int64))


@pytest.mark.parametrize(
    ("positions", "told", "padding", "expected"),
    [(512, 512, None, 512), (514, 512, 1, 512), (1024, int(1e30), None, 1024), (None, 512, None, 512),
     (None, int(1e30), None, 512)],
)  # fmt: skip
def test_the_window_is_what_tokenizer_and_positions_allow(positions, told, padding, expected):
    table = SimpleNamespace(padding_idx=padding)
    body = SimpleNamespace(embeddings=SimpleNamespace(position_embeddings=table))
    config, tokenizer = SimpleNamespace(max_position_embeddings=positions), SimpleNamespace(model_max_length=told)
    assert _window(body, config, tokenizer) == expected


def test_log_probabilities_are_a_softmax():
    bare = TorchModel.__new__(TorchModel)
    logits, ids = torch.randn(2, 3, 5, generator=torch.manual_seed(0)), torch.tensor([[0, 4, 1], [2, 2, 3]])
    expected = torch.log_softmax(logits.double(), -1).gather(-1, ids[..., None])[..., 0]
    torch.testing.assert_close(bare._true_logs(logits, ids), expected, atol=1e-6, rtol=0)
