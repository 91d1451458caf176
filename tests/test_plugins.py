"""What installed packages offer goes by package and name; what cannot be loaded is said with both."""

from importlib.metadata import EntryPoint

import pytest

from nlgauge import _plugins as plugins
from nlgauge.errors import SpecError


class Dist:
    name = "acme-metrics"


def point(name, value, dist=Dist):
    made = EntryPoint(name, value, "nlgauge.metrics")
    vars(made)["dist"] = dist
    return made


def test_names_are_those_of_the_package_and_of_the_entry_point(monkeypatch):
    points = [point("Acme", "math:pi"), point("Stray", "math:e", None)]
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: points if group == "nlgauge.metrics" else [])
    assert list(plugins.offered("nlgauge.metrics")) == [("acme-metrics/Acme", points[0]), ("unknown/Stray", points[1])]
    assert list(plugins.offered("nlgauge.models")) == []


def test_an_entry_point_is_loaded():
    import math

    assert plugins.load_offered("acme-metrics/Acme", point("Acme", "math:pi")) == math.pi


@pytest.mark.parametrize(
    ("value", "says"), [("no_such_module:X", "ModuleNotFoundError"), ("math:no_such_thing", "AttributeError")]
)
def test_what_cannot_be_loaded_is_said_with_its_package(value, says):
    with pytest.raises(SpecError, match=f"acme-metrics/Acme cannot be loaded: {says}"):
        plugins.load_offered("acme-metrics/Acme", point("Acme", value))
