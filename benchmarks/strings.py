"""All string metrics on a large table, compared with a limit of one minute and with plain loops over the libraries.

    python benchmarks/strings.py [FILE] [--sample 300] [--quick] [--output FILE]

FILE is a table of outputs with references and sources, such as WebNLG 2020's 28,464. Without FILE a table of that shape
is made up: 16 systems, 1,779 items, 1 to 5 references, short texts. Peers are the libraries of nlgauge[dev]. A missing
one is named and left out.

table   Seconds of every metric on the whole table, one after the other in one process, including values of systems.
        The sum is compared with the limit. Given are seconds of the clock and of the processor, which other work on the
        machine affects less.
peers   A plain loop that calls the library for each row, and for each output with each of its references. It takes
        turns with nlgauge on the same rows. Printed is how many times longer the loop takes: "least - median - largest"
        of the rounds. The rows are all outputs of the first items, so that references recur as they do in a table. The
        largest difference of two values shows that both compute the same.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import Spread, heading, interleaved, ratios, table

from nlgauge import Corpus, evaluate
from nlgauge.data.corpus import Row
from nlgauge.errors import MissingExtraError

LIMIT_S = 60.0
SYSTEMS, ITEMS = 16, 1779
METRICS = (
    "BLEU",
    "ChrF",
    "TER",
    "CDER",
    "EED",
    "ROUGE(variant='1', stemmer=True)",
    "ROUGE(variant='2', stemmer=True)",
    "ROUGE(stemmer=True)",
    "ROUGE(variant='Lsum', stemmer=True)",
    "METEOR",
    "CIDEr",
    "SARI",
    "TokenF1",
    "Length",
    "CopyRate",
)

Loop = Callable[[Sequence[Row]], list[float]]


def made_up(systems: int, items: int) -> Corpus:
    """Return a table in which systems say nearly what references say, and sometimes the same as another system."""
    maker, pick = measuring.TextMaker(), random.Random(3)
    rows: list[Row] = []
    for item in range(items):
        first = maker.clauses(3)
        variants = [[pick.choice((own, other)) for own, other in zip(first, maker.clauses(3), strict=True)]]
        variants += [[pick.choice(pair) for pair in zip(first, variants[0], strict=True)] for _ in range(20)]
        texts = [maker.text(one) for one in variants]
        references = tuple(dict.fromkeys(texts[: pick.randint(1, 5)]))
        source = " ".join(first)
        rows += [
            Row(pick.choice(texts[1:]), references, source, system=f"s{system}", item=str(item))
            for system in range(systems)
        ]
    return Corpus(tuple(rows))


# ---- Plain loops


def by_sacrebleu(name: str, **settings: Any) -> Callable[[], Loop]:
    def prepared() -> Loop:
        import sacrebleu.metrics

        tool = getattr(sacrebleu.metrics, name)(**settings)
        return lambda rows: [tool.sentence_score(row.candidate, list(row.references)).score for row in rows]

    return prepared


def by_rouge_score(kind: str) -> Callable[[], Loop]:
    def prepared() -> Loop:
        from rouge_score.rouge_scorer import RougeScorer

        tool = RougeScorer([kind], use_stemmer=True)
        return lambda rows: [
            max(tool.score(text, row.candidate)[kind].fmeasure for text in row.references) for row in rows
        ]

    return prepared


def by_rouge_score_rs() -> Loop:
    from rouge_score_rs import RougeScorer

    tool = RougeScorer(["rougeL"])
    return lambda rows: [
        max(tool.score(text, row.candidate)["rougeL"].fmeasure for text in row.references) for row in rows
    ]


def by_nltk() -> Loop:
    """Return a loop over nltk's METEOR on words split at spaces, with Porter's stems and without synonyms.

    Synonyms would need a download.
    """
    from nltk.translate.meteor_score import single_meteor_score
    from snowballstemmer import stemmer

    porter = stemmer("porter")

    class Stems:
        def stem(self, word: str) -> str:
            return str(porter.stemWord(word))

    class NoSynonyms:
        def synsets(self, word: str) -> list[object]:
            return []

    def loop(rows: Sequence[Row]) -> list[float]:
        return [
            max(
                single_meteor_score(text.split(), row.candidate.split(), str.lower, Stems(), NoSynonyms(), 0.9, 3, 0.5)
                for text in row.references
            )
            for row in rows
        ]

    return loop


PEERS: dict[str, tuple[str, str, Callable[[], Loop]]] = {
    "BLEU": ("sacrebleu", "sacrebleu", by_sacrebleu("BLEU", effective_order=True)),
    "ChrF": ("sacrebleu", "sacrebleu", by_sacrebleu("CHRF")),
    "ChrF(words=2)": ("sacrebleu", "sacrebleu", by_sacrebleu("CHRF", word_order=2)),
    "TER": ("sacrebleu", "sacrebleu", by_sacrebleu("TER")),
    "ROUGE(variant='1', stemmer=True)": ("rouge-score", "rouge_score", by_rouge_score("rouge1")),
    "ROUGE(variant='2', stemmer=True)": ("rouge-score", "rouge_score", by_rouge_score("rouge2")),
    "ROUGE(stemmer=True)": ("rouge-score", "rouge_score", by_rouge_score("rougeL")),
    "ROUGE": ("rouge-score-rs", "rouge_score_rs", by_rouge_score_rs),
    "METEOR(tokenizer='spaces')": ("nltk", "nltk", by_nltk),
}


def first_items(rows: Corpus, at_least: int) -> list[Row]:
    """Return all outputs of the first items, without rows whose texts have no words."""
    by_item: dict[str, list[Row]] = {}
    for row in rows:
        usable = tuple(text for text in row.references if text.strip())
        if row.candidate.strip() and usable:
            by_item.setdefault(row.item, []).append(replace(row, references=usable))
    found: list[Row] = []
    for own in by_item.values():
        if len(found) >= at_least:
            break
        found += own
    return found


def seconds_of(rows: Corpus, spec: str) -> tuple[float, float, int]:
    """Return the seconds of the clock and of the processor for a metric, and the number of rows without value.

    The seconds are those of all rows and systems.
    """
    began, used = time.perf_counter(), time.process_time()
    found = evaluate(rows, metrics=spec)
    found.by_system()
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    return seconds, cpu, int(np.isnan(found.values(found.metrics[0])).sum())


def beside_peer(spec: str, rows: Sequence[Row], loop: Loop, repeats: int) -> dict[str, Any]:
    corpus = Corpus(tuple(rows))
    last: dict[str, Any] = {}

    def ours() -> None:
        last["ours"] = evaluate(corpus, metrics=spec).values(spec)

    def theirs() -> None:
        last["peer"] = np.array(loop(rows))

    seconds = interleaved({"peer": theirs, "ours": ours}, repeats)
    return {
        "ratio": ratios(seconds["peer"], seconds["ours"]),
        "rows_per_second": round(len(rows) / float(np.median(seconds["ours"]))),
        "peer_rows_per_second": round(len(rows) / float(np.median(seconds["peer"]))),
        "largest_difference": float(np.nanmax(np.abs(last["ours"] - last["peer"]))),
    }


def main() -> None:
    parser = measuring.parser(__doc__ or "")
    parser.add_argument("rows", type=Path, nargs="?", metavar="FILE")
    parser.add_argument("--sample", type=int, default=320, help="rows for the peers; 0: none")
    parser.add_argument("--metric", action="append", help="this one alone; repeatable")
    args = parser.parse_args()
    facts = measuring.machine()
    facts["packages"] |= {
        name: found
        for name in ("sacrebleu", "rouge-score-rs", "rapidfuzz", "rouge-score", "nltk")
        if (found := measuring.installed_version(name))
    }
    measuring.print_machine(facts)
    rows = Corpus.read(args.rows) if args.rows else made_up(SYSTEMS, 60 if args.quick else ITEMS)
    if args.quick and args.rows:
        rows = Corpus(tuple(rows)[:960])
    record: dict[str, Any] = {"machine": facts, "rows": len(rows), "table": {}, "peers": {}}

    heading(f"table: {len(rows)} rows, {len(rows.systems)} systems, {args.rows.name if args.rows else 'made up'}")
    lines: list[list[object]] = []
    for spec in args.metric or METRICS:
        try:
            seconds, cpu, undefined = seconds_of(rows, spec)
        except MissingExtraError as error:
            lines.append([spec, "-", "-", str(error)])
            continue
        record["table"][spec] = seconds, cpu
        lines.append([spec, f"{seconds:.2f}", f"{cpu:.2f}", f"{undefined} rows without a value" if undefined else ""])
    total, used = (sum(each) for each in zip(*record["table"].values(), strict=True))
    lines.append(["together", f"{total:.1f}", f"{used:.1f}", f"limit {LIMIT_S:.0f}"])
    table(["metric", "seconds", "of the processor", ""], lines)
    record["seconds"], record["processor_seconds"] = total, used

    repeats = args.repeats or (1 if args.quick else 5)
    sample = first_items(rows, min(args.sample, 48) if args.quick else args.sample)
    if sample:
        heading(f"peers: {len(sample)} rows, {repeats} rounds")
    lines = []
    for spec, (name, module, prepare) in PEERS.items():
        if not sample or (args.metric and spec not in args.metric):
            continue
        if find_spec(module) is None:
            print(f"  {name} is not installed: left out")
            continue
        found = beside_peer(spec, sample, prepare(), repeats)
        record["peers"][spec] = found
        lines.append(
            [
                spec,
                name,
                found["ratio"],
                found["rows_per_second"],
                found["peer_rows_per_second"],
                f"{found['largest_difference']:.1e}",
            ]
        )
    if lines:
        table(["metric", "peer", "peer / ours", "rows/s", "peer rows/s", "largest difference"], lines)
    middles = [found["ratio"].median for found in record["peers"].values()]
    if middles:
        print(f"  peer / ours over the metrics: {Spread.of(middles)}")
    measuring.save(args.output, record)


if __name__ == "__main__":
    main()
