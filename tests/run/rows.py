"""Made-up rows."""

from __future__ import annotations

import numpy as np

from nlgauge.data.corpus import Corpus, Row

WORDS = ("rain", "fell", "on", "the", "old", "bridge", "and", "a", "train", "was", "late", "again", "today")


def rows(seed: int, count: int, source: bool = True) -> Corpus:
    generator = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(generator.choice(WORDS, size=generator.integers(1, 12))).capitalize() + "."

    return Corpus(
        tuple(
            Row(
                text() if generator.random() < 0.9 else "",
                tuple(text() for _ in range(generator.integers(1, 3))),
                source=text() if source else None,
                context=text() if source else None,
                system=f"s{n % 2}",
                item=str(n // 2),
            )
            for n in range(count)
        )
    )
