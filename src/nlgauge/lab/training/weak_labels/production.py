"""Examples by the thousand: from files to shards on disk, with a card that says what is in them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.construct import BLOCK, Tally, construct
from nlgauge.lab.training.weak_labels.examples import Example, read_examples, read_header, write_examples
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.seq2seq import Seq2SeqInfiller, Seq2SeqParaphraser
from nlgauge.lab.training.weak_labels.settings import Settings
from nlgauge.lab.training.weak_labels.sources import Record, read_records, split
from nlgauge.lab.training.weak_labels.syntax import SpacyParser

_SHARD = 10 * BLOCK


@dataclass(frozen=True)
class Files:
    """Files that examples of one task are made from."""

    paths: tuple[Path, ...]
    task: str
    share: float = 1.0
    """The share of the attempts, beside other files'"""
    leave_out: tuple[str, ...] = ()
    """Data sets, by `origin`, that are not read"""


@dataclass(frozen=True)
class Order:
    """What is to be made."""

    files: tuple[Files, ...]
    attempts: int
    held_out_attempts: int
    held_out: float = 0.05
    """Share of the documents that no training example comes from"""
    held_out_origins: tuple[str, ...] = ()
    seed: int = 0
    settings: Settings = field(default_factory=Settings)
    parser: str | None = None
    """A spaCy pipeline, instead of the usual one"""
    paraphraser: str | None = None
    """A sequence-to-sequence checkpoint, instead of our rewriting"""
    infiller: str | None = None
    """A sequence-to-sequence checkpoint, instead of our masked LM"""

    def facts(self) -> dict[str, Any]:
        """What examples in one folder have in common, as in their headers."""
        files = [[path.name for path in one.paths] + [one.task, one.share, *one.leave_out] for one in self.files]
        own = {name: getattr(self, name) for name in ("parser", "paraphraser", "infiller")}
        facts = {"seed": self.seed, "settings": vars(self.settings), "held_out": self.held_out, "files": files, **own}
        facts["held_out_origins"] = list(self.held_out_origins)
        return dict(json.loads(json.dumps(facts)))

    def parts(self, sources: Sequence[Source], model: Model) -> Parts:
        """What makes the examples, from the names."""
        return Parts.usual(
            sources,
            model,
            self.seed,
            parser=SpacyParser(self.parser) if self.parser else None,
            paraphraser=Seq2SeqParaphraser(self.paraphraser) if self.paraphraser else None,
            infiller=Seq2SeqInfiller(self.infiller) if self.infiller else None,
        )


def produce(order: Order, model: Model, folder: Path, *, progress: bool = False) -> tuple[Path, Path]:
    """Make the examples that are not made yet; returns the folders of those to train on and of those held out.

    Each folder gets shards of JSON Lines, written whole or not at all, and a data card.
    Raises InputError where files cannot be read, or lie in `folder` already and were made otherwise.
    """
    train, held = folder / "train", folder / "held_out"
    facts = order.facts()
    missing = [*_missing(train, order.attempts, facts), *_missing(held, order.held_out_attempts, facts)]
    if missing:
        own, others = _sources(order)
        if not others and order.held_out_attempts:
            raise InputError("too few records to hold any out", remedy="give more, or raise held_out in the recipe")
        # What stands in for a span comes from texts to train on, on both sides.
        parts = order.parts(own, model)
        with tqdm(
            total=sum(stop - start for _, start, stop in missing), unit="attempt", disable=None if progress else True
        ) as bar:
            for path, start, stop in missing:
                path.parent.mkdir(parents=True, exist_ok=True)
                _shard(path, start, stop, own if path.parent == train else others, parts, order, facts)
                bar.update(stop - start)
    for side in (train, held):
        (side / "README.md").write_text(_card(side, order), encoding="utf-8")
    return train, held


def _missing(folder: Path, attempts: int, facts: dict[str, Any]) -> list[tuple[Path, int, int]]:
    """The shards that are not there, and which attempts belong in them."""
    out = []
    shards = {folder / f"{start:07d}.jsonl.gz": start for start in range(0, attempts, _SHARD)}
    if strange := [path for path in sorted(folder.glob("*.jsonl.gz")) if path not in shards]:
        raise InputError("is none of these examples", file=strange[0], remedy="remove it, or name a new folder")
    for path, start in shards.items():
        stop = min(start + _SHARD, attempts)
        if not path.exists():
            out.append((path, start, stop))
            continue
        header = read_header(path)
        if any(header.get(name, told) != told for name, told in facts.items()):
            raise InputError("was made with other settings", file=path, remedy="name a new folder")
        if header["stop"] != stop:  # the last one of a run that asked for fewer attempts, or more
            out.append((path, start, stop))
    return out


