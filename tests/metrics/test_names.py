"""The name of a metric's class: ours, and of nobody (those of packages: tests/outside, and the laboratory's tests)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics import registry
from nlgauge.metrics.base import registered_name
from nlgauge.metrics.length import Length


@dataclass(frozen=True)
class Mine(Length):
    """A metric that nobody registered."""


def test_names_of_ours() -> None:
    assert registered_name(Length) == "Length"
    assert all(registered_name(kind) == name for name, kind in registry.built_in_metrics().items())


def test_a_class_that_nobody_registered_is_mistaken_for_none() -> None:
    assert registered_name(Mine) == f"{__name__}:Mine"
    assert str(Mine(unit="characters")) == f"{__name__}:Mine(unit='characters')"
    with pytest.raises(SpecError, match="no metric"):
        registry.metric(str(Mine()))
