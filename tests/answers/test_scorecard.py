"""Cards: that they hold the numbers of correlate, no text and no rating, and that a board's clusters are honest."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, InputError, Row, ScoreTable
from nlgauge.answers.scorecard import Card, agreements, board, probe_rows, probe_shares
from nlgauge.data.probes import read_probes
from nlgauge.data.table import Column
from nlgauge.data.table.selection import selected
from nlgauge.maths.inference import mean_of
from nlgauge.stats.decisions import auroc
from tests.conftest import ROOT


def a_set(
    seed: int = 0, items: int = 40, systems: int = 4, noise: float = 1.0, yes_no: bool = False
) -> tuple[ScoreTable, Corpus]:
    """A set whose ratings are those of one seed, and a scorer with noise of its own."""
    rng, own = np.random.default_rng(99), np.random.default_rng(seed)
    keys = [(f"s{system}", f"i{item}") for item in range(items) for system in range(systems)]
    y = rng.normal(size=len(keys)) + np.repeat(rng.normal(size=items), systems)
    x = y + noise * own.normal(size=len(keys))
    x[3] = math.nan
    y = (y > 0).astype(float) if yes_no else y
    rows = [
        Row("secret", system=system, item=item, scores={"quality": value})
        for (system, item), value in zip(keys, y.tolist(), strict=True)
    ]
    return ScoreTable(keys, {"M": Column(("score",), x[:, None])}, {}), Corpus(rows)


def card(name: str, *sets: tuple[ScoreTable, Corpus], trained: tuple[str, ...] | None = None) -> Card:
    found = [one for table, corpus in sets for one in agreements(table, corpus, "set", replicates=50)]
    return Card(name, f"{name}|1", "d", trained, {"rows": 1, "seconds": 1.0}, tuple(found), ())


@pytest.mark.parametrize(("systems", "measure"), [(4, "item"), (1, "pooled")])
def test_a_card_has_the_numbers_of_correlate_and_units_of_that_mean(systems: int, measure: str) -> None:
    table, corpus = a_set(items=120 // systems, systems=systems)
    (one,) = agreements(table, corpus, "set", replicates=200)
    assert (one.measure, one.rows, one.unscored) == (measure, 119, 1)
    for level in ("pooled", "item", "system"):
        of = nlgauge.correlate(table, corpus, level=level, replicates=0)[0].value
        assert_allclose(getattr(one, level), of)
    whole = replace(table, columns={"M": Column(("score",), filled(table, systems)[:, None])})
    of = nlgauge.correlate(whole, corpus, level=measure, replicates=0)[0].value
    assert_allclose(one.value, of)
    assert one.low < one.value < one.high
    assert_allclose(np.nanmean(one.units), one.value, atol=1e-6 if measure == "item" else 0.01)
    if measure == "pooled":
        x, y = filled(table, systems), np.array([row.scores["quality"] for row in corpus])
        without = np.arange(120) != 7
        r, left = np.corrcoef(x, y)[0, 1], np.corrcoef(x[without], y[without])[0, 1]
        assert_allclose(one.units[7], 120 * r - 119 * left, atol=1e-5)


def filled(table: ScoreTable, systems: int) -> np.ndarray:
    """The scores; the row without one has the mean of its item, or of all rows where items have one row."""
    x = table.values("M").copy()
    x[3] = np.nanmean(x[:systems]) if systems > 1 else np.nanmean(x)
    return x


def test_an_item_without_a_score_counts_as_no_agreement() -> None:
    table, corpus = a_set()
    for row in range(8, 12):
        table.columns["M"].values[row] = math.nan
    table.columns["M"].values[12:16] = 1.0
    (one,) = agreements(table, corpus, "set")
    # Equal scores of all outputs have no correlation, as in nlgauge.correlate; none at all are no agreement.
    assert one.units[2] == 0 and math.isnan(one.units[3]) and one.unscored == 5


def test_ratings_of_yes_and_no_give_an_area() -> None:
    table, corpus = a_set(yes_no=True)
    (one,) = agreements(table, corpus, "set")
    x, y = table.values("M"), np.array([row.scores["quality"] for row in corpus])
    items = np.repeat(np.arange(40), 4)
    of = auroc(x, y == 0, items)
    assert one.measure == "AUROC" and (one.value, one.low, one.high) == of and one.unscored == 1
    without = items != 5
    rest = auroc(x[without], y[without] == 0, items[without]).value
    assert_allclose(one.units[5], 40 * one.value - 39 * rest, atol=1e-5)


def test_a_card_is_read_as_it_was_written_and_holds_no_text(tmp_path: Path) -> None:
    made = card("M", a_set(), trained=("snli",))
    made.save(tmp_path / "card.json")
    assert Card.load(tmp_path / "card.json") == made
    assert "secret" not in (tmp_path / "card.json").read_text(encoding="utf-8")
    for wrong in ("{}", "[1]", '{"format": "nlgauge-card-1", "sets": [{}]}'):
        (tmp_path / "wrong.json").write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match="is not a card"):
            Card.load(tmp_path / "wrong.json")


def test_a_board_separates_who_differs_and_nobody_else() -> None:
    made = board(
        [
            card("good", a_set(1)),
            card("alike", a_set(2), trained=("the SET of 2020",)),
            card("poor", a_set(3, noise=4.0)),
        ]
    )
    cluster = {one.scorer: one.cluster for one in made.lines}
    assert cluster == {"good": 1, "alike": 1, "poor": 2}
    assert made.first("good") == (1, 1) and made.first("poor") == (0, 1)
    assert [one.scorer for one in made.lines if one.trained] == ["alike"]


def judged(scores: np.ndarray, good: np.ndarray, name: str) -> Card:
    keys = [("s", f"i{n}") for n in range(len(good))]
    corpus = Corpus(
        [Row("x", system=s, item=i, scores={"fine": float(y)}) for (s, i), y in zip(keys, good, strict=True)]
    )
    return card(name, (ScoreTable(keys, {"M": Column(("score",), scores[:, None])}, {}), corpus))


def test_nobody_gains_by_leaving_out_the_rows_on_which_it_errs() -> None:
    """Two scorers say the same, and one of them says nothing on the 48 of 120 rows on which they are wrong."""
    rng = np.random.default_rng(0)
    good, wrong = rng.random(120) < 0.6, np.arange(120) < 48
    scores = np.where(good != wrong, 1.0, 0.0)
    made = board(
        [
            judged(scores, good, "answers"),
            judged(np.where(wrong, np.nan, scores), good, "abstains"),
            judged(np.where(good, 0.9, 0.1) + 0.3 * rng.normal(size=120), good, "knows"),
        ]
    )
    assert [one.scorer for one in made.lines] == ["knows", "abstains", "answers"]
    of = {one.scorer: one for one in made.lines}
    assert (of["abstains"].rows, of["abstains"].unscored, of["knows"].unscored) == (72, 48, 0)
    scored = (~wrong[good]).mean() * (~wrong[~good]).mean()
    assert_allclose(of["abstains"].value, scored + (1 - scored) / 2)
    assert of["knows"].cluster == 1 < of["abstains"].cluster
    assert any("48 of 120 rated rows have no score by abstains" in note for note in made.notes)


def test_a_card_of_an_earlier_version_that_left_rows_out_is_not_compared() -> None:
    good = np.arange(60) % 3 > 0
    cards = [
        judged(np.where(good, 1.0, 0.0) + noise, good, name)
        for name, noise in (("a", 0.5 * np.random.default_rng(1).random(60)), ("b", 0.0 * good))
    ]
    abstains = judged(np.where(np.arange(60) < 9, np.nan, 1.0), good, "c")
    earlier = replace(abstains, format="nlgauge-card-1")
    assert {one.scorer for one in board([*cards, abstains]).lines} == {"a", "b", "c"}
    made = board([replace(cards[0], format="nlgauge-card-1"), cards[1], earlier])
    assert {one.scorer for one in made.lines} == {"a", "b"} and "rate it again" in made.notes[0]


def test_a_constant_scorer_has_an_area_of_a_half_and_is_not_first() -> None:
    rng = np.random.default_rng(2)
    good = rng.random(120) < 0.7
    made = board([judged(np.ones(120), good, "constant"), judged(good + rng.normal(size=120), good, "knows")])
    one = next(one for one in made.lines if one.scorer == "constant")
    assert one.value == 0.5 and one.low < 0.42 and one.high > 0.58 and one.cluster == 2


def test_sixteen_scorers_are_still_told_from_each_other() -> None:
    """120 tests at once, corrected by Holm: p of Student's t has no least value, as a number of resamples has."""
    rng = np.random.default_rng(3)
    good = rng.random(200) < 0.6
    made = board([judged((2.0 if n < 8 else 0.2) * good + rng.normal(size=200), good, f"M{n}") for n in range(16)])
    cluster = {one.scorer: one.cluster for one in made.lines}
    assert {cluster[f"M{n}"] for n in range(8)} == {1} and min(cluster[f"M{n}"] for n in range(8, 16)) == 2


