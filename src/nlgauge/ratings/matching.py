"""Matching of outputs with the rows of a table by their texts, if only their position in the file names their item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

C = TypeVar("C", bound=Corpus)
BY_POSITION = (
    "rows without a column item were joined by their position alone, because there are no texts to compare; give both "
    "files a column item, and score again"
)
_NAME_ITEMS = "give the outputs and the ratings a column item and score again, or keep the order of the scores"


def matched(table: ScoreTable, outputs: C) -> C:
    """Return outputs in which each has the system and item of the table's row with the same texts.

    If the table has a single system, outputs without a system get it. Outputs whose file names their item keep this
    item. The other outputs have their position as item. This item is right if the texts of all outputs agree with those
    of the table at these positions. If some texts differ, the file is in another order, or lacks rows or systems. Then
    each output without a named item gets the item of the row of its system that has the same texts.

    Args:
        table: the table.
        outputs: the outputs, or the ratings.

    Returns:
        The outputs in their order.

    Raises:
        InputError: no row of the table has the texts of an output, or several rows have them; the error names the
            output.
    """
    if _is_scored(table, outputs):
        return outputs
    systems, prints = set(table.systems), fingerprints(table)
    if len(systems) == 1 and Row.system not in systems and any(row.system == Row.system for row in outputs):
        (only,) = systems
        alone = (replace(row, system=only) if row.system == Row.system else row for row in outputs)
        outputs = replace(outputs, rows=tuple(alone))
    mine = {n: row for n, row in enumerate(outputs) if row.counted and row.system in {*systems, Row.system}}
    if not prints or not mine:
        return outputs
    texts = {n: outputs.fingerprints[n] for n in mine}
    at = {key: number for number, key in enumerate(table.rows)}
    places = {n: at[row.system, row.item] for n, row in mine.items() if (row.system, row.item) in at}
    told = {n: place for n, place in places.items() if texts[n].strip(".")}
    if not places:
        why = f"row {min(mine) + 1} has neither a system nor an item of the scores"
        places = _by_texts(table, prints, mine=mine, texts=texts, why=why)
    elif differing := [n for n, place in told.items() if not same_texts(texts[n], prints[place])]:
        item = table.rows[told[differing[0]]][1]
        why = f"row {differing[0] + 1} is not the output of item {item!r} in the scores"
        places = _by_texts(table, prints, mine=mine, texts=texts, why=why)
    else:
        places = told
    keys = {n: table.rows[place] for n, place in places.items()}
    rows = (
        replace(row, system=keys[n][0], item=keys[n][1], counted=False) if n in keys else row
        for n, row in enumerate(outputs)
    )
    return replace(outputs, rows=tuple(rows))


def of_ratings(table: ScoreTable, ratings: Corpus) -> ScoreTable:
    """Return the table that has the rated rows: a table of scores itself, or the anchors that it holds.

    Args:
        table: the scores.
        ratings: the rated rows.

    Returns:
        The anchors, if some rated row is an anchor and none is a row of the table; else the table.
    """
    anchors = table.anchors
    if anchors is None or _joins(table, ratings) or not _joins(anchors, ratings):
        return table
    return anchors


def _joins(table: ScoreTable, ratings: Corpus) -> bool:
    """Return whether some rated row belongs to a row of a table."""
    try:
        rows = {(row.system, row.item) for row in matched(table, ratings) if row.scores}
    except InputError:
        return False
    return not rows.isdisjoint(table.rows)


def _by_texts(
    table: ScoreTable, prints: Sequence[str], mine: Mapping[int, Row], texts: Mapping[int, str], why: str
) -> dict[int, int]:
    """Return the number of the table's row for each output, matched by their texts.

    Args:
        table: the table.
        prints: the fingerprint of the texts of each row of the table.
        mine: the outputs, by their position.
        texts: the fingerprint of the texts of each output, by its position.
        why: why the outputs are not matched by item, for the error.

    Raises:
        InputError: no row of the table has the texts of an output, or several rows have them.
    """
    by_candidate: dict[str, list[int]] = {}
    for number, text in enumerate(prints):
        by_candidate.setdefault(text.partition(".")[0], []).append(number)
    places, systems = {}, set(table.systems)
    for n, row in mine.items():
        candidates = [
            place for place in by_candidate.get(texts[n].partition(".")[0], []) if same_texts(texts[n], prints[place])
        ]
        if row.system in systems:
            candidates = [place for place in candidates if table.rows[place][0] == row.system]
        if len(candidates) != 1:
            have = f"{len(candidates)} rows of the scores have" if candidates else "no row of the scores has"
            problem = f"{have} its texts, and rows without an item join by their texts: {why}"
            raise InputError(problem, row=n + 1, remedy=_NAME_ITEMS)
        places[n] = candidates[0]
    return places


def by_position(table: ScoreTable, outputs: Corpus, unrated: bool = False) -> list[str]:
    """Return notes on ratings that were joined by position alone, or whose candidate differs from the scored one.

    Args:
        table: the table.
        outputs: the outputs that hold the ratings.
        unrated: whether to include rows without a rating.

    Returns:
        The notes, as sentences.
    """
    if _is_scored(table, outputs) or "averaged" in table.run:
        return []  # an item has a text for each of its trials
    rows = {n: row for n, row in enumerate(outputs, 1) if unrated or row.scores}
    notes = [BY_POSITION] if any(row.counted for row in rows.values()) else []
    prints = dict(zip(table.rows, fingerprints(table), strict=False))
    other = [
        n
        for n, row in rows.items()
        if not row.counted
        and (was := prints.get((row.system, row.item), "").partition(".")[0])
        and (now := outputs.fingerprints[n - 1].partition(".")[0])
        and now != was
    ]
    if other:
        notes.append(
            f"{len(other)} rated rows have another candidate than the scored row of their item, the first in row "
            f"{other[0]}: ratings hold for the text that people read"
        )
    return notes


def _is_scored(table: ScoreTable, outputs: Corpus) -> bool:
    """Return whether exactly these outputs, in this order, were scored."""
    return table.run.get("corpus") == outputs.digest


def refuse_other_order(mine: Mapping[str, str], a: str, theirs: Mapping[str, str], b: str) -> None:
    """Raise InputError if two systems answer the same question under different items.

    Items may be positions in files. If one file is in another order or lacks a row, answers would otherwise be compared
    with answers to other questions. A question that the other system does not have is accepted, because it may be the
    same question in other words.

    Args:
        mine: the digest of each item's question for the first system, from `questions_of`.
        a: the name of the first system.
        theirs: the digest of each item's question for the other system, from `questions_of`.
        b: the name of the other system.

    Raises:
        InputError: an item of the first system has the question of another item of the other system.
    """
    at = {question: item for item, question in theirs.items()}
    for item, question in mine.items():
        if question in at and theirs.get(item, question) != question:
            problem = f"item {item!r} of {a!r} has the question of item {at[question]!r} of {b!r}, and so another order"
            raise InputError(problem, remedy="give both a column item that names the question, and score again")


def questions_of(table: ScoreTable) -> dict[str, dict[str, str]]:
    """Return by system the digest of each item's question, for items that have a question."""
    questions: dict[str, dict[str, str]] = {system: {} for system in table.systems}
    for (system, item), texts in zip(table.rows, fingerprints(table), strict=False):
        if question := texts.rpartition(".")[2]:
            questions[system][item] = question
    return questions


def fingerprints(table: ScoreTable) -> Sequence[str]:
    """Return the fingerprint of each row's texts; empty where the table does not hold them."""
    texts: Sequence[str] = table.run.get("texts", ())
    return texts if len(texts) == len(table.rows) and all(text.count(".") == 3 for text in texts) else ()
