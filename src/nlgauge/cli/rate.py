"""The command nlgauge rate."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import IN_FORMATS, LOADING, PLACE, REPLICATES, SEED, SPEC, caching, example
from nlgauge.cli.terminal import beside, show
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError, SpecError
from nlgauge.show.answer import Answer
from nlgauge.show.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.answers.scorecard import Board, Card, SetAgreement

_ROWS = (".jsonl", ".jsonl.gz", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")


@click.command(
    epilog=example(
        "nlgauge rate TokenF1 --sets sets -o cards/token-f1.json",
        "nlgauge rate BERTScore --sets sets -o cards/bertscore.json",
        "nlgauge rate --board cards -o board.html",
    )
)
@click.argument("scorer", type=SPEC, required=False)
@click.option("--sets", type=PLACE, metavar="FOLDER", help="A folder of rated outputs, a file for each set.")
@click.option("--board", "cards", type=PLACE, metavar="FOLDER", help="A folder of cards: make a board of them.")
@click.option("--part", help="A sub-score of the scorer; the deciding one by default.")
@click.option("--probes/--no-probes", default=True, help="Also order our probes: true statements above false ones.")
@click.option(
    "--trained-on", multiple=True, metavar="NAME", help="A set that the scorer may have been trained on; repeatable."
)
@LOADING
@caching
@REPLICATES
@SEED
@click.option("-o", "--output", type=PLACE, help="Write the card (JSON), or the board (HTML), here.")
@IN_FORMATS
def rate(
    scorer: str | None, sets: Path | None, cards: Path | None, output: Path | None, layout: str, **how: Any
) -> None:
    """Rate any scorer on all sets of human ratings in a folder, and compare scorers by their cards.

    SCORER is a metric, a detector, a judge or a column. Its card says how the scorer agrees with people on each aspect
    of each set, how often it ranks a statement with one small error below the corrected twin, and what it costs. A card
    holds no text and no rating. With --board, the cards of a folder are compared: scorers of one cluster do not differ
    significantly.
    """
    refuse_place(output)
    if (cards is None) == (scorer is None or sets is None):
        raise SpecError("give a SCORER and --sets FOLDER for a card, or --board FOLDER for a board of cards")
    if cards is not None:
        if scorer is not None or sets is not None:
            raise SpecError("--board takes cards, which know their scorers and sets: leave SCORER and --sets out")
        _show_board(cards, output, layout)
        return
    if how["precision"] == "auto":
        raise SpecError("--precision auto chooses for each set anew, and a card is of one precision: name it")
    card = _card(str(scorer), Path(str(sets)), **how)
    if output is not None:
        card.save(output)
    with beside(output):
        show(_card_answer(card), layout)


def _card_answer(card: Card) -> Answer:
    return Answer(
        command="rate",
        record={name: value for name, value in vars(card).items() if name != "notes"},
        tables=list(_tables(card)),
        legend=[f"{card.cost['rows']:,} rows in {card.cost['seconds']:.1f} s"],
        notes=card.notes,
    )


def _card(
    scorer: str,
    folder: Path,
    *,
    part: str | None,
    probes: bool,
    trained_on: Sequence[str],
    replicates: int,
    seed: int,
    **how: Any,
) -> Card:
    from nlgauge.answers.scorecard import Card, agreements, probe_rows, probe_shares
    from nlgauge.data.probes import read_probes

    notes: list[str] = []
    tables: list[nlgauge.ScoreTable] = []
    sets: list[SetAgreement] = []
    for path in _files(folder):
        name = next(
            path.name.removesuffix(suffix) for suffix in sorted(_ROWS, key=len)[::-1] if path.name.endswith(suffix)
        )
        corpus = nlgauge.Corpus.read(path)
        if not any(row.scores for row in corpus):
            notes.append(f"{name}: no row is rated, so it was not scored")
            continue
        table = _scored(corpus, scorer, part, how)
        if isinstance(table, str):
            notes.append(f"{name}: {table}")
            continue
        tables.append(table)
        try:
            sets += agreements(table, corpus, name, replicates=replicates, seed=seed)
        except InputError as error:
            notes.append(f"{name}: {error}")
    if not sets:
        raise InputError(
            f"no set was rated: {notes[0] if notes else 'the folder holds no rows'}",
            file=folder,
            remedy="give a folder of outputs that people rated, which the scorer can score",
        )
    shares = []
    if probes:
        sources = read_probes()
        corpus = nlgauge.Corpus([row for row, _ in probe_rows(sources)])
        table = _scored(corpus, scorer, part, how)
        if isinstance(table, str):
            notes.append(f"probes: {table}")
        else:
            tables.append(table)
            shares = probe_shares(table, sources)
    ((spec, column),) = tables[0].columns.items()
    if not column.scores:
        notes.append(f"{spec} has no better direction: more is taken as better")
    name, signature, trained = _named(scorer, tables, how["model"])
    cost: Counter[str] = Counter()
    for table in tables:
        cost["rows"] += len(table.rows)
        cost["seconds"] += table.spent["wall"]
        for counts in table.spent.get("asked", {}).values():
            cost.update({what: count for what, count in counts.items() if count})
    return Card(
        scorer=name,
        signature=signature,
        digest=hashlib.sha256(signature.encode()).hexdigest()[:12],
        trained_on=(*trained_on, *trained) if trained_on or trained else None,
        cost=dict(cost),
        sets=tuple(sets),
        probes=tuple(shares),
        notes=tuple(dict.fromkeys(notes)),
        version=nlgauge.__version__,
    )


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder that hold rows. Raises InputError if there is no folder, or no such file in it."""
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.endswith(_ROWS))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder, remedy="give a folder") from None
    if not files:
        raise InputError("holds no rows", file=folder, remedy=f"give files that end in {', '.join(_ROWS)}")
    return files


