"""Search in a long source: how often marked evidence is among the chosen sentences, and the time it saves.

    python benchmarks/evidence_search.py [--only found,speed] [--rows FILE ...] [--sources N] [--room 150,200,250]
                                         [--model NAME] [--layers 3,6] [--repeats N] [--quick] [--output FILE]

found   Rows with `evidence_lines` (alternative sets of numbers of the source's lines). Printed are the share of claims
        for which one whole set is among the chosen sentences, and the share of the first set's sentences that are
        chosen. Compared are four searches. The first is nlgauge's. The second is BM25 on the same sub-words (k1 1.2,
        b 0.75, counted on the source's sentences). The third takes the sentences with the largest cosine with the
        claim, by the mean of their tokens' states on a layer. The fourth uses nlgauge's search for half the room and
        vectors for the rest. Then come the results of nlgauge's search by how much of the claim's words (weighted by
        rarity) the chosen sentences have.
speed   Pairs per second of one processor with the search, with all of the source in the same rows, and in windows as
        long as the model's. They are claims of --rows with the first 400 words of their sources, or made texts of 48
        words, of which half is in the source. Then there is a made source of 52,000 words.
"""

from __future__ import annotations

import json
import lzma
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import measuring
import numpy as np
from measuring import TextMaker, heading, ratios, table
from numpy.typing import NDArray

from nlgauge.engine.engine import Engine
from nlgauge.engine.features import alignment
from nlgauge.engine.features.alignment import AlignmentRequest
from nlgauge.engine.features.vectors import VectorsRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.sentence_search import Pairing, Search, SearchShape, rarity
from nlgauge.maths.vectors import unit

Ranking = Sequence[int]
LONG = 52_000


class Claim(NamedTuple):
    text: str
    asked: NDArray[np.int32]
    source: str
    search: Search
    sets: list[set[int]]
    """Alternative sets of numbers of sentences, as the search numbers them"""


def claims(model: Model, files: Sequence[Path], most: int) -> list[Claim]:
    """Return the claims about the first `most` sources that have evidence and do not fit a row."""
    rows = [json.loads(line) for file in files for line in lzma.decompress(file.read_bytes()).splitlines()]
    rows = [row for row in rows if any(row.get("evidence_lines") or ())]
    sources = list(dict.fromkeys(row["source"] for row in rows))[: most or None]
    pairing = _pairing(model)
    searches = {
        text: pairing.search(text, tokens)
        for text, tokens in zip(sources, model[TOKENIZER].encode(sources), strict=True)
    }
    lines = {text: _by_line(text, search) for text, search in searches.items()}
    chosen = [row for row in rows if row["source"] in searches]
    found = []
    for row, tokens in zip(chosen, model[TOKENIZER].encode([row["candidate"] for row in chosen]), strict=True):
        source = row["source"]
        sets = [set().union(*(lines[source][line] for line in some)) for some in row["evidence_lines"] if some]
        if len(searches[source].tokens) + len(tokens) > pairing.room:
            found.append(Claim(row["candidate"], tokens.ids, source, searches[source], sets))
    return found


def _pairing(model: Model) -> Pairing:
    frequencies = general_frequencies(model)
    return Pairing(model[TOKENIZER], SearchShape(), rarity(frequencies.counts, frequencies.documents))


def _by_line(source: str, search: Search) -> list[set[int]]:
    """Return the numbers of the sentences in each line of a source."""
    ends = np.cumsum([len(line) + 1 for line in source.split("\n")])
    found: list[set[int]] = [set() for _ in ends]
    for number, ((begin, _), _) in enumerate(search.read(search.spans)):
        found[int(np.searchsorted(ends, begin, side="right"))].add(number)
    return found


def filled(ranking: Ranking, search: Search, room: int, begun: Sequence[int] = ()) -> set[int]:
    """Return the sentences in `begun`, and the first sentences of a ranking that still fit."""
    taken = set(begun)
    sizes = [end - begin for begin, end in search.spans]
    left = room - sum(sizes[number] for number in taken)
    for number in ranking:
        size = sizes[number]
        if number not in taken and size <= left:
            taken.add(number)
            left -= size
    return taken


