"""Weighters: planted weights are found again, folds are of items, and the file scores as training scored."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge-lab[train]")

from nlgauge.data.corpus import Corpus, Row  # noqa: E402
from nlgauge.engine.engine import Engine  # noqa: E402
from nlgauge.errors import InputError, SpecError  # noqa: E402
from nlgauge.metrics.maskeval import (  # noqa: E402
    MaskEval,
    weighted_score,
    word_weights,
)
from nlgauge_lab.training.weighter import WeighterConfig, Words, fit, kept, measure, train  # noqa: E402
from tests.engine.fake import PairsModel  # noqa: E402

METRIC = MaskEval(scoring="probability")


def random_words(rows=120, width=4, seed=0):
    """Texts of 3 to 8 sub-words with random states and scores."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 9, 2 * rows)
    states = torch.from_numpy(rng.normal(size=(sizes.sum(), width)).astype(np.float32))
    scores = torch.from_numpy((rng.random(sizes.sum()) < 0.5).astype(np.float32))
    return Words(states, torch.from_numpy(np.repeat(np.arange(2 * rows), sizes)), scores, rows)


def test_values_are_those_of_the_metrics_mathematics():
    words = random_words(rows=5)
    weight, share = torch.tensor([0.5, -1.0, 0.2, 0.0]), torch.tensor(0.4)
    values = words.values(weight, share)
    for row in range(5):
        scores, weights = [], []
        for side in (0, 1):
            mine = words.segment == 2 * row + side
            logits = (words.states[mine] @ weight).numpy()
            weights.append(word_weights(logits, np.arange(len(logits))))
            scores.append(words.scores[mine].numpy().astype(float))
        expected = weighted_score(scores, weights, float(torch.sigmoid(share)))
        assert float(values[row]) == pytest.approx(expected, abs=1e-6)
    some = words.of(np.array([3, 1]))
    torch.testing.assert_close(some.values(weight, share), values[[3, 1]])


def test_planted_weights_are_found_again():
    words = random_words(200)
    truth, share = torch.tensor([2.0, 0.0, -2.0, 0.0]), torch.tensor(1.5)
    rng = np.random.default_rng(1)
    ratings = words.values(truth, share).numpy() * 0.3 + 0.4 + rng.normal(size=200) * 0.01
    items = [f"i{row // 4}" for row in range(200)]
    weight, found, folds = fit(words, ratings, items, WeighterConfig(rate=0.05))
    assert weight @ truth.numpy() / np.linalg.norm(weight) / np.linalg.norm(truth) > 0.95
    assert found == pytest.approx(float(torch.sigmoid(share)), abs=0.08)
    assert len(folds) == 5 and all(fold["pearson"] > 0.9 > fold["uniform"] for fold in folds)
    again, same, _ = fit(words, ratings, items, WeighterConfig(rate=0.05))
    np.testing.assert_array_equal(weight, again)
    assert found == same
    plain, _, _ = fit(words, words.values(truth, share).numpy(), items, WeighterConfig(rate=0.05, calibrated=False))
    assert plain @ truth.numpy() > 0


