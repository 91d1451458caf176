"""The texts that rows are made of."""

from __future__ import annotations

import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training.support.texts import read_texts
from tests.lab.training.support.places import PARALLEL, PASSAGES


def test_texts_are_read_by_the_recipe_and_some_are_kept_apart(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join([*PASSAGES, "too short"]), encoding="utf-8")
    lines = "\n".join(f'{{"source": "{a}", "target": "{b}"}}' for a, b in PARALLEL)
    long = '{"source": "It was all over.", "target": "It was all over when the last of the big trains had left us."}'
    (tmp_path / "b.jsonl").write_text(f"{lines}\n{long}\n", encoding="utf-8")
    recipe = {"held_out": 0.1, "passages": [{"files": "a*", "most": 20}], "parallel": [{"files": "b*"}]}
    found = read_texts(tmp_path, recipe, 1)
    assert len(found.train.passages) == 18 and len(found.held.passages) == 2
    assert len(found.train.parallel) == 27 and len(found.held.parallel) == 3  # the pair that tells more is left out
    assert not set(found.train.passages) & set(found.held.passages)
    assert read_texts(tmp_path, recipe, 1) == found != read_texts(tmp_path, recipe, 2)
    with pytest.raises(InputError, match="no file c"):
        read_texts(tmp_path, {"passages": [{"files": "c*"}]}, 1)
    with pytest.raises(InputError, match="no passages"):
        read_texts(tmp_path, {}, 1)
