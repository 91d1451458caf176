"""Ratings of trials: drawn, rated and counted one by one, with the trials of an item as one cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.gate import check
from nlgauge.ratings.project import RatingProject
from tests.command import nlgauge as command
from tests.command import refused, written
from tests.gate.test_decision import table as grounded
from tests.ratings.projects import cells_of, fill, project

JUDGE = "Column('judge')"
Truth = dict[tuple[str, str, str | None], float]


def run_several_times(
    seed: int, items: int = 60, trials: int = 3, systems: str = "ab"
) -> tuple[list[dict[str, Any]], Truth]:
    """Rows whose answers to an item mostly agree, with a judge's score, and whether each is right."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    truth: Truth = {}
    for system in systems:
        for item, share in enumerate(rng.beta(0.6, 0.4, items)):
            for trial in range(1, trials + 1):
                right = float(rng.random() < share)
                text = f"{system} answers {item} for the {trial}. time."
                row = {"system": system, "item": f"i{item}", "trial": trial, "candidate": text}
                rows.append({**row, "judge": right / 2 + rng.random() / 2})
                truth[system, f"i{item}", str(trial)] = right
    return rows, truth


def scored(rows: list[dict[str, Any]]) -> tuple[ScoreTable, Corpus]:
    corpus = Corpus.from_records(rows)
    return nlgauge.evaluate(corpus, metrics=JUDGE, cache=False), corpus


def by_hand(rows: list[dict[str, Any]]) -> tuple[ScoreTable, Corpus]:
    """The same rows with each trial as an item, and its item as a column of its own."""
    each = [{**row, "task": row["item"], "item": f"{row['item']}/{row['trial']}", "trial": None} for row in rows]
    return scored([{name: value for name, value in row.items() if value is not None} for row in each])


def rated(rows: list[dict[str, Any]], truth: Truth, every: int = 4) -> list[dict[str, Any]]:
    """The rows, of which some are rated."""
    given = [truth[row["system"], row["item"], str(row["trial"])] for row in rows]
    chosen = np.random.default_rng(9).random(len(rows)) < 1 / every
    return [
        {**row, "scores": {"good": one}} if chosen[n] else row
        for n, (row, one) in enumerate(zip(rows, given, strict=True))
    ]


ANSWERS: dict[str, Callable[..., Any]] = {
    "estimate": lambda table, ratings, **how: nlgauge.estimate(table, ratings, **how).records,
    "calibrate": lambda table, ratings, **how: nlgauge.calibrate(table, ratings, risk=0.3, **how).chosen,
    "trust": lambda table, ratings, **how: [
        replace(one, metric="") for one in nlgauge.trust(table, ratings, replicates=20, **how).records
    ],
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_trials_count_as_items_of_one_cluster(answer: str) -> None:
    rows, truth = run_several_times(0)
    some = rated(rows, truth)
    table, corpus = scored(some)
    literal_table, literal_corpus = by_hand(some)
    got = ANSWERS[answer](table, corpus)
    assert repr(got) == repr(ANSWERS[answer](literal_table, literal_corpus, cluster="task"))
    assert repr(got) != repr(ANSWERS[answer](literal_table, literal_corpus)), "not as if trials were independent"
    assert repr(got) == repr(ANSWERS[answer](table, corpus, cluster="item"))
    alone = Corpus([row for row in corpus if row.scores])
    assert repr(got) == repr(ANSWERS[answer](table, alone))
    assert repr(got) == repr(ANSWERS[answer](table, Corpus(list(reversed(corpus)))))


def test_ratings_that_name_no_trial_are_refused_where_there_are_several() -> None:
    rows, truth = run_several_times(0, items=30)
    table, corpus = scored(rows)
    ratings = {(system, item): right for (system, item, trial), right in truth.items() if trial == "1"}
    without = Corpus([replace(row, trial=None) for row in corpus if row.trial == "1"])
    without = Corpus([replace(row, scores={"good": ratings[row.system, row.item]}) for row in without])
    for given in (ratings, without):
        for answer in ANSWERS.values():
            with pytest.raises(InputError, match="several trials of system 'a', item 'i0', and the ratings do not say"):
                answer(table, given)
    once, truth = run_several_times(0, items=90, trials=1)
    table, corpus = scored(rated(once, truth, every=2))
    ratings = {(row.system, row.item): row.scores["good"] for row in corpus if row.scores}
    for one, other in zip(nlgauge.estimate(table, corpus), nlgauge.estimate(table, ratings), strict=True):
        assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high))


def test_a_threshold_is_of_trials_and_not_of_their_means() -> None:
    """Of two trials one is right: half of the answers are wrong, though no item has a mean below a half."""
    rows = [
        {"system": "s", "item": str(item), "trial": trial, "candidate": f"{item} {trial}"}
        for item in range(60)
        for trial in (0, 1)
    ]
    corpus = Corpus.from_records([{**row, "scores": {"right": row["trial"]}} for row in rows])
    values = np.tile([0.2, 0.8], 60) + np.linspace(0, 0.1, 120)
    table = replace(
        grounded(values.tolist()),
        rows=[(row.system, row.item) for row in corpus],
        run={"trials": [row.trial for row in corpus], "texts": [row.fingerprint for row in corpus]},
    )
    verdict = check(table, grounded=True, ratings=corpus, at_most_wrong=0.1)
    assert verdict.ruling == "fails" and verdict.decision is not None
    assert verdict.decision.systems[0].wrong.value == pytest.approx(0.5)
    with pytest.raises(InputError, match="the ratings do not say of which"):
        check(table, grounded=True, ratings={("s", str(n)): 1.0 for n in range(60)}, at_most_wrong=0.1)


