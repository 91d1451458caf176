"""nlgauge sample: the sheets, the key, and back by nlgauge estimate."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import nlgauge, refused
from tests.meta.hidden import outputs


def test_a_sheet_and_its_key_are_estimated(tmp_path: Path) -> None:
    table, corpus, truth = outputs(100, 0)
    table.save(tmp_path / "scores.jsonl")
    place = tmp_path / "outputs.jsonl"
    place.write_text(
        "".join(json.dumps({"system": r.system, "item": r.item, "candidate": "x"}) + "\n" for r in corpus),
        encoding="utf-8",
    )
    arguments = ("-n", 60, "--scores", tmp_path / "scores.jsonl", "--aspect", "good", "-o", tmp_path / "to.jsonl")
    result = nlgauge("sample", place, *arguments, "-o", tmp_path / "to.html")
    assert result.stdout.split() == [str(tmp_path / name) for name in ("to.jsonl", "to.html", "to.key.jsonl")]
    assert result.stderr == "60 of 200 rows were drawn; keep the key from those who rate\n"
    key = [json.loads(line) for line in (tmp_path / "to.key.jsonl").read_text(encoding="utf-8").splitlines()]
    names = {row["name"]: truth[row["system"], row["item"]] for row in key if row["name"]}
    sheet = [json.loads(line) for line in (tmp_path / "to.jsonl").read_text(encoding="utf-8").splitlines()]
    rated = tmp_path / "rated.jsonl"
    rated.write_text(
        "".join(json.dumps({**row, "scores": {"good": names[row["item"]]}}) + "\n" for row in sheet), encoding="utf-8"
    )
    result = nlgauge(
        "estimate",
        tmp_path / "scores.jsonl",
        "--ratings",
        rated,
        "--key",
        tmp_path / "to.key.jsonl",
        "--format",
        "json",
    )
    assert [record["ratings"] for record in json.loads(result.stdout)["estimates"]] == [30, 30, 60]
    refused("estimate", tmp_path / "scores.jsonl", "--ratings", rated, say="no row of the ratings has the system")
    for scale in ("1", "5-1", "0-10", "a-b"):
        refused("sample", place, "--scale", scale, "-o", tmp_path / "x.csv", say="give two whole numbers")
    refused("sample", place, "-n", 20, "-o", tmp_path / "x.pdf", say="is neither a sheet nor a page")
