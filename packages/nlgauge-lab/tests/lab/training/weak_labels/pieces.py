"""Records of our own, and what is read of the examples that are made of them."""

from __future__ import annotations

from dataclasses import replace

from nlgauge_lab.training.weak_labels.attempts import Settings, Source
from nlgauge_lab.training.weak_labels.sources import Record

TOPICS = ["bridge", "museum", "harbour", "library", "stadium", "orchard", "tunnel", "theatre"]
RECORDS = [
    Record(
        document=(
            f"The {topic} in the valley was closed after cracks had been found in it. A firm from the coast built "
            f"another {topic} in {1950 + n}. It cost {n + 3} million pounds, and {20 + n} people worked there. "
            f"Visitors liked the old {topic} because of its quiet garden. The mayor will open the new one soon."
        ),
        text=f"A new {topic} replaces the old one, which had cracks. Many visitors liked its garden.",
        origin=f"set{n % 2}",
        groups=(f"town {n}",),
    )
    for n, topic in enumerate(TOPICS)
]
SOURCES = [
    Source(RECORDS, "summarization", 2.0),
    Source(RECORDS, "reference"),
    Source(RECORDS, "style"),
    Source([replace(one, knowledge=one.document, document="") for one in RECORDS], "knowledge"),
    Source([Record(knowledge=one.document, text=one.document.split(". ")[0] + ".") for one in RECORDS], "dialogue"),
]


def only(kind: str, **others: float) -> Settings:
    shares = dict.fromkeys(("clean", "foreign", "withheld", "exchanged"), 0.0)
    return Settings(**{**shares, **({kind: 1.0} if kind in shares else {}), "verbatim": 1.0, **others})
