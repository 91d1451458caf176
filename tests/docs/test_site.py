"""The site is built without a warning, holds every page, public name and command, and is searched from disk."""

from __future__ import annotations

import os
import subprocess
import sys
from html import unescape
from pathlib import Path

import click
import pytest

import nlgauge
from nlgauge.catalogue.registry import built_in_metrics, parameters_of
from nlgauge.cli import main
from tests.contracts.browser import Watched, chromium

pytest.importorskip("sphinx", reason="needs nlgauge[docs]")

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(folder / "kept")]
    done = subprocess.run(
        [*command, str(DOCS), str(folder / "html")],
        capture_output=True, text=True, check=False, env={**os.environ, "NLGAUGE_CACHE": "off"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


def read(site: Path, page: str) -> str:
    return unescape((site / page).read_text(encoding="utf-8"))


def test_every_page_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {path for path in pages if not (site / path).exists()} == set()


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = read(site, "reference/api.html") + read(site, "reference/errors.html")
    elsewhere = {"__version__", *built_in_metrics()}  # each metric has a page of its own, and a test below
    assert [name for name in nlgauge.__all__ if name not in elsewhere and f'id="nlgauge.{name}"' not in page] == []


def commands(group: click.Group, name: str) -> list[str]:
    found = []
    for key, command in group.commands.items():
        found.append(f"{name} {key}")
        if isinstance(command, click.Group):
            found += commands(command, f"{name} {key}")
    return found


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    page = read(site, "reference/commands.html")
    assert [name for name in commands(main, "nlgauge") if f'id="{name.replace(" ", "-")}"' not in page] == []
    for option in ("--at-least", "--candidates", "--evidence"):
        assert option in page


@pytest.mark.parametrize("name", [name for name in built_in_metrics() if not name.startswith("published/")])
def test_a_metric_has_a_page_with_all_its_parameters(site: Path, name: str) -> None:
    page = read(site, f"metrics/{name.lower()}.html")
    assert f"<h1>{name}" in page
    for parameter in parameters_of(built_in_metrics()[name]):
        assert f'<span class="pre">{parameter}</span>' in page


def test_nothing_is_loaded_from_elsewhere_and_the_search_works_from_disk(site: Path) -> None:
    with chromium() as browser:
        page = Watched(browser, site / "search.html")
        page.page.goto((site / "search.html").as_uri() + "?q=barycenter")
        page.page.wait_for_selector("#search-results li a")
        assert any(
            "baryscore" in link.lower()
            for link in page.page.eval_on_selector_all("#search-results li a", "all => all.map(one => one.href)")
        )
        assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
