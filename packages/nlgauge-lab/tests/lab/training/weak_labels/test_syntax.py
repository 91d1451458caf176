"""Units of a dependency tree, holes, and what spaCy gives."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.training.weak_labels.grammar import BRIDGE
from nlgauge.errors import InputError, MissingExtraError
from nlgauge_lab.training.weak_labels.syntax import SpacyParser


def test_inner_units_come_before_the_ones_around_them():
    nodes = BRIDGE.nodes
    for at, outer in enumerate(nodes):
        for inner in nodes[at + 1 :]:
            assert not (outer.first <= inner.first and inner.last <= outer.last and outer != inner)


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge-lab\[train\]"):
        SpacyParser()


def test_an_english_pipeline_with_all_parts_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    spacy = pytest.importorskip("spacy", reason="needs nlgauge-lab[train]")
    for name, parts in (("en_a", ["tagger"]), ("en_b", ["tagger", "parser", "ner"]), ("de_c", ["parser"])):
        (tmp_path / name).mkdir()
        meta = {"lang": name[:2], "name": name, "version": "1.0", "pipeline": parts}
        (tmp_path / name / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    loaded = []

    def load(name: str):
        loaded.append(name)
        return SimpleNamespace(pipe_names=["tagger", "parser", "ner"], meta={"version": "1.0"})

    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: ["de_c", "en_b", "en_a"])
    monkeypatch.setattr(spacy.util, "get_package_path", lambda name: tmp_path / name)
    monkeypatch.setattr(spacy, "load", load)
    assert SpacyParser().name.endswith("/en_b-1.0") and loaded == ["en_b"]
    monkeypatch.setattr(spacy.util, "get_installed_models", lambda: ["de_c", "en_a"])
    with pytest.raises(InputError, match="no spaCy pipeline for English"):
        SpacyParser()
