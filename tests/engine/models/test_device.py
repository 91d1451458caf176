"""Which device a name is, of those that a machine has; how many tokens a memory holds."""

from types import SimpleNamespace

import pytest

from nlgauge.engine.models.device import choose_device
from nlgauge.errors import SpecError

CONFIG = SimpleNamespace(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, vocab_size=30522)


def machine(gpus=0, mps=False):
    """What a torch with so many GPUs says; its devices are their names."""
    cuda = SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus, current_device=lambda: 0)
    backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps))
    return SimpleNamespace(cuda=cuda, backends=backends, device=lambda name: name)


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
