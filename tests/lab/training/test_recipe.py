"""Recipes: what a TOML file says, and what is said of one that is none."""

from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training.recipe import read_recipe


def test_tables_and_lists_are_read(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("seed = 3\n[data]\nshares = [0.5, 1]\n[[stage]]\nuntil = 1.0\n", encoding="utf-8")
    assert read_recipe(path) == {"seed": 3, "data": {"shares": [0.5, 1]}, "stage": [{"until": 1.0}]}


@pytest.mark.parametrize("content", [b"seed = ", b"\xff\xfe", None], ids=["broken", "not utf-8", "absent"])
def test_a_file_that_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "recipe.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"recipe\.toml.*give a recipe in TOML"):
        read_recipe(path)


def test_a_recipe_may_be_like_another_one(tmp_path):
    (tmp_path / "one.toml").write_text('body = "a"\nseed = 1\n[t]\nx = 1\ny = 2\n[[s]]\nf = 1\n', encoding="utf-8")
    (tmp_path / "two.toml").write_text('like = "one.toml"\nbody = "b"\n[t]\ny = 3\n', encoding="utf-8")
    assert read_recipe(tmp_path / "two.toml") == {"body": "b", "seed": 1, "t": {"x": 1, "y": 3}, "s": [{"f": 1}]}
    (tmp_path / "three.toml").write_text('like = "absent.toml"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read"):
        read_recipe(tmp_path / "three.toml")
