"""The device on which torch computes, and the number of tokens that fit its memory."""

from __future__ import annotations

import re
from types import ModuleType
from typing import TYPE_CHECKING

from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from torch import device
    from transformers import PretrainedConfig

_MOST_TOKENS = 65536
"""The largest number of tokens in a batch, since a larger batch does not make a GPU faster"""


def has_gpu() -> bool:
    """Return whether torch is installed and there is a CUDA GPU, which is then the default device."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def choose_device(torch: ModuleType, wanted: str | None) -> device:
    """Return the torch.device for a name.

    Args:
        torch: the module torch.
        wanted: 'cpu', 'cuda', 'cuda:1' or 'mps'. None means a CUDA GPU if there is one, else the CPU.

    Returns:
        The device.

    Raises:
        SpecError: there is no such device; the message names those that exist.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    names = ["cpu", *(f"cuda:{number}" for number in range(count))]
    if torch.backends.mps.is_available():
        names.append("mps")
    if wanted is None:
        wanted = "cuda" if count else "cpu"
    name = f"cuda:{torch.cuda.current_device()}" if wanted == "cuda" and count else wanted
    if name in names:
        chosen: device = torch.device(name)
        return chosen
    problem = "is not there" if re.fullmatch(r"cuda(:\d+)?|mps", wanted) else "is not a device of torch here"
    raise SpecError(f"device {wanted!r} {problem}; choose {', '.join(names)}")


def tokens_that_fit(free: int, config: PretrainedConfig, window: int) -> int:
    """Return how many tokens a batch may hold with `free` bytes of memory.

    The estimate for a token, in float32: twice the hidden states of all layers (as the network returns them, and
    stacked), 16 widths of work within a layer, two rows of attention scores per head (unless the network fuses them),
    and three rows of logits. Half of the free memory is used.

    Args:
        free: the free memory of the device, in bytes.
        config: the network's configuration.
        window: the largest number of tokens in a row.

    Returns:
        The number of tokens. It is rounded down to a power of two, so that runs on one machine have equal batches; it
        is at least one window.
    """
    width, layers = int(config.hidden_size), int(config.num_hidden_layers)
    heads, vocabulary = int(config.num_attention_heads), int(config.vocab_size)
    numbers = 2 * (layers + 1) * width + 16 * width + 2 * heads * window + 3 * vocabulary
    fitting = min(_MOST_TOKENS, free // 2 // (4 * numbers))
    return max(window, 1 << fitting.bit_length() >> 1)
