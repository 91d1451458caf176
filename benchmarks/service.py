"""The service under load, compared with the library: requests per second, waiting times, overload, memory, stop.

The milliseconds of the processor for a request, and the megabytes, are those of the service and of its scoring
processes.

    python benchmarks/service.py [--metric BERTScore] [--clients 1,16,64] [--requests 600]

Every request has a different row, so that nothing comes from a cache. The clients run in another process on this
machine, and share its processors with the service. *Direct* is `nlgauge.evaluate` on all rows at once. Overload: as
many clients as can wait, and 50 more, each send one request at the same moment. The stop: SIGTERM while 16 requests
wait. All requests that were accepted have to be answered. The exit code is 1 if an answer is lost, or has another
status than 200 (and 429 under overload).
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx
from measuring import machine, numbers, parser, print_machine, save, table

import nlgauge

_WAITING = 16
_NOT_TAKEN, _CUT_OFF = 0, -1
"""Status of a request that could not connect, because the service has stopped listening, and of a request without an
answer
"""


def row(number: int) -> dict[str, object]:
    return {
        "candidate": f"Rain fell {number} times on the old bridge.",
        "references": [f"It rained {number} times on the bridge, as nobody had counted on."],
        "source": f"Nobody counted, but it rained {number} times.",
    }


class Service:
    """A running service, and the processes that score for it."""

    def __init__(self, metric: str, *options: str) -> None:
        command = [sys.executable, "-m", "nlgauge", "serve", "--port", "0", "-m", metric, "--quiet", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r"http://\S+", self.process.stderr.readline())
        assert found is not None
        self.url = found[0]

    def processes(self) -> dict[str, float]:
        """Return the processor seconds of each process of the service so far, by process number, the oldest first."""
        found = {}
        for place in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = place.read_text(encoding="utf-8").rpartition(")")[2].split()
                if self.process.pid in (int(fields[1]), int(place.parent.name)):
                    ticks = int(fields[11]) + int(fields[12])
                    found[int(fields[19]), place.parent.name] = ticks / os.sysconf("SC_CLK_TCK")
        return {name: seconds for (_, name), seconds in sorted(found.items())}

    def megabytes(self) -> int:
        places = (Path("/proc") / name / "status" for name in self.processes())
        return sum(int(re.findall(r"VmRSS:\s*(\d+)", place.read_text(encoding="utf-8"))[0]) for place in places) // 1024

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


async def _load(url: str, clients: int, first: int, requests: int) -> tuple[float, list[float], Counter[int]]:
    """Return the total seconds, the seconds of each request, and how often each status came."""
    left, waits, statuses = iter(range(first, first + requests)), list[float](), Counter[int]()

    async def client(session: httpx.AsyncClient) -> None:
        for number in left:
            began = time.perf_counter()
            try:
                answer = await session.post("/score", json={"rows": [row(number)]})
            except httpx.TransportError as error:
                statuses[_NOT_TAKEN if isinstance(error, httpx.ConnectError) else _CUT_OFF] += 1
                continue
            waits.append(time.perf_counter() - began)
            statuses[answer.status_code] += 1

    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=300) as session:
        await session.post("/score", json={"rows": [row(-1)]})
        began = time.perf_counter()
        await asyncio.gather(*(client(session) for _ in range(clients)))
        return time.perf_counter() - began, sorted(waits), statuses


def main() -> int:
    options = parser(__doc__ or "")
    options.add_argument("--metric", default="BERTScore")
    options.add_argument("--clients", type=numbers, default=[1, 16, 64])
    options.add_argument("--requests", type=int, default=600)
    given = options.parse_args()
    requests = 40 if given.quick else given.requests
    facts = machine()
    print_machine(facts)
    wrong, lines, service = 0, [], Service(given.metric)
    nlgauge.evaluate([row(-1)], metrics=given.metric, cache=False)
    began = time.perf_counter()
    nlgauge.evaluate([row(number) for number in range(requests)], metrics=given.metric, cache=False)
    direct = requests / (time.perf_counter() - began)
    lines.append(["direct", f"{direct:.0f}", "1", "", "", "", ""])
    first = requests
    for clients in given.clients:
        count = requests if clients > 1 else max(20, requests // 6)
        before = sum(service.processes().values())
        seconds, waits, statuses = asyncio.run(_load(service.url, clients, first, count))
        worked = (sum(service.processes().values()) - before) / count
        first += count
        wrong += count - statuses[200]
        rate, middle, late = count / seconds, waits[len(waits) // 2], waits[min(len(waits) - 1, len(waits) * 99 // 100)]
        shown = [
            f"{rate:.0f}",
            f"{rate / direct:.2f}",
            f"{middle * 1e3:.0f}",
            f"{late * 1e3:.0f}",
            f"{worked * 1e3:.1f}",
        ]
        lines.append([f"{clients} clients", *shown, str(service.megabytes())])
    table(["", "rows/s", "of direct", "p50, ms", "p99, ms", "processor, ms", "MB"], lines)
    wrong += service.stop()

    small = Service(given.metric, "--waiting", str(_WAITING))
    many = _WAITING + 50
    _, _, statuses = asyncio.run(_load(small.url, many, first, many))
    wrong += many - statuses[200] - statuses[429]
    print(f"overload: {many} at once where {_WAITING} may wait: {dict(statuses)}")

    async def stopped() -> Counter[int]:
        loading = asyncio.ensure_future(_load(small.url, _WAITING, 0, _WAITING))
        await asyncio.sleep(0.3)
        small.process.send_signal(signal.SIGTERM)
        return (await loading)[2]

    statuses = asyncio.run(stopped())
    print(f"stop: {_WAITING} sent, then SIGTERM: {dict(statuses)}, exit code {small.process.wait(120)}")
    wrong += _WAITING - sum(statuses[code] for code in (200, 503, _NOT_TAKEN))
    save(given.output, {"machine": facts, "lines": lines})
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
