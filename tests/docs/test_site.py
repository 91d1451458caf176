"""The site is built without a warning, holds every page, public name and command, and is searched from disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest

import nlgauge
from nlgauge import cli
from nlgauge.cli import main
from nlgauge.contract.parameters import parameters_of
from nlgauge.registry import project_metrics
from tests.contracts.browser import Watched, chromium

pytest.importorskip("sphinx", reason="needs the dependency group docs")

from extension.live import PAGES
from extension.metric import places

from tests.docs.conftest import DOCS

KINDS = project_metrics()
"""Read once: each call reads the metadata of all installed packages"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", str(folder / "kept")]
    done = subprocess.run(
        [*command, str(DOCS), str(folder / "html")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NLGAUGE_CACHE": "off"},
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_no_text_of_a_field_is_taken_for_its_type(site: Path) -> None:
    shown = (site / "reference" / "records.html").read_text(encoding="utf-8")
    assert "By (system, item): for each trial" in unescape(re.sub("<[^>]+>", "", shown))
    assert not re.search(r'<dt class="field-(odd|even)">Type<', shown)


ASKED = {
    "hallucination": "check",
    "faithfulness": "faithfulness",
    "groundedness": "check",
    "factual consistency": "faithfulness",
    "LLM as a judge": "beside-others",
    "RAG evaluation": "check",
    "summarization": "index",
    "semicolons": "formats",
}
"""What people search for, and a page that answers it"""
FIRST = 10
"""So many results of a search are looked at"""


class Prose(HTMLParser):
    """The texts of a page that are not code."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = 0
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside += tag in CODE

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag in CODE

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.found.append(data)


CODE = ("script", "style", "pre", "code")


def test_no_page_shows_raw_marks(site: Path) -> None:
    """A comment at the beginning of a line makes HTML of that line: its marks would be shown as they are."""
    raw = {}
    for path in site.rglob("*.html"):
        page = Prose()
        page.feed(path.read_text(encoding="utf-8"))
        if marked := [text.strip()[:80] for text in page.found if re.search(r"`|\]\(|<!--", text)]:
            raw[path.name] = marked
    assert raw == {}


def test_all_metrics_are_in_one_table(site: Path) -> None:
    page, homes = read(site, "metrics.html"), places(DOCS)
    assert "Does the source support all that the candidate claims" in page
    for name in KINDS:
        assert name.startswith("published/") or f'href="{homes[name].replace(".md", ".html")}"' in page


def read(site: Path, page: str) -> str:
    return unescape((site / page).read_text(encoding="utf-8"))


def test_every_page_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {path for path in pages if not (site / path).exists()} == set()


def test_the_pages_to_click_are_made_of_examples_and_load_nothing(site: Path) -> None:
    linked = re.findall(r'href="(live/[a-z]+\.html)"', read(site, "examples.html"))
    assert linked == [f"live/{name}" for name in PAGES]
    for name, wanted in (("report", "careful"), ("gate", "five crowns"), ("trust", "Faithfulness")):
        page = read(site, f"live/{name}.html")
        assert wanted in page and not re.search(r'(src|href)="https?:', page)


def test_the_commands_stand_in_the_groups_of_the_help(site: Path) -> None:
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    groups = {title: list(group) for title, group in cli._QUESTIONS.items()}
    shown = {title: re.findall(r":prog: nlgauge (\w+)", body) for title, body in re.findall(r"## (.+)\n([^#]+)", page)}
    assert {title: shown.get(title) for title in groups} == groups


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    page = read(site, "reference/api.html") + read(site, "reference/errors.html")
    elsewhere = {"__version__", *KINDS}  # each metric has a section of a page, and a test below
    assert [name for name in nlgauge.__all__ if name not in elsewhere and f'id="nlgauge.{name}"' not in page] == []


def commands(group: click.Group, name: str) -> list[str]:
    found = []
    context = click.Context(group)
    for key in group.list_commands(context):
        command = group.get_command(context, key)
        found.append(f"{name} {key}")
        if isinstance(command, click.Group):
            found += commands(command, f"{name} {key}")
    return found


def test_the_readme_leads_to_every_command() -> None:
    table = (DOCS.parent / "README.md").read_text(encoding="utf-8").partition("## Where to go on")[2]
    assert [name for name in main.list_commands(click.Context(main)) if f"`{name}`" not in table] == []


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    page = read(site, "reference/commands.html")
    assert [name for name in commands(main, "nlgauge") if f'id="{name.replace(" ", "-")}"' not in page] == []
    for option in ("--at-least", "--candidates", "--evidence"):
        assert option in page


@pytest.mark.parametrize("name", [name for name in KINDS if not name.startswith("published/")])
def test_a_metric_has_a_section_with_all_its_parameters(site: Path, name: str) -> None:
    file, _, anchor = places(DOCS)[name].partition("#")
    _, found, page = read(site, file.replace(".md", ".html")).partition(f'id="{anchor}"')
    assert found
    for parameter in parameters_of(KINDS[name]):
        assert f'<span class="pre">{parameter}</span>' in page


def test_nothing_is_loaded_from_elsewhere_and_the_search_works_from_disk(site: Path) -> None:
    with chromium() as browser:
        page = Watched(browser, site / "search.html")
        page.page.goto((site / "search.html").as_uri() + "?q=barycenter")
        # The results come one after another, so the page is waited for and not the first result.
        page.page.wait_for_selector("#search-results li a[href*='embedding' i]", state="attached")
        for words, wanted in ASKED.items():
            page.page.goto((site / "search.html").as_uri() + "?q=" + words.replace(" ", "+"))
            page.page.wait_for_selector("p.search-summary:has-text('found')")
            page.page.wait_for_selector(f"#search-results li a[href*='{wanted}']")
            links = page.page.eval_on_selector_all(
                "#search-results ul.search > li > a", "all => all.map(one => one.href)"
            )
            assert any(wanted in link for link in links[:FIRST]), f"{words}: {wanted} is not among the first {FIRST}"
        assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
