"""Rows of pairs: which words are masked, what is in sight, excerpts of a text itself."""

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.lab.training.pair_rows import Frame, excerpts, make_row
from nlgauge.lab.training.pair_texts import Pairs
from nlgauge.lab.training.recipe import PairsConfig, Stage
from tests.engine.fake import tiny_tokenizer

CONFIG = PairsConfig(body="", groups={}, words=0.3, stretch=12, sizes=((16, 8), (32, 4)))
FRAME = Frame(cls=2, sep=3, pad=0, mask=4)


@pytest.fixture(scope="module")
def pairs():
    """The candidate says the words of the other text backwards."""
    generator = np.random.default_rng(3)
    texts = [[f"w{i}" for i in generator.integers(0, 40, size)] for size in generator.integers(8, 14, 100)]
    return Pairs.of([(" ".join(words[::-1]), " ".join(words)) for words in texts], CONFIG, tiny_tokenizer())


def test_a_row_holds_a_stretch_with_whole_words_masked_and_the_other_text(pairs):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        example = pairs.rows[32][seed]
        stage = Stage(1.0, (), copied=0.5) if seed % 2 else Stage(1.0, ())
        row = make_row(pairs, example, 32, FRAME, CONFIG, rng, stage)
        own, other = row.part[0] == 0, row.part[0] == 1
        masked = row.masked[0] == FRAME.mask
        assert masked.any() and not (masked & ~own).any()
        np.testing.assert_array_equal(row.masked[0][~masked], row.whole[0][~masked])
        assert own.sum() <= CONFIG.stretch + 2
        for part in (own, other):
            assert row.whole[0][part][0] == 2 and row.whole[0][part][-1] == 3
            np.testing.assert_array_equal(row.positions[0][part], np.arange(part.sum()))
        assert (row.whole[0][row.part[0] == -1] == 0).all()


def test_one_word_alone_is_masked_where_the_recipe_says_so(pairs):
    one = replace(CONFIG, words=0.0)
    rows = [make_row(pairs, example, 32, FRAME, one, np.random.default_rng(1)) for example in pairs.rows[32][:20]]
    assert all((row.masked == FRAME.mask).sum() == 1 for row in rows)


def test_copies_are_excerpts_of_what_is_seen(pairs):
    stage = Stage(1.0, (), copied=1.0, runs=3)
    for example in pairs.rows[32][:20]:
        row = make_row(pairs, example, 32, FRAME, CONFIG, np.random.default_rng(2), stage)
        own, other = (row.whole[0][row.part[0] == part][1:-1].tolist() for part in (0, 1))
        rest = iter(other)
        assert all(token in rest for token in own)  # in the other text's order


@pytest.mark.parametrize("most", [1, 3])
def test_excerpts_are_up_to_so_many_runs_of_whole_words(most):
    words = np.repeat(np.arange(60), [1, 2, 3] * 20)
    ids, runs = np.arange(len(words)), set()
    for seed in range(200):
        places, own = excerpts((ids, words), 30, most, np.random.default_rng(seed))
        runs.add(1 + int((np.diff(places) > 1).sum()))
        assert 0 < len(places) <= 30 and (np.diff(places) > 0).all()
        np.testing.assert_array_equal(own, words[places])
        assert set(np.flatnonzero(np.isin(words, own))) == set(places)
    assert runs == set(range(1, most + 1))
    for size in (1, 2):  # fewer sub-words than a word may have: a part of one is better than nothing
        assert 0 < len(excerpts((ids[3:6], words[3:6]), size, most, np.random.default_rng(0))[0]) <= size
