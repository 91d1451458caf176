"""The recipe of a masked LM."""

from pathlib import Path

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.lab.training import masked_lm_config as module
from nlgauge.lab.training.masked_lm_config import MaskedLMConfig


def test_the_rate_warms_up_stays_and_falls_to_zero():
    config = MaskedLMConfig(body="", groups={}, steps=100, warmup_steps=10, decay_share=0.3)
    rates = [config.rate(step) for step in range(100)]
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