def bm25(claim: Claim, k1: float = 1.2, b: float = 0.75) -> Ranking:
    wanted = np.unique(claim.asked)
    spans = claim.search.spans
    counts = np.array([[(ids == token).sum() for token in wanted] for _, ids in claim.search.read(spans)])
    sizes = np.array([end - begin for begin, end in spans])
    holders = (counts > 0).sum(0)
    idf = np.log1p((len(spans) - holders + 0.5) / (holders + 0.5))
    scores = (idf * counts * (k1 + 1) / (counts + k1 * (1 - b + b * sizes / sizes.mean())[:, None])).sum(1)
    return [int(i) for i in np.argsort(-scores, kind="stable") if scores[i] > 0]


def by_vectors(model: Model, some: Sequence[Claim], layer: int) -> list[Ranking]:
    """Return the sentences of each claim's source in the order of their cosine. The time is printed."""
    requests = [VectorsRequest(text, (layer,)) for claim in some for text in (claim.text, claim.source)]
    begin = time.process_time()
    features = Engine(model).features(requests)
    print(f"  vectors of layer {layer}: {1000 * (time.process_time() - begin) / len(some):.0f} ms of processor a claim")
    rankings = []
    for claim in some:
        own, source = (features[VectorsRequest(text, (layer,))] for text in (claim.text, claim.source))
        states = source.vectors[0, ~source.special]
        means = np.stack([states[begin:end].mean(0) for begin, end in claim.search.spans])
        cosines = unit(means) @ unit(own.vectors[0, ~own.special].mean(0)[None])[0]
        rankings.append([int(i) for i in np.argsort(-cosines, kind="stable")])
    return rankings


