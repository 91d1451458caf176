"""Pages in a real browser: clicks and keys do what they say, nothing leaves the file, and everybody can read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus
from nlgauge.show.environment import shown
from tests.contracts.browser import Watched, axe, chromium
from tests.outline import NASTY
from tests.report_tables import DOWN, ITEMS, UP, corpus, table

ROWS = corpus()
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages") / "report.html"
    nlgauge.report(table(ROWS), made, outputs=ROWS, replicates=200)
    return made


@pytest.fixture
def opened(browser: Any, path: Path) -> Iterator[Watched]:
    watched = Watched(browser, path, viewport={"width": 1200, "height": 900})
    yield watched
    assert watched.errors == []
    assert watched.requests == [watched.page.url.partition("#")[0]]
    watched.context.close()


def texts(watched: Watched, selector: str) -> list[str]:
    return watched.page.locator(selector).all_inner_texts()


def test_rows_are_found_by_their_words(opened: Watched) -> None:
    page = opened.page
    page.fill("#f-text", "HALL 7 was")
    page.wait_for_selector("#f-said:has-text('3 of 72')")
    assert texts(opened, "#list tbody .item") == ["item-7"] * 3
    page.click("#f-reset")
    page.wait_for_selector("#f-said:has-text('72 rows')")


def test_rows_are_filtered_by_system_range_and_reason(opened: Watched) -> None:
    page = opened.page
    page.select_option("#f-system", label="bad")
    assert page.inner_text("#f-said").startswith(f"{ITEMS} of 72")
    page.select_option("#f-reason", index=1)
    assert texts(opened, "#list tbody .item") == ["item-0", "item-1"]
    page.select_option("#f-reason", index=0)
    page.select_option("#f-scale", label=f"{UP} f1")
    page.fill("#f-low", "0.1")
    page.fill("#f-high", "0.2")
    values = table(ROWS).values(UP)[2 * ITEMS :]
    expected = int(((values >= 0.1) & (values <= 0.2)).sum())
    assert 0 < expected < ITEMS
    assert page.inner_text("#f-said").startswith(f"{expected} of 72")


def test_rows_are_sorted_by_a_click_on_a_head_worst_first(opened: Watched) -> None:
    page = opened.page
    page.click("#list thead button >> text=Down")
    assert page.get_attribute("#list th[aria-sort]", "aria-sort") == "descending"
    values = table(ROWS).values(DOWN)
    order = [str(row + 1) for row in np.argsort(-values, kind="stable") if not np.isnan(values[row])]
    assert texts(opened, "#list tbody th") == order[:25]
    page.click("#list thead button >> text=Down")
    assert texts(opened, "#list tbody th") == order[::-1][:25]


def test_pages_of_the_list_follow_each_other(opened: Watched) -> None:
    page = opened.page
    assert page.is_disabled("#p-back")
    page.click("#p-next")
    assert texts(opened, "#list tbody th")[0] == "26"
    page.click("#p-next")
    assert page.inner_text("#p-said") == "Page 3 of 3" and page.is_disabled("#p-next")


def test_a_row_opens_with_its_evidence_and_closes_by_keyboard(opened: Watched) -> None:
    page = opened.page
    page.locator("#list tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail[open]")
    assert page.inner_text("#d-title") == "good, item-0"
    assert texts(opened, "#d-evidence .pane .text") == ["Five people sang in hall 0.", "Source 0."]
    page.locator("#d-evidence .text").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#d-evidence .said").startswith("“Five”: supported: 0.1")
    assert texts(opened, "#d-evidence .on") == ["Five", "Source"]
    assert texts(opened, "#d-others tbody th") == ["twin", "bad"]
    page.keyboard.press("n")
    assert page.inner_text("#d-title") == "good, item-1"
    assert page.locator("#d-texts .text", has_text="Source 1.").bounding_box()["y"] < 600, "on the first screen"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#d-title") == "good, item-2"
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#d-title") == "good, item-1"
    page.keyboard.press("Escape")
    # The browser tells the page of the closed dialog a moment later.
    page.wait_for_function("!document.querySelector('#detail').open && location.hash === '#rows'")


def test_links_lead_to_rows(opened: Watched) -> None:
    page = opened.page
    page.click(".fails a >> nth=0")
    page.wait_for_selector("#detail[open]")
    row = int(page.url.partition("#row-")[2])
    assert page.inner_text("#d-where") == f"Row {row} of 72"
    page.goto(page.url.partition("#")[0] + "#row-50")
    page.reload()
    page.wait_for_selector("#detail[open]")
    assert page.inner_text("#d-where") == "Row 50 of 72"
    opened.requests[:] = opened.requests[:1]  # the same file, read again


def test_a_pair_is_chosen_and_its_items_follow(opened: Watched) -> None:
    page = opened.page
    page.select_option("#pair-choice", label="good and bad")
    assert texts(opened, ".pair:not([hidden]) h3") == ["good and bad"]
    page.select_option("#differ-by", label=f"{UP} f1")
    values = table(ROWS).values(UP)
    apart = np.argsort(-np.abs(values[:ITEMS] - values[2 * ITEMS :]), kind="stable")
    assert texts(opened, "#differ tbody th") == [f"item-{item}" for item in apart[:8]]


def test_a_bar_filters_the_rows(opened: Watched) -> None:
    page = opened.page
    page.select_option("#hist-by", label=f"{UP} f1")
    bar = page.locator("#hist .bin").first
    label = str(bar.get_attribute("aria-label"))
    bar.focus()
    page.keyboard.press("Enter")
    system, _, rest = label.partition(": ")
    assert page.inner_text("#f-said").startswith(rest.split()[0])
    assert set(texts(opened, "#list tbody .sys")) == {system}


def test_points_are_reached_by_keyboard_and_open_their_row(opened: Watched) -> None:
    page = opened.page
    page.select_option("#scatter-x", label=f"{UP} f1")
    page.select_option("#scatter-y", label="people: fluency")
    page.focus("#scatter")
    page.keyboard.press("ArrowRight")
    lowest = int(np.argmin(table(ROWS).values(UP))) + 1
    assert page.inner_text("#scatter-said").startswith(f"Row {lowest},")
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail[open]")
    assert page.inner_text("#d-where") == f"Row {lowest} of 72"


@pytest.mark.parametrize(("metric", "across"), [("Length", None), ("BERTScore", "BERTScore precision")])
def test_a_score_is_never_drawn_against_itself(browser: Any, tmp_path: Path, metric: str, across: str | None) -> None:
    """Beside one score stands another part of its metric; where there is none, no scatter is shown."""
    rows = Corpus.from_texts(["A cat sat.", "It rained twice."], references=[["The cat sat."], ["Rain fell."]])
    made = tmp_path / "page.html"
    nlgauge.report(nlgauge.evaluate(rows, metrics=metric, cache=False), made, outputs=rows, replicates=0)
    watched = Watched(browser, made)
    labels = [
        watched.page.eval_on_selector(f"#scatter-{axis}", "select => select.selectedOptions[0]?.label ?? null")
        for axis in "xy"
    ]
    assert watched.page.is_visible("#scatter") is (across is not None)
    assert labels[1] == across and (across is None or labels[0] != across)
    assert watched.errors == []
    watched.context.close()


def test_a_cell_of_agreement_shows_its_scatter(opened: Watched) -> None:
    page = opened.page
    page.click(".matrix button >> nth=0")
    assert page.eval_on_selector("#scatter-x", "select => select.selectedOptions[0].label") == DOWN
    assert "Pearson correlation" in page.inner_text("#scatter-said")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser: Any, path: Path, width: int, scheme: str) -> None:
    watched = Watched(browser, path, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert watched.evaluate("document.documentElement.scrollWidth") <= width
    watched.evaluate("openRow(0)")
    assert watched.evaluate("document.getElementById('detail').scrollWidth") <= width
    assert watched.errors == []
    watched.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_letters_of_a_figure_do_not_lie_on_each_other(browser: Any, path: Path, width: int) -> None:
    watched = Watched(browser, path, viewport={"width": width, "height": 800})
    boxes = watched.evaluate(
        "[...document.querySelectorAll('#hist text')].map(one => one.getBoundingClientRect())"
        ".map(box => [box.left, box.top, box.right, box.bottom])"
    )
    assert len(boxes) > 6
    lying = [
        (one, other)
        for number, one in enumerate(boxes)
        for other in boxes[:number]
        # Boxes hold the room above and below letters, which may overlap by a little.
        if min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) - max(one[1], other[1]) > 3
    ]
    assert lying == []
    watched.context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_serious(browser: Any, path: Path, scheme: str, tmp_path: Path) -> None:
    script = axe()
    watched = Watched(browser, path, color_scheme=scheme)
    watched.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert watched.serious(script) == []
    watched.evaluate("openRow(0)")
    assert watched.serious(script) == []
    nlgauge.explain(ROWS, "TokenF1", [0, 30], cache=False).save(tmp_path / "explain.html")
    explained = Watched(browser, tmp_path / "explain.html", color_scheme=scheme)
    assert explained.serious(script) == [] and explained.errors == []


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_any_text_is_shown_inert_and_whole(browser: Any, tmp_path: Path, text: str) -> None:
    rows = Corpus(tuple(replace(row, candidate=text, source=text, references=(text,)) for row in ROWS))
    nlgauge.report(table(rows), tmp_path / "report.html", outputs=rows, title=text[:60], replicates=10)
    watched = Watched(browser, tmp_path / "report.html")
    watched.page.on("dialog", lambda dialog: watched.errors.append(dialog.message))
    watched.evaluate("openRow(2)")
    watched.evaluate("document.querySelectorAll('#detail details').forEach(one => { one.open = true; })")
    found = watched.evaluate("[...document.querySelectorAll('#detail .text')].map(one => one.textContent)")
    assert len(found) == 5 and set(found) == {shown(text)}
    assert watched.evaluate("document.querySelectorAll('img').length") == 0
    assert watched.evaluate("document.querySelectorAll('script').length") == 2
    assert watched.errors == [] and len(watched.requests) == 1
    watched.context.close()


def test_a_script_that_texts_would_bring_does_not_run(browser: Any, path: Path) -> None:
    watched = Watched(browser, path)
    watched.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
    watched.page.wait_for_timeout(100)
    assert watched.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in watched.errors)
    watched.context.close()


def test_the_tables_are_read_without_a_script(browser: Any, path: Path) -> None:
    watched = Watched(browser, path, java_script_enabled=False)
    assert watched.page.locator(".card").count() == 4, "what people say, and three metrics"
    assert watched.page.locator(".pair h3:visible").count() == 3
    assert "Scripts are turned off" in watched.page.inner_text("main")
    watched.context.close()
