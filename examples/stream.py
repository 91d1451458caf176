"""Check an answer while it is written: python examples/stream.py

`written` stands for your language model. Each sentence is checked as soon as it has ended, and the answer stops at the
first one that the passages do not support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import nlgauge

PASSAGES = [
    "Late returns cost two crowns a day for each item, and at most twenty crowns. Children pay nothing.",
    "Lockers stand beside the entrance of the reading room. They take a coin.",
]
ANSWER = "Children pay nothing. All others pay five crowns a day for each late item. The lockers take a coin."


def written() -> Iterator[str]:
    """Yield the answer word by word, as a language model does."""
    yield from re.findall(r"\S+\s*", ANSWER)


def main() -> None:
    guard = nlgauge.Guard(PASSAGES, question="What does a late return cost?")
    for found in guard.read(written()):
        print(f"{found.finding}: {found.answer}")
        if found.failed:
            print(f"stopped: {found.why}")
            break


if __name__ == "__main__":
    main()
