"""What people rate on: no text is computed or cut, no system is told, and a person gets through by keyboard alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError, Row
from nlgauge.ratings.labels import Aspect
from nlgauge.ratings.project import RatingProject
from nlgauge.reports.page.sheet import write_project
from tests.contracts.browser import Watched, axe, chromium
from tests.ratings.projects import cells_of, project, written


def corpus(texts: list[str]) -> Corpus:
    rows = [
        Row(text, source=f"The source of {text}", system="hidden-system", item=f"hidden-item-{n}")
        for n, text in enumerate(texts)
    ]
    return Corpus(tuple(rows))


def test_no_cell_is_a_formula_and_no_system_is_told(tmp_path: Path) -> None:
    rows = corpus(["=1+1", "+1", "-1", "@now()", "\t=1", "\r=1", "plain", 'a "quoted", text'])
    project(tmp_path / "p", rows, 8)
    for name in ("sheet.csv", "sheet.html", "guideline.md"):
        text = (tmp_path / "p" / name).read_text(encoding="utf-8")
        assert "hidden" not in re.sub(r"(?s)<style>.*?</style>", "", text)
    cells = [line["candidate"] for line in cells_of(tmp_path / "p" / "sheet.csv")]
    assert sorted(cell.removeprefix("'") for cell in cells) == sorted(row.candidate for row in rows)
    assert not any(cell[0] in "=+-@\t\r" for cell in cells) and "plain" in cells


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        project(tmp_path / "file" / "p", corpus(["a"]), 1)


def page(tmp_path: Path, texts: list[str]) -> tuple[Path, Corpus, nlgauge.ratings.sampling.Draw]:  # type: ignore[name-defined]
    rows = corpus(texts)
    draw = nlgauge.sample(rows, len(texts))
    write_project(tmp_path / "project", rows, draw, [Aspect("supported")])
    return tmp_path / "project" / "sheet.html", rows, draw


def test_twenty_texts_are_rated_by_keyboard_saved_and_estimated(tmp_path: Path) -> None:
    texts = [f"The 🌉 bridge number {n} was closed" for n in range(20)]
    place, rows, draw = page(tmp_path, texts)
    with chromium() as browser:
        seen = Watched(browser, place, accept_downloads=True)
        press = seen.page.keyboard.press
        for n in range(20):
            if n % 3 == 0:
                for key in ("w", "w", " ", "w", " ", "w", " ", " "):  # the second and third word; the fourth and back
                    press(key)
            press("0" if n % 3 == 0 else "1")
            if n == 4:
                press("ArrowLeft")
                press("Backspace")
                assert seen.page.inner_text("#count") == "Text 5 of 20, 4 rated"
                press("1")
        assert seen.page.inner_text("#count") == "Text 20 of 20, 20 rated"
        seen.page.reload()
        assert seen.page.inner_text("#count") == "Text 20 of 20, 20 rated"
        seen.page.fill("#rater", "Anna Ö.")
        seen.page.locator("h1").click()
        with seen.page.expect_download() as download:
            press("s")
        assert download.value.suggested_filename == "ratings-Anna-Ö-.jsonl"
        rated = place.with_name("ratings-anna.jsonl")
        download.value.save_as(rated)
        seen.evaluate("() => localStorage.clear()")
        seen.page.reload()
        # What was drawn is kept again, so that a fresh browser begins at nothing.
        seen.page.set_input_files("#open", rated)
        seen.page.wait_for_function("document.getElementById('said').textContent.startsWith('20 texts were read')")
        assert seen.page.inner_text("#count") == "Text 1 of 20, 20 rated"
        assert seen.page.locator(".word.marked").all_inner_texts() == ["🌉", "bridge"]
        assert seen.page.input_value("#rater") == "Anna Ö."
        assert seen.errors == [] and all(url.startswith(("file:", "blob:")) for url in seen.requests)
    records = [json.loads(line) for line in rated.read_text(encoding="utf-8").splitlines()]
    assert [record["item"] for record in records] == [row.name for row in draw.sheet]
    assert [record["scores"]["supported"] for record in records] == [int(n % 3 > 0) for n in range(20)]
    marked = [[record["candidate"][begin:end] for begin, end in record["spans"]] for record in records]
    assert marked == [["🌉 bridge"] if n % 3 == 0 else [] for n in range(20)]
    table = nlgauge.evaluate(rows, metrics="CopyRate", cache=False)
    (one,) = nlgauge.estimate(table, RatingProject.load(place.parent).ratings())
    assert one.ratings == 20 and one.alone.value == 13 / 20


def test_several_aspects_with_labels_are_rated_by_keyboard_and_edited_in_a_spreadsheet(tmp_path: Path) -> None:
    """A project from the page to the estimate: one rater on the page, one on a sheet as a spreadsheet saves it."""
    rows = corpus([f"Text {n}\nin two lines" for n in range(24)])
    folder = tmp_path / "p"
    aspects = [Aspect("supported", labels={"hallucinated": 0.0, "fine": 1.0}), Aspect("clear", 1, 5)]
    made = project(folder, rows, 24, aspects)
    with chromium() as browser:
        seen = Watched(browser, folder / "sheet.html", accept_downloads=True)
        press = seen.page.keyboard.press
        buttons = seen.page.locator("#rate button").all_inner_texts()
        assert buttons == ["0 hallucinated", "1 fine", "1", "2", "3", "4", "5"]
        for n in range(24):
            press("9")  # on no scale
            press(str(n % 3 and 1))
            assert seen.page.inner_text("#count") == f"Text {n + 1} of 24, {n} rated"
            if n == 5:
                press("a")
                press("Backspace")
                press("1")
            press(str(n % 5 + 1))
        press("ArrowLeft")
        assert seen.page.locator("#rate button[aria-pressed=true]").all_inner_texts() == ["1 fine", "3"]
        with seen.page.expect_download() as download:
            press("s")
        assert download.value.suggested_filename == "ratings.jsonl"
        download.value.save_as(folder / "ratings-anna.jsonl")
        other = project(tmp_path / "q", rows, 24, aspects, seed=1)
        seen.page.goto((tmp_path / "q" / "sheet.html").as_uri())
        seen.page.set_input_files("#open", folder / "ratings-anna.jsonl")
        seen.page.wait_for_function("document.getElementById('said').textContent.includes('it is of another draw')")
        assert seen.page.inner_text("#count") == "Text 1 of 24, 0 rated" and other.id != made.id and seen.errors == []
    lines = cells_of(folder / "sheet.csv")
    for n, line in enumerate(lines):
        line["scores.supported"] = ["Hallucinated", "FINE", "n/a"][n % 3 if n else 2]
        line["scores.clear"] = "3,5"
    table = ("sep=;\n" + written(lines, ";") + ";;;;\n\n").replace("\r\n", "\n").replace("\n", "\r\n")
    (folder / "sheet-ben.csv").write_bytes(table.encode("utf-8-sig"))
    ratings = RatingProject.load(folder).ratings()
    scores = {row.item: row.scores for row in ratings}
    of = {row.name: row.item for row in made.draw.sheet}
    assert scores[of["r01"]] == {"supported": 0.0, "clear": (1 + 3.5) / 2}
    assert scores[of["r05"]] == {"supported": 1.0, "clear": (5 + 3.5) / 2}
    assert [one.raters for one in ratings.agreement] == [("anna", "ben")] * 2
    assert [one.level for one in ratings.agreement] == ["nominal", "interval"]


def test_the_page_is_accessible(tmp_path: Path) -> None:
    script = axe()
    place, _, _ = page(tmp_path, ["One text.", "Another text."])
    with chromium() as browser:
        assert Watched(browser, place).serious(script) == []
