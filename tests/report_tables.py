"""A run that the tests of pages share: a good system, a twin not significantly different, and a bad one."""

from __future__ import annotations

import numpy as np

from nlgauge import Corpus, Row, ScoreTable
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column

SYSTEMS, ITEMS = ("good", "twin", "bad"), 24
UP, DOWN, SETS = "Up(k=1)", "Down", "Sets"


def corpus(candidate: str = "Five people sang in {item}.") -> Corpus:
    """A row a system and item, rated; the first system's ratings are the best."""
    return Corpus(
        tuple(
            Row(
                candidate.format(item=f"hall {item}"),
                ("A choir sang.", f"Hall {item} was full."),
                f"Source {item}.",
                None,
                system,
                f"item-{item}",
                {"fluency": float(5 - rank - item % 2)},
            )
            for rank, system in enumerate(SYSTEMS)
            for item in range(ITEMS)
        )
    )


def table(rows: Corpus) -> ScoreTable:
    """Higher is better by Up, whose detail says nothing; lower by Down, which has no value for two rows of bad."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=len(rows)) / 5
    shift = np.repeat([1.0, 1.0, 0.0], ITEMS)
    down = 1 - shift / 2 + noise[::-1]
    missing = [2 * ITEMS, 2 * ITEMS + 1]
    down[missing] = np.nan
    words = [{"text": "Five", "begin": 0, "end": 4, "alignment": 0.1, "quote": 0}]
    quotes = [{"name": "source", "text": "Source", "begin": 0, "end": 6}]
    text = {"name": "candidate", "against": "source", "words": words, "weak": 0.5, "unsupported": [[0, 4]]}
    evidence = {n: {"texts": [{**text, "text": row.candidate, "quotes": quotes}]} for n, row in enumerate(rows)}
    columns = {
        UP: Column(
            ("f1", "recall", "count"), np.stack([shift + noise, noise, noise], 1), {}, evidence, details=("count",)
        ),
        DOWN: Column(("score",), down[:, None], dict.fromkeys(missing, "no source"), higher_is_better=False),
        SETS: Column(("score",), np.array([[0.9], [0.8], [0.1]]), level="system"),
    }
    signatures = {spec: Signature(spec, {"window": "slide@512,longer 2/72"}) for spec in columns}
    run = {"rows": len(rows), "corpus": rows.digest, "notes": {DOWN: {"a note": 3}}, "asked": {}}
    return ScoreTable([(row.system, row.item) for row in rows], columns, signatures, run, "9.9")
