"""combine: known weights found again, figures that an honest cross-fit gives, and rows that cannot be used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge_lab.combination import Combined, applied, combine

ITEMS, SYSTEMS = 30, 6
KEYS = [(f"s{s}", f"i{i}") for i in range(ITEMS) for s in range(SYSTEMS)]
Scores = dict[tuple[str, str], float]


def made(seed: int = 0, noise: float = 0.5, others: int = 1) -> tuple[ScoreTable, Scores, np.ndarray]:
    """Ratings 3 + .8 a + .4 b + noise, of a score a, a distance -b on another scale, and metrics of noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(len(KEYS), 2 + others))
    y = 3 + 0.8 * x[:, 0] + 0.4 * x[:, 1] + noise * rng.normal(size=len(KEYS))
    columns = {
        "Good": Column(("score",), 10 + 5 * x[:, :1]),
        "Far": Column(("score",), -x[:, 1:2], higher_is_better=False),
        "Noise": Column(tuple(f"p{n}" for n in range(others)), x[:, 2:]),
        "Set": Column(("score",), np.zeros((SYSTEMS, 1)), level="system"),
    }
    table = ScoreTable(
        KEYS,
        columns,
        {"Good": Signature("Good", {"model": {"name": "pocket", "digest": "123456789abc"}})},
        {"corpus": "abc"},
        "9.9",
    )
    return table, dict(zip(KEYS, y.tolist(), strict=True)), x


def weights(found: Combined) -> dict[str, float]:
    return {member.name: member.weight for member in found.combination.members}


@pytest.mark.parametrize("method", ["nnls", "ridge"])
def test_without_noise_the_weights_are_those_that_made_the_ratings(method: str) -> None:
    table, ratings, x = made(noise=0)
    found = combine(table, ratings, metrics=["Good", "Far"], method=method, replicates=0)
    expected = {"Good score": 0.8 * x[:, 0].std(), "Far score": 0.4 * x[:, 1].std()}
    assert weights(found) == pytest.approx(expected, rel=2e-3 if method == "ridge" else 1e-9)
    assert found.combination.intercept == pytest.approx(np.mean(list(ratings.values())))
    assert found.agreements[0].value == pytest.approx(1, abs=1e-5)
    assert_allclose(found.predictions.values("Combination"), list(ratings.values()), atol=5e-3)
    assert found.combination.models == {"pocket": "123456789abc"}
    assert (found.rows, found.items, found.unrated, found.left_out) == (len(KEYS), ITEMS, 0, {})


def test_weights_are_those_of_scipy_on_standardised_values() -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    table, ratings, x = made(others=4)
    found = combine(table, ratings, replicates=0)
    z, y = (x - x.mean(0)) / x.std(0), np.array(list(ratings.values()))
    assert_allclose([m.weight for m in found.combination.members], optimize.nnls(z, y - y.mean())[0], atol=1e-9)


def test_a_prediction_does_not_know_its_items_ratings() -> None:
    """Change an item's ratings as you like: its own predictions stay, those of other folds move."""
    table, ratings, _ = made()
    before = combine(table, ratings, replicates=0).predictions.values("Combination")
    wild = {key: value + (100 * (key[0] == "s0") if key[1] == "i7" else 0) for key, value in ratings.items()}
    after = combine(table, wild, replicates=0).predictions.values("Combination")
    own = np.array([item == "i7" for _, item in KEYS])
    assert_allclose(after[own], before[own], rtol=1e-12)
    assert (after != before).any()


def test_a_saved_table_is_combined() -> None:
    table, ratings, x = made()
    found = combine(table, ratings, metrics=["Good", "Far"], replicates=0)
    table.columns["Far"].values[5] = math.nan
    again = applied(table, found.combination)
    expected = found.combination.intercept + sum(
        member.weight * (x[:, i] - x[:, i].mean()) / x[:, i].std() for i, member in enumerate(found.combination.members)
    )
    expected[5] = math.nan
    assert_allclose(again.values("Combination"), expected, rtol=1e-9)
    assert again.column("Combination").reasons == {5: "no value of Far score"}
    assert str(again.signatures["Combination"]) == f"Combination|weights:{found.combination.digest[:8]}"
    assert "Combination" not in table.columns
    with pytest.raises(InputError, match="has a Combination already"):
        applied(again, found.combination)
    del table.columns["Far"]
    with pytest.raises(InputError, match="lacks Far score"):
        applied(table, found.combination)


def test_aspects_are_named() -> None:
    table, ratings, _ = made()
    both = {"clear": ratings, "loud": {key: -value for key, value in ratings.items()}}
    assert combine(table, both, "clear", replicates=0).combination.aspect == "clear"
    for aspect, say in ((None, "several aspects"), ("quiet", "nothing is rated for 'quiet'")):
        with pytest.raises(InputError, match=say):
            combine(table, both, aspect)


def test_refusals() -> None:
    table, ratings, _ = made()
    few = {key: ratings[key] for key in KEYS[:4]}
    inverse = {key: -value for key, value in ratings.items()}
    for problem, arguments, options in (
        ("the method 'boosting'", (table, ratings), {"method": "boosting"}),
        ("1 folds", (table, ratings), {"folds": 1}),
        ("4 rows of 1 items", (table, few), {}),
        ("Set is a corpus-level metric", (table, ratings), {"metrics": ["Set"]}),
        ("no metric BLEU", (table, ratings), {"metrics": ["BLEU"]}),
        ("all weights are 0", (table, inverse), {"metrics": ["Good", "Far"]}),
    ):
        with pytest.raises((InputError, SpecError), match=problem):
            combine(*arguments, **options)  # type: ignore[arg-type]
