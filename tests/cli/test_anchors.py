"""Anchors: rated rows that are asked again in each run, past the cache, so that a judge that changes is found out.

The judge is a scripted server that changes without a word: its name stays, and so does its signature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from tests.by_hand import by_hand
from tests.command import nlgauge as command
from tests.command import refused, written
from tests.metrics.court import Court, chance, court

ANCHORS = 40


def rows(first: int, count: int, rated: bool) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number in range(first, first + count):
        good = chance(f"row {number}") < 0.6
        candidate = f"Claim {number} is {'true' if good else 'false'}."
        made.append({"item": f"i{number}", "source": f"Source {number}.", "candidate": candidate})
        made[-1] |= {"scores": {"right": int(good)}} if rated else {}
    return made


def read(text: str) -> str:
    """What is asked, without the marks around its texts."""
    return re.sub(r"<text \w+>\n|\n</text \w+>|Each text stands between .*\n", "", text)


def honest(text: str) -> float:
    """Right in nine of ten rows."""
    return 0.93 if ("is true" in text) != (chance(read(text)) < 0.1) else 0.04


def turned(text: str) -> float:
    """The other answer in four of five rows."""
    return 1 - honest(text) if chance(f"turned {read(text)}") < 0.8 else honest(text)


@pytest.fixture
def judge() -> Iterator[Court]:
    with court(honest) as server:
        yield server


def scored(judge: Court, folder: Path, name: str, outputs: list[dict[str, Any]], *how: object) -> Path:
    """A scores file of a week, with the anchors of all weeks."""
    file, anchors = (
        written(folder / f"{part}.jsonl", some) for part, some in ((name, outputs), ("anchors", rows(0, ANCHORS, True)))
    )
    place = folder / f"scores-{name}.jsonl"
    done = command("score", file, "-m", f"Judge('{judge.url}')", "--anchors", anchors, "-o", place, *how)
    assert done.exit_code == 0, done.stderr
    assert f"{ANCHORS} anchors were scored again, past the cache" in done.stderr
    return place


def trusted(scores: Path, ratings: Path, before: Path) -> tuple[dict[str, Any], list[str]]:
    done = command("trust", scores, "--ratings", ratings, "--before", before, "--replicates", 20, "--format", "json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    (line,) = told["scorers"]
    return {**line, "answer": told["answers"][0]}, told["notes"]


@pytest.mark.parametrize(("cache", "same_rows"), [(True, True), (False, False)])
@pytest.mark.parametrize("changes", [True, False], ids=["turned", "the same"])
def test_the_alarm_rings_where_the_judge_changed_and_nowhere_else(
    judge: Court, tmp_path: Path, changes: bool, same_rows: bool, cache: bool
) -> None:
    """Each week with rows of its own, or with the anchors among rows that were scored before."""
    how = ("--cache", tmp_path / "cache") if cache else ("--no-cache",)
    shared = rows(0, ANCHORS, False) if same_rows else []
    before = scored(judge, tmp_path, "old", [*shared, *rows(1000, 3, False)], *how)
    judge.says = turned if changes else honest
    now = scored(judge, tmp_path, "new", [*shared, *rows(2000, 3, False)], *how)
    line, notes = trusted(now, tmp_path / "anchors.jsonl", before)
    assert line["anchors"] == ANCHORS and 0.04 < line["frozen"] < 0.93
    said = [f"Claim {row['item'][1:]} is {row['candidate'].split()[-1]}" for row in rows(0, ANCHORS, True)]
    asked = [text for text in judge.asked if any(f"{one}" in text for one in said)]
    share = sum((honest(text) > 0.5) != (judge.says(text) > 0.5) for text in asked) / len(asked)
    assert len(asked) == ANCHORS and line["changed"] == pytest.approx(share) and (share > 0.7) == changes
    assert line["changed_low"] < line["changed_high"] and line["righter_low"] < line["righter_high"]
    assert ("it moved since the earlier run" in line["answer"]) == changes
    assert (line["righter_p"] < 1e-6) == changes
    if not changes:
        assert (line["moved"], line["righter"], line["moved_p"], line["righter_p"]) == (0, 0, 1, 1)
    anchors_alone = "all numbers are of the 40 anchors, which this run scored again"
    assert (anchors_alone in notes) == (not same_rows)
    assert not any("may come from the cache" in note for note in notes)
    # What the scorer is worth now: by the rows' scores, which are old where they are cached, or by the anchors.
    stale = changes and cache and same_rows
    assert (line["auroc"] > 0.8) == (stale or not changes)


def test_anchors_are_asked_again_and_stand_apart(judge: Court, tmp_path: Path) -> None:
    how = ("--cache", tmp_path / "cache")
    outputs = [*rows(0, ANCHORS, False), *rows(1000, 5, False)]
    plain = written(tmp_path / "plain.jsonl", outputs)
    spec = f"Judge('{judge.url}')"
    assert command("score", plain, "-m", spec, "-o", tmp_path / "plain-scores.jsonl", *how).exit_code == 0
    judge.says = turned
    asked = judge.asked.total()
    table = ScoreTable.load(scored(judge, tmp_path, "week", outputs, *how))
    assert judge.asked.total() - asked == ANCHORS
    before = ScoreTable.load(tmp_path / "plain-scores.jsonl")
    assert table == before and before.anchors is None and table.anchors is not None
    assert table.anchors.rows == table.rows[:ANCHORS]
    fresh, cached = table.anchors.values(spec), table.values(spec)[:ANCHORS]
    assert (abs(fresh - cached) > 0.5).mean() > 0.7
    assert table.anchors.run["ratings"] == {"right": [row["scores"]["right"] for row in rows(0, ANCHORS, True)]}
    assert str(table.anchors.signatures[spec]) == str(table.signatures[spec])
    # Nothing of them went to the cache: the next run reads what it had.
    asked = judge.asked.total()
    assert command("score", plain, "-m", spec, "-o", tmp_path / "again.jsonl", *how).exit_code == 0
    assert ScoreTable.load(tmp_path / "again.jsonl") == before and judge.asked.total() == asked


def test_without_anchors_the_cache_is_told_of(judge: Court, tmp_path: Path) -> None:
    """The documented way before anchors: the same rows again, of which the cache answers."""
    spec, rated = f"Judge('{judge.url}')", written(tmp_path / "rated.jsonl", rows(0, ANCHORS, True))
    for name in ("old", "new"):
        judge.says = honest if name == "old" else turned
        how = ("--cache", tmp_path / "cache", "-o", tmp_path / f"{name}.jsonl")
        assert command("score", rated, "-m", spec, *how).exit_code == 0
    line, notes = trusted(tmp_path / "new.jsonl", rated, tmp_path / "old.jsonl")
    assert line["changed"] == 0
    assert any(
        "its scores may come from the cache, where a change of the judge does not show" in note for note in notes
    )


def test_what_makes_no_anchors_is_refused(judge: Court, tmp_path: Path) -> None:
    outputs = written(tmp_path / "rows.jsonl", rows(0, 5, False))
    rated = written(tmp_path / "rated.jsonl", rows(0, 5, True))
    score = ("score", outputs, "--no-cache", "--anchors")
    spec = f"Judge('{judge.url}')"
    refused(*score, rated, "-m", spec, say="give -o scores.jsonl")
    refused(*score, outputs, "-m", spec, "-o", tmp_path / "s.jsonl", say="no row of the anchors is rated")
    refused(*score, rated, "-m", "Column('item')", "-o", tmp_path / "s.jsonl", say="no metric here has such scores")
    refused(*score, rated, "-m", spec, "--rows-per-block", 2, "-o", tmp_path / "folder", say="and not to a folder")
    twice = written(tmp_path / "twice.jsonl", rows(0, 2, True) * 2)
    refused(*score, twice, "-m", spec, "-o", tmp_path / "s.jsonl", say="item 'i0'")
    refused(*score, rated, "-m", "TokenF1", "-o", tmp_path / "s.jsonl", say="rated.jsonl: anchors: ")
    place = scored(judge, tmp_path, "week", rows(1000, 5, False), "--no-cache")
    refused("trust", place, "--ratings", tmp_path / "anchors.jsonl", "--outputs", outputs, say="leave it out")


def test_a_file_whose_anchors_were_edited_is_refused(judge: Court, tmp_path: Path) -> None:
    place = scored(judge, tmp_path, "week", rows(1000, 5, False), "--no-cache")
    header, *lines = by_hand(place).read_text(encoding="utf-8").splitlines()
    for edit, problem in (
        (lambda one: one["records"].pop(), "holds 39 of 40 rows"),
        (lambda one: one.pop("records"), "records is missing"),
        (lambda one: one["run"]["ratings"]["right"].pop(), "the ratings are not those of the anchors"),
        (lambda one: one["records"][3].update(value="high"), "is not a number"),
    ):
        edited = json.loads(header)
        edit(edited["anchors"])
        place.write_text("\n".join([json.dumps(edited), *lines]) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            ScoreTable.load(place)


def test_names_that_are_shown_reach_the_anchors(judge: Court, tmp_path: Path) -> None:
    table = ScoreTable.load(scored(judge, tmp_path, "week", rows(1000, 5, False), "--no-cache"))
    named = table.renamed({table.metrics[0]: "ours"})
    assert named.anchors is not None and named.anchors.metrics == ["ours"]
    found = nlgauge.trust(named, nlgauge.Corpus.read(tmp_path / "anchors.jsonl"), before=named, replicates=0)
    assert found[0].metric == "ours" and found[0].anchors == ANCHORS
