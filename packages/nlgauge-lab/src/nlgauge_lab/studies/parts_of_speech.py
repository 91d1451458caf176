"""Which kinds of words a metric listens to: its weights and alignments of words by part of speech (MaskEval, figure 4).

The study reads the evidence in a scores file, so nothing is scored again. It works for any metric whose evidence has
the words of its texts, such as MaskEval and CTC's metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, MissingExtraError, SpecError
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number

Tagger = Callable[[str], list[tuple[int, str]]]
"""Returns the index of the first character and the part of speech of each token of a text, in order"""
_Sums = dict[tuple[str, str], list[float]]


@dataclass(frozen=True)
class PartOfSpeech:
    """The words of one part of speech in one of the texts that a metric shows."""

    metric: str
    text: str
    """'candidate', 'source' or 'reference'"""
    tag: str
    words: float
    """Share of the text's words that are of this kind, mean over rows"""
    weight: float
    """Share of these words in the weights of all words of a row's texts, mean over rows"""
    alignment: float
    """Mean over the words: whether each was predicted, or how far it is supported"""


@dataclass(frozen=True)
class PartsOfSpeech:
    """The result of `parts_of_speech`. For each metric and text, the kind of words with the largest weight is first."""

    records: tuple[PartOfSpeech, ...]
    rows: int

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables for a terminal, one for each metric and text."""
        found: dict[tuple[str, str], list[list[Cell]]] = {}
        for one in self.records:
            cells = found.setdefault(
                (one.metric, one.text), [[f"{one.metric}, {one.text}", "words", "weight", "alignment"]]
            )
            cells.append([one.tag, *(Number(value, digits=3) for value in (one.words, one.weight, one.alignment))])
        return list(found.values())

    def draw(self, path: Path) -> None:
        """Draw a heat map for each metric: share of the weight by part of speech and text."""
        panels = {}
        for metric in dict.fromkeys(one.metric for one in self.records):
            own = [one for one in self.records if one.metric == metric]
            tags, texts = (list(dict.fromkeys(getattr(one, name) for one in own)) for name in ("tag", "text"))
            weight = {(one.tag, one.text): one.weight for one in own}
            cells = [[weight.get((tag, text), np.nan) for text in texts] for tag in tags]
            panels[metric] = figures.Heat(tags, texts, cells)
        figures.heats(path, panels, "share of the weight", colours="Blues")


def parts_of_speech(table: ScoreTable, tagger: str | Tagger, *, metrics: Sequence[str] | None = None) -> PartsOfSpeech:
    """Return weights and alignments of words by part of speech, from the evidence of a scores table.

    If the evidence of a metric has no weights, each of its texts has the same weight, and so has each word of a text.

    Args:
        table: the scores, with evidence.
        tagger: the name of an installed spaCy pipeline with parts of speech, such as 'en_core_web_sm'; or a function
            from a text to the tags of its tokens (`Tagger`).
        metrics: specs; all metrics that show words by default.

    Raises:
        InputError: the table has no such evidence, or lacks one of `metrics`.
        SpecError: the pipeline is not installed or has no parts of speech.
        MissingExtraError: spaCy is not installed.
    """
    unknown = [spec for spec in metrics or () if spec not in table.columns]
    if unknown:
        raise InputError(f"there is no {unknown[0]}", remedy=f"there are {', '.join(table.columns)}")
    shown = {
        spec: [evidence["texts"] for evidence in table.columns[spec].evidence.values() if evidence.get("texts")]
        for spec in metrics or table.columns
    }
    shown = {spec: rows for spec, rows in shown.items() if rows}
    if not shown:
        raise InputError("no metric shows its words", remedy="score MaskEval or Consistency with --evidence -o FILE")
    tag = _pipeline(tagger) if isinstance(tagger, str) else tagger
    known: dict[str, list[tuple[int, str]]] = {}
    records: list[PartOfSpeech] = []
    for spec, rows in shown.items():
        sums: _Sums = {}
        for texts in rows:
            for text in texts:
                if text["text"] not in known:
                    known[text["text"]] = tag(text["text"])
                _add(sums, text, known[text["text"]], len(texts))
        order = sorted(sums.items(), key=lambda one: (one[0][0], -one[1][1]))
        records += [
            PartOfSpeech(
                metric=spec,
                text=text,
                tag=kind,
                words=share / len(rows),
                weight=weight / len(rows),
                alignment=alignment / count,
            )
            for (text, kind), (share, weight, alignment, count) in order
        ]
    return PartsOfSpeech(tuple(records), max(map(len, shown.values())))


def _add(sums: _Sums, text: dict[str, Any], tags: list[tuple[int, str]], texts: int) -> None:
    """Add the words of a text to sums over all rows.

    Args:
        sums: by name of a text and part of speech, four sums: the share of the text's words, the weight, the alignment,
            and the number of words.
        text: the evidence of the text, with its words.
        tags: (index of the first character, part of speech) of each token of the text.
        texts: the number of texts in the row's evidence, which have equal weight if the evidence has no weights.
    """
    words = text["words"]
    begins = np.array([begin for begin, _ in tags], np.int64)
    for word in words:
        # A word of the metric may begin inside one of the pipeline's, or the other way round.
        at = max(0, int(np.searchsorted(begins, word["begin"], side="right")) - 1)
        entry = sums.setdefault((text["name"], tags[at][1] if tags else "X"), [0.0] * 4)
        share = 1 / len(words)
        for place, more in enumerate((share, word.get("weight", share / texts), word["alignment"], 1)):
            entry[place] += more


def _pipeline(name: str) -> Tagger:
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("parts of speech", "maskeval") from None
    try:
        pipeline = spacy.load(name)
    except OSError:
        raise SpecError(f"no spaCy pipeline {name!r} is installed: pip install one, such as en-core-web-sm") from None

    def tag(text: str) -> list[tuple[int, str]]:
        found = [(token.idx, token.pos_) for token in pipeline(text)]
        if found and not any(kind for _, kind in found):
            raise SpecError(f"the spaCy pipeline {name!r} gives no parts of speech; choose one with a tagger")
        return found

    return tag
