"""The folder of a rating project: a sheet for a spreadsheet, a page to rate in a browser, and a guideline for raters.

Rows are in random order, without their systems. Sheet and page have the id of the project and a digest of each row.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from nlgauge._version import __version__
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.ratings.labels import Aspect
from nlgauge.ratings.project import RatingProject, is_project
from nlgauge.ratings.sampling import Draw
from nlgauge.ratings.sheets import DIGEST, RATING, ROW, TEXTS
from nlgauge.show.environment import data
from nlgauge.show.page import page
from nlgauge.show.tables import inert

SHEET, PAGE, GUIDELINE = "sheet.csv", "sheet.html", "guideline.md"
LONGEST_CELL = 32_767
"""The greatest number of characters of a cell; spreadsheets cut a longer one"""
_FOLDER = Path(__file__).parent


def write_project(
    folder: Path, outputs: Corpus, draw: Draw, aspects: Sequence[Aspect], design: Mapping[str, Any] | None = None
) -> RatingProject:
    """Write the folder of a rating project, whole or not at all, and return the project.

    Args:
        folder: the path of the folder.
        outputs: the rows from which rows were drawn.
        draw: the drawn rows.
        aspects: the aspects to rate.
        design: facts about how the rows were drawn, which the project records.

    Returns:
        The project.

    Raises:
        InputError: the folder is not empty, and then nothing in it is changed; or it cannot be written.
    """
    refuse_folder(folder)
    records = _records(outputs, draw)
    project = RatingProject.of(
        draw, records, aspects=aspects, design=design or {}, outputs=outputs, version=__version__
    )
    records = [{ROW: record[ROW], DIGEST: project.digest(record[ROW]), **record} for record in records]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name[:40]}-", dir=folder.parent) as made:
            whole = Path(made) / "project"
            whole.mkdir()
            texts = {
                SHEET: _cells(records, aspects),
                PAGE: _page(records, aspects, project.id),
                GUIDELINE: _guideline(records, aspects),
            }
            for name, text in texts.items():
                with atomic_write(whole / name) as file:
                    file.write(text)
            project.save(whole, {name: sha256((whole / name).read_bytes()).hexdigest() for name in texts})
            if folder.is_dir():
                folder.rmdir()
            whole.rename(folder)
    except OSError as error:
        remedy = "name a folder that can be made"
        raise InputError(f"cannot be written: {error.strerror}", file=folder, remedy=remedy) from None
    return project


def refuse_folder(folder: Path) -> None:
    """Raise InputError where a rating project would overwrite a file or folder. The error names it."""
    if folder.suffix.lower() in (".csv", ".tsv", ".jsonl", ".html", ".json"):
        remedy = "as in -o to-rate; sheet.csv, sheet.html and project.json are made in it"
        raise InputError("name a folder, not a file", file=folder, remedy=remedy)
    if folder.exists() and not folder.is_dir():
        raise InputError("is there and is no folder", file=folder, remedy="name a folder that is not there yet")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    problem = "is not empty"
    if is_project(folder):
        try:
            rated = sum(bool(row.scores) for row in RatingProject.load(folder).ratings())
            problem = f"holds a rating project, in which {rated} rows are rated"
        except InputError as error:
            unrated = error.problem == "no row is rated yet"
            problem = f"holds a rating project{', in which no row is rated' if unrated else ''}"
    raise InputError(problem, file=folder, remedy="name another folder, or delete this one if nobody needs it")


def _records(outputs: Corpus, draw: Draw) -> list[dict[str, str]]:
    """Return the texts of each drawn row by name, as raters see them."""
    rows = {row.key: row for row in outputs}
    records: list[dict[str, str]] = []
    for drawn in draw.sheet:
        row = rows[drawn.system, drawn.item, drawn.trial]
        question = row.question or row.extra.get("question")
        texts = {"question": question, "source": row.source, "context": row.context}
        shown = {name: str(text) for name, text in texts.items() if text}
        if not shown:
            shown = {"references": "\n".join(row.references)} if row.references else {}
        records.append({ROW: drawn.name or "", **shown, "candidate": row.candidate})
    return records


def _cells(records: Sequence[dict[str, str]], aspects: Sequence[Aspect]) -> str:
    names = {name for record in records for name in record}
    # Ratings before texts: long texts would push them off the screen.
    heads = [ROW, DIGEST, *(f"{RATING}{aspect.name}" for aspect in aspects), *(name for name in TEXTS if name in names)]
    written = io.StringIO()
    # All is quoted, because Python leaves a text with a carriage return bare.
    sheet = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    sheet.writerows([heads, *([inert(record.get(name, "")) for name in heads] for record in records)])
    # Without the mark a spreadsheet may take the file for another encoding.
    return "\ufeff" + written.getvalue()


def _page(records: Sequence[dict[str, str]], aspects: Sequence[Aspect], project: str) -> str:
    asked = [
        {"name": aspect.name, "scale": [{"rating": n, "names": aspect.names(n)} for n in aspect.scale]}
        for aspect in aspects
    ]
    # A browser keeps what was rated under the project's id, so that another sheet begins empty.
    content: dict[str, Any] = {"rows": list(records), "aspects": asked, "id": project}
    return page(
        "rating.html",
        _FOLDER / "templates",
        command="sample",
        title=f"{len(records):,} texts to rate",
        styles=[_FOLDER / "rating.css"],
        scripts=[_FOLDER / "script" / "rating.js"],
        aspects=aspects,
        data=data(content),
    )


def _guideline(records: Sequence[dict[str, str]], aspects: Sequence[Aspect]) -> str:
    """Return the draft of a guideline as Markdown, which the project's owner completes."""
    shown = [name for name in TEXTS if any(name in record for record in records) and name != "candidate"]
    beside = f" together with its {', '.join(shown)}" if shown else ""
    lines = [
        "# Guideline for raters",
        "",
        f"You see {len(records)} texts (the column `candidate`, on the page *Answer*), each{beside}. They stand in "
        "random order. Please rate each by itself, and in the order in which they stand.",
        "",
    ]
    for aspect in aspects:
        lines += [f"## {aspect.name}", "", "*Say here in one sentence what is asked.*", ""]
        for rating in aspect.scale:
            names = ", ".join(aspect.names(rating))
            lines.append(
                f"- **{rating}**{f' ({names})' if names else ''}: *say here when a text gets this, with an example*"
            )
        lines.append("")
    lines += [
        "## What to do when",
        "",
        "- If you cannot say: write `?` on the sheet, or go on without a rating on the page. *Say here whom to ask.*",
        "- Do not change item, digest and texts on the sheet. A note of yours may stand in a column of its own.",
        "- Rate alone: do not talk about single texts with others who rate before all have finished.",
        "- Send back your file under your name, as `sheet-anna.csv`; the page asks for your name and does it itself.",
        "",
    ]
    return "\n".join(lines)
