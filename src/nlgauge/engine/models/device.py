"""On which device torch computes, and how much of a text fits it."""

from __future__ import annotations

import re
from types import ModuleType
from typing import TYPE_CHECKING

from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from torch import device
    from transformers import PretrainedConfig

_MOST_TOKENS = 65536
"""More in a batch makes a GPU no faster"""


def has_gpu() -> bool:
    """Whether torch is installed and there is a GPU of CUDA, which it takes by default."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def choose_device(torch: ModuleType, wanted: str | None) -> device:
    """The torch.device of a name: 'cpu', 'cuda', 'cuda:1', 'mps'; None is a GPU of CUDA where there is one.

    Raises SpecError for a device that is not there, and says which are.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    known = ["cpu", *(f"cuda:{number}" for number in range(count))]
    if torch.backends.mps.is_available():
        known.append("mps")
    if wanted is None:
        wanted = "cuda" if count else "cpu"
    name = f"cuda:{torch.cuda.current_device()}" if wanted == "cuda" and count else wanted
    if name in known:
        chosen: device = torch.device(name)
        return chosen
    problem = "is not there" if re.fullmatch(r"cuda(:\d+)?|mps", wanted) else "is not one that torch computes on here"
    raise SpecError(f"device {wanted!r} {problem}; there is {', '.join(known)}")


def tokens_that_fit(free: int, config: PretrainedConfig, window: int) -> int:
    """How many tokens a batch may hold, of so many bytes of free memory.

    A token is taken to need, in float32: twice the states of all layers (as the network gives them, and stacked), 16
    widths of work within a layer, two rows of attention scores a head (where the network does not fuse them), and
    three rows of logits. Half of the free memory is planned for. Rounded down to a power of two, so that the runs of a
    machine batch alike; never less than a window.
    """
    width, layers = int(config.hidden_size), int(config.num_hidden_layers)
    heads, vocabulary = int(config.num_attention_heads), int(config.vocab_size)
    numbers = 2 * (layers + 1) * width + 16 * width + 2 * heads * window + 3 * vocabulary
    fitting = min(_MOST_TOKENS, free // 2 // (4 * numbers))
    return max(window, 1 << fitting.bit_length() >> 1)
