"""Commands of installed packages: loaded when they are called or listed, and what breaks one breaks no other."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint

import click
import pytest

from nlgauge import _plugins as plugins
from nlgauge import cli
from nlgauge.errors import SpecError
from tests.command import nlgauge, refused

BROKEN = "tests.cli.broken_plugin:command"


@click.command(short_help="Greets.")
def hello() -> None:
    click.echo("hello")


class Dist:
    name = "acme-commands"


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretend that an installed package offers a command, and that no other one is installed."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(cli, "_offered", cli._offered.__wrapped__)
    monkeypatch.setattr(plugins, "entry_points", lambda *, group: [point for point in points if point.group == group])

    def add(name: str, value: str, dist: type = Dist) -> None:
        point = EntryPoint(name, value, "nlgauge.commands")
        vars(point)["dist"] = dist
        points.append(point)

    return add


@pytest.mark.parametrize(
    ("value", "said"),
    [("math:pi", "not a click command"), ("no_such_module:command", "no_such_module"), (BROKEN, "broken on purpose")],
)
def test_a_broken_command_breaks_no_other(offer: Callable[..., None], value: str, said: str) -> None:
    offer("hello", f"{__name__}:hello")
    offer("odd", value)
    listed = nlgauge("--help")
    assert listed.exit_code == 0
    assert "Greets." in listed.stdout
    assert "odd" in listed.stdout
    assert nlgauge("hello").stdout == "hello\n"
    assert said in refused("odd", say="nlgauge odd: acme-commands/odd")
    refused("odd", "--help", say=said)


@pytest.mark.usefixtures("offer")
@pytest.mark.parametrize("name", sorted(plugins.LAB_COMMANDS))
def test_a_command_of_the_laboratory_names_its_package_where_it_is_not_installed(name: str) -> None:
    said = f"nlgauge: nlgauge {name} is in the package nlgauge-lab: pip install nlgauge-lab, or pip install "
    for more in ((), ("--help",), ("aligner", "--out", "x")):
        assert refused(name, *more) == said + "./packages/nlgauge-lab from a clone"
    assert f"\n  {name}" not in nlgauge("--help").stdout


def test_an_unknown_command_is_wrong_use() -> None:
    assert nlgauge("nonsense").exit_code == 2
    with pytest.raises(SpecError, match="cannot be loaded"):
        plugins.load_offered("acme/x", EntryPoint("x", "no_such_module:x", "nlgauge.commands"))