def found(model: Model, some: Sequence[Claim], rooms: Sequence[int], layers: Sequence[int]) -> dict[str, Any]:
    heading(f"found: {len(some)} claims, {len({claim.source for claim in some})} sources")
    began = time.process_time()
    chosen = {room: [claim.search.choose(claim.asked, room) for claim in some] for room in rooms}
    print(f"  ours: {1000 * (time.process_time() - began) / len(some) / len(rooms):.1f} ms of processor a claim")
    ways: dict[str, Callable[[int, int], set[int]]] = {"ours": lambda number, room: set(chosen[room][number])}
    ranked = list(map(bm25, some))
    ways["BM25"] = lambda number, room: filled(ranked[number], some[number].search, room)
    for layer in layers:
        alike = by_vectors(model, some, layer)
        ways[f"vectors, layer {layer}"] = lambda number, room, alike=alike: filled(
            alike[number], some[number].search, room
        )
        ways[f"ours and layer {layer}"] = lambda number, room, alike=alike: filled(
            alike[number], some[number].search, room, some[number].search.choose(some[number].asked, room // 2)
        )
    figures: dict[str, Any] = {}
    for name, way in ways.items():
        for room in rooms:
            taken = [way(number, room) for number in range(len(some))]
            whole = np.mean([any(one <= mine for one in claim.sets) for claim, mine in zip(some, taken, strict=True)])
            first = [len(claim.sets[0] & mine) / len(claim.sets[0]) for claim, mine in zip(some, taken, strict=True)]
            figures.setdefault(name, {})[room] = (round(float(whole), 3), round(float(np.mean(first)), 3))
    table(
        ["", *(f"{room}: whole set, sentences" for room in rooms)],
        [[name, *(f"{whole:.3f}  {first:.3f}" for whole, first in row.values())] for name, row in figures.items()],
    )
    room = rooms[-1]
    covered = np.array(
        [
            claim.search.covered(claim.asked, [claim.search.spans[i] for i in mine])
            for claim, mine in zip(some, chosen[room], strict=True)
        ]
    )
    right = np.array(
        [any(one <= set(mine) for one in claim.sets) for claim, mine in zip(some, chosen[room], strict=True)]
    )
    edges = (0, 0.2, 0.4, 0.6, 0.8, 1.01)
    inside = [(covered >= low) & (covered < high) for low, high in pairwise(edges)]
    rows = [
        [f"{low:.1f} to {min(high, 1):.1f}", int(part.sum()), f"{right[part].mean():.3f}" if part.any() else "-"]
        for low, high, part in zip(edges, edges[1:], inside, strict=False)
    ]
    table([f"covered at {room}", "claims", "whole set"], rows)
    return {"found": figures, "covered": rows}


def speed(model: Model, real: Sequence[Claim], repeats: int, quick: bool) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    maker = TextMaker(seed=3)
    for words, pairs, ways in (
        (400, 4 if quick else 16, ("search", "windows", "long windows")),
        (LONG // (10 if quick else 1), 1, ("search",) if quick else ("search", "windows")),
    ):
        sources = [maker.words(words) for _ in range(pairs)]
        texts = [" ".join([*maker.words(24).split(), *source.split()[words // 2 :][:24]]) for source in sources]
        some = list(zip(texts, sources, strict=True))
        if real and words < 1000:
            some = [(claim.text, " ".join(claim.source.split()[:words])) for claim in real[:: len(real) // pairs]][
                :pairs
            ]
        heading(f"speed: {pairs} pairs, sources of {words} words")
        runs = {way: lambda way=way, some=some: align(model, some, way) for way in ways}
        took = _in_turn(runs, repeats if words < 1000 else 1, warm=words < 1000)
        rates = {way: f"{pairs / float(np.median(seconds)):.3f}" for way, seconds in took.items()}
        rows = {way: align(model, some[:1], way) for way in ways if way == "search" or words < 1000}
        table(
            ["", "pairs/s of a processor", "rows of the first"],
            [[way, rate, rows.get(way, "")] for way, rate in rates.items()],
        )
        for way in ways[1:]:
            print(f"search is {ratios(took[way], took['search'])} times as fast as {way}")
        figures[str(words)] = rates
    search, began = _pairing(model), time.process_time()
    text = maker.words(LONG)
    tokens = model[TOKENIZER].encode([text])[0]
    split = time.process_time()
    ready = search.search(text, tokens)
    made = time.process_time()
    for _ in range(10):
        ready.choose(tokens.ids[100:160], 250)
    chosen = (time.process_time() - made) / 10
    parts = {"sub-words": split - began, "sentences": made - split, "search of a stretch": chosen}
    table(["52,000 words, ms of processor", ""], [[name, f"{1000 * took:.0f}"] for name, took in parts.items()])
    return {"speed": figures, "seconds": parts}


def _in_turn(runs: Mapping[str, Callable[[], object]], repeats: int, warm: bool) -> dict[str, list[float]]:
    """Return processor seconds of every run in every round. Other work on the machine affects these little."""
    took: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(-int(warm), repeats):
        for name, run in runs.items():
            began = time.process_time()
            run()
            if turn >= 0:
                took[name].append(time.process_time() - began)
    return took


def align(model: Model, pairs: Sequence[tuple[str, str]], way: str) -> int:
    """Align pairs, and return how many rows were read."""
    shape = alignment.SHAPE
    if way == "long windows":
        alignment.SHAPE = SearchShape(row=model.window, stretch=model.window // 2)
    try:
        engine = Engine(model)
        reading: alignment.LongSource = "search" if way == "search" else "windows"
        engine.features([AlignmentRequest(text, (source,), reading) for text, source in pairs])
        return engine.ledger.passes
    finally:
        alignment.SHAPE = shape


def main() -> None:
    parser = measuring.parser(__doc__)
    parser.add_argument("--only", default="found,speed")
    parser.add_argument("--rows", type=Path, nargs="*", default=[])
    parser.add_argument("--sources", type=int, default=0, help="how many; 0: all")
    parser.add_argument("--room", type=measuring.numbers, default=[150, 200, 250])
    parser.add_argument("--layers", type=measuring.numbers, default=[])
    parser.add_argument("--model", default="pocket")
    arguments = parser.parse_args()
    facts = measuring.machine()
    measuring.print_machine(facts)
    model = loading.load(arguments.model)
    record: dict[str, Any] = {"machine": facts}
    some = claims(model, arguments.rows, arguments.sources)
    if "found" in arguments.only and some:
        record |= found(model, some, arguments.room, arguments.layers)
    if "speed" in arguments.only:
        record |= speed(model, some, arguments.repeats or (1 if arguments.quick else 3), arguments.quick)
    measuring.save(arguments.output, record)


if __name__ == "__main__":
    main()
