"""Training rows of the written answers (`nlgauge_lab.written`), with numbers that tell which are compared.

Answers about one source are compared with each other. An answer is also compared with the same answer about the edited
version of its source. In this pair the text alone cannot tell which row is supported. In other pairs it can tell
something. How much is estimated, and becomes the bias of the rows.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.faithfulness.claims import claims
from nlgauge.faithfulness.forms import forms_of
from nlgauge_lab.training.aligner_rows import Encoded, Shape, Twins, encode
from nlgauge_lab.training.alone import Judged, alone
from nlgauge_lab.training.labelled import Labelled, marked, sentences_of
from nlgauge_lab.written import HELD_OUT, Answer, answers

_CONTRADICTED = {
    **dict.fromkeys(("addition", "worldknowledge"), False),
    **dict.fromkeys(("number", "unit", "date", "name", "place", "role", "negation", "antonym", "order"), True),
}
"""By kind of error, whether the source contradicts it. Errors of other kinds may be contradicted or not mentioned"""


@dataclass(frozen=True)
class Written:
    """How the written answers are read in training."""

    times: int = 2
    """How often the answers are read in an epoch, each time with other passages"""
    writers: Mapping[str, int] = field(default_factory=dict)
    """By writer, how often their answers are read, if it is not `times`"""
    among: float = 0.4
    """Share of the sources that are put among passages of other sources"""
    asked: float = 0.5
    """Share of the rows that are read with their question"""
    joined: float = 0.5
    """Share of the sources of which two answers are also read as one answer"""
    single: float = 0.5
    """Share of the answers with several sentences of which each sentence is also read alone"""


def written_rows(
    wanted: Written, tokenizer: SubwordTokenizer, rarity: NDArray[np.float64], shape: Shape, seed: int
) -> tuple[list[Encoded], dict[str, list[Encoded]]]:
    """Return the training rows, and the rows of held-out writers by the name of their set.

    A held-out set is returned twice: without questions, and with them under the name "NAME, asked".

    Args:
        wanted: how the answers are read.
        tokenizer: splits texts into sub-words.
        rarity: weight of each sub-word for the search of evidence: [vocabulary].
        shape: the largest sizes of a row.
        seed: decides all that is random.
    """
    everything = list(answers())
    held = {name: [one for one in everything if one.writer == writer] for name, writer in HELD_OUT.items()}
    train = [one for one in everything if one.writer not in HELD_OUT.values()]
    bias, said = _alone(train, tokenizer), _said(train)
    rows: list[Encoded] = []
    apart: dict[str, list[Encoded]] = {}
    often = [wanted.writers.get(one.writer, wanted.times) for one in train]
    for time in range(max(often)):
        rng = random.Random(f"{seed}:written:{time}")
        read = [at for at, times in enumerate(often) if time < times]
        rows += _rows(
            [train[at] for at in read],
            [said[at] for at in read],
            bias=bias[read],
            tokenizer=tokenizer,
            rarity=rarity,
            shape=shape,
            rng=rng,
            wanted=wanted,
            time=time,
        )
    for name, some in held.items():
        said, none = _said(some), np.zeros(len(some))
        for asked, title in ((0.0, name), (1.0, f"{name}, asked")):
            as_they_are, rng = replace(wanted, among=0.0, asked=asked, joined=0.0, single=0.0), random.Random(0)
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


def _alone(rows: Sequence[Answer], tokenizer: SubwordTokenizer) -> NDArray[np.float64]:
    """Return the log-odds that each answer is supported, as `alone` estimates them: [rows].

    The estimate for an answer is learned from answers about sources of other styles (leases, tickets, logs and others).
    """
    styles = {style: number for number, style in enumerate(sorted({row.style for row in rows}))}
    return alone([Judged(" ".join(row.source), row.text, row.supported, styles[row.style]) for row in rows], tokenizer)


def _said(rows: Sequence[Answer]) -> list[str]:
    """Return the claims of each answer as a text.

    The text is empty for an honest refusal, because the gate judges refusals by a search.
    """
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
    for at, number in enumerate(chosen):
        parts = sentences_of(labelled[at]) if rows[number].words or rows[number].supported else []
        if len(parts) > 1 and rng.random() < wanted.single:
            for part in parts:
                labelled.append(part)
                names.append((names[at][0], names[at][1], (names[at][0], part.candidate)))
                known.append(known[at] / len(parts))
    numbers: dict[Any, int] = {}
    found: list[Encoded] = []
    for keys, own, encoded in zip(names, known, encode(labelled, tokenizer, rarity, shape), strict=True):
        twins = Twins(*(time << 32 | numbers.setdefault(key, len(numbers)) for key in keys))
        found += [replace(encoded[0], twins=twins, bias=own)] if len(encoded) == 1 else encoded
    return found


def _joined(one: Labelled, other: Labelled) -> Labelled:
    """Return two answers about one source as one answer. It is supported if both are."""
    candidate = f"{one.candidate} {other.candidate}"
    shift = len(one.candidate) + 1
    spans = None
    if one.spans is not None and other.spans is not None:
        spans = (*one.spans, *((begin + shift, end + shift) for begin, end in other.spans))
    return replace(
        one, candidate=candidate, spans=spans, supported=one.supported and other.supported, contradicted=None
    )


def _labelled(row: Answer, source: str, said: str, question: str | None) -> Labelled:
    """Return the claims of an answer as a labelled row.

    Args:
        row: the answer.
        source: the text of the source, perhaps among other passages.
        said: the claims of the answer, as a text.
        question: the question that is read with the claims; None for none.
    """
    known = row.supported or (row.words and all(word in said for word in row.words))
    spans = marked(said, row.words) if known else None
    against = None if row.supported else _CONTRADICTED.get(row.kind)
    return Labelled(source, said, spans, row.supported, question=question, contradicted=against)
