"""Texts as passages: where they start and end, which are held out, which files are read."""

import gzip
import lzma

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.passages import Frame, load_texts, pack, read_lines
from nlgauge_lab.training.recipe import MaskedLMConfig
from tests.engine.fake import tiny_tokenizer


def test_passages_start_at_sentences_and_keep_within_the_length():
    tokenizer = tiny_tokenizer()
    lines = ["w1 w2 w3.".replace(".", " w9.") + " W1 w4 w5.", " ".join(["w7"] * 30)]
    passages = pack(lines, tokenizer, 10)
    sizes = np.diff(passages.starts)
    assert sizes.max() <= 8 and sizes.sum() == len(passages.ids)
    row = passages.rows(np.array([len(passages) - 1]), 10, Frame(2, 3, 0, 4))
    assert row.shape == (1, 10) and row[0, 0] == 2 and row[0, sizes[-1] + 1] == 3


def test_lines_of_plain_and_packed_files(tmp_path):
    for name, opener in (("a.txt", open), ("a.txt.gz", gzip.open), ("a.txt.xz", lzma.open)):
        with opener(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write("one\n\n two \n")
        assert list(read_lines(tmp_path / name)) == ["one", "two"]


def test_a_share_of_the_files_of_each_group_is_read_and_some_lines_are_held_out(tmp_path):
    lines = [f"w{n % 40} w{n // 40} w{n % 7} w{n % 11}" for n in range(400)]
    for name in ("a_one.txt", "b.txt", "notes.txt"):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    config = MaskedLMConfig(body="", groups={"a*": 1.0, "b*": 0.5}, held_out_every=10, short=(8, 4), long=(16, 2))
    train, held = load_texts(tmp_path, config, tiny_tokenizer())
    assert train.keys() == {8, 16} and held.keys() == {"a", "b"}
    kept = sum(len(passages.ids) for passages in held.values()) / 2 / 4
    assert 20 < kept < 60
    assert len(train[16].ids) == pytest.approx((400 - kept) * 1.5 * 4, rel=0.05)
    with pytest.raises(InputError, match="no text to train on"):
        load_texts(tmp_path, MaskedLMConfig(body="", groups={"c*": 1.0}), tiny_tokenizer())
