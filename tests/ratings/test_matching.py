"""Rows that nothing but their position names join by their texts: in any order, or not at all."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.ratings.join import by_column, join, ratings
from nlgauge.ratings.matching import BY_POSITION, matched
from tests.command import nlgauge as command
from tests.command import refused, written
from tests.ratings.projects import fill

SIZE = 40
RECORDS: list[dict[str, Any]] = [
    {
        "candidate": f"Answer {n}, caf\u00e9" if n > 2 else "I do not know.",
        "source": f"Source {n}",
        "judge": n / SIZE,
        "scores.good": int(n % 3 > 0),
        "half": f"h{n % 2}",
    }
    for n in range(SIZE)
]


def shuffled(records: list[dict[str, Any]], seed: int = 1) -> list[dict[str, Any]]:
    return random.Random(seed).sample(records, len(records))


@pytest.fixture
def table(tmp_path: Path) -> ScoreTable:
    given = Corpus.from_records([{**one, "scores.good": None} for one in RECORDS])
    nlgauge.evaluate(given, metrics="Column('judge')", cache=False).save(tmp_path / "scores.jsonl")
    return ScoreTable.load(tmp_path / "scores.jsonl")


def test_every_join_of_shuffled_rows_is_by_their_texts(table: ScoreTable) -> None:
    straight = Corpus.from_records(RECORDS)
    spaced = [{**one, "candidate": f" {one['candidate']}\r\n"} for one in shuffled(RECORDS)]
    mixed = Corpus.from_records([{**one, "candidate": one["candidate"].replace("\u00e9", "e\u0301")} for one in spaced])
    want = ratings(table, straight)
    assert want.notes == () and want.values["good"].tolist() == [one["scores.good"] for one in RECORDS]
    got = ratings(table, mixed)
    assert got.notes == () and got.values["good"].tolist() == want.values["good"].tolist()
    assert join(table, "J", mixed, column="judge").values("J").tolist() == table.values("Column").tolist()
    assert by_column(table, mixed, "half").clusters == by_column(table, straight, "half").clusters
    some = {"replicates": 20}
    assert repr(nlgauge.trust(table, mixed, outputs=mixed, **some)) == repr(nlgauge.trust(table, straight, **some))  # type: ignore[arg-type]
    assert nlgauge.estimate(table, mixed).records == nlgauge.estimate(table, straight).records
    assert repr(nlgauge.calibrate(table, mixed)) == repr(nlgauge.calibrate(table, straight))
    values = [nlgauge.correlate(table, one, level="pooled", replicates=0)[0].value for one in (mixed, straight)]
    assert values[0] == values[1]


def test_rows_are_drawn_by_their_own_scores(table: ScoreTable) -> None:
    straight, mixed = (
        nlgauge.sample(Corpus.from_records(some), 20, scores=table) for some in (RECORDS, shuffled(RECORDS))
    )
    strata = [{row.item: row.stratum for row in draw.rows} for draw in (straight, mixed)]
    assert strata[0] == strata[1] and len(set(strata[0].values())) == 5


def test_rows_with_other_texts_are_no_anchors(table: ScoreTable) -> None:
    given = Corpus.from_records(
        [{**one, "candidate": one["candidate"] + "!" * (n < 4)} for n, one in enumerate(RECORDS)]
    )
    before = nlgauge.evaluate(given, metrics="Column('judge')", cache=False)
    found = nlgauge.trust(table, Corpus.from_records(RECORDS), before=before, replicates=20)
    assert (found[0].anchors, found[0].moved.value) == (SIZE - 4, 0)
    assert "4 rows of the earlier scores have other texts, and do not count as anchors" in found.notes


def test_a_part_of_the_rows_is_found(table: ScoreTable) -> None:
    part = ratings(table, Corpus.from_records(RECORDS[30:]))
    assert np.flatnonzero(~np.isnan(part.values["good"])).tolist() == list(range(30, 40))


def test_rows_without_a_system_are_those_of_the_systems_that_have_their_texts() -> None:
    systems = [
        {**one, "system": name, "item": f"q{n}", "candidate": f"{one['candidate']} says {name}"}
        for name in ("A", "B")
        for n, one in enumerate(RECORDS)
    ]
    table = nlgauge.evaluate(Corpus.from_records(systems), metrics="Column('judge')", cache=False)
    given = [{key: value for key, value in one.items() if key not in ("system", "item")} for one in shuffled(systems)]
    assert ratings(table, Corpus.from_records(given)).values["good"].tolist() == [one["scores.good"] for one in systems]
    with pytest.raises(
        InputError, match=r"row 1: 3 rows of the scores have its texts.*: row 1 has neither a system nor"
    ):
        ratings(table, Corpus.from_records([{"candidate": systems[0]["candidate"], "scores.good": 1}]))
    one = nlgauge.evaluate(Corpus.from_records(systems[:SIZE]), metrics="Column('judge')", cache=False)
    named = [{"candidate": "-", "item": f"q{n}", "scores.good": n % 2} for n in range(SIZE)]
    for some in (named, [row for row in given if row["candidate"].endswith("A")]):
        assert not np.isnan(ratings(one, Corpus.from_records(some)).values["good"]).any()
    with pytest.raises(InputError, match="no row of the ratings has the system and item"):
        ratings(table, Corpus.from_records([{**one, "system": "C"} for one in given]))


@pytest.mark.parametrize(
    ("records", "row", "say"),
    [
        ([{**RECORDS[5], "candidate": "Another answer"}], 1, "no row of the scores has its texts"),
        ([{**RECORDS[5], "source": "Another source"}], 1, "no row of the scores has its texts"),
        ([RECORDS[7], {"candidate": "I do not know.", "scores.good": 1}], 2, "3 rows of the scores have its texts"),
        ([RECORDS[9], RECORDS[9]], None, "is in the ratings twice"),
    ],
)
def test_texts_that_contradict_are_refused_by_row(table: ScoreTable, records: Any, row: int | None, say: str) -> None:
    with pytest.raises(InputError, match=say) as caught:
        ratings(table, Corpus.from_records(records))
    assert caught.value.row == row


def test_other_candidates_of_named_items_are_told(table: ScoreTable) -> None:
    named = [
        {**one, "item": str(n), "candidate": one["candidate"] + " And more." * (n in (7, 9))}
        for n, one in enumerate(RECORDS, 1)
    ]
    (note,) = ratings(table, Corpus.from_records(named)).notes
    assert note.startswith("2 rated rows have another candidate than the scored row of their item, the first in row 7")


def test_items_that_are_named_stay_and_nothing_but_positions_is_told(table: ScoreTable) -> None:
    named = Corpus.from_records([{**one, "item": str(n)} for n, one in enumerate(RECORDS, 1)])
    assert matched(table, named) is named and ratings(table, named).notes == ()
    mixed = Corpus.from_records(shuffled(RECORDS))
    del table.run["texts"]
    assert ratings(table, mixed).notes == (BY_POSITION,)
    assert BY_POSITION in nlgauge.trust(table, mixed, replicates=0).notes
    assert BY_POSITION in nlgauge.correlate(table, mixed, level="pooled", replicates=0).notes
    assert join(table, "J", mixed, column="judge").run["joined"]["J"]["by"] == "position"


def test_repeated_rows_keep_the_texts_of_their_items() -> None:
    twice = Corpus.from_records([{**one, "item": str(n)} for n, one in enumerate(RECORDS, 1) for _ in range(2)])
    table = nlgauge.evaluate(twice, metrics="Column('judge')", cache=False, repeats="mean").per_item()
    assert ratings(table, Corpus.from_records(shuffled(RECORDS))).values["good"].tolist() == [
        one["scores.good"] for one in RECORDS
    ]


def test_commands_join_by_texts_and_map_each_file_by_its_own_columns(table: ScoreTable, tmp_path: Path) -> None:
    scores = tmp_path / "scores.jsonl"
    rated = [
        {"answer": one["candidate"], "source": one["source"], "human": "yes" if one["scores.good"] else "made up"}
        for one in shuffled(RECORDS)
    ]
    outputs = written(
        tmp_path / "outputs.jsonl", [{"said": one["candidate"], "passage": one["source"]} for one in RECORDS]
    )
    asked = ("trust", scores, "--ratings", written(tmp_path / "rated.jsonl", rated), "--replicates", 20)
    asked = (*asked, "--map", "scores.good=human", "--label", "made up=0")
    alone = command(*asked, "--map", "candidate=answer")
    straight = written(tmp_path / "straight.jsonl", RECORDS)
    assert alone.stdout == command(*asked[:2], "--ratings", straight, "--replicates", 20).stdout, alone.stderr
    refused(*asked[:-2], "--map", "candidate=answer", say="the rating 'good' is str 'made up'")
    mapped = ("--map", "candidate=answer", "--outputs", outputs, "--map", "candidate=said", "--map", "source=passage")
    both = command(*asked, *mapped)
    assert both.exit_code == 0, both.stderr
    say = f"--map context=no: neither {tmp_path / 'rated.jsonl'} nor {outputs} has a row with that column"
    refused(*asked, *mapped, "--map", "context=no", say=say)


def test_a_project_takes_the_columns_of_its_outputs(tmp_path: Path) -> None:
    outputs = written(
        tmp_path / "o.jsonl",
        [{"said": one["candidate"], "passage": one["source"], "judge": one["judge"]} for one in RECORDS],
    )
    columns = ("--map", "candidate=said", "--map", "source=passage")
    scores, folder = tmp_path / "s.jsonl", tmp_path / "p"
    assert command("score", outputs, *columns, "-m", "Column('judge')", "-o", scores, "--no-cache").exit_code == 0
    assert command("sample", outputs, *columns, "-n", 30, "--aspect", "good", "-o", folder).exit_code == 0
    fill(folder, lambda row: int(row.item) % 2)
    asked = ("trust", scores, "--ratings", folder, "--replicates", 20)
    found = command(*asked, "--outputs", outputs, *columns)
    assert found.exit_code == 0 and "CopyRate" in found.stdout + found.stderr, found.stderr
    refused(*asked, *columns, say="--map names the columns of a table")
    turned = written(tmp_path / "t.jsonl", [json.loads(line) for line in reversed(outputs.read_text().splitlines())])
    assert command("score", turned, *columns, "-m", "Column('judge')", "-o", scores, "--no-cache").exit_code == 0
    refused(
        *asked, "--outputs", outputs, *columns, say="row 1: is item '40' in the scores, and was sampled as item '1'"
    )


@pytest.mark.parametrize("case", ["same", "reworded", "one row is lacking"])
def test_answers_to_other_questions_are_not_compared(case: str, tmp_path: Path) -> None:
    asked = [{**one, "question": f"Who wrote letter {n}?", "system": "a"} for n, one in enumerate(RECORDS)]
    other = [{**one, "candidate": f"{one['candidate']}, so it says"} for one in asked]
    if case == "reworded":
        other = [{**one, "question": f"By whom was letter {n} written?"} for n, one in enumerate(other)]
    if case == "one row is lacking":
        del other[2]
    first, scores = written(tmp_path / "a.jsonl", asked), tmp_path / "scores.jsonl"
    second = written(tmp_path / "b.jsonl", [{**one, "system": "b"} for one in other])
    before, judged = written(tmp_path / "before.jsonl", other), ("Column('judge')", "--no-cache")
    assert command("score", before, "-m", *judged, "-o", scores).exit_code == 0
    compared = ("compare", first, second, "--metric", *judged)
    checked = ("check", first, "-m", *judged, "--against", scores)
    if case == "one row is lacking":
        for command_line, system in ((compared, "b"), (checked, "a")):
            refused(*command_line, say=f"item '4' of 'a' has the question of item '3' of '{system}', and so another")
    else:
        assert command(*compared).exit_code == command(*checked).exit_code == 0
