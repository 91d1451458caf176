"""Which device a name is, of those that a machine has; how many tokens a memory holds."""

from types import SimpleNamespace

import pytest

from nlgauge.engine.models.device import choose_device, tokens_that_fit
from nlgauge.errors import SpecError

CONFIG = SimpleNamespace(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, vocab_size=30522)


def machine(gpus=0, mps=False):
    """What a torch with so many GPUs says; its devices are their names."""
    cuda = SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus, current_device=lambda: 0)
    backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps))
    return SimpleNamespace(cuda=cuda, backends=backends, device=lambda name: name)


@pytest.mark.parametrize(
    ("torch", "wanted", "chosen"),
    [
        (machine(), None, "cpu"),
        (machine(mps=True), None, "cpu"),
        (machine(2), None, "cuda:0"),
        (machine(2), "cuda", "cuda:0"),
        (machine(2), "cuda:1", "cuda:1"),
        (machine(2), "cpu", "cpu"),
        (machine(mps=True), "mps", "mps"),
    ],
)
def test_a_name_is_a_device(torch, wanted, chosen):
    assert choose_device(torch, wanted) == chosen


@pytest.mark.parametrize(
    ("torch", "wanted", "says"),
    [
        (machine(), "cuda", "'cuda' is not there; choose cpu$"),
        (machine(1), "cuda:1", "'cuda:1' is not there; choose cpu, cuda:0$"),
        (machine(1), "mps", "'mps' is not there"),
        (machine(mps=True), "gpu", "'gpu' is not a device of torch here; choose cpu, mps$"),
        (machine(), "", "'' is not a device"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(torch, wanted, says):
    with pytest.raises(SpecError, match=says):
        choose_device(torch, wanted)


def test_tokens_follow_the_free_memory_between_a_window_and_the_most():
    sizes = [tokens_that_fit(free, CONFIG, 512) for free in (0, 1 << 30, 1 << 31, 1 << 40)]
    assert sizes[0] == 512 and 512 < sizes[1] < 4096 and sizes[3] == 65536
    assert sizes[2] == 2 * sizes[1] == tokens_that_fit((1 << 31) + (1 << 20), CONFIG, 512)
    assert sizes[1] * 3 * 4 * CONFIG.vocab_size < (1 << 30) / 2, "logits alone fit"
