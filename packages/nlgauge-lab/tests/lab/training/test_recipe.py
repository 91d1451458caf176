"""Recipes: what a TOML file says, and what is said of one that is none."""

from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training import recipe as module
from nlgauge_lab.training.recipe import MaskedLMConfig, PairsConfig, Stage, read_recipe


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


def test_the_rate_warms_up_stays_and_falls_to_zero():
    config = MaskedLMConfig(body="", groups={}, steps=100, warmup_steps=10, decay_share=0.3)
    rates = [config.factor(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.1) and rates[9:70] == [1.0] * 61
    assert np.all(np.diff(rates[70:]) < 0) and rates[-1] == pytest.approx(1 / 30)


def test_the_recipes_of_the_package_are_readable_and_an_unknown_key_is_refused(tmp_path):
    recipe = MaskedLMConfig.read(Path(module.__file__).with_name("pocket.toml"))
    assert recipe.body and recipe.groups and len(recipe.short) == 2
    larger = MaskedLMConfig.read(Path(module.__file__).with_name("masked_lm_base.toml"))
    assert larger.body == "nlgauge_base" and larger.rank and larger.groups == recipe.groups
    (tmp_path / "bad.toml").write_text('body = "x"\nspeed = 9\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.toml: .*speed"):
        MaskedLMConfig.read(tmp_path / "bad.toml")


@pytest.mark.parametrize(("name", "body"), [("pairs.toml", "pocket"), ("pairs_base.toml", "base")])
def test_the_recipes_for_pairs_are_readable(name, body):
    recipe = PairsConfig.read(Path(module.__file__).with_name(name))
    assert recipe.body == body
    assert recipe.stage(0).shares[0] > recipe.stage(recipe.steps - 1).shares[0]
    assert all(len(stage.shares) == len(recipe.sizes) for stage in recipe.stages)
    assert [stage.until for stage in recipe.stages] == sorted(stage.until for stage in recipe.stages)
    factors = [recipe.factor(step) for step in range(recipe.steps)]
    assert max(factors) == 1 and factors[-1] < 0.01 and factors[0] == pytest.approx(1 / recipe.warmup_steps)


def test_each_step_has_its_stage():
    recipe = PairsConfig(body="", groups={}, steps=10, stages=(Stage(0.5, (1.0,)), Stage(1.0, (0.5,), copied=0.5)))
    assert [recipe.stage(step).copied for step in (0, 4, 5, 9)] == [0, 0, 0.5, 0.5]
    assert PairsConfig(body="", groups={}, sizes=((8, 1), (16, 1))).stage(3) == Stage(1.0, (1.0, 1.0))


def test_what_is_no_recipe_is_refused(tmp_path):
    for text in ('body = "x"\nspeed = 9\n', 'body = "x"\n[[stage]]\nuntil = 1\n'):
        (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"bad.toml: .*compare with the recipe pairs.toml"):
            PairsConfig.read(tmp_path / "bad.toml")
