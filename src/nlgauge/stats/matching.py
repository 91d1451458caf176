"""Which row of a table each output is: by its texts, where nothing but its position in the file names its item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

C = TypeVar("C", bound=Corpus)
BY_POSITION = (
    "rows without a column item were joined by their position alone, because there are no texts to compare; give both "
    "files a column item, and score again"
)
_NAME_ITEMS = (
    "give the outputs and the ratings a column item, and score again; or give the rows in the order of the scores"
)


def matched(table: ScoreTable, outputs: C) -> C:
    """Return outputs with the items of the rows of a table that have the same texts.

    Rows whose file names their item keep it. The others have their position as their item, which holds as long as the
    texts of all rows agree with those of the table at these positions. Where some differ, the file is in another order,
    or lacks rows: then each row gets the item of the one row of its system that has its texts.

    Raises:
        InputError: by its row, for texts that no row of the table has, or that several have.
    """
    known = _texts(table)
    if not known or _is_scored(table, outputs) or not any(row.counted for row in outputs):
        return outputs
    at = {key: number for number, key in enumerate(table.rows)}
    prints = [row.fingerprint if row.counted else "" for row in outputs]
    compared = [(n, text, at[row.system, row.item]) for n, (row, text) in enumerate(zip(outputs, prints, strict=True))
                if text.strip(".") and (row.system, row.item) in at]  # fmt: skip
    if differing := [(n, place) for n, text, place in compared if not same_texts(text, known[place])]:
        by_candidate: dict[tuple[str, str], list[int]] = {}
        for number, ((system, _), text) in enumerate(zip(table.rows, known, strict=True)):
            by_candidate.setdefault((system, text.partition(".")[0]), []).append(number)
        items = {}
        for number, (row, text) in enumerate(zip(outputs, prints, strict=True)):
            if row.counted:
                some = by_candidate.get((row.system, text.partition(".")[0]), []) if text.strip(".") else []
                items[number] = _only(table, [one for one in some if same_texts(text, known[one])], number, differing)
    else:
        items = {number: table.rows[place][1] for number, _, place in compared}
    rows = [
        replace(row, item=items[number], counted=False) if number in items else row
        for number, row in enumerate(outputs)
    ]
    return replace(outputs, rows=tuple(rows))


def _only(table: ScoreTable, places: Sequence[int], number: int, differing: Sequence[tuple[int, int]]) -> str:
    """The item of the one place of a row, by its number."""
    if len(places) == 1:
        return table.rows[places[0]][1]
    first, place = differing[0]
    why = (
        f"row {first + 1} is not the output of item {table.rows[place][1]!r} in the scores, so rows join by their texts"
    )
    found = f"{len(places)} rows of the scores have its texts" if places else "no row of the scores has its texts"
    raise InputError(f"{found} ({why})", row=number + 1, remedy=_NAME_ITEMS)


def by_position(table: ScoreTable, outputs: Corpus, unrated: bool = False) -> list[str]:
    """Return the note on rows that join a table by their position alone, where there are some that are rated.

    unrated: whether the others count too.
    """
    unknown = any(row.counted and (unrated or row.scores) for row in outputs) and not _is_scored(table, outputs)
    return [BY_POSITION] if unknown else []


def _is_scored(table: ScoreTable, outputs: Corpus) -> bool:
    """Whether these very outputs, in this order, were scored."""
    return table.run.get("corpus") == outputs.digest


def _texts(table: ScoreTable) -> Sequence[str]:
    """The fingerprint of each row's texts; none where the table does not hold them."""
    texts: Sequence[str] = table.run.get("texts", ())
    return texts if len(texts) == len(table.rows) and all(text.count(".") == 3 for text in texts) else ()
