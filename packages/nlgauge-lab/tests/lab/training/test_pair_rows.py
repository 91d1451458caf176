"""Pairs of texts: read, shared out and held out, and as rows: which words are masked, what is in sight, excerpts."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.pair_rows import Pairs, read_pairs
from nlgauge_lab.training.recipe import PairsConfig
from tests.engine.fake import tiny_tokenizer

CONFIG = PairsConfig(body="", groups={}, words=0.3, stretch=12, sizes=((16, 8), (32, 4)))


@pytest.fixture(scope="module")
def pairs():
    """The candidate says the words of the other text backwards."""
    generator = np.random.default_rng(3)
    texts = [[f"w{i}" for i in generator.integers(0, 40, size)] for size in generator.integers(8, 14, 100)]
    return Pairs.of([(" ".join(words[::-1]), " ".join(words)) for words in texts], CONFIG, tiny_tokenizer())


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


def test_what_is_no_pair_is_refused(folder, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"candidate": "w1", "source": "w2"}\n{"candidate": "w1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.jsonl: row 2: is no pair \(give JSON records with candidate and source"):
        read_pairs(tmp_path, READING)
    with pytest.raises(InputError, match=r"no pairs to train on \(the recipe reads files .* by their names, b\*"):
        read_pairs(folder, replace(READING, groups={"b*": 1.0}))