def test_folds_hold_out_whole_items():
    with pytest.raises(InputError, match="9 items are rated"):
        fit(random_words(90), np.zeros(90), [str(row % 9) for row in range(90)], WeighterConfig())
    _, _, folds = fit(random_words(40), np.linspace(0, 1, 40), [str(row // 4) for row in range(40)], WeighterConfig())
    assert [fold["rows"] for fold in folds] == [8] * 5


@pytest.fixture(scope="module")
def rated():
    """Rated 5 for a source that begins with w1, else 1."""
    rng = np.random.default_rng(7)
    rows = []
    for number in range(48):
        words = [f"w{i}" for i in rng.integers(2, 40, 6)]
        good = number % 2
        source = " ".join(["w1" if good else "w2", *words])
        rows.append(Row(" ".join(words[:3]), source=source, item=str(number // 2), scores={"tone": 1.0 + 4 * good}))
    return Corpus((*rows, Row("w1", source="w2", item="unrated")))


def test_words_are_measured_once_for_all_aspects(rated, tmp_path, monkeypatch):
    rows = Corpus(
        tuple(
            Row(r.candidate, source=r.source, item=r.item, scores={"a": len(r.candidate), "b": i % 3})
            for i, r in enumerate(rated[:48])
        )
    )
    engine = Engine(PairsModel(40))
    paths = train(rows, ["a", "b"], tmp_path, METRIC, scale=(0, 20), engine=engine)
    assert [path.name for path in paths] == ["a.safetensors", "b.safetensors"]
    passes = engine.ledger.passes
    first = kept(rows, METRIC, engine, tmp_path)
    assert engine.ledger.passes == passes
    np.testing.assert_allclose(first.states, measure(rows, METRIC, engine).states, atol=2e-3)
    kept(rows, MaskEval(), engine, tmp_path)
    assert engine.ledger.passes > passes, "another metric's scores are not these"


def test_what_cannot_be_learned_is_refused(rated, tmp_path):
    engine = Engine(PairsModel(40))
    with pytest.raises(InputError, match=r"no row is rated for 'mood' \(there are tone"):
        train(rated, ["mood"], tmp_path, METRIC, engine=engine)
    with pytest.raises(SpecError, match="leave them at 'uniform'"):
        train(rated, ["tone"], tmp_path, MaskEval(weights="candidate"), engine=engine)
    alike = Corpus(tuple(Row("w1", source="w2", item=str(i), scores={"tone": 3}) for i in range(12)))
    with pytest.raises(InputError, match="all ratings for 'tone' are 3"):
        train(alike, ["tone"], tmp_path, METRIC, engine=engine)
    for source, why in (("", "the source has no words"), (None, "no source")):
        lacking = Corpus((*rated[:6], Row("w1", source=source, scores={"tone": 2.0})))
        with pytest.raises(InputError, match=f"row 7: has no value: {why}"):
            train(lacking, ["tone"], tmp_path, METRIC, engine=engine)
    passes = engine.ledger.passes
    with pytest.raises(InputError, match="row 1: has no value: the candidate has no words"):
        measure(Corpus((Row(" ", source="w1"), *rated)), METRIC, engine)
    assert engine.ledger.passes == passes, "what cannot be used is refused before anything is read"


def test_the_published_recipe_is_adam_a_row_a_step_and_the_best_epoch_on_a_fifth_of_the_rows():
    words, config = random_words(30), replace(WeighterConfig.published(3), epochs=3, rate=1e-2, share_rate=1e-2)
    ratings = np.random.default_rng(5).random(30)
    found, share, (fact,) = fit(words, ratings, ["one"] * 30, config)
    held = np.random.default_rng(3).permutation(30)
    order = sorted(map(str, range(30)))
    fold = np.array([np.flatnonzero(held == order.index(str(row)))[0] % 5 == 0 for row in range(30)])
    assert fact["rows"] == fold.sum() == 6
    layer = (2 * torch.rand(4, generator=torch.Generator().manual_seed(3)) - 1) / 2
    weight, odds = torch.nn.Parameter(layer), torch.nn.Parameter(torch.zeros(()))
    adam, own, best = torch.optim.Adam([weight, odds], lr=1e-2), np.flatnonzero(~fold), (np.inf, None, None)

    def error(rows):
        values = words.values(weight, odds)[rows]
        return ((values - torch.from_numpy(ratings[rows]).float()) ** 2).mean()

    for epoch in range(4):
        with torch.no_grad():
            if (loss := error(np.flatnonzero(fold)).item()) < best[0]:
                best = loss, weight.detach().clone(), torch.sigmoid(odds).item()
        for row in np.random.default_rng([3, 1, epoch]).permutation(24):
            adam.zero_grad()
            torch.autograd.backward(error(own[[row]]))
            adam.step()
    np.testing.assert_allclose(found, best[1].numpy(), atol=1e-6)
    assert share == pytest.approx(best[2], abs=1e-6)
    published = WeighterConfig.published()
    assert (published.epochs, published.rate, published.ridge, published.calibrated) == (100, 1e-5, 0.0, False)
