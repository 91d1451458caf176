"""Pairs of texts: read, shared out, held out, and in which rows they fit."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training import pair_texts
from nlgauge.lab.training.pair_texts import Pairs, read_pairs
from nlgauge.lab.training.recipe import PairsConfig
from tests.engine.fake import tiny_tokenizer

RECIPE = Path(pair_texts.__file__).parent / "pairs.toml"
CONFIG = PairsConfig(body="", groups={"a:*": 1.0}, held_out_every=10, stretch=12, sizes=((16, 8), (32, 4)))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """The candidate says the words of the other text backwards."""
    folder = tmp_path_factory.mktemp("pairs")
    generator = np.random.default_rng(3)
    texts = [[f"w{i}" for i in generator.integers(0, 40, size)] for size in generator.integers(4, 14, 400)]
    records = [{"candidate": " ".join(words[::-1]), "source": " ".join(words), "origin": "own:1"} for words in texts]
    (folder / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (folder / "notes.txt").write_text("not a pair\n", encoding="utf-8")
    return folder


def test_pairs_are_read_shared_out_and_held_out_by_their_other_text(pairs, tmp_path):
    train_pairs, held = read_pairs(pairs, CONFIG)
    assert len(train_pairs) + len(held["a"]) == 400 and 20 < len(held["a"]) < 60
    assert not {other for _, other in train_pairs} & {other for _, other in held["a"]}
    half, _ = read_pairs(pairs, replace(CONFIG, groups={"a:own*": 0.5}, held_out_every=10**9))
    assert len(half) == 200
    names = [("summary", "doc"), ("target", "source"), ("response", "knowledge"), ("a", "b")]
    lines = [json.dumps({one: "w1 w2 w3 w4", other: "w5"}) for one, other in names]
    (tmp_path / "mixed.jsonl").write_text("\n".join([*lines, json.dumps({"a": " ", "b": "w1"})]), encoding="utf-8")
    found, _ = read_pairs(tmp_path / "mixed.jsonl", replace(CONFIG, groups={"*": 1.0}, longest=5, held_out_every=10**9))
    assert found == [("w1 w2", "w5")] * 4


def test_what_is_no_pair_is_refused(pairs, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"candidate": "w1", "source": "w2"}\n{"candidate": "w1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.jsonl: row 2: is no pair \(give JSON records with candidate and source"):
        read_pairs(tmp_path, CONFIG)
    with pytest.raises(InputError, match=r"no pairs to train on \(the recipe reads files .* by their names, b\*"):
        read_pairs(pairs, replace(CONFIG, groups={"b*": 1.0}))


def test_a_file_that_is_named_is_read_whatever_its_name_is(pairs):
    config = replace(PairsConfig.read(RECIPE), held_out_every=10**9)
    assert len(read_pairs(pairs / "a.jsonl", config)[0]) == 400
    (pairs / "a.jsonl").rename(pairs / "docsum.jsonl")
    assert len(read_pairs(pairs / "docsum.jsonl", replace(config, groups={"docsum*": 0.5}))[0]) == 200


def test_every_pair_is_read_both_ways_in_the_shortest_row_that_holds_it():
    texts = [("w1 w2", "w3"), ("w1", "w2 " * 20), ("w1", ""), ("w1 w2", "w9")]
    pairs = Pairs.of(texts, CONFIG, tiny_tokenizer())
    assert pairs.rows[16].tolist() == [[0, 0], [0, 1], [1, 1], [3, 0], [3, 1]]
    assert pairs.rows[32].tolist() == [[1, 0]]  # of a long side that is masked itself a stretch is read
    ids, words = pairs.sides[1][1]
    assert len(ids) == 20 and words.tolist() == list(range(20)) and pairs.sides[1].sizes.tolist() == [1, 20, 0, 1]
    alike = Pairs.of([("w1 w2", "w2 w3"), ("w1", "w9")], replace(CONFIG, least_overlap=0.5), tiny_tokenizer())
    assert alike.rows[16].tolist() == [[0, 0], [0, 1]]
