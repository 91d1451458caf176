import gzip

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.baseline import random_pairs


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


def test_a_folder_without_sentences_is_bad_input(tmp_path):
    (tmp_path / "a.txt").write_text("short\n", encoding="utf-8")
    with pytest.raises(InputError, match="no sentences to pair"):
        random_pairs(tmp_path, 10, 0)