def _sources(order: Order) -> tuple[list[Source], list[Source]]:
    """The records to train on and those held out, by task."""
    read: dict[Path, list[Record]] = {}
    for files in order.files:
        for path in files.paths:
            if path not in read:
                read[path] = read_records(path)
    kept, held = split([r for records in read.values() for r in records], order.held_out, order.held_out_origins)
    sides = []
    for side in ({id(r) for r in kept}, {id(r) for r in held}):
        sources = []
        for files in order.files:
            records = [r for path in files.paths for r in read[path] if id(r) in side]
            records = [r for r in records if r.origin not in files.leave_out]
            if records:
                sources.append(Source(records, files.task, files.share))
        sides.append(sources)
    return sides[0], sides[1]


def _shard(
    path: Path, start: int, stop: int, sources: Sequence[Source], parts: Parts, order: Order, facts: dict[str, Any]
) -> None:
    tally = Tally()
    made: list[Example] = list(
        construct(sources, parts, seed=order.seed, settings=order.settings, start=start, stop=stop, tally=tally)
    )
    told = {"start": start, "stop": stop, "parts": parts.described()}
    told |= {"dropped": dict(tally.dropped), "passed": dict(tally.passed)}
    write_examples(path, made, {**facts, **told})


def _card(folder: Path, order: Order) -> str:
    """The data card of a folder of shards."""
    by: dict[tuple[str, str], list[int]] = {}
    ways: Counter[str] = Counter()
    sizes: list[tuple[int, int]] = []
    for example in read_examples(folder):
        counts = by.setdefault((example.task, example.origin), [0, 0, 0])
        for place, more in enumerate((1, len(example.words), len(example.words) - sum(example.supported))):
            counts[place] += more
        ways[example.made] += 1
        sizes.append((len(example.context.split()), len(example.words)))
    headers = [read_header(path) for path in sorted(folder.glob("*.jsonl.gz"))]
    dropped: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for header in headers:
        dropped.update(header["dropped"])
        passed.update(header.get("passed", {}))
    attempts = sum(header["stop"] - header["start"] for header in headers)
    total = [sum(counts[place] for counts in by.values()) for place in range(3)]
    lines = [
        "# Weakly labelled examples",
        "",
        f"{total[0]} examples of {attempts} attempts, seed {order.seed}; {total[1]} words, "
        f"{total[2] / max(1, total[1]):.1%} of them unsupported. Nobody labelled them:",
        "`nlgauge train aligner` made them.",
        "",
        f"Words of a context: {_quantiles([size for size, _ in sizes])}; of a text: "
        f"{_quantiles([size for _, size in sizes])}.",
        "",
        "| task | data set | examples | words | unsupported |",
        "|---|---|---|---|---|",
    ]
    for (task, origin), (count, words, wrong) in sorted(by.items()):
        lines.append(f"| {task} | {origin} | {count} | {words} | {wrong / max(1, words):.1%} |")
    lines += ["", "| how the text was made | examples |", "|---|---|"]
    lines += [f"| {way} | {count} |" for way, count in ways.most_common()]
    lines += ["", "| attempts without an example | number |", "|---|---|"]
    lines += [f"| {why} | {count} |" for why, count in dropped.most_common()]
    if passed:
        lines += ["", "| records passed over for another | number |", "|---|---|"]
    lines += [f"| {why} | {count} |" for why, count in passed.most_common()]
    lines += ["", f"Parts: {json.dumps(headers[0]['parts'])}", "", f"Settings: {json.dumps(vars(order.settings))}"]
    return "\n".join(lines) + "\n"


def _quantiles(sizes: Sequence[int]) -> str:
    if not sizes:
        return "none"
    found = np.quantile(sizes, [0.05, 0.5, 0.95, 1]).astype(int).tolist()
    return ", ".join(f"{name} {size}" for name, size in zip(("5 %", "half", "95 %", "all"), found, strict=True))