def test_cards_of_other_rows_or_ratings_are_not_compared() -> None:
    table, corpus = a_set()
    other = Corpus([replace(row, scores={"quality": -row.scores["quality"]}) for row in corpus])
    with pytest.raises(InputError, match="no set in common"):
        board([card("a", (table, corpus)), card("b", (table, other))])
    with pytest.raises(InputError, match="two cards are of one scorer"):
        board([card("a", (table, corpus))] * 2)
    with pytest.raises(InputError, match="needs two cards"):
        board([card("a", (table, corpus))])


@pytest.mark.parametrize(("systems", "yes_no"), [(4, False), (1, False), (1, True)], ids=["item", "pooled", "AUROC"])
def test_two_equal_scorers_seldom_differ(systems: int, yes_no: bool) -> None:
    rng, p = np.random.default_rng(5), []
    for _ in range(400):
        items = 40
        shared = rng.normal(size=(items, systems)) + rng.normal(size=(items, 1))
        units = []
        y = (shared > 0.5).astype(float) if yes_no else shared
        keys = [(f"s{system}", f"i{item}") for item in range(items) for system in range(systems)]
        corpus = Corpus(
            [Row("x", system=s, item=i, scores={"q": v}) for (s, i), v in zip(keys, y.ravel().tolist(), strict=True)]
        )
        for _ in range(2):
            x = shared + rng.normal(size=shared.shape)
            table = ScoreTable(keys, {"M": Column(("score",), x.reshape(-1, 1))}, {})
            units.append(np.array(agreements(table, corpus, "set", replicates=0)[0].units))
        p.append(mean_of(units[0] - units[1]).p())
    assert 0.004 < np.mean(np.array(p) < 0.05) < 0.085, np.mean(np.array(p) < 0.05)


