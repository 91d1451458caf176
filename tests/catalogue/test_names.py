"""The name of a metric's class: ours, those that repeat published errors, those of packages, and of nobody."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from nlgauge.catalogue import registry
from nlgauge.catalogue.names import registered_name
from nlgauge.errors import SpecError
from nlgauge.metrics.length import Length
from nlgauge.metrics.published.infolm import InfoLM


@dataclass(frozen=True)
class Mine(Length):
    """A metric that nobody registered."""


def test_names_of_ours() -> None:
    assert registered_name(Length) == "Length"
    assert registered_name(InfoLM) == "published/InfoLM"
    assert all(registered_name(kind) == name for name, kind in registry.built_in_metrics().items())


def test_a_class_that_nobody_registered_is_mistaken_for_none() -> None:
    assert registered_name(Mine) == f"{__name__}:Mine"
    assert str(Mine(unit="characters")) == f"{__name__}:Mine(unit='characters')"
    with pytest.raises(SpecError, match="no metric"):
        registry.metric(str(Mine()))
