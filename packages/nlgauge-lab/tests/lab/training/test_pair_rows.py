"""Pairs of texts: read, shared out and held out, and as rows: which words are masked, what is in sight, excerpts."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training import pair_rows
from nlgauge_lab.training.pair_rows import Pairs, excerpts, make_row, read_pairs
from nlgauge_lab.training.passages import Frame
from nlgauge_lab.training.recipe import PairsConfig, Stage
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


RECIPE = Path(pair_rows.__file__).parent / "pairs.toml"
READING = replace(CONFIG, groups={"a:*": 1.0}, held_out_every=10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The candidate says the words of the other text backwards."""
    place = tmp_path_factory.mktemp("pairs")
    generator = np.random.default_rng(3)
    texts = [[f"w{i}" for i in generator.integers(0, 40, size)] for size in generator.integers(4, 14, 400)]
    records = [{"candidate": " ".join(words[::-1]), "source": " ".join(words), "origin": "own:1"} for words in texts]
    (place / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (place / "notes.txt").write_text("not a pair\n", encoding="utf-8")
    return place


def test_pairs_are_read_shared_out_and_held_out_by_their_other_text(folder, tmp_path):
    train_pairs, held = read_pairs(folder, READING)
    assert len(train_pairs) + len(held["a"]) == 400 and 20 < len(held["a"]) < 60
    assert not {other for _, other in train_pairs} & {other for _, other in held["a"]}
    half, _ = read_pairs(folder, replace(READING, groups={"a:own*": 0.5}, held_out_every=10**9))
    assert len(half) == 200
    names = [("summary", "doc"), ("target", "source"), ("response", "knowledge"), ("a", "b")]
    lines = [json.dumps({one: "w1 w2 w3 w4", other: "w5"}) for one, other in names]
    (tmp_path / "mixed.jsonl").write_text("\n".join([*lines, json.dumps({"a": " ", "b": "w1"})]), encoding="utf-8")
    found, _ = read_pairs(
        tmp_path / "mixed.jsonl", replace(READING, groups={"*": 1.0}, longest=5, held_out_every=10**9)
    )
    assert found == [("w1 w2", "w5")] * 4


def test_what_is_no_pair_is_refused(folder, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"candidate": "w1", "source": "w2"}\n{"candidate": "w1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.jsonl: row 2: is no pair \(give JSON records with candidate and source"):
        read_pairs(tmp_path, READING)
    with pytest.raises(InputError, match=r"no pairs to train on \(the recipe reads files .* by their names, b\*"):
        read_pairs(folder, replace(READING, groups={"b*": 1.0}))


def test_a_file_that_is_named_is_read_whatever_its_name_is(folder):
    config = replace(PairsConfig.read(RECIPE), held_out_every=10**9)
    assert len(read_pairs(folder / "a.jsonl", config)[0]) == 400
    (folder / "a.jsonl").rename(folder / "docsum.jsonl")
    assert len(read_pairs(folder / "docsum.jsonl", replace(config, groups={"docsum*": 0.5}))[0]) == 200


def test_every_pair_is_read_both_ways_in_the_shortest_row_that_holds_it():
    texts = [("w1 w2", "w3"), ("w1", "w2 " * 20), ("w1", ""), ("w1 w2", "w9")]
    pairs = Pairs.of(texts, READING, tiny_tokenizer())
    assert pairs.rows[16].tolist() == [[0, 0], [0, 1], [1, 1], [3, 0], [3, 1]]
    assert pairs.rows[32].tolist() == [[1, 0]]  # of a long side that is masked itself a stretch is read
    ids, words = pairs.sides[1][1]
    assert len(ids) == 20 and words.tolist() == list(range(20)) and pairs.sides[1].sizes.tolist() == [1, 20, 0, 1]
    alike = Pairs.of([("w1 w2", "w2 w3"), ("w1", "w9")], replace(READING, least_overlap=0.5), tiny_tokenizer())
    assert alike.rows[16].tolist() == [[0, 0], [0, 1]]
