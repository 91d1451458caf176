"""nlgauge.trials: what is counted, what is refused, and what is said of systems beside each other."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable, SpecError
from nlgauge.answers.trials import SPREAD, trials
from nlgauge.data.table import Column
from tests.command import nlgauge as command
from tests.command import refused, written


def table(runs: dict[str, dict[str, Sequence[float]]], **more: object) -> ScoreTable:
    """Return the scores of trials, by system and item."""
    keys = [
        (system, item, str(number))
        for system, items in runs.items()
        for item, values in items.items()
        for number in range(1, len(values) + 1)
    ]
    values = [value for items in runs.values() for of in items.values() for value in of]
    column = Column(("score",), np.array(values, float)[:, None], **more)  # type: ignore[arg-type]
    run = {"rows": len(keys), "trials": [trial for *_, trial in keys]}
    return ScoreTable([(system, item) for system, item, _ in keys], {"M": column}, {}, run)


A = {"1": [1, 1, 1, 0], "2": [0, 0, 0, 0], "3": [1, 1, 1, 1], "4": [1, 0, 0, 1]}
B = {"1": [1, 1, 1, 1], "2": [0, 1, 0, 0], "3": [1, 1, 1, 1], "4": [1, 1, 0, 1]}


def drawn(seed: int, items: int = 30, of: int = 5, lift: float = 0.0) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    chances = np.minimum(1, np.random.default_rng(7).beta(2, 1, items) + lift)
    return {str(item): (rng.random(of) < p).astype(float).tolist() for item, p in enumerate(chances)}


def test_by_hand() -> None:
    found = trials(table({"A": A}), k=[1, 2, 4])
    one, two, four = found
    assert one.pass_hat_k.value == one.pass_at_k.value == pytest.approx((0.75 + 0 + 1 + 0.5) / 4)
    assert two.pass_hat_k.value == pytest.approx((3 / 6 + 0 + 1 + 1 / 6) / 4)
    assert two.pass_at_k.value == pytest.approx((1 + 0 + 1 + 5 / 6) / 4)
    assert four.pass_hat_k.value == 0.25 and four.pass_at_k.value == 0.75
    (spread,) = found.spreads
    assert spread.flips.value == 0.5 and (spread.fewest, spread.most) == (4, 4)
    assert spread.between_trials == pytest.approx((0.25 + 0 + 0 + 1 / 3) / 4)
    means = [0.75, 0, 1, 0.5]
    assert spread.between_items == pytest.approx(np.var(means, ddof=1) - spread.between_trials / 4)
    assert math.isnan(spread.judge) and not found.pairs and not found.plans


def test_the_default_k_doubles_up_to_the_fewest_trials() -> None:
    for fewest, wanted in (
        (1, [1]),
        (2, [1, 2]),
        (3, [1, 2, 3]),
        (4, [1, 2, 4]),
        (6, [1, 2, 4, 6]),
        (9, [1, 2, 4, 8, 9]),
    ):
        runs = {"A": {"1": [1.0] * fewest, "2": [0.0] * (fewest + 1)}}
        assert [one.k for one in trials(table(runs))] == wanted


def test_neither_the_order_of_rows_nor_other_systems_change_a_number() -> None:
    whole = table({"A": drawn(1), "B": drawn(2)})
    found = trials(whole)
    order = np.random.default_rng(3).permutation(len(whole))
    moved = replace(
        whole,
        rows=[whole.rows[n] for n in order],
        columns={"M": Column(("score",), whole.columns["M"].values[order])},
        run={**whole.run, "trials": [whole.run["trials"][n] for n in order]},
    )
    by_system = {one.system: one for one in trials(moved) if one.k == 5}
    alone = trials(table({"B": drawn(2)}))
    for one in found:
        if one.k == 5:
            assert by_system[one.system] == one
    assert [one for one in found if one.system == "B"] == alone.records


def test_an_item_counts_once_however_many_trials_it_has() -> None:
    found = trials(table({"A": {"1": [1, 1, 1, 1, 1, 1], "2": [0, 0]}}), k=[1, 2])
    assert [one.pass_hat_k.value for one in found] == [0.5, 0.5]
    assert found.notes == ["A: items have 2 to 6 trials, and each counts as one item (1 item has 2, the first is '2')"]


def test_fewer_trials_than_k_and_senseless_k_are_refused() -> None:
    runs = table({"A": {"1": [1, 1, 1], "2": [0, 0]}})
    with pytest.raises(InputError, match="fewer trials than k: item '2' of system 'A' has 2 trials, and k is 3"):
        trials(runs, k=[3])
    for k in ([], [0], [-1], [1.5]):
        with pytest.raises(SpecError, match="is no number of trials"):
            trials(runs, k=k)  # type: ignore[arg-type]


def test_a_trial_without_a_score_is_refused_or_left_out_and_said() -> None:
    runs = table({"A": {"1": [1, math.nan, 1], "2": [0, 0, 0]}})
    with pytest.raises(InputError, match=r"row 2: 1 of 6 trials have no score, .* trial '2' of system 'A', item '1'"):
        trials(runs)
    found = trials(runs, allow_missing=True)
    assert [one.k for one in found] == [1, 2] and found[1].pass_hat_k.value == 0.5 and found[1].trials == 5
    assert found.notes[0].startswith("1 of 6 trials have no score and are left out")
    none = table({"A": {"1": [math.nan], "2": [0]}})
    with pytest.raises(InputError, match="item '1' of system 'A' has 0 trials"):
        trials(none, allow_missing=True)


def test_scores_that_are_not_yes_and_no_need_a_threshold() -> None:
    runs = table({"A": {"1": [0.5, 0.9], "2": [0.2, 0.6]}})
    with pytest.raises(SpecError, match=r"the scores of M are not 0 and 1 alone, as 0\.5 is not: .*--pass-at"):
        trials(runs)
    found = trials(runs, pass_at=0.5)
    assert found.rule == "M 0.5 or more" and found[1].pass_hat_k.value == 0.5
    lower = table({"A": {"1": [0.5, 0.9], "2": [0.2, 0.6]}}, higher_is_better=False)
    found = trials(lower, pass_at=0.5)
    assert found.rule == "M 0.5 or less" and found[0].pass_hat_k.value == 0.5 and found[1].pass_hat_k.value == 0
    assert trials(table({"A": {"1": [0, 0], "2": [1, 0]}}, higher_is_better=False))[1].pass_hat_k.value == 0.5
    with pytest.raises(SpecError, match="pass at nan is no threshold"):
        trials(runs, pass_at=math.nan)


def test_rows_that_are_no_trials_and_whole_systems_are_refused() -> None:
    column = Column(("score",), np.ones((2, 1)))
    with pytest.raises(InputError, match=r"no item has several trials: rows name none .*column trial"):
        trials(ScoreTable([("A", "1"), ("A", "2")], {"M": column}, {}))
    whole = replace(table({"A": A}), columns={"Set": Column(("score",), np.ones((1, 1)), level="system")})
    with pytest.raises(SpecError, match="is of a whole system"):
        trials(whole)
    for costs in ((-1, 1), (1, 0), (math.nan, 1), (1, math.inf)):
        with pytest.raises(SpecError, match="an item costs 0 or more, and a trial more than 0"):
            trials(table({"A": A}), costs=costs)


def test_pairs_are_tested_as_compare_does_and_corrected() -> None:
    runs = {"A": drawn(1), "B": drawn(2, lift=0.3), "C": drawn(3)}
    found = trials(table(runs), k=[4])
    assert [(one.a, one.b) for one in found.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    for one in found.pairs:
        (wanted,) = nlgauge.compare(found.table, one.a, one.b)
        assert (one.items, one.p) == (wanted.n, wanted.p)
        assert tuple(one.difference) == (wanted.difference, wanted.low, wanted.high)
        assert one.adjusted >= one.p
    assert found.pairs[0].better == "B" and found.pairs[1].better is None
    assert "B is more reliable than A by pass^4" in found.answers[3]
    assert "A and C do not differ significantly by pass^4" in found.answers[4]


def test_pairs_share_items_or_cannot_be_told() -> None:
    found = trials(table({"A": {"1": [1, 1], "2": [0, 0]}, "B": {"3": [1, 1], "4": [0, 1]}}))
    assert found.pairs[0].reason == "the two have no item in common" and math.isnan(found.pairs[0].p)
    assert "cannot be told" in found.answers[-1]
    found = trials(table({"A": drawn(1, items=20), "B": drawn(2, items=10)}))
    assert found.pairs[0].items == 10 and found[0].items == 20


def test_equal_systems_are_not_called_better() -> None:
    found = trials(table({"A": A, "B": A}))
    assert found.pairs[0].better is None and found.pairs[0].difference.value == 0


def test_one_item_has_no_interval() -> None:
    (one, _) = trials(table({"A": {"1": [1, 0]}}))
    assert one.pass_hat_k.value == 0.5 and math.isnan(one.pass_hat_k.low)


def test_clusters_count_as_wholes() -> None:
    runs = table({"A": drawn(1)})
    of = runs.clustered([str(int(item) // 3) for _, item in runs.rows])
    plain, grouped = trials(runs)[2], trials(of)[2]
    assert grouped.clusters == 10 and plain.clusters is None and grouped.pass_hat_k.value == plain.pass_hat_k.value
    assert grouped.pass_hat_k.low <= plain.pass_hat_k.low and grouped.pass_hat_k.high >= plain.pass_hat_k.high


def test_a_judge_that_is_asked_several_times_has_a_variance_of_its_own() -> None:
    runs = table({"A": {"1": [1, 0], "2": [1, 1]}})
    values = np.column_stack([runs.columns["M"].values, [0.5, 0.1, 0.0, math.nan]])
    judged = replace(runs, columns={"M": Column(("score", SPREAD), values, details=(SPREAD,))})
    found = trials(judged)
    assert found.spreads[0].judge == pytest.approx((0.25 + 0.01 + 0) / 3)
    assert "of the judge" in repr(found)


def test_the_plan_is_about_the_largest_k_and_names_what_says_more() -> None:
    found = trials(table({"A": drawn(1, items=40)}), k=[1, 4], costs=(10, 1))
    assert [one.change for one in found.plans] == ["now", "more items", "more trials", "best"]
    assert {one.k for one in found.plans} == {4}
    assert "more items say more than more trials: at twice the cost" in found.answers[-1]


# ---- The command


def rows(runs: dict[str, dict[str, Sequence[float]]]) -> list[dict[str, object]]:
    return [
        {"system": system, "item": item, "trial": number, "candidate": f"run {number}", "passed": bool(value)}
        for system, items in runs.items()
        for item, values in items.items()
        for number, value in enumerate(values, 1)
    ]


PASSED = ("-m", "Column('passed')", "--no-cache")


def test_the_command_reads_outputs_scores_and_a_file_for_each_system(tmp_path: Path) -> None:
    whole = written(tmp_path / "trials.jsonl", rows({"A": A, "B": B}))
    asked = command("trials", whole, *PASSED, "--format", "json")
    assert asked.exit_code == 0, asked.output
    found = json.loads(asked.stdout)
    scores = tmp_path / "scores.jsonl"
    assert command("score", whole, *PASSED, "-o", scores).exit_code == 0
    assert json.loads(command("trials", scores, "--format", "json").stdout) == found
    files = [
        written(tmp_path / f"{name}.jsonl", [{**row, "system": "s"} for row in rows({name: of})])
        for name, of in (("A", A), ("B", B))
    ]
    assert json.loads(command("trials", *files, *PASSED, "--format", "json").stdout)["systems"] == found["systems"]


def test_rows_without_a_trial_are_numbered_where_that_is_asked_for(tmp_path: Path) -> None:
    named = written(tmp_path / "named.jsonl", rows({"A": A}))
    plain = written(
        tmp_path / "plain.jsonl", [{k: v for k, v in row.items() if k != "trial"} for row in rows({"A": A})]
    )
    one = command("trials", named, *PASSED, "--format", "json")
    other = command("trials", plain, *PASSED, "--repeats", "mean", "--format", "json")
    assert json.loads(one.stdout)["systems"] == json.loads(other.stdout)["systems"]
    refused("trials", plain, *PASSED, say="is there twice: row 1 has them too")
    seeds = written(
        tmp_path / "seeds.jsonl", [{"seed" if k == "trial" else k: v for k, v in row.items()} for row in rows({"A": A})]
    )
    mapped = command("trials", seeds, *PASSED, "--map", "trial=seed", "--format", "json")
    assert json.loads(mapped.stdout)["systems"] == json.loads(one.stdout)["systems"]


def test_what_the_command_refuses(tmp_path: Path) -> None:
    file = written(tmp_path / "t.jsonl", rows({"A": A}))
    refused("trials", file, say="name the score of a trial")
    refused("trials", file, *PASSED, "--costs", "1", say="--costs 1: write what an item and what a trial costs")
    refused("trials", file, *PASSED, "-k", "9", say="has 4 trials, and k is 9")
    twice = written(tmp_path / "twice.jsonl", [*rows({"A": A}), rows({"A": A})[0]])
    refused("trials", twice, *PASSED, say="system 'A', item '1', trial '1' is there twice: row 1 has them too")
    some = written(
        tmp_path / "some.jsonl", [*rows({"A": A}), {"system": "A", "item": "9", "candidate": "x", "passed": 1}]
    )
    refused("trials", some, *PASSED, say="row 17: the row of system 'A' names no trial: row 1 names one")
    alone = written(tmp_path / "alone.jsonl", [{"trial": 1, "candidate": "x", "passed": 1}])
    refused("trials", alone, *PASSED, say="the row is trial '1', and nothing names its item")


def test_the_page_has_each_item_and_runs_nothing_of_theirs(tmp_path: Path) -> None:
    hostile = {"<script>alert(1)</script>": [1, 0, 1], "2": [0, 0, 0]}
    file = written(tmp_path / "t.jsonl", rows({"<b>A": hostile}))
    page = tmp_path / "trials.html"
    result = command("trials", file, *PASSED, "-o", page)
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in text and "<script>alert" not in text and "&lt;b&gt;A" in text
    assert "2 of 3" in text and "0 of 3" in text and text.index("0 of 3") < text.index("2 of 3")
    assert "trial 2: 0.0000, fails" in text


# ---- Trials in all other commands


def test_means_over_trials_stand_for_items_and_this_is_said(tmp_path: Path) -> None:
    file = written(tmp_path / "t.jsonl", rows({"A": A, "B": B}))
    scores = tmp_path / "scores.jsonl"
    scored = command("score", file, *PASSED, "-o", scores)
    said = "32 rows are trials of 8 outputs: the mean over its trials stands for each"
    assert said in scored.stderr
    assert said in command("compare", scores, "A", "B").stderr
    loaded = ScoreTable.load(scores)
    assert loaded.trials == ["1", "2", "3", "4"] * 8 and json.loads(scores.read_text().splitlines()[1])["trial"] == "1"
    items = loaded.per_item()
    assert items.trials is None and items.values("Column('passed')").tolist() == [0.75, 0, 1, 0.5, 1, 0.25, 1, 0.75]
    assert nlgauge.compare(loaded, "A", "B").records == nlgauge.compare(items, "A", "B").records


def test_trials_come_in_by_every_door(tmp_path: Path) -> None:
    file = written(tmp_path / "t.jsonl", rows({"A": A}))
    read = Corpus.read(file)
    wanted = [row.key for row in read]
    assert [row.key for row in Corpus.read(file, on_disk=True)] == wanted
    lists = Corpus.from_texts(
        [row.candidate for row in read],
        systems=[row.system for row in read],
        items=[row.item for row in read],
        trials=[row.trial for row in read],
    )
    assert [row.key for row in lists] == wanted and lists.digest == read.digest
    assert Corpus([replace(row, trial=None) for row in read]).digest != read.digest
    table = nlgauge.evaluate(candidates=["a", "b"], items=["1", "1"], trials=[1, 2], metrics="Length", cache=False)
    assert table.trials == ["1", "2"] and [row["trial"] for row in table] == ["1", "2"]
    assert list(table.to_pandas()["trial"]) == ["1", "2"]


def test_edited_trials_of_a_scores_file_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "scores.jsonl"
    table({"A": A}).save(place)
    head, *rest = place.read_text().splitlines()
    for edited, say in (
        (["1"] * 16, "system 'A', item '1', trial '1' is there twice"),
        (["1"] * 3, "names 3 trials of 16 rows"),
    ):
        header = json.loads(head)
        header.pop("seal", None)  # else it would refuse the file, and nothing behind it would be tried
        header["run"]["trials"] = edited
        place.write_text("\n".join([json.dumps(header), *rest]) + "\n")
        refused("trials", place, say=say)


def test_ratings_of_trials_join_as_the_mean_of_their_item() -> None:
    runs = table({"A": drawn(1, items=12, of=2)})
    rated = Corpus.from_records(
        [
            {"system": "A", "item": item, "trial": trial, "candidate": "x", "scores.good": int(number % 3 > 0)}
            for number, ((_, item), trial) in enumerate(zip(runs.rows, runs.trials or (), strict=True))
        ]
    )
    found = nlgauge.correlate(runs, rated, level="pooled")
    assert found[0].rows == 12 and any("24 rows are trials of 12 outputs" in note for note in found.notes)
    twice = Corpus([*rated, rated[0]])
    with pytest.raises(InputError, match="trial '1' is there twice"):
        nlgauge.correlate(runs, twice, level="pooled")
