"""Production of many examples: from files to labelled rows on disk, with a card that describes them."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from nlgauge.data.atomic_write import atomic_bytes
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import InputError
from nlgauge_lab.reproduce.markdown import table
from nlgauge_lab.training.labelled import Labelled
from nlgauge_lab.training.weak_labels.attempts import Draft, Parts, Settings, Source
from nlgauge_lab.training.weak_labels.construct import Tally, construct
from nlgauge_lab.training.weak_labels.corruption import WORD
from nlgauge_lab.training.weak_labels.sources import Record, read_records, split

_TOLD = "made.json"


@dataclass(frozen=True)
class Files:
    """Files from which examples of one task are made."""

    paths: tuple[Path, ...]
    task: str
    share: float = 1.0
    """The weight of these files: an attempt uses them with the probability share / sum of all shares"""
    leave_out: tuple[str, ...] = ()
    """Data sets, by `origin`, that are left out"""


@dataclass(frozen=True)
class Order:
    """The examples that are to be made."""

    files: tuple[Files, ...]
    attempts: int
    held_out_attempts: int
    held_out: float = 0.05
    """Share of the documents that are used for held-out examples only"""
    held_out_origins: tuple[str, ...] = ()
    seed: int = 0
    settings: Settings = field(default_factory=Settings)

    def facts(self) -> dict[str, Any]:
        """Return the settings that determine the examples, as JSON has them."""
        return dict(json.loads(json.dumps(asdict(self), default=lambda path: path.name)))


def produce(order: Order, model: Model, folder: Path, *, progress: bool = False) -> tuple[Path, Path]:
    """Make the examples if they are not there yet, and return the files of training and of held-out examples.

    An example is a labelled row, with a description of how it was made. A data card is written too.

    Raises:
        InputError: files cannot be read, or the examples in `folder` were made with other settings or files.
    """
    train, held = folder / "train.jsonl.gz", folder / "held_out.jsonl.gz"
    if (folder / _TOLD).is_file():
        if json.loads((folder / _TOLD).read_text(encoding="utf-8")) != order.facts():
            raise InputError("holds examples of other settings or files", file=folder, remedy="name a new folder")
        return train, held
    own, others = _sources(order)
    if not others and order.held_out_attempts:
        raise InputError("too few records to hold any out", remedy="give more, or raise held_out in the recipe")
    folder.mkdir(parents=True, exist_ok=True)
    # How words are spelt is read from texts to train on, on both sides.
    parts = Parts.usual(own, model, order.seed)
    lines = ["Nobody labelled these examples: `nlgauge train aligner` made them."]
    for path, sources, attempts in ((train, own, order.attempts), (held, others, order.held_out_attempts)):
        tally = Tally()
        made = list(
            tqdm(
                construct(sources, parts, seed=order.seed, attempts=attempts, settings=order.settings, tally=tally)
                if attempts
                else (),
                unit="example",
                desc=path.name,
                disable=None if progress else True,
            )
        )
        _write(path, made)
        lines += _card(path.name, made, attempts, tally)
    lines += ["", f"Seed {order.seed}, {parts.parser.name}, masked LM {model.name} ({model.digest[:12]}).", ""]
    lines += [f"Settings: {json.dumps(asdict(order.settings))}", ""]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / _TOLD).write_text(json.dumps(order.facts()), encoding="utf-8")
    return train, held


def _sources(order: Order) -> list[list[Source]]:
    """Return the training records and the held-out records, each by task."""
    paths = dict.fromkeys(path for files in order.files for path in files.paths)
    read: dict[Path, list[Record]] = {path: read_records(path) for path in paths}
    sides = []
    for side in split([r for records in read.values() for r in records], order.held_out, order.held_out_origins):
        here, sources = {id(record) for record in side}, []
        for files in order.files:
            every = [r for path in files.paths for r in read[path]]
            if records := [r for r in every if id(r) in here and r.origin not in files.leave_out]:
                sources.append(Source(records, files.task, files.share))
        sides.append(sources)
    return sides


def _write(path: Path, examples: Sequence[Draft]) -> None:
    # No time and no name in the archive, so that equal examples are equal files.
    with atomic_bytes(path) as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
        for one in examples:
            told = {"task": one.task, "origin": one.record.origin, "number": one.number, "made": one.made}
            row = {"source": one.row.source, "candidate": one.row.candidate, "spans": one.row.spans}
            line = json.dumps({**told, "marked": marked(one.row), **row}, ensure_ascii=False)
            stream.write(f"{line}\n".encode())


def marked(row: Labelled) -> str:
    """Return the candidate with its unsupported words between ⟦ and ⟧."""
    text = row.candidate
    for begin, end in reversed(row.spans or ()):
        text = f"{text[:begin]}⟦{text[begin:end]}⟧{text[end:]}"
    return re.sub(r"⟧(\s*)⟦", r"\1", text)


def _card(name: str, examples: Sequence[Draft], attempts: int, tally: Tally) -> list[str]:
    by: dict[tuple[str, str], list[int]] = {}
    for one in examples:
        spans, words = one.row.spans or (), [found.span() for found in WORD.finditer(one.row.candidate)]
        wrong = sum(any(begin < last and first < end for first, last in spans) for begin, end in words)
        counts = by.setdefault((one.task, one.record.origin), [0, 0, 0])
        for place, more in enumerate((1, len(words), wrong)):
            counts[place] += more
    contexts, texts = (
        _quantiles([len(text.split()) for text in some])
        for some in ([one.row.source for one in examples], [one.row.candidate for one in examples])
    )
    told = f"{len(examples)} examples of {attempts} attempts. Words of a context: {contexts}; of a text: {texts}."
    rows = [
        [*key, count, words_, f"{wrong / max(1, words_):.1%}"] for key, (count, words_, wrong) in sorted(by.items())
    ]
    heads = ["task", "data set", "examples", "words", "unsupported"]
    lines = ["", f"# {name}", "", told, "", *table(heads, "lllll", rows)]
    counted = {
        "how the text was made": Counter(one.made for one in examples),
        "attempts without an example": tally.dropped,
        "records passed over for another": tally.passed,
    }
    for head, counter in counted.items():
        lines += ["", *table([head, "number"], "ll", counter.most_common())]
    return lines


def _quantiles(sizes: Sequence[int]) -> str:
    if not sizes:
        return "none"
    found = np.quantile(sizes, [0.05, 0.5, 0.95, 1]).astype(int).tolist()
    return ", ".join(f"{name} {size}" for name, size in zip(("5 %", "half", "95 %", "all"), found, strict=True))
