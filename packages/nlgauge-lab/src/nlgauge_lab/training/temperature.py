"""The temperature of a masked LM in a language, at which masked tokens of plain text are likeliest.

InfoLM divides logits by the temperature. This one number corrects how confident a network is (Guo et al. 2017, which
the InfoLM paper cites), and a network of many languages is not equally confident in all. No ratings are needed. If
there are ratings, `nlgauge study temperature` shows at which temperature InfoLM agrees best with people.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Model
from nlgauge.engine.models.card import TEMPERATURES, read_card, write_facts
from nlgauge.errors import InputError
from nlgauge.show.tables import Cell, Number
from nlgauge_lab.training.passages import read_lines

GRID = 0.25 * 2 ** (np.arange(23) / 4)
"""The temperatures that are tried, from 0.25 to 11.3. The best one is interpolated between them"""
_SHARE = 0.15
_SHORTEST = 4
"""The least number of sub-words in a text that is used"""


class Calibrated(NamedTuple):
    """The temperature that was measured on the texts of one language, and the losses with and without it."""

    temperature: float
    tokens: int
    plain: float
    """Mean negative log-probability of a masked token at temperature 1, in nats"""
    best: float
    """Mean negative log-probability of a masked token at `temperature`, in nats"""


def calibrated(texts: Iterable[str], model: Model, most: int = 2000, seed: int = 0) -> Calibrated:
    """Return the temperature at which masked tokens of some texts are likeliest.

    Args:
        texts: plain text in one language; the beginning of each is read.
        model: a model with a masked LM.
        most: about how many tokens are masked, some in each text.
        seed: draws the tokens.

    Raises:
        InputError: no text has enough tokens.
        SpecError: the model predicts no masked words.
    """
    tokenizer, network, mask = model[TOKENIZER], model[MASKED_LM], model.mask_id
    rng, losses, tokens = np.random.default_rng(seed), np.zeros(len(GRID)), 0
    for ids in tokenizer.ids_of(texts):
        own = ids[: model.room].astype(np.int64)
        if len(own) < _SHORTEST:
            continue
        at = np.sort(rng.permutation(len(own))[: max(1, round(_SHARE * len(own)))])
        masked = own.copy()
        masked[at] = mask
        row = np.array([[*tokenizer.prefix, *masked, *tokenizer.suffix]], np.int64)
        logits = network.masked_logits(row, np.ones_like(row), at + len(tokenizer.prefix)).astype(np.float64)
        logits -= logits.max(axis=1, keepdims=True)
        true = logits[np.arange(len(at)), own[at]]
        for place, temperature in enumerate(GRID):
            losses[place] += float((np.log(np.exp(logits / temperature).sum(axis=1)) - true / temperature).sum())
        tokens += len(at)
        if tokens >= most:
            break
    if not tokens:
        raise InputError(f"no text has {_SHORTEST} sub-words", remedy="give lines of plain text")
    means = losses / tokens
    temperature, best = _lowest(means)
    return Calibrated(round(temperature, 2), tokens, float(means[GRID == 1][0]), best)


def _lowest(losses: np.ndarray) -> tuple[float, float]:
    """Return the temperature of the lowest loss, and this loss.

    They are at the lowest point of a parabola through the lowest of the losses and its two neighbours, as a function of
    the logarithm of temperature.

    Args:
        losses: the loss at each temperature of `GRID`.
    """
    lowest = int(losses.argmin())
    if lowest in (0, len(losses) - 1):
        return float(GRID[lowest]), float(losses[lowest])
    before, here, after = (float(losses[lowest + step]) for step in (-1, 0, 1))
    curved = before - 2 * here + after
    shift = 0.5 * (before - after) / curved if curved > 0 else 0.0
    step = float(np.log(GRID[1] / GRID[0]))
    return float(GRID[lowest] * np.exp(shift * step)), here - 0.25 * (before - after) * shift


def measure(files: Iterable[Path], model: Model, most: int = 2000) -> dict[str, Calibrated]:
    """Return the temperature for each language, by the name of its file up to the first dot. Raises as `calibrated`."""
    found = {}
    for file in files:
        try:
            found[file.name.partition(".")[0]] = calibrated(read_lines(file), model, most)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file=file, remedy="give plain text in UTF-8") from None
    return found


def as_cells(found: dict[str, Calibrated]) -> list[list[Cell]]:
    """Return a table for a terminal, with a row for each language.

    Args:
        found: the temperatures, by language.
    """
    cells: list[list[Cell]] = [["language", "temperature", "tokens", "nats at 1", "nats at the temperature"]]
    for language, one in found.items():
        numbers = (Number(value, digits=3) for value in (one.plain, one.best))
        cells.append([language, f"{one.temperature:.2f}", str(one.tokens), *numbers])
    return cells


def write(model: Model, found: dict[str, Calibrated]) -> Path:
    """Write temperatures to the card of a model's folder, and return the folder.

    Other languages keep their temperatures.

    Raises:
        InputError: the model has no folder.
    """
    if model.folder is None:
        raise InputError(
            f"model {model.name!r} is in no folder", remedy="name a folder with its files, or leave out --write"
        )
    known = dict(read_card(model.folder).temperatures)
    write_facts(model.folder, **{TEMPERATURES: {**known, **{name: one.temperature for name, one in found.items()}}})
    return model.folder
