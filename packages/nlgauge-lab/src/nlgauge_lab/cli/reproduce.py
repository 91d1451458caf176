"""nlgauge reproduce."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from nlgauge.cli.options import IN_FORMATS, PLACE, caching, example
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import show_tables
from nlgauge.data.atomic_write import atomic_write, refuse_place
from nlgauge.errors import InputError, MissingExtraError, NlgaugeError, SpecError
from nlgauge.show.tables import aligned

if TYPE_CHECKING:
    from nlgauge.engine.models.capabilities import Model
    from nlgauge_lab.reproduce.kinds import Rebuilt
    from nlgauge_lab.reproduce.lines import Line
    from nlgauge_lab.reproduce.published import Table
    from nlgauge_lab.reproduce.rated import Data
    from nlgauge_lab.reproduce.scoring import Scores

PAPER = "paper"
"""The value of `entries.PAPER`, copied here so that printing the help imports nothing"""
RESULTS, DETECTION, LAYERS, COVERAGE, LIST = "results", "detection", "layers", "coverage", "papers"
PANELS = "panels"
SLIPS, ROWS = "slips", "data"
PAGES = {
    RESULTS: "every metric of ours beside the best published numbers, as a page",
    DETECTION: "what is found of what people marked as unsupported, as a page",
    COVERAGE: "whether the intervals of estimate and the thresholds of calibrate hold, in so many draws, as a page",
    LAYERS: "agreement of every family on each layer of a model, from which a card's layers are chosen",
    PANELS: "combinations of metrics by task, each fitted on other data sets than it is shown on, as a page",
    LIST: "every table and figure of the five papers: made, prepared, or why it cannot be had, as a page",
    ROWS: "the rated data of QAGS, WMT15 and WMT16, made from a clone of the repository that released them (--from)",
    SLIPS: "numbers in print that the papers' own tables contradict, and what is compared in their place",
}
_ABOUT = "For results and detection"
_Write = Callable[..., None]


@click.command(epilog=example("nlgauge reproduce ctc-table-e1 --data rated"))
@click.argument("names", nargs=-1)
@click.option("--data", "folder", type=PLACE, help="Folder of the rated data: summeval.jsonl.gz and so on.")
@click.option(
    "-o",
    "--output",
    type=PLACE,
    default=Path("reproduced"),
    show_default=True,
    help="Folder for Markdown, CSV and figures, and for cached scores unless --cache names another.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    help="In place of the embedded model: a Hugging Face name, or a folder; 'paper' for the checkpoint that each row's "
    "paper used. Repeatable for pages.",
)
@click.option(
    "--checkpoints",
    type=PLACE,
    help="With --model paper: folder of checkpoints that are no public names, such as converted ones.",
)
@click.option("--metrics", multiple=True, metavar="METRIC", help="Only this metric, by name or spec; repeatable.")
@click.option("--limit", type=click.IntRange(min=1), help="Only this many items from the start: to try things out.")
@click.option(
    "--page", type=PLACE, help="Where a page goes; in the folder by default: agreement.md, detection.md and so on."
)
@click.option(
    "--record",
    type=PLACE,
    help=f"CSV file: tables made on all their data write into it when and how near; {LIST} tells of what it holds.",
)
@click.option("--check", is_flag=True, help=f"For {LIST}: write nothing; exit 1 if --readme is not what it would be.")
@click.option(
    "--readme",
    "readmes",
    type=PLACE,
    multiple=True,
    help=f"{_ABOUT}, and for {PANELS} and {LIST}: write the short tables between their comments in this page, too; "
    "repeatable.",
)
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help=f"{_ABOUT}.")
@click.option("--draws", type=click.IntRange(min=1), default=2000, show_default=True, help=f"For {COVERAGE}.")
@click.option("--from", "clone", type=PLACE, help=f"For {ROWS}: the folder of the clone; --data says where they go.")
@click.option(
    "--cached",
    is_flag=True,
    help=f"For tables, {PANELS} and {RESULTS}: score nothing; show what the cache has of them. {RESULTS} without "
    "--data makes its page from the CSV file beside it alone.",
)
@caching
@click.option("--fresh", is_flag=True, help="The same as --no-cache.")
@IN_FORMATS
def reproduce(
    names: Sequence[str],
    folder: Path | None,
    output: Path,
    models: Sequence[str],
    checkpoints: Path | None,
    metrics: Sequence[str],
    limit: int | None,
    page: Path | None,
    record: Path | None,
    check: bool,
    readmes: Sequence[Path],
    replicates: int,
    draws: int,
    clone: Path | None,
    cached: bool,
    cache: Path | bool,
    fresh: bool,
    layout: str,
) -> None:
    """Rebuild the public tables and figures of the five papers: published, ours, difference.

    NAMES are tables, or all. Without NAMES, the tables are listed. Other names make pages: results compares how well
    every metric agrees with people to the best published numbers, and detection shows how well unsupported texts and
    words are detected. Both pages have pocket, and base if it is installed. coverage asks whether the intervals of
    nlgauge estimate hold the truth. papers lists what has been made of each table and figure, and slips lists numbers
    in print that cannot be right. These two need no data. data makes files of rated data from public repositories.
    docs/reproduce.md says what the data folder holds.
    """
    from nlgauge_lab.reproduce.published import find
    from nlgauge_lab.reproduce.rated import Data
    from nlgauge_lab.reproduce.scoring import Scores

    if fresh and isinstance(cache, Path):
        raise SpecError("--cache and --fresh do not go together; leave one out")
    cache = False if fresh else cache
    if cached and (cache is False or not {DETECTION, LAYERS, COVERAGE, LIST}.isdisjoint(names)):
        raise SpecError(f"--cached is for tables, {PANELS} and {RESULTS}, and not with --no-cache or --fresh")
    alone = [name for name in names if name in PAGES]
    if alone and len(names) > 1:
        raise SpecError(f"{alone[0]} stands alone: run it, and the tables, one after the other")
    if not alone and (len(models) > 1 or readmes):
        raise SpecError("several models, and --readme, are for pages, such as results and detection")
    if {LAYERS, COVERAGE, PANELS}.intersection(names) and len(models) > 1:
        raise SpecError(f"{alone[0]} are of one model")
    if {LAYERS, COVERAGE}.intersection(names) and readmes:
        raise SpecError(f"{alone[0]} has no short table for --readme")
    if (ROWS in names) != (clone is not None):
        raise SpecError(f"{ROWS} and --from FOLDER go together: nlgauge reproduce {ROWS} --from CLONE --data rated")
    if clone is not None:
        _convert(clone, folder)
        return
    if check and LIST not in names:
        raise SpecError(f"--check is for {LIST}")
    if record is not None and alone and LIST not in names:
        raise SpecError(f"--record is for tables and {LIST}")
    if record is not None and (limit or metrics):
        raise SpecError("--record is of whole tables: leave out --limit and --metrics")
    if PAPER in models and (alone or len(models) > 1):
        raise SpecError("--model paper is for tables, and stands alone")
    if checkpoints is not None and PAPER not in models:
        raise SpecError("--checkpoints is for --model paper")
    tables = find([name for name in names if name not in PAGES])
    data = None if folder is None else Data(folder, limit)
    if not names:
        _list(data, layout)
        return
    if SLIPS in names:
        _slips(layout)
        return
    if data is None and RESULTS in names and cached:
        _from_records(page or output / "agreement.md", readmes, limit=limit, replicates=replicates)
        return
    if data is None and LIST not in names:
        raise SpecError("give the folder of the rated data with --data; nlgauge reproduce lists what each table needs")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=output, remedy="choose another folder") from None
    if data is None or LIST in names:
        from nlgauge_lab.reproduce.exhibits import page as papers
        from nlgauge_lab.reproduce.records import read

        listed = papers(read(record))
        if check:
            _check(next(iter(readmes), None), listed)
            return
        write = _page_for(page or output / "papers.md", readmes)
        write(f"# The papers, table by table\n\n{listed}", {LIST: listed.splitlines()})
        return
    _held = [] if cached or PAPER in models else _loaded(models)
    place = output / "scores" if cache is True else cache
    scores = Scores(place, remark)
    if alone:
        from nlgauge.engine.models.loading import companions

        made_at = page or output / f"{'agreement' if RESULTS in names else alone[0]}.md"
        write = _page_for(made_at, readmes)
        asked = _Asked(
            data=data, models=list(models) or [None, *companions()], metrics=metrics, limit=limit, replicates=replicates
        )
        if LAYERS in names:
            _layers(asked, scores, write)
        elif PANELS in names:
            _panels(asked, scores, write, cached)
        elif COVERAGE in names:
            _coverage(data, scores, draws, write)
        elif DETECTION in names:
            _detection(asked, place, write)
        else:
            _results(asked, scores, write=write, page=made_at, cached=cached)
        if RESULTS not in names:
            return
    else:
        from nlgauge_lab.reproduce.rebuild import Rebuilder

        tables = _at_hand(tables, data) if "all" in names else tables
        places = _places(tables, checkpoints) if PAPER in models else None
        rebuilder = Rebuilder(data=data, scores=scores, model=next(iter(models), None), metrics=metrics, places=places)
        writer = _Writer(output, layout, len(tables), record)
        rebuilder.score(tables, lambda table: writer.write(rebuilder.rebuild(table)), cached=cached)
        writer.close()
    where = f"scores are cached in {place}" if place else "no score was cached"
    remark(f"{scores.computed} values were computed; {where}")


def _loaded(models: Sequence[str]) -> list[Model]:
    """Load models, which stay in memory as long as the list exists, and return them.

    If a model cannot be loaded, the command ends with exit code 1.
    """
    from nlgauge.engine.models import loading

    try:
        return [loading.hold(name) for name in models]
    except NlgaugeError as error:
        remark(f"nlgauge: nothing was scored: {error}")
        sys.exit(1)


def _places(tables: Sequence[Table], folder: Path | None) -> Mapping[str, str | NlgaugeError]:
    """Return, by the name of each checkpoint that the tables need, where it is loaded from, or the error why it cannot
    be.

    A missing checkpoint is named on stderr, with the tables that need it.

    Args:
        tables: the tables that are rebuilt.
        folder: may hold checkpoints in folders of their names; None for no folder.
    """
    from nlgauge_lab.reproduce.rebuild import checkpoints_found, checkpoints_needed

    wanted = checkpoints_needed(tables)
    places = checkpoints_found(wanted, folder)
    for name, place in places.items():
        if isinstance(place, NlgaugeError):
            remark(f"lacking for {', '.join(wanted[name])}: {place}")
    return places


def _at_hand(tables: Sequence[Table], data: Data) -> list[Table]:
    """Return the tables whose data are there. The other tables are named on stderr.

    Raises:
        InputError: no table has its data.
    """
    here = [table for table in tables if not data.missing(table.files)]
    if not here:
        raise InputError("none of the rated data is there", file=data.folder, remedy="see docs/reproduce.md")
    for table in tables:
        if table not in here:
            remark(f"{table.name} is left out: no {', '.join(data.missing(table.files))}")
    return here


def _list(data: Data | None, layout: str) -> None:
    from nlgauge_lab.reproduce.published import PAPERS, tables
    from nlgauge_lab.reproduce.rebuild import states

    known = list(states(tables().values(), data))
    if layout == "json":
        names = ("name", "also", "paper", "title")
        show_json(
            "reproduce",
            tables=[{name: getattr(table, name) for name in names} | {"state": state} for table, state in known],
        )
        return
    if layout != "text":
        heads = ["table", "paper", "title", "state"]
        show_tables([[heads, *([table.name, table.paper, table.title, state] for table, state in known)]], layout)
        return
    for paper, title in PAPERS.items():
        of_paper = [(table, state) for table, state in known if table.paper == paper]
        click.echo(title)
        for line in aligned([[f"  {table.name}", table.title, state] for table, state in of_paper]):
            click.echo(line)
    for name, about in PAGES.items():
        click.echo(f"{name}\n  {about}")


def _convert(clone: Path, folder: Path | None) -> None:
    from nlgauge_lab.reproduce.converting import converted

    if folder is None:
        raise SpecError("--data says into which folder the rated data go")
    for place in converted(clone, folder):
        click.echo(str(place))


def _slips(layout: str) -> None:
    from nlgauge_lab.reproduce.slips import Slip, slips

    found = slips()
    if layout == "json":
        show_json("reproduce", slips=[slip._asdict() for slip in found])
    elif layout != "text":
        show_tables([[list(Slip._fields), *map(list, found)]], layout)
    else:
        for slip in found:
            taken = f"; taken: {slip.taken}" if slip.taken else ""
            printed = f": {slip.printed}" if slip.printed else ""
            click.echo(f"{slip.table}, {slip.row}, {slip.columns}{printed}\n  {slip.why}{taken}")


class _Writer:
    """Writer of rebuilt tables, each as soon as it is ready.

    As text, a table is also printed at once. In other formats all tables are printed at the end.
    """

    def __init__(self, output: Path, layout: str, tables: int, record: Path | None) -> None:
        self._output, self._layout, self._tables, self._told = output, layout, tables, False
        self._record = record
        self._written: list[Rebuilt] = []

    def write(self, one: Rebuilt) -> None:
        from nlgauge_lab.reproduce import records
        from nlgauge_lab.reproduce.writing import markdown, table_csv, text

        figures = self._figures(one)
        for kind, content in (("md", markdown(one, figures)), ("csv", table_csv([one]))):
            with atomic_write(self._output / f"{one.table.name}.{kind}") as file:
                file.write(content)
        if self._record is not None:
            records.write(self._record, [records.record(one, date.today())])
        self._written.append(one)
        if self._layout == "text":
            click.echo("\n".join([*text(one), ""]))
        what = f"{one.table.name} (.md, .csv{', .png' if figures else ''})"
        remark(f"table {len(self._written)} of {self._tables} written to {self._output}: {what}")

    def close(self) -> None:
        from nlgauge_lab.reproduce.writing import records, tables

        if self._layout == "json":
            show_json("reproduce", tables=[records(one) for one in self._written])
        elif self._layout != "text":
            show_tables([cells for one in self._written for cells in tables(one)], self._layout)

    def _figures(self, one: Rebuilt) -> list[str]:
        from nlgauge_lab.reproduce.writing import draw

        try:
            return list(draw(one, self._output))
        except MissingExtraError as error:
            if not self._told:
                remark(f"no figures: {error}")
            self._told = True
        return []


class _Asked(NamedTuple):
    """The data, models and settings that a page is made from."""

    data: Data
    models: Sequence[str | None]
    metrics: Sequence[str]
    limit: int | None
    replicates: int


def _page_for(place: Path, readmes: Sequence[Path]) -> _Write:
    """Return a function that writes a page, and its short tables into other pages that have comments for them.

    The paths of all pages are checked at once, before anything is scored.

    Args:
        place: the path of the page.
        readmes: the other pages.
    """
    from nlgauge_lab.reproduce.markdown import region, tables_beside, write_region

    refuse_place(place)
    for readme in readmes:
        if not readme.is_file():
            raise InputError("is no page", file=readme, remedy="name one that holds the comments of docs/reproduce.md")

    def save(files: Mapping[Path, str]) -> None:
        for path, content in files.items():
            path.parent.mkdir(exist_ok=True)
            with atomic_write(path) as file:
                file.write(content)

    def write(text: str, short: Mapping[str, Sequence[str]], beside: Mapping[Path, str] | None = None) -> None:
        text, tables = tables_beside(text, place)
        save({place: text, **tables, **(beside or {})})
        click.echo(str(place))
        for readme in readmes:
            there = readme.read_text(encoding="utf-8")
            # Without any place for a table, the first one says what is lacking.
            for name in [name for name in short if region(there, name) is not None] or list(short)[:1]:
                text, tables = tables_beside("\n".join([*short[name], ""]), readme)
                save(tables)
                write_region(readme, name, text.splitlines())
            click.echo(str(readme))

    return write


def _check(readme: Path | None, listed: str) -> None:
    """Exit with code 1 if the list in a page, or a file beside this page, is out of date, and name the stale files.

    Args:
        readme: the page that holds the list of tables; None if none was given, which is an error.
        listed: the list as it should be.
    """
    from nlgauge_lab.reproduce.markdown import region, tables_beside

    if readme is None or not readme.is_file():
        raise SpecError("--check compares the list in a page: name the page with --readme")
    text, files = tables_beside(listed, readme)
    stale = [place for place, content in files.items() if not place.is_file() or place.read_text("utf-8") != content]
    stale += [readme] if region(readme.read_text("utf-8"), LIST) != text.strip("\n") else []
    for place in stale:
        remark(f"{place} is not what the tables and records say: run it without --check")
    if stale:
        sys.exit(1)


def _results(asked: _Asked, scores: Scores, write: _Write, page: Path, cached: bool) -> None:
    from nlgauge_lab.reproduce import suites as known
    from nlgauge_lab.reproduce.lines import lines, merged, read
    from nlgauge_lab.reproduce.measuring import measure

    place = page.parent / "data" / f"{page.stem}.csv"
    # A run of some metrics goes into the table that is there, with the data sets that it has.
    old = read(place) if asked.metrics and asked.limit is None and place.is_file() else []
    found: list[Line] = []
    for model in asked.models:
        measured, absent = measure(
            asked.data,
            scores,
            model=model,
            metrics=asked.metrics,
            replicates=asked.replicates,
            suites=known.SUITES,
            cached=cached,
        )
        found += lines(measured)
    _write_results(merged(old, found), write, page=page, absent=absent, limit=asked.limit, replicates=asked.replicates)


def _from_records(page: Path, readmes: Sequence[Path], limit: int | None, replicates: int) -> None:
    """Write the results page again from its CSV file, which is in the folder `data` beside the page.

    Args:
        page: the path of the page.
        readmes: other pages that get short tables.
        limit: the number of rows of each data set that were read, for the text of the page; None for all.
        replicates: the number of bootstrap samples, for the text of the page.
    """
    from nlgauge_lab.reproduce.lines import PUBLISHED, read

    place = page.parent / "data" / f"{page.stem}.csv"
    if not place.is_file():
        raise InputError("is not there", file=place, remedy="give --data, or a --page whose folder data has it")
    found = [line for line in read(place) if line.kind != PUBLISHED]
    write = _page_for(page, readmes)
    _write_results(found, write, page=page, absent=(), limit=limit, replicates=replicates)


def _write_results(
    found: Sequence[Line], write: _Write, page: Path, absent: Sequence[str], limit: int | None, replicates: int
) -> None:
    from nlgauge_lab.reproduce import page as made
    from nlgauge_lab.reproduce import suites as known
    from nlgauge_lab.reproduce.choices import TASKS
    from nlgauge_lab.reproduce.lines import as_csv, ordered, published

    place = page.parent / "data" / f"{page.stem}.csv"
    told = {line.data for line in found}
    suites = [suite for suite in known.SUITES if suite.title in told]
    absent = [name for name in absent if name not in {suite.sources[0].file for suite in suites}]
    found = ordered([*found, *published(suites)], suites)
    shipped = _aligners(made.models(found))
    files = {place: as_csv(found), place.with_suffix(".html"): made.html(found, limit)}
    text = made.page(found, suites, absent=absent, limit=limit, replicates=replicates, stem=page.stem, shipped=shipped)
    short = {"agreement": made.standing(found, suites), "recommended": made.chosen(found, shipped, only=True)}
    short |= {f"recommended: {task}": made.chosen(found, shipped, task) for task in TASKS}
    write(text, short, files)


def _aligners(models: Sequence[str]) -> dict[str, str]:
    """Return, by the name of a model, the first digits of the digest of its aligner.

    Models that cannot be loaded are left out.
    """
    from nlgauge.engine.models import loading
    from nlgauge.engine.models.capabilities import ALIGNER

    found = {}
    for name in models:
        try:
            model = loading.hold(name)
            found[name] = model[ALIGNER].digest[:8]
        except (NlgaugeError, KeyError):
            continue
    return found


def _detection(asked: _Asked, cache: Path | bool, write: _Write) -> None:
    from nlgauge_lab.reproduce.detecting import detect
    from nlgauge_lab.reproduce.detection_page import page, section, short_table
    from nlgauge_lab.reproduce.labelled_sets import LABELLED_SETS
    from nlgauge_lab.studies.probes import probes

    tried, absent = detect(
        asked.data.folder,
        [one.name for one in LABELLED_SETS],
        models=asked.models,
        metrics=asked.metrics,
        limit=asked.limit,
        replicates=asked.replicates,
        cache=cache,
        tell=remark,
    )
    # A quick look at some rows has none of it: the sentences are not among the rows.
    probed: list[str] = []
    if asked.limit is None and not asked.metrics:
        probed = section(probes(models=asked.models, replicates=asked.replicates, cache=cache, progress=True))
    write(
        page(tried, absent, limit=asked.limit, replicates=asked.replicates, more=probed),
        {DETECTION: short_table(tried)},
    )


def _coverage(data: Data, scores: Scores, draws: int, write: _Write) -> None:
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    from nlgauge_lab.reproduce.coverage import populations
    from nlgauge_lab.reproduce.coverage_page import page
    from nlgauge_lab.reproduce.differences import tried

    found, absent = populations(data, scores)
    made = []
    # A process for each processor: the draws of a set depend on no other set.
    with ProcessPoolExecutor() as pool:
        for one, of_one in zip(found, pool.map(partial(tried, draws=draws), found), strict=True):
            remark(f"{one.name}: {draws} draws")
            made.append(of_one)
    write(page(made, absent, draws), {})


def _panels(asked: _Asked, scores: Scores, write: _Write, cached: bool) -> None:
    from nlgauge_lab.reproduce.panels import measured, page, short_table

    found, lacking = measured(asked.data, scores, model=asked.models[0], cached=cached)
    write(page(found, lacking), {PANELS: short_table(found)})


def _layers(asked: _Asked, scores: Scores, write: _Write) -> None:
    from nlgauge_lab.reproduce.layers import families, page

    found, models, absent = families(asked.data, scores, asked.models[0], asked.metrics)
    write(page(found, models, absent, asked.limit), {})
