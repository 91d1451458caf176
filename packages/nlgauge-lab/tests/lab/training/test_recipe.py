"""Recipes: what a TOML file says, and what is said of one that is none."""

import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.recipe import read_recipe


def test_a_recipe_may_be_like_another_one(tmp_path):
    (tmp_path / "one.toml").write_text('body = "a"\nseed = 1\n[t]\nx = 1\ny = 2\n[[s]]\nf = 1\n', encoding="utf-8")
    (tmp_path / "two.toml").write_text('like = "one.toml"\nbody = "b"\n[t]\ny = 3\n', encoding="utf-8")
    assert read_recipe(tmp_path / "two.toml") == {"body": "b", "seed": 1, "t": {"x": 1, "y": 3}, "s": [{"f": 1}]}
    (tmp_path / "three.toml").write_text('like = "absent.toml"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read"):
        read_recipe(tmp_path / "three.toml")
