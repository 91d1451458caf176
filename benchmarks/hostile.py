"""Requests with texts that are made to take long, sent to a running service while other clients send small requests.

    python benchmarks/hostile.py [--size 199000] [--metric Faithfulness] [--kinds numbers,prose] [--places candidate]

Each kind of text is sent to `/check` as the answer, as the source and as the question of one row. Meanwhile two clients
send one small row after the other. A line has the status of the answer to a text, the seconds until the answer, and the
processor seconds in this time. It also has the median and the longest waiting time of the small requests. The exit code
is 1 if a text is not answered within `--seconds`, or if a small request fails or waits longer than `--others` seconds.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping

import httpx
from measuring import machine, parser, print_machine, save, table
from service import Service

_TEXT = """
    the a of to in and ferry bridge museum library council garden morning winter opened closed repaired painted
    counted measured promised northern wooden quiet narrow tickets visitors members children teachers engineers
    because although before after while during nearly almost never often again costs leaves carries holds
"""
_WORDS = _TEXT.split()
_DEEPEST = 10_000
_SMALL = {
    "question": "What does a late return cost?",
    "source": "Late returns cost two crowns a day.",
    "candidate": "A late return costs two crowns a day.",
}


def _repeated(text: str) -> Callable[[int], str]:
    return lambda size: (text * (size // len(text) + 1))[:size]


def _joined(make: Callable[[random.Random], str], between: str = " ") -> Callable[[int], str]:
    def made(size: int) -> str:
        rng, pieces, length = random.Random(5), list[str](), 0
        while length < size:
            pieces.append(make(rng))
            length += len(pieces[-1]) + len(between)
        return between.join(pieces)[:size]

    return made


def _sentence(rng: random.Random) -> str:
    words = " ".join(rng.choices(_WORDS, k=rng.randrange(8, 22)))
    return f"{words[0].upper()}{words[1:]}{rng.choice(['', f' {rng.randrange(2000)}', ', not late'])}."


def _nested(size: int) -> str:
    depth = min(_DEEPEST, size // 13)
    return '{"room": [' * depth + '"free"' + "]}" * depth


def _line(rng: random.Random) -> str:
    return f"Room {rng.randrange(999)},{rng.choice(_WORDS)},{rng.randrange(9999)},{rng.choice(['yes', 'no'])}"


KINDS: Mapping[str, Callable[[int], str]] = {
    "numbers": _joined(lambda rng: str(rng.randrange(10**6))),
    "amounts": _joined(lambda rng: f"{rng.randrange(10**6)} euros", ", "),
    "one number": _repeated("1"),
    "blanks": _repeated(" "),
    "line ends": _repeated("\n"),
    "www.": _repeated("www."),
    "links": _joined(lambda rng: f"https://{rng.choice(_WORDS)}.org/{rng.randrange(10**6)}"),
    "quotes": _repeated('"'),
    "curly quotes": _repeated("“a” "),
    "open brackets": _repeated("("),
    "open square brackets": _repeated("["),
    "marks of citations": _repeated("[1] "),
    "commas": _repeated(","),
    "hyphens": _repeated("-"),
    "one word": _repeated("a"),
    "nested JSON": _nested,
    "open JSON": _repeated('{"a":['),
    "combining characters": _repeated("e\u0301\u0302\u0303"),
    "one letter with marks": lambda size: "e" + "\u0301" * (size - 1),
    "emoji": _repeated("👩‍👩‍👧‍👦🏽"),
    "YAML": _joined(lambda rng: f"{rng.choice(_WORDS)}:\n  - {rng.choice(_WORDS)}: {rng.randrange(999)}", "\n"),
    "aliases of YAML": _joined(lambda rng: f"a{rng.randrange(99)}: &x{rng.randrange(99)} [*x1,*x1,*x1]", "\n"),
    "CSV": _joined(_line, "\n"),
    "JSON": lambda size: json.dumps([{"name": f"Room {n}", "free": n % 2 == 0} for n in range(size // 40)]),
    "JSON lines": _joined(lambda rng: f'{{"name": "{rng.choice(_WORDS)}", "price": {rng.randrange(999)}}}', "\n"),
    "XML": _joined(lambda rng: f"<room><name>{rng.choice(_WORDS)}</name><price>{rng.randrange(999)}</price></room>"),
    "open XML": _repeated("<a>"),
    "a table": _joined(lambda rng: f"| {rng.choice(_WORDS)} | {rng.randrange(999)} |", "\n"),
    "dates": _joined(lambda rng: f"{rng.randrange(1, 28)} May {rng.randrange(1900, 2030)}", ", "),
    "dates in digits": _joined(lambda rng: f"{rng.randrange(1900, 2030)}-{rng.randrange(1, 13):02}-12"),
    "times": _joined(lambda rng: f"from {rng.randrange(24)}:{rng.randrange(60):02} to {rng.randrange(24)}"),
    "names": _joined(lambda rng: f"In {rng.choice(_WORDS).title()} {rng.choice(_WORDS).title()}", ", "),
    "negations": _repeated("not no never "),
    "exceptions": _repeated("all except "),
    "refusals": _repeated("The source does not say. "),
    "lists": _joined(lambda rng: f"- {_sentence(rng)}", "\n"),
    "prose": _joined(_sentence),
    "prose without stops": _joined(lambda rng: " ".join(rng.choices(_WORDS, k=12))),
    "no blanks": _joined(lambda rng: rng.choice(_WORDS), ""),
    "Chinese": _repeated("渡轮每天早上九点开船。"),
    "control characters": _repeated("\u0001\u200b\u202e"),
}


def row_of(place: str, text: str) -> dict[str, str]:
    """Return a row with a given text at one place, and short texts at the other places."""
    return {**_SMALL, place: text}


async def _asked(session: httpx.AsyncClient, row: Mapping[str, str]) -> tuple[int, float]:
    """Return the status and the seconds of one request."""
    body = json.dumps({"grounded": True, "rows": [row]}, ensure_ascii=False).encode("utf-8")
    began = time.perf_counter()
    answer = await session.post("/check", content=body, headers={"Content-Type": "application/json"})
    return answer.status_code, time.perf_counter() - began


async def _beside(url: str, row: Mapping[str, str]) -> tuple[int, float, list[float], Counter[int]]:
    """Return the status and seconds of one large request, and those of small ones that are sent meanwhile."""
    waits, statuses, over = list[float](), Counter[int](), asyncio.Event()

    async def others(session: httpx.AsyncClient) -> None:
        while not over.is_set() or not waits:
            status, seconds = await _asked(session, _SMALL)
            waits.append(seconds)
            statuses[status] += 1

    async with httpx.AsyncClient(base_url=url, timeout=300) as session:
        small = [asyncio.ensure_future(others(session)) for _ in range(2)]
        await asyncio.sleep(0.05)
        status, seconds = await _asked(session, row)
        over.set()
        await asyncio.gather(*small)
    return status, seconds, sorted(waits), statuses


def main() -> int:
    options = parser(__doc__ or "")
    options.add_argument("--size", type=int, default=199_000, help="characters of a text")
    options.add_argument("--metric", default="Faithfulness")
    options.add_argument("--kinds", default=",".join(KINDS))
    options.add_argument("--places", default="candidate,source,question")
    options.add_argument("--seconds", type=float, default=65.0)
    options.add_argument("--others", type=float, default=10.0)
    given = options.parse_args()
    size = 20_000 if given.quick else given.size
    facts = machine()
    print_machine(facts)
    service, wrong, lines = Service(given.metric), 0, []
    asyncio.run(_beside(service.url, row_of("candidate", "Late. " * 2_000)))  # starts the process of long requests
    for kind in given.kinds.split(","):
        cells, waits = [], list[float]()
        for place in given.places.split(","):
            before = service.processes()
            status, seconds, waited, statuses = asyncio.run(_beside(service.url, row_of(place, KINDS[kind](size))))
            after = service.processes()
            last = next(reversed(after))  # that of long requests, which is replaced if it was ended
            worked = f"{after[last] - before.get(last, 0.0):.1f}" if last in before else "-"
            waits += waited
            wrong += seconds > given.seconds or status == 500 or waited[-1] > given.others or set(statuses) != {200}
            cells.append(f"{status} {seconds:.1f} ({worked})")
        lines.append([kind, *cells, f"{statistics.median(waits) * 1e3:.0f}", f"{max(waits) * 1e3:.0f}"])
        print(*lines[-1], sep="\t", flush=True)
    table(["", *given.places.split(","), "others: p50, ms", "longest, ms"], lines)
    print(f"the service takes {service.megabytes()} MB")
    wrong += service.stop()
    save(given.output, {"machine": facts, "lines": lines})
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
