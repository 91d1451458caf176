"""Scores of a name that ends in .gz are written and read as gzip: whole, or not at all, and with equal bytes."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from nlgauge.data.corpus import opening
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from tests.command import nlgauge, written
from tests.data.table.test_shapes import EVIDENCE
from tests.score_tables import mixed, one

ROWS = [
    {"system": system, "item": str(n), "candidate": f"The cat {verb} {n}.", "references": [f"The cat sat {n}."]}
    for system, verb in (("a", "sat"), ("b", "ran"))
    for n in range(8)
]


def test_it_holds_what_the_plain_file_holds_and_nothing_of_its_name_or_time(tmp_path: Path) -> None:
    table = mixed()
    table.save(tmp_path / "scores.jsonl")
    for name in ("scores.jsonl.gz", "other.GZ"):
        table.save(tmp_path / name)
        packed = (tmp_path / name).read_bytes()
        assert gzip.decompress(packed) == (tmp_path / "scores.jsonl").read_bytes()
        assert packed == (tmp_path / "scores.jsonl.gz").read_bytes()
        assert packed[3] == 0 and packed[4:8] == bytes(4), "neither a name nor a time"
        again = ScoreTable.load(tmp_path / name)
        assert again == table and ScoreTable.is_at(tmp_path / name)
        assert {spec: column.evidence for spec, column in again.columns.items()} == {
            spec: column.evidence for spec, column in table.columns.items()
        }


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl.gz"
    one([0.5]).save(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        one([0.5] * 1000, evidence={999: {"left_out": math.nan}}).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_what_is_cut_or_no_gzip_or_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.jsonl.gz"
    one([0.5] * 500, evidence={0: EVIDENCE}).save(path)
    whole = path.read_bytes()
    for content in (whole[:-20], gzip.decompress(whole), whole[:100]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"scores\.jsonl\.gz: not whole gzip data"):
            ScoreTable.load(path)
    monkeypatch.setattr(opening, "_SMALL", 1 << 12)
    path.write_bytes(gzip.compress(gzip.decompress(whole) + b"\n" * 10_000_000))
    with pytest.raises(InputError, match="hold more than 500 times their own"):
        ScoreTable.load(path)


def test_scores_that_are_all_alike_are_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_SMALL", 1 << 12)
    table = one([0.0] * 20_000)
    table.save(tmp_path / "scores.jsonl.gz")
    assert ScoreTable.load(tmp_path / "scores.jsonl.gz") == table


def test_every_command_takes_it(tmp_path: Path) -> None:
    rows, scores = written(tmp_path / "rows.jsonl", ROWS), tmp_path / "scores.jsonl.gz"
    for more in ([], ["--rows-per-block", "5"]):
        done = nlgauge("score", rows, "-m", "TokenF1", "-o", scores, "--no-cache", *more)
        assert done.exit_code == 0, done.output
        assert ScoreTable.load(scores).systems == ["a", "b"] and scores.is_file()
    for command in (
        ["compare", scores, "a", "b"],
        ["report", scores, "-o", tmp_path / "report.html"],
        ["explain", rows, "-m", "TokenF1", "--scores", scores, "--row", "1", "--no-cache"],
    ):
        done = nlgauge(*command)
        assert done.exit_code == 0, done.output
    gate = ["check", rows, "-m", "TokenF1", "--at-least", "0.1", "--no-cache"]
    done = nlgauge(*gate, "--against", scores, "-o", tmp_path / "new.jsonl.gz")
    assert done.exit_code == 0, done.output
    assert ScoreTable.load(tmp_path / "new.jsonl.gz") == ScoreTable.load(scores)


def test_an_address_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    for name in ("scores.jsonl", "scores.jsonl.gz"):
        one([0.5]).save(tmp_path / name)
        assert ScoreTable.load((tmp_path / name).as_uri()) == one([0.5])


def test_outputs_and_events_are_told_from_scores(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()))
    assert not ScoreTable.is_at(tmp_path / "rows.jsonl.gz")
    one([0.5]).save(tmp_path / "scores.otlp.jsonl.gz")
    assert "resourceLogs" in json.loads(gzip.decompress((tmp_path / "scores.otlp.jsonl.gz").read_bytes()))
    with pytest.raises(InputError, match="this is no file of scores"):
        ScoreTable.load(tmp_path / "rows.jsonl.gz")