def test_probes_are_ordered_by_who_knows_and_not_by_who_does_not() -> None:
    sources = read_probes()
    rows = probe_rows(sources)
    keys = [("system", row.item) for row, _ in rows]
    knows = np.array([[0.0 if role == "wrong" else 1.0] for _, role in rows])
    for values, share in ((knows, 1.0), (1 - knows, 0.0), (0 * knows, 0.5)):
        found = probe_shares(ScoreTable(keys, {"M": Column(("score",), values)}, {}), sources)
        assert {one.share for one in found} == {share} and found[-1].kind == "paraphrase"
    assert not any(row.candidate in row.references for row, _ in rows)


@pytest.mark.parametrize(
    ("name", "title", "level", "specs"),
    [
        ("asset", "ASSET simplification", "pooled", {"TokenF1": "TokenF1", "CopyRate": "CopyRate"}),
        ("usr_topicalchat", "TopicalChat", "pooled", {"Length": "Length"}),
        ("webnlg2020", "WebNLG 2020", "system", {"TokenF1(references='mean')": "TokenF1"}),  # as the page says of it
    ],
)
def test_cards_have_the_numbers_of_the_page_of_agreement(
    data: Path, name: str, title: str, level: str, specs: dict[str, str]
) -> None:
    corpus = Corpus.read(data / f"{name}.jsonl.gz")
    lines = csv.DictReader((ROOT / "docs" / "data" / "agreement.csv").read_text("utf-8").splitlines())
    page = {
        (line["metric"], line["aspect"]): float(line["value"])
        for line in lines
        if (line["data"], line["level"], line["coefficient"]) == (title, level, "pearson")
        and line["kind"] != "published"
    }
    for spec, line in specs.items():
        table = selected(nlgauge.evaluate(corpus, metrics=[spec], cache=False))
        for one in agreements(table, corpus, name, replicates=0):
            assert_allclose(getattr(one, level), page[line, one.aspect.replace("_", " ")], atol=5.01e-4)
