"""What people rate on: no text is computed or cut, no system is told, and a person gets through by keyboard alone."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError, Row
from nlgauge.show.page.sheet import write_sheet
from tests.contracts.browser import Watched, axe, chromium
from tests.meta.hidden import outputs
from tests.outline import NASTY


def corpus(texts: list[str]) -> Corpus:
    rows = [
        Row(text, source=f"The source of {text}", system="hidden-system", item=f"hidden-item-{n}")
        for n, text in enumerate(texts)
    ]
    return Corpus(tuple(rows))


def cells_of(place: Path) -> list[dict[str, str]]:
    with place.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_sheet_is_read_as_rated_outputs(tmp_path: Path) -> None:
    table, rows, truth = outputs(100, 0)
    draw = nlgauge.sample(rows, 60)
    write_sheet(tmp_path / "to-rate.csv", rows, draw, "good", range(2))
    lines = cells_of(tmp_path / "to-rate.csv")
    assert list(lines[0]) == ["item", "source", "candidate", "scores.good"] and len(lines) == 60
    key = {row.name: (row.system, row.item) for row in draw.sheet}
    for line in lines:
        line["scores.good"] = str(truth[key[line["item"]]])
    with (tmp_path / "rated.csv").open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, list(lines[0]))
        sheet.writeheader()
        sheet.writerows(lines)
    found = nlgauge.estimate(table, Corpus.read(tmp_path / "rated.csv"), draw=draw)
    assert [one.ratings for one in found] == [30, 30, 60] and found[0].aspect == "good"


def test_no_cell_is_a_formula_and_no_system_is_told(tmp_path: Path) -> None:
    rows = corpus(["=1+1", "+1", "-1", "@now()", "\t=1", "\r=1", "plain", 'a "quoted", text'])
    for name in ("sheet.csv", "sheet.tsv", "sheet.jsonl", "page.html"):
        write_sheet(tmp_path / name, rows, nlgauge.sample(rows, 8), "good", range(2))
        assert "hidden" not in (tmp_path / name).read_text(encoding="utf-8")
    cells = [line["candidate"] for line in cells_of(tmp_path / "sheet.csv")]
    assert sorted(cell.removeprefix("'") for cell in cells) == sorted(row.candidate for row in rows)
    assert not any(cell[0] in "=+-@\t\r" for cell in cells) and "plain" in cells


def test_other_texts_and_names(tmp_path: Path) -> None:
    row = Row("yes", references=("a", "b"), item="1")
    asked = replace(row, item="2", source="s", context="c", extra={"question": "q?"})
    rows = Corpus((row, asked))
    write_sheet(tmp_path / "sheet.jsonl", rows, nlgauge.sample(rows, 2), "good", range(2))
    records = [json.loads(line) for line in (tmp_path / "sheet.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [{name: text for name, text in record.items() if name != "item"} for record in records]
    assert {"candidate": "yes", "references": "a\nb"} in texts
    assert {"candidate": "yes", "question": "q?", "source": "s", "context": "c"} in texts
    with pytest.raises(InputError, match="is neither a sheet nor a page"):
        write_sheet(tmp_path / "sheet.xlsx", rows, nlgauge.sample(rows, 2), "good", range(2))


def page(tmp_path: Path, texts: list[str]) -> tuple[Path, Corpus, nlgauge.meta.drawn.Draw]:  # type: ignore[name-defined]
    rows = corpus(texts)
    draw = nlgauge.sample(rows, len(texts))
    write_sheet(tmp_path / "page.html", rows, draw, "supported", range(2))
    return tmp_path / "page.html", rows, draw


READ = [text for text in NASTY if text.isprintable() or text.encode(errors="ignore").decode() == text]
"""A corpus reads no half characters"""


@pytest.mark.parametrize("text", READ, ids=range(len(READ)))
def test_any_text_is_inert_and_whole(tmp_path: Path, text: str) -> None:
    place, _, _ = page(tmp_path, [text or "empty"])
    html = place.read_text(encoding="utf-8")
    assert html.count("<script") == 2 and html.count("</script>") == 2
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert json.loads(data)["rows"][0]["candidate"] == (text or "empty")
    assert not re.findall(r'(?:src|href)="(?!#)', html) and "default-src 'none'" in html


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
        with seen.page.expect_download() as download:
            press("s")
        download.value.save_as(tmp_path / "rated.jsonl")
        seen.evaluate("() => localStorage.clear()")
        seen.page.reload()
        # What was drawn is kept again, so that a fresh browser begins at nothing.
        seen.page.set_input_files("#open", tmp_path / "rated.jsonl")
        seen.page.wait_for_function("document.getElementById('said').textContent.startsWith('20 texts were read')")
        assert seen.page.inner_text("#count") == "Text 1 of 20, 20 rated"
        assert seen.page.locator(".word.marked").all_inner_texts() == ["🌉", "bridge"]
        assert seen.errors == [] and all(url.startswith(("file:", "blob:")) for url in seen.requests)
    records = [json.loads(line) for line in (tmp_path / "rated.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [record["item"] for record in records] == [row.name for row in draw.sheet]
    assert [record["scores"]["supported"] for record in records] == [int(n % 3 > 0) for n in range(20)]
    marked = [[record["candidate"][begin:end] for begin, end in record["spans"]] for record in records]
    assert marked == [["🌉 bridge"] if n % 3 == 0 else [] for n in range(20)]
    table = nlgauge.evaluate(rows, metrics="CopyRate", cache=False)
    (one,) = nlgauge.estimate(table, Corpus.read(tmp_path / "rated.jsonl"), draw=draw)
    assert one.ratings == 20 and one.alone == 13 / 20


def test_words_are_marked_by_a_touch_and_rated_on_a_telephone(tmp_path: Path) -> None:
    place, _, _ = page(tmp_path, ["One text " * 200, "Another text."])
    with chromium() as browser:
        seen = Watched(browser, place, viewport={"width": 360, "height": 640}, has_touch=True)
        if not seen.page.inner_text(".answer").count("One"):
            seen.page.tap("#on")
        seen.page.tap(".word >> nth=1")
        assert seen.page.locator(".word.marked").all_inner_texts() == ["text"]
        seen.page.tap(".word >> nth=1")
        assert seen.page.locator(".word.marked").count() == 0
        seen.evaluate("() => scrollTo(0, 0)")
        bottom = seen.evaluate("() => document.querySelector('#rate button').getBoundingClientRect().bottom")
        assert 0 < bottom <= 640, "a long text must not push the ratings off the screen"
        assert seen.errors == []


def test_a_text_that_is_read_from_the_right_is_set_from_the_right(tmp_path: Path) -> None:
    place, _, _ = page(tmp_path, ["افتتح الجسر في مايو."])
    with chromium() as browser:
        seen = Watched(browser, place)
        assert seen.evaluate("() => getComputedStyle(document.querySelector('.answer p')).direction") == "rtl"


def test_the_page_is_accessible(tmp_path: Path) -> None:
    script = axe()
    place, _, _ = page(tmp_path, ["One text.", "Another text."])
    with chromium() as browser:
        assert Watched(browser, place).serious(script) == []
