"""What people rate on: a sheet that a spreadsheet opens, or a page, of rows in random order without their systems."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nlgauge._version import __version__
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError
from nlgauge.meta.drawn import Draw
from nlgauge.show.markup.environment import HERE, data, digest, inlined, render
from nlgauge.show.tables import inert

SUFFIXES = (".csv", ".tsv", ".jsonl", ".html")
_FOLDER = Path(__file__).parent


def write_sheet(path: Path, outputs: Corpus, draw: Draw, aspect: str, scale: Sequence[int]) -> None:
    """Write the rows that were drawn, for people to rate `aspect`: .csv, .tsv, .jsonl, or .html for a page.

    scale: the ratings that the page offers, whole numbers from 0 to 9. The file is complete or not there at all. What
    the page saves, and a filled sheet, are rated outputs, whose items the key of the draw resolves. Raises InputError.
    """
    if path.suffix not in SUFFIXES:
        raise InputError("is neither a sheet nor a page", file=path, remedy=f"end its name in {', '.join(SUFFIXES)}")
    rows = {(row.system, row.item): row for row in outputs}
    records: list[dict[str, str]] = []
    for drawn in draw.sheet:
        row = rows[drawn.system, drawn.item]
        question = getattr(row, "question", None) or row.extra.get("question")
        texts = {"question": question, "source": row.source, "context": row.context}
        known = {name: str(text) for name, text in texts.items() if text}
        if not known:
            known = {"references": "\n".join(row.references)} if row.references else {}
        records.append({"item": drawn.name or "", **known, "candidate": row.candidate})
    with atomic_write(path) as file:
        if path.suffix == ".html":
            file.write(_page(records, aspect, scale))
        elif path.suffix == ".jsonl":
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        else:
            file.write(_cells(records, aspect, "\t" if path.suffix == ".tsv" else ","))


def _cells(records: Sequence[dict[str, str]], aspect: str, delimiter: str) -> str:
    names = dict.fromkeys(name for record in records for name in record)
    heads = [*(name for name in names if name != "candidate"), "candidate", f"scores.{aspect}"]
    written = io.StringIO()
    # All is quoted, because Python leaves a text with a carriage return bare.
    sheet = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    sheet.writerows([heads, *([inert(record.get(name, "")) for name in heads] for record in records)])
    # Without the mark a spreadsheet may take the file for another encoding.
    return "\ufeff" + written.getvalue()


def _page(records: Sequence[dict[str, str]], aspect: str, scale: Sequence[int]) -> str:
    script = inlined(_FOLDER / "script" / "rating.js")
    content: dict[str, Any] = {"rows": list(records), "aspect": aspect, "scale": list(scale)}
    # A browser keeps what was rated under this name, so that another sheet begins empty.
    content["id"] = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
    return render(
        "rating.html",
        _FOLDER / "templates",
        title=f"{len(records):,} texts to rate",
        version=__version__,
        aspect=aspect,
        scale=scale,
        data=data(content),
        style=inlined(HERE / "page.css", _FOLDER / "rating.css"),
        script=script,
        policy=digest(str(script)),
    )
