"""What the tests share: our own texts, the embedded model loaded once, and the human judgements where they are at hand."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nlgauge import registry

ROOT = Path(__file__).resolve().parents[1]

# Every row has a length of its own, so that rows that were sorted by length and not put back would show.
ITEMS = {
    "bridge": (
        "The bridge over the river was closed on Monday after an inspector found cracks in two of its pillars.",
        ["The river bridge is closed since Monday, as two pillars have cracks.", "Cracks closed the bridge."],
    ),
    "bread": (
        "Mix flour, water and salt, leave the dough alone overnight, and bake it in a hot oven for forty minutes.",
        ["Let the dough of flour, water and salt rest overnight, then bake it hot."],
    ),
    "train": (
        "Two trains to the coast were late yesterday because a tree had fallen on the line.",
        ["A fallen tree made two coast trains late."],
    ),
    "owl": ("Nobody in the village had ever seen the owl, but all had heard it.", ["The owl was heard, never seen."]),
}
SYSTEMS = {
    "copy": {
        "bridge": "The bridge over the river was closed on Monday after an inspector found cracks in its pillars.",
        "bread": "Mix flour, water and salt and leave the dough alone.",
        "train": "Two trains to the coast were late yesterday.",
        "owl": "Nobody had ever seen the owl.",
    },
    "short": {"bridge": "A closed bridge.", "bread": "Bake bread.", "train": "Trains were late again.", "owl": "Owls."},
    "wrong": {
        "bridge": "The mayor opened a new swimming pool for the children of the town.",
        "bread": "Fry two eggs and serve them with rice and a little soy sauce, please.",
        "train": "The price of coffee rose for the third year in a row.",
        "owl": "Our neighbour bought a red car.",
    },
}


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public human judgements, which are too large for the repository."""
    path = Path(os.environ.get("NLGAUGE_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no human judgements at {path}: set NLGAUGE_DATA to the folder that holds them")
    return path


@pytest.fixture(scope="session")
def records() -> list[dict[str, Any]]:
    """Three systems' outputs for four items, with references, sources and ratings."""
    return [
        {
            "system": system,
            "item": item,
            "candidate": text,
            "references": ITEMS[item][1],
            "source": ITEMS[item][0],
            "scores": {"adequacy": 5 - 2 * rank},
        }
        for rank, (system, texts) in enumerate(SYSTEMS.items())
        for item, text in texts.items()
    ]


@pytest.fixture(scope="session")
def outputs(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> Path:
    """`records` as a JSON Lines file."""
    path = tmp_path_factory.mktemp("outputs") / "outputs.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def _loaded() -> Callable[..., Any]:
    return functools.cache(registry.model)


@pytest.fixture
def one_model(monkeypatch: pytest.MonkeyPatch, _loaded: Callable[..., Any]) -> None:
    """Models are loaded once for all tests and not in every run: that is most of the time of a small run."""
    monkeypatch.setattr(registry, "model", _loaded)
