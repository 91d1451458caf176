"""Rows of the written answers (`nlgauge_lab.written`), each with its twins.

Answers about one source are compared with each other, and an answer is compared with itself about the edited twin of
its source: there the text alone says nothing. What it says elsewhere is estimated, and becomes the rows' bias.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.faithfulness.claims import claims, forms_of
from nlgauge_lab.training.aligner_rows import Encoded, Shape, Twins, encode
from nlgauge_lab.training.labelled import Labelled, marked
from nlgauge_lab.written import HELD_OUT, Answer, answers

_CONTRADICTED = {
    **dict.fromkeys(("addition", "worldknowledge"), False),
    **dict.fromkeys(("number", "unit", "date", "name", "place", "role", "negation", "antonym", "order"), True),
}
"""By the kind of what is wrong; of the other kinds some are contradicted and some are not mentioned"""
_FOLDS, _STEPS, _RATE, _DECAY = 5, 150, 0.05, 2.0


@dataclass(frozen=True)
class Written:
    """How the written answers are read."""

    times: int = 2
    """How often they are read in an epoch, each time with other passages"""
    among: float = 0.4
    """The share of the sources that stand among passages of other sources"""
    asked: float = 0.5
    """The share of the rows that are read with their question"""
    joined: float = 0.5
    """The share of the sources of which two answers come a second time, as one"""


def written_rows(
    wanted: Written, tokenizer: SubwordTokenizer, rarity: NDArray[np.float64], shape: Shape, seed: int
) -> tuple[list[Encoded], dict[str, list[Encoded]]]:
    """Return the rows to train on, and by name those of the writers who are held out, as they are and with question."""
    everything = list(answers())
    held = {name: [one for one in everything if one.writer == writer] for name, writer in HELD_OUT.items()}
    train = [one for one in everything if one.writer not in HELD_OUT.values()]
    bias, said = alone(train, tokenizer), _said(train)
    rows: list[Encoded] = []
    apart: dict[str, list[Encoded]] = {}
    for time in range(wanted.times):
        rng = random.Random(f"{seed}:written:{time}")
        rows += _rows(
            train, said, bias=bias, tokenizer=tokenizer, rarity=rarity, shape=shape, rng=rng, wanted=wanted, time=time
        )
    for name, some in held.items():
        said, none = _said(some), np.zeros(len(some))
        for asked, title in ((0.0, name), (1.0, f"{name}, asked")):
            as_they_are, rng = replace(wanted, among=0.0, asked=asked, joined=0.0), random.Random(0)
            apart[title] = _rows(
                some,
                said,
                bias=none,
                tokenizer=tokenizer,
                rarity=rarity,
                shape=shape,
                rng=rng,
                wanted=as_they_are,
                time=0,
            )
    return rows, apart


def alone(rows: Sequence[Answer], tokenizer: SubwordTokenizer) -> NDArray[np.float64]:
    """Return the log-odds of being supported by the text alone and the share of its words that its source has: [rows].

    A logistic regression on sub-words and that share, fitted to the answers of other styles.
    """
    ids = [np.unique(tokens.ids) for tokens in tokenizer.encode([row.text for row in rows])]
    flat = torch.from_numpy(np.concatenate(ids).astype(np.int64))
    begins = torch.from_numpy(np.cumsum([0, *map(len, ids[:-1])]))
    per_row = torch.tensor([max(1, len(some)) ** -0.5 for some in ids]).repeat_interleave(
        torch.tensor([len(some) for some in ids])
    )
    copied = torch.tensor([_copied(row) for row in rows])[:, None]
    labels = torch.tensor([float(row.supported) for row in rows])
    names = sorted({row.style for row in rows})
    fold = torch.tensor([names.index(row.style) % _FOLDS for row in rows])
    found = np.zeros(len(rows))
    for number in range(_FOLDS):
        words, rest = nn.EmbeddingBag(int(flat.max()) + 1, 1, mode="sum"), nn.Linear(1, 1)
        nn.init.zeros_(words.weight)
        nn.init.zeros_(rest.weight)
        optimizer = torch.optim.Adam([*words.parameters(), *rest.parameters()], _RATE)
        inside = fold != number
        for _ in range(_STEPS):
            said = (words(flat, begins, per_row) + rest(copied)).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(said[inside], labels[inside])
            penalty = _DECAY * words.weight.square().sum() / len(rows)
            optimizer.zero_grad()
            (loss + penalty).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        with torch.no_grad():
            said = (words(flat, begins, per_row) + rest(copied)).squeeze(1)
        found[~inside.numpy()] = said[~inside].double().numpy()
    return found


def _copied(row: Answer) -> float:
    there = set(re.findall(r"\w+", " ".join(row.source).lower()))
    own = re.findall(r"\w+", row.text.lower())
    return sum(word in there for word in own) / max(1, len(own))


def _said(rows: Sequence[Answer]) -> list[str]:
    """What each answer claims; nothing for an honest refusal, which is judged by a search."""
    return [claims(row.text, forms_of(["\n".join(row.source)]), row.question).text for row in rows]


def _rows(
    rows: Sequence[Answer],
    said: Sequence[str],
    bias: NDArray[np.float64],
    tokenizer: SubwordTokenizer,
    rarity: NDArray[np.float64],
    shape: Shape,
    rng: random.Random,
    wanted: Written,
    time: int,
) -> list[Encoded]:
    passages = sorted({passage for row in rows for passage in row.source})
    around: dict[str, tuple[list[str], list[str], bool]] = {}
    for row in rows:
        if row.row not in around:
            others = rng.choices(passages, k=rng.choice((1, 1, 2, 3))) if rng.random() < wanted.among else []
            at = rng.randint(0, len(others))
            around[row.row] = others[:at], others[at:], rng.random() < wanted.asked
    labelled: list[Labelled] = []
    chosen: list[int] = []
    for number, row in enumerate(rows):
        before, after, asked = around[row.row]
        if said[number]:
            source, question = "\n".join([*before, *row.source, *after]), row.question if asked else None
            labelled.append(_labelled(row, source, said[number], question))
            chosen.append(number)
    names: list[tuple[Any, Any, Any]] = [
        (rows[at].row, (rows[at].row, rows[at].edited), (rows[at].row, rows[at].text)) for at in chosen
    ]
    known = [float(bias[at]) for at in chosen]
    by_source: dict[Any, list[int]] = {}
    for at, (_, source, _) in enumerate(names):
        by_source.setdefault(source, []).append(at)
    for source, of in by_source.items():
        if len(of) > 1 and rng.random() < wanted.joined:
            first, second = rng.sample(of, 2)
            labelled.append(_joined(labelled[first], labelled[second]))
            names.append((source[0], source, (source, first, second)))
            known.append((known[first] + known[second]) / 2)
    numbers: dict[Any, int] = {}
    found: list[Encoded] = []
    for keys, own, encoded in zip(names, known, encode(labelled, tokenizer, rarity, shape), strict=True):
        twins = Twins(*(time << 32 | numbers.setdefault(key, len(numbers)) for key in keys))
        found += [replace(encoded[0], twins=twins, bias=own)] if len(encoded) == 1 else encoded
    return found


def _joined(one: Labelled, other: Labelled) -> Labelled:
    """Two answers about one source as one answer, which is supported where both are."""
    candidate = f"{one.candidate} {other.candidate}"
    shift = len(one.candidate) + 1
    spans = None
    if one.spans is not None and other.spans is not None:
        spans = (*one.spans, *((begin + shift, end + shift) for begin, end in other.spans))
    return replace(
        one, candidate=candidate, spans=spans, supported=one.supported and other.supported, contradicted=None
    )


def _labelled(row: Answer, source: str, said: str, question: str | None) -> Labelled:
    """What an answer claims, as a labelled row."""
    known = row.supported or (row.words and all(word in said for word in row.words))
    spans = marked(said, row.words) if known else None
    against = None if row.supported else _CONTRADICTED.get(row.kind)
    return Labelled(source, said, spans, row.supported, question=question, contradicted=against)