def _scored(corpus: nlgauge.Corpus, scorer: str, part: str | None, how: Mapping[str, Any]) -> nlgauge.ScoreTable | str:
    """Return a table with the scorer's chosen sub-score only, or a text that says why there is no score."""
    from nlgauge.data.table.selection import selected

    began = time.monotonic()
    try:
        table = nlgauge.evaluate(corpus, metrics=[scorer], on_missing="skip", repeats="mean", **how)
    except InputError as error:
        return f"not scored: {error}"
    spent = {**table.spent, "wall": time.monotonic() - began}
    ((spec, column),) = table.columns.items()
    if column.level != "item":
        raise SpecError(f"{spec} has one number a system: rate a scorer of rows")
    table = selected(table, [f"{spec} {part}" if part else spec])
    table.spent = spent
    values = table.columns[spec].values
    if (values != values).all():
        return f"no row has a score: {next(iter(column.reasons.values()), 'the scorer gave none')}"
    return table


def _named(scorer: str, tables: Sequence[nlgauge.ScoreTable], model: str | None) -> tuple[str, str, list[str]]:
    """Return the scorer's name, its signature, and the names of the data sets on which its model was trained.

    The signature has only those facts that are the same on all sets.
    """
    from nlgauge import registry
    from nlgauge.data.signature import Signature

    (spec,) = tables[0].columns
    facts = [table.signatures[spec].facts for table in tables if spec in table.signatures]
    shared = {name: value for name, value in facts[0].items() if all(other.get(name) == value for other in facts)}
    folder = Path(registry.metric(scorer, model=model).reads or "")
    part = tables[0].columns[spec].parts[0]
    name = spec if part == "score" else f"{spec} {part}"
    return f"{name}, {model}" if model else name, str(Signature(spec, shared)), _datasets(folder / "README.md")


def _datasets(card: Path) -> list[str]:
    """Return the names of the data sets in the head of a model card of Hugging Face; an empty list without a card."""
    try:
        lines = card.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    names: list[str] = []
    within = False
    for line in lines[1:] if lines[:1] == ["---"] else []:
        if line == "---":
            break
        if within and line.lstrip().startswith("- "):
            names.append(line.lstrip()[2:].strip())
        else:
            within = line.rstrip() == "datasets:"
    return names


_LACKING = "without a score"
_MEASURES = {"AUROC": "AUROC", "item": "Pearson within items", "pooled": "Pearson over rows"}


def _tables(card: Card) -> Iterator[list[list[Cell]]]:
    lacking = any(agreement.unscored for agreement in card.sets)
    sets: list[list[Cell]] = [["set", "aspect", "measure", card.scorer, "rows", *([_LACKING] if lacking else [])]]
    for agreement in card.sets:
        value = Number(agreement.value, agreement.low, agreement.high, digits=3)
        counts = [Number(count, digits=0) for count in (agreement.rows, *([agreement.unscored] if lacking else []))]
        sets.append([agreement.set, agreement.aspect, _MEASURES[agreement.measure], value, *counts])
    yield sets
    if card.probes:
        probes: list[list[Cell]] = [["probes", "true above false", "pairs"]]
        for of in card.probes:
            probes.append([of.kind, Number(of.share, of.low, of.high, digits=2), Number(of.pairs, digits=0)])
        yield probes


def _show_board(folder: Path, output: Path | None, layout: str) -> None:
    from nlgauge.answers.scorecard import Card, board

    try:
        files = sorted(folder.glob("*.json")) if folder.is_dir() else [folder]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=folder) from None
    try:
        made = board(map(Card.load, files))
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=folder, remedy=error.remedy) from None
    if output is not None:
        from nlgauge.reports.board import board_page

        board_page(made, output)
    with beside(output):
        show(_board_answer(made), layout)


def _board_answer(made: Board) -> Answer:
    told = ("scorer", "signature", "digest", "trained_on", "cost", "probes")
    return Answer(
        command="rate",
        record={"cards": [{name: getattr(card, name) for name in told} for card in made.cards], "board": made.lines},
        tables=list(_board_tables(made)),
        legend=["scorers of one cluster do not differ significantly (paired tests, Holm)"],
        notes=made.notes,
    )


def _board_tables(made: Board) -> Iterator[list[list[Cell]]]:
    scorers: list[list[Cell]] = [["scorer", "in the first cluster", "s for 1,000 rows", "may have been trained on"]]
    for card in made.cards:
        first, of = made.first(card.scorer)
        trained = "not stated" if card.trained_on is None else ", ".join(card.trained_on)
        pace = Number(1000 * card.cost["seconds"] / max(1, card.cost["rows"]), digits=2)
        scorers.append([card.scorer, f"{first} of {of}", pace, trained])
    yield scorers
    lacking = any(line.unscored for line in made.lines)
    sets: list[list[Cell]] = [["set", "aspect", "scorer", "agreement", *([_LACKING] if lacking else []), "cluster"]]
    for line in made.lines:
        value = Number(line.value, line.low, line.high, digits=3)
        name = line.scorer + (" (trained?)" if line.trained else "")
        counts = [Number(count, digits=0) for count in (*([line.unscored] if lacking else []), line.cluster)]
        sets.append([line.set, line.aspect, name, value, *counts])
    yield sets
