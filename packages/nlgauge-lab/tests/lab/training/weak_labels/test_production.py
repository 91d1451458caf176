"""Files of examples: made once, on two sides, and the card tells all."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from lab.training.weak_labels.grammar import real_parser
from lab.training.weak_labels.pieces import RECORDS
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge_lab.training.labelled import read_labelled
from nlgauge_lab.training.weak_labels import attempts, construct
from nlgauge_lab.training.weak_labels.production import Files, Order, produce

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture
def order(tmp_path, monkeypatch) -> Order:
    monkeypatch.setattr(attempts, "SpacyParser", real_parser)
    monkeypatch.setattr(construct, "BLOCK", 8)
    rows = [
        {"doc": one.document, "summary": one.text, "origin": f"{one.origin}:{one.groups[0]}"} for one in RECORDS * 2
    ]
    rows = [{**row, "doc": f"{row['doc']} Part {i}.", "origin": f"{row['origin']}{i}"} for i, row in enumerate(rows)]
    rows += [{"doc": f"Rain {i}.", "origin": f"short:{i}"} for i in range(8)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "noise.jsonl").write_text(json.dumps({"doc": "The kettle is on.", "origin": "noise:1"}) + "\n")
    paths = (tmp_path / "noise.jsonl", tmp_path / "rows.jsonl")
    files = (Files(paths, "summarization", leave_out=("noise",)), Files(paths[1:], "reference", 0.5))
    return Order(files, 16, 8, 0.3, ("set1",))


def test_examples_are_made_once_on_two_sides(order, tmp_path):
    out = tmp_path / "made"
    train, held = produce(order, load("pocket"), out)
    texts = [gzip.decompress(path.read_bytes()).decode() for path in (train, held)]
    lines = [[json.loads(line) for line in text.splitlines()] for text in texts]
    sides = [{(one["origin"], one["source"]) for one in some} for some in lines]
    assert {origin for origin, _ in sides[0]} <= {"set0", "short"} and "set1" in {origin for origin, _ in sides[1]}
    assert sides[0].isdisjoint(sides[1])
    assert [row.candidate for row in read_labelled(train)] == [one["candidate"] for one in lines[0]]
    assert any("⟦" in one["marked"] for one in lines[0])
    card = (out / "README.md").read_text(encoding="utf-8")
    assert f"{len(lines[0])} examples of 16 attempts" in card and "noise" not in card
    for part in (
        "| summarization | set0 |",
        "how the text was made",
        "passed over",
        "Words of a context: 5 % ",
        "spacy",
    ):
        assert part in card
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "made.json").unlink()
    produce(order, load("pocket"), out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    train.write_bytes(b"")
    produce(order, load("pocket"), out)
    assert train.read_bytes() == b"", "made already"
    for change in ({"seed": 1}, {"held_out": 0.4}, {"files": order.files[:1]}):
        with pytest.raises(InputError, match="other settings or files"):
            produce(replace(order, **change), load("pocket"), out)


def test_nothing_to_hold_out(order, tmp_path):
    with pytest.raises(InputError, match="too few records to hold any out"):
        produce(replace(order, held_out=0.0, held_out_origins=()), load("pocket"), tmp_path / "made")