def test_a_project_of_trials_is_drawn_rated_and_estimated(tmp_path: Path) -> None:
    rows, truth = run_several_times(1)
    table, corpus = scored(rows)
    made = project(tmp_path / "p", corpus, 90, scores=table)
    assert len({row.key for row in made.draw.rows}) == len(rows) and made.draw.of_trials
    loaded = RatingProject.load(tmp_path / "p")
    assert loaded.draw == made.draw and loaded.id == made.id
    texts = {row.key: row.candidate for row in corpus}
    lines = {line["item"]: line["candidate"] for line in cells_of(tmp_path / "p" / "sheet.csv")}
    for row in made.draw.sheet:
        assert lines[row.name or ""] == texts[row.system, row.item, row.trial]
    fill(tmp_path / "p", lambda row: int(truth[row.system, row.item, row.trial]))
    ratings = loaded.ratings()
    rated_rows = [row for row in ratings if row.scores]
    assert len(rated_rows) == 90 and all(row.scores["good"] == truth[row.key] for row in rated_rows)
    found = nlgauge.estimate(table, ratings)
    assert any("the trials of an item are one cluster" in note for note in found.notes)
    for one in found.records[:2]:
        whole = np.mean([right for (system, *_), right in truth.items() if system == one.system])
        assert one.ratings == 45 and one.rows == 180 and one.clusters < 45 and one.low < whole < one.high
    bare = replace(table, run={name: value for name, value in table.run.items() if name != "trials"})
    with pytest.raises(InputError):
        nlgauge.estimate(bare, ratings)


def test_a_row_is_drawn_as_often_as_its_stratum_says_and_clusters_are_items() -> None:
    rows, _ = run_several_times(2, items=20)
    table, corpus = scored(rows)
    for draw in (nlgauge.sample(corpus, 24, scores=table), nlgauge.sample(corpus, 24)):
        for stratum in {row.stratum for row in draw.rows}:
            of = [row for row in draw.rows if row.stratum == stratum]
            assert {row.probability for row in of} == {sum(row.name is not None for row in of) / len(of)}
    whole = nlgauge.sample(corpus, 24, cluster="item")
    drawn = {row.cluster for row in whole.sheet}
    assert len(drawn) == 4 and len(whole.sheet) == 24 and drawn <= {row.item for row in whole.rows}
    literal = nlgauge.sample(by_hand(rows)[1], 24, scores=by_hand(rows)[0])
    named = [(row.system, row.name) for row in nlgauge.sample(corpus, 24, scores=table).rows]
    assert named == [(row.system, row.name) for row in literal.rows], "the draw is that of as many items"


def test_intervals_hold_on_trials_that_mostly_agree() -> None:
    """120 draws of 60 rated trials of 50 items by 4: as if they were independent, they would hold far less often."""
    held = []
    for seed in range(120):
        rows, truth = run_several_times(seed, items=50, trials=4, systems="a")
        table, corpus = scored(rows)
        draw = nlgauge.sample(corpus, 60, scores=table, seed=seed, cluster=None)
        ratings = {("sheet", row.name): truth[row.system, row.item, row.trial] for row in draw.sheet}
        (one,) = nlgauge.estimate(table, ratings, draw=draw)
        held.append(one.low <= 0.6 <= one.high)
    assert np.mean(held) >= 0.9


def test_the_commands_sample_and_estimate_trials(tmp_path: Path) -> None:
    rows, truth = run_several_times(3)
    outputs, scores, folder = written(tmp_path / "out.jsonl", rows), tmp_path / "scores.jsonl", tmp_path / "p"
    scored(rows)[0].save(scores)
    done = command("sample", outputs, "--scores", scores, "-n", 60, "--aspect", "good", "-o", folder)
    assert done.exit_code == 0, done.stderr
    fill(folder, lambda row: int(truth[row.system, row.item, row.trial]))
    given = command("estimate", scores, "--ratings", folder, "--format", "json")
    assert given.exit_code == 0, given.stderr
    assert [one["ratings"] for one in json.loads(given.stdout)["estimates"]] == [30, 30, 60]
    for name in ("calibrate", "trust"):
        more = command(name, scores, "--ratings", folder, *(["--risk", 0.4] if name == "calibrate" else []))
        assert more.exit_code in (0, 1) and "the trials of an item are one cluster" in more.stderr, more.stderr
    with_outputs = command("estimate", scores, "--ratings", folder, "--outputs", outputs, "--cluster", "item")
    assert with_outputs.exit_code == 0, with_outputs.stderr
    unnamed = written(tmp_path / "unnamed.jsonl", [{k: v for k, v in row.items() if k != "trial"} for row in rows])
    refused("sample", unnamed, "-n", 60, "-o", tmp_path / "q", say="or each run on an item a name in a column trial")


def test_clusters_larger_than_items_hold_whole_items() -> None:
    rows, truth = run_several_times(4, items=120)
    some = [{**row, "doc": int(row["item"][1:]) // 3} for row in rated(rows, truth)]
    table, corpus = scored(some)
    literal_table, literal_corpus = by_hand(some)
    got = nlgauge.estimate(table, corpus, cluster="doc").records
    assert repr(got) == repr(nlgauge.estimate(literal_table, literal_corpus, cluster="doc").records)
    split = Corpus([replace(row, extra={**row.extra, "doc": n}) for n, row in enumerate(corpus)])
    with pytest.raises(InputError, match="the trials of item 'i0' are of several 'doc'"):
        nlgauge.estimate(table, split, cluster="doc")
