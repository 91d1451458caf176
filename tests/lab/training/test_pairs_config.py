"""The recipe of weights for pairs."""

from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training import pairs_config as module
from nlgauge.lab.training.pairs_config import PairsConfig, Stage


@pytest.mark.parametrize(("name", "body"), [("pairs.toml", "pocket"), ("pairs_base.toml", "base")])
def test_the_recipes_of_the_package_are_readable(name, body):
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
