"""Shards: what is there is kept, what is missing is made, and the cards tell all."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels import construct, parts, production
from nlgauge.lab.training.weak_labels.examples import read_examples, read_header
from nlgauge.lab.training.weak_labels.production import Files, Order, produce
from tests.lab.training.weak_labels.grammar import real_parser
from tests.lab.training.weak_labels.pieces import RECORDS

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture
def order(tmp_path, monkeypatch) -> Order:
    monkeypatch.setattr(parts, "SpacyParser", real_parser)
    monkeypatch.setattr(production, "_SHARD", 8)
    monkeypatch.setattr(construct, "BLOCK", 8)
    rows = [
        {"doc": one.document, "summary": one.text, "origin": f"{one.origin}:{one.groups[0]}"} for one in RECORDS * 2
    ]
    rows = [{**row, "doc": f"{row['doc']} Part {i}.", "origin": f"{row['origin']}{i}"} for i, row in enumerate(rows)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "noise.jsonl").write_text(json.dumps({"doc": "The kettle is on.", "origin": "noise:1"}) + "\n")
    paths = (tmp_path / "noise.jsonl", tmp_path / "rows.jsonl")
    return Order((Files(paths, "summarization", leave_out=("noise",)), Files(paths[1:], "reference", 0.5)), 16, 8, 0.3)


def test_runs_go_on_where_they_stopped(order, tmp_path):
    model, out = load("pocket"), tmp_path / "made"
    train, _ = produce(order, model, out)
    before = {path.name: path.read_bytes() for path in sorted(train.iterdir())}
    assert sorted(before) == ["0000000.jsonl.gz", "0000008.jsonl.gz", "README.md"]
    (train / "0000008.jsonl.gz").unlink()
    (train / "0000000.jsonl.gz.partial").write_bytes(b"broken off")
    produce(order, model, out)
    assert {path.name: path.read_bytes() for path in train.iterdir() if path.suffix != ".partial"} == before
    numbers = [one.number for one in read_examples(train)]
    assert numbers == sorted(set(numbers)) and max(numbers) < 16
    more = produce(replace(order, attempts=20), model, out)[0]
    assert [read_header(path)["stop"] for path in sorted(more.glob("*.gz"))] == [8, 16, 20]
    produce(replace(order, attempts=24), model, out)
    assert [read_header(path)["stop"] for path in sorted(more.glob("*.gz"))] == [8, 16, 24]
    with pytest.raises(InputError, match="none of these examples"):
        produce(order, model, out)


def test_no_held_out_document_is_trained_on(order, tmp_path):
    train, held = produce(replace(order, held_out_origins=("set1",)), load("pocket"), tmp_path / "made")
    sides = [{(one.origin, one.context) for one in read_examples(folder)} for folder in (train, held)]
    assert {origin for origin, _ in sides[0]} == {"set0"} and "set1" in {origin for origin, _ in sides[1]}
    assert sides[0].isdisjoint(sides[1])


def test_the_card_says_what_is_in_the_folder(order, tmp_path):
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.writelines(json.dumps({"doc": f"Rain {i}.", "origin": f"short:{i}"}) + "\n" for i in range(20))
    train, _ = produce(order, load("pocket"), tmp_path / "made")
    card = (train / "README.md").read_text(encoding="utf-8")
    number = sum(1 for _ in read_examples(train))
    assert f"{number} examples of 16 attempts, seed 0" in card
    for part in (
        "| summarization | set0 |",
        "how the text was made",
        "passed over",
        "Words of a context: 5 % ",
        "spacy",
    ):
        assert part in card
    assert "noise" not in card
    passed = [sum(read_header(path)["passed"].values()) for path in train.glob("*.gz")]
    assert sum(passed) > 5, "two of three records have nothing to choose"


def test_examples_of_another_construction_are_not_mixed_in(order, tmp_path):
    out = tmp_path / "made"
    produce(order, load("pocket"), out)
    for change in ({"seed": 1}, {"held_out": 0.4}, {"files": order.files[:1]}):
        with pytest.raises(InputError, match="made with other settings"):
            produce(replace(order, **change), load("pocket"), out)


def test_nothing_to_hold_out(order, tmp_path):
    with pytest.raises(InputError, match="too few records to hold any out"):
        produce(replace(order, held_out=0.0), load("pocket"), tmp_path / "made")
