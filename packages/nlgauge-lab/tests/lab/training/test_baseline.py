import gzip

import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.models.card import read_card
from nlgauge.errors import InputError
from nlgauge.metrics.bertscore import BERTScore
from nlgauge_lab.training.baseline import random_pairs, write_baseline
from tests.engine.fake import FakeModel
from tests.metrics.pieces import row, scored


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    rng = np.random.default_rng(1)
    lines = [" ".join(f"w{word}" for word in rng.integers(0, 40, 6)) for _ in range(40)]
    (folder / "a.txt").write_text("\n".join(lines[:20]) + "\ntoo short\n", encoding="utf-8")
    with gzip.open(folder / "b.txt.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines[20:]) + "\n" + "w1 " * 40 + "\n")
    (folder / "c.md").write_text("w1 w2 w3 w4 w5 from no text file\n", encoding="utf-8")
    return folder


def test_the_card_holds_what_the_metric_gives_at_every_layer(texts, tmp_path):
    write_baseline(tmp_path, texts, Engine(FakeModel()), pairs=15, seed=3)
    baseline = read_card(tmp_path).bertscore_baseline
    pairs = random_pairs(texts, 15, 3)
    assert list(baseline) == [0, 1, 2, 3]
    for layer in range(4):
        values = scored(BERTScore(layer=layer), [row(one, other) for one, other in pairs])
        f1, precision, recall = np.nanmean([value.parts for value in values], axis=0)
        assert baseline[layer] == pytest.approx([precision, recall, f1], abs=1e-6)


def test_pairs_are_distinct_sentences_and_follow_from_the_seed(texts):
    pairs = random_pairs(texts, 12, 0)
    assert len(pairs) == 12 and len({text for pair in pairs for text in pair}) == 24
    assert all(len(text.split()) == 6 for pair in pairs for text in pair)
    assert pairs == random_pairs(texts, 12, 0) != random_pairs(texts, 12, 1)
    assert len(random_pairs(texts, 10_000, 0)) == 20


def test_no_two_sentences_are_from_one_line(tmp_path):
    (tmp_path / "a.txt").write_text("One two three four. Five six seven eight.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Nine ten eleven twelve.\n", encoding="utf-8")
    for seed in range(5):
        (pair,) = random_pairs(tmp_path, 9, seed)
        assert "Nine ten eleven twelve." in pair


def test_a_folder_without_sentences_is_bad_input(tmp_path):
    (tmp_path / "a.txt").write_text("short\n", encoding="utf-8")
    with pytest.raises(InputError, match="no sentences to pair"):
        random_pairs(tmp_path, 10, 0)
