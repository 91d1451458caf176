"""Records of our own, and what is read of the examples that are made of them."""

from __future__ import annotations

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
