"""Settings that published code uses with the checkpoints of its papers, and how such a checkpoint is recognised.

`published.json` holds facts of public packages: the layer of each checkpoint and the baselines for English in
bert-score 0.3.13, the layers of CTC's aligner E and of MoverScore, and InfoLM's temperature. A checkpoint is recognised
by

    digest   the weights are the same file
    name     the hub name in any spelling, or a folder of that name whose sizes fit
    config   the sizes of network and vocabulary are those of a checkpoint from which others are trained
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from nlgauge.engine.models.card import ModelCard

_FACTS = Path(__file__).with_suffix(".json")
_SNAPSHOT = re.compile(r"models--(.+?)[/\\]snapshots[/\\][^/\\]+$")


@dataclass(frozen=True)
class Published:
    """The published facts about a known checkpoint."""

    name: str
    by: str
    """How the checkpoint was recognised: by 'digest', 'name' or 'config'"""
    facts: Mapping[str, Any]

    def completes(self, card: ModelCard) -> ModelCard:
        """Return the card of the checkpoint's folder with the published facts that the card does not name."""
        source = f"{self.name} by {self.by}"
        layers = {family: layer for family, layer in self.facts["layers"].items() if family not in card.layers}
        more: dict[str, Any] = {"layers": {**card.layers, **layers}}
        origins = dict.fromkeys(layers, source)
        if "baseline" in self.facts and not card.bertscore_baseline:
            more["bertscore_baseline"] = {n: (p, r, f) for n, (p, r, f) in enumerate(self.facts["baseline"])}
            origins["baseline"] = source
        if "temperature" in self.facts and "temperature" not in card.measured:
            more["temperature"] = self.facts["temperature"]
            origins["temperature"] = source
        return replace(card, **more, origins=origins)


def published(source: str, digest: str, sizes: Mapping[str, object]) -> Published | None:
    """Return the published facts about a checkpoint; None for an unknown one.

    Args:
        source: the hub name or the folder of the checkpoint.
        digest: the SHA-256 of its weights file, hexadecimal.
        sizes: its `model_type`, `hidden_size`, `num_hidden_layers`, `num_attention_heads` and `vocab_size`.

    Returns:
        The facts, or None.
    """
    checkpoints = _published_checkpoints()
    for name, facts in checkpoints.items():
        if digest in facts.get("digests", ()):
            return Published(name, "digest", facts)
    if (named := _by_name().get(_hub_name(source))) is not None and _fits(checkpoints[named], sizes):
        return Published(named, "name", checkpoints[named])
    equal = (name for name, facts in checkpoints.items() if facts.get("config") == dict(sizes))
    like = next(equal, None)
    return None if like is None else Published(like, "config", checkpoints[like])


@cache
def _published_checkpoints() -> dict[str, dict[str, Any]]:
    checkpoints: dict[str, dict[str, Any]] = json.loads(_FACTS.read_text(encoding="utf-8"))["checkpoints"]
    return checkpoints


def known_names() -> frozenset[str]:
    """Return the names of the known checkpoints."""
    return frozenset(_published_checkpoints())


@cache
def _by_name() -> dict[str, str]:
    """Return the known names by their spellings in lower case: with or without organisation, or "/name" for folders."""
    homes = json.loads(_FACTS.read_text(encoding="utf-8"))["homes"]
    names: dict[str, str] = {}
    for name in _published_checkpoints():
        home = next((home for begin, home in homes.items() if name.startswith(begin)), None)
        spelled = {name, f"/{name.rpartition('/')[2]}", *([] if home is None else [f"{home}/{name}"])}
        names |= {spelling.lower(): name for spelling in spelled}
    return names


def _hub_name(source: str) -> str:
    """Return the hub name of a source in lower case; for a folder, "/" and its last part, or the name in the cache."""
    path = Path(os.path.normpath(Path.cwd() / source))
    if (cached := _SNAPSHOT.search(str(path))) is not None:
        return cached[1].replace("--", "/").lower()
    return f"/{path.name}".lower() if path.is_dir() else source.strip("/").lower()


def _fits(facts: Mapping[str, Any], sizes: Mapping[str, object]) -> bool:
    """Return whether a network has the sizes of a known one. If these are not known, it must have enough layers.

    The vocabulary may be larger, because tokens can be added.
    """
    config = {name: size for name, size in facts.get("config", {}).items() if name != "vocab_size"}
    depth = sizes["num_hidden_layers"]
    least = max([*facts["layers"].values(), len(facts.get("baseline", ())) - 1])
    return isinstance(depth, int) and depth >= least and all(sizes[name] == size for name, size in config.items())
