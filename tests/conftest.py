"""What the tests share: our own texts, the embedded model loaded once, and the human judgements where there are any."""

from __future__ import annotations

import functools
import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from nlgauge.engine.models import loading

settings.register_profile("unhurried", deadline=None)  # these machines are shared, and no test is about time
settings.load_profile("unhurried")

os.environ.pop("NLGAUGE_MODEL", None)  # a test scores with the model that it names
os.environ["NLGAUGE_CACHE"] = "off"  # what one test scored another must score itself; tests of the store name a folder

# Where this is set, each of the hundreds of processes that tests start would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).resolve().parents[1]


gc.set_threshold(50_000)  # as the command does: what is collected and imported lasts, and looking there takes seconds


def pytest_collection_finish() -> None:
    """Leave out what was collected and imported whenever garbage is looked for."""
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Give each of several workers one thread: threads of two workers would wait for each other, which takes long."""
    if getattr(config.option, "numprocesses", None):
        for name in ("NLGAUGE_THREADS", "OMP_NUM_THREADS"):
            os.environ.setdefault(name, "1")


# Every row has a length of its own, so that rows that were sorted by length and not put back would show.
ITEMS = {
    "bridge": ("The bridge was closed after cracks were found in it.", ["Cracks closed the bridge.", "Shut."]),
    "bread": ("Leave the dough alone overnight, and bake it hot.", ["Rest the dough, then bake it."]),
    "train": ("Two trains were late because of a tree on the line.", ["A tree made two trains late."]),
    "owl": ("Nobody had seen the owl, but all had heard it.", ["The owl was heard, never seen."]),
}
SYSTEMS = {
    "copy": {
        "bridge": "The bridge was closed after cracks were found.",
        "bread": "Leave the dough, and bake it hot.",
        "train": "Two trains were late.",
        "owl": "Nobody had ever seen the owl.",
    },
    "short": {"bridge": "Closed.", "bread": "Bake bread.", "train": "Trains late again.", "owl": "Owls."},
    "wrong": {
        "bridge": "The mayor opened a pool for the town.",
        "bread": "Fry two eggs.",
        "train": "Coffee is dear, three years in a row now.",
        "owl": "We bought a red car.",
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
    return functools.cache(loading.load)


@pytest.fixture
def one_model(monkeypatch: pytest.MonkeyPatch, _loaded: Callable[..., Any]) -> None:
    """Models are loaded once for all tests and not in every run: that is most of the time of a small run."""
    monkeypatch.setattr(loading, "load", _loaded)
