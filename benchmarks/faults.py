"""Does a run end with the same scores file whatever happens to it and to its cache? Linux; takes several minutes.

    python benchmarks/faults.py [--rows 600] [--kills 30] [--rounds 8] [--races 100] [--only PART] [--seed 1] [-m SPEC]

Rows are those of examples/outputs.jsonl with words changed and texts cut short, by a seed. One undisturbed run with a
fresh cache writes the scores file that all others have to equal to the last byte, and one without a cache has to have
the same numbers in it:

kills     `nlgauge score ... --cache DIR -o FILE` is killed (SIGKILL, its processes too) at a random moment, and run
          again until it ends, with a fresh cache after each end, until so many kills were made.
at once   Two runs on one cache, started together and a moment apart.
damage    A cache that is whole, or that a killed run left, has bits flipped, is cut, gets a -wal of noise, or is
          replaced by noise, and is then used; and is checked with `nlgauge cache verify`.
removed   The cache's database, or its folder, is removed while a run uses it; or bits of it are flipped.
full      The cache lies on a disk (tmpfs, in a namespace of its own) of 100 KiB, of 40 KiB, and on one that cannot
          be written. The user has to be told in one line.
folders   `nlgauge score ... --rows-per-block N -o FOLDER`, by the metrics that read a model and those of strings
          together, is killed at random moments until it ends, with a cache and without one; a block that it wrote is
          then cut or has bits flipped, and it is run again. Two such runs are started together: one has to be refused
          or to end with the same table. Nothing unfinished may be left in the folder.
writers   Two commands write one file at the same moment. It has to be one of the two, whole, and nothing beside it.

After each the command is run once more on the same cache, which shows whether something wrong was kept. What differs,
fails or says nothing is printed, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np

from nlgauge import ScoreTable
from nlgauge.errors import InputError

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "outputs.jsonl"
METRICS = ("InfoLM", "InfoLM(measure='l2', idf='none')", "BERTScore", "ChrF", "Length")
WORDS = 14
NOT_KEPT = "the run goes on without it"


def make_rows(path: Path, count: int, chance: random.Random) -> None:
    """Texts of at most WORDS words, some taken from other texts, so that rows differ and references recur."""
    records = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    words = [word for record in records for word in record["candidate"].split()]

    def varied(text: str, changes: int) -> str:
        parts = text.split()[:WORDS]
        for _ in range(changes):
            parts[chance.randrange(len(parts))] = chance.choice(words)
        return " ".join(parts)

    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            record = records[number % len(records)]
            references = [varied(text, number // len(records) // 3) for text in record.get("references") or ()]
            item = f"{record['item']}-{number // len(records)}"
            row = {"item": item, "system": record["system"], "candidate": varied(record["candidate"], 3)}
            file.write(json.dumps({**row, "references": references}, ensure_ascii=False) + "\n")


class Campaign:
    """Runs of one command, compared with the first."""

    def __init__(self, folder: Path, metrics: Sequence[str], chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.cache, self.wrong = folder / "cache", 0
        self._metrics = [part for spec in metrics for part in ("-m", spec)]
        self.expected, self.seconds = b"", 0.0
        began = time.monotonic()
        self.finish(self.start("expected"), "expected", "undisturbed")
        self.seconds = time.monotonic() - began
        self.expected = (folder / "expected").read_bytes()
        self.finish(self.start("expected", more=["--no-cache"]), "expected", "without a cache")
        print(f"undisturbed: {self.seconds:.1f} s, {len(self.expected):,} bytes of scores", flush=True)

    def start(
        self, output: str = "scores", within: Sequence[str] = (), more: Sequence[str] = (), rows: str = "rows.jsonl"
    ) -> subprocess.Popen[str]:
        """A run of the command, in a process group of its own. within: a command that starts it; more: options."""
        command = [sys.executable, "-m", "nlgauge", "score", str(self.folder / rows), *self._metrics]
        command += ["-o", str(self.folder / output), *(more or ["--cache", str(self.cache)])]
        if not (self.folder / output).is_dir():
            (self.folder / output).unlink(missing_ok=True)
        return subprocess.Popen(
            [*within, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def finish(self, run: subprocess.Popen[str], output: str, name: str) -> str:
        """Wait for a run and compare what it wrote; what it said on stderr."""
        said = run.communicate()[1]
        path = self.folder / output
        if run.returncode or "Traceback" in said:
            self.fail(f"{name}: exit code {run.returncode}: {said.strip()[-300:]}")
        elif self.expected and path.read_bytes() != self.expected:
            lines = zip_longest(self.expected.splitlines(True), path.read_bytes().splitlines(True), fillvalue=b"")
            number, (line, other) = next((n, pair) for n, pair in enumerate(lines, 1) if pair[0] != pair[1])
            self.fail(f"{name}: line {number} is {other[:200]!r} instead of {line[:200]!r}")
        return said

    def end(self, run: subprocess.Popen[str], name: str, refused: str | None = None) -> bool:
        """Whether a run ended well; else it must have said what `refused` is."""
        said = run.communicate()[1]
        if run.returncode and (refused is None or refused not in said):
            self.fail(f"{name}: exit code {run.returncode}: {said.strip()[-300:]}")
        return run.returncode == 0

    def run(self, name: str, within: Sequence[str] = ()) -> str:
        return self.finish(self.start(within=within), "scores", name)

    def killed(self, moment: float) -> bool:
        """Whether a run was at work so many seconds after its start, and was killed; one that had ended is compared."""
        run = self.start()
        if kill(run, moment):
            return True
        self.finish(run, "scores", "after kills")
        return False

    def fresh(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)

    def fail(self, line: str) -> None:
        self.wrong += 1
        print(f"WRONG  {line}", flush=True)

    def database(self) -> Path | None:
        return max(self.cache.glob("*.sqlite"), default=None, key=lambda path: path.stat().st_mtime)


def kill(run: subprocess.Popen[str], moment: float) -> bool:
    """Kill a run so many seconds after its start, and the processes that it started; False where it had ended."""
    try:
        run.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        return True
    return False


def kills(campaign: Campaign, count: int) -> None:
    made = ends = 0
    began = time.monotonic()
    campaign.fresh()
    while made < count:
        if campaign.killed(campaign.chance.uniform(0.05, 0.7) * campaign.seconds):
            made += 1
        else:
            ends += 1
            campaign.run("again after kills")
            campaign.fresh()
    campaign.run("after the last kill")
    campaign.run("again after kills")
    print(f"kills: {made} in {ends + 1} runs that ended, {time.monotonic() - began:.0f} s", flush=True)


def at_once(campaign: Campaign, rounds: int) -> None:
    for number in range(rounds):
        campaign.fresh()
        first = campaign.start("first")
        time.sleep(campaign.chance.uniform(0, 0.5) * campaign.seconds * (number > 0))
        second = campaign.start("second")
        campaign.finish(first, "first", "at once, first")
        campaign.finish(second, "second", "at once, second")
        campaign.run("again after two at once")
    print(f"at once: {rounds} times two runs", flush=True)


def flip(path: Path, chance: random.Random) -> None:
    with path.open("r+b") as file:
        size = path.stat().st_size
        for _ in range(chance.choice((1, 10, 1000)) if size else 0):
            at = chance.randrange(size)
            file.seek(at)
            byte = file.read(1) or b"\0"
            file.seek(at)
            file.write(bytes([byte[0] ^ 1 << chance.randrange(8)]))


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size + 1))


def noise_wal(path: Path, chance: random.Random) -> None:
    Path(f"{path}-wal").write_bytes(chance.randbytes(100_000))


def noise(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(path.stat().st_size))


def damage(campaign: Campaign, rounds: int) -> None:
    ways: tuple[Callable[[Path, random.Random], None], ...] = (flip, flip, cut, cut, noise_wal, noise)
    for number in range(rounds):
        for way in ways:
            campaign.fresh()
            if number % 2:
                campaign.killed(campaign.chance.uniform(0.4, 0.9) * campaign.seconds)
            else:
                campaign.run("before damage")
            path = campaign.database()
            if path is not None:
                way(path, campaign.chance)
            if number % 3 == 2:
                verify = [sys.executable, "-m", "nlgauge", "cache", "verify", "--cache", str(campaign.cache)]
                checked = subprocess.run(verify, capture_output=True, text=True, check=False)
                if checked.returncode:
                    campaign.fail(f"verify after {way.__name__}: {checked.stderr.strip()[-300:]}")
            campaign.run(f"after {way.__name__}")
            campaign.run(f"again after {way.__name__}")
    print(f"damage: {rounds * len(ways)} caches", flush=True)


def removed(campaign: Campaign, rounds: int) -> None:
    def unlink(path: Path, chance: random.Random) -> None:
        path.unlink()

    def folder(path: Path, chance: random.Random) -> None:
        shutil.rmtree(path.parent, ignore_errors=True)

    ways: tuple[Callable[[Path, random.Random], None], ...] = (unlink, folder, flip)
    for _ in range(rounds):
        for way in ways:
            campaign.fresh()
            run = campaign.start()
            time.sleep(campaign.chance.uniform(0.2, 0.9) * campaign.seconds)
            path = campaign.database()
            if path is not None:
                way(path, campaign.chance)
            campaign.finish(run, "scores", f"{way.__name__} under a run")
            campaign.run(f"again after {way.__name__} under a run")
    print(f"removed: {rounds * len(ways)} runs", flush=True)


def full(campaign: Campaign) -> None:
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if shutil.which("unshare") is None or subprocess.run([*namespace, "true"], check=False).returncode:
        print("full: NOT RUN, no namespace can be made here", flush=True)
        return
    for options in ("size=100k,mode=700", "size=40k,mode=700", "size=1m,mode=700,ro"):
        campaign.fresh()
        campaign.cache.mkdir()
        mount = f'mount -t tmpfs -o {options} tmpfs "$0" && exec "$@"'
        said = campaign.run(f"disk of {options}", [*namespace, "sh", "-c", mount, str(campaign.cache)])
        lines = [line for line in said.splitlines() if NOT_KEPT in line]
        if len(lines) != 1:
            campaign.fail(f"disk of {options}: told in {len(lines)} lines: {said.strip()[-300:]}")
    print("full: 3 disks", flush=True)


class Folders:
    """Runs into a folder, compared with ones that nothing happened to.

    With a cache, what a text is read into may come from an earlier block, where it was read beside other texts: numbers
    of runs with one are compared with one's, to the bit, and these with those without one, to rounding.
    """

    def __init__(self, campaign: Campaign, block: int) -> None:
        self._campaign, self._block = campaign, ["--rows-per-block", str(block)]
        self._expected: dict[bool, ScoreTable] = {}
        for kept in (True, False):
            campaign.fresh()
            began = time.monotonic()
            campaign.end(self._start(f"undisturbed-{kept}", kept), "undisturbed folder")
            self.seconds = time.monotonic() - began
            self._expected[kept] = ScoreTable.load(campaign.folder / f"undisturbed-{kept}")
        for spec, column in self._expected[True].columns.items():
            if not np.allclose(column.values, self._expected[False].columns[spec].values, 1e-4, 1e-6, equal_nan=True):
                campaign.fail(f"{spec}: a cache changes more than the last digits")
        campaign.end(campaign.start("plain.jsonl", more=[*self._block, "--no-cache"]), "the same in memory")
        self.compare("plain.jsonl", "the same in memory", False)

    def _start(self, output: str, kept: bool) -> subprocess.Popen[str]:
        return self._campaign.start(
            output, more=[*self._block, *(["--cache", str(self._campaign.cache)] if kept else ["--no-cache"])]
        )

    def compare(self, output: str, name: str, kept: bool) -> None:
        """Numbers, reasons, signatures and notes."""
        expected = self._expected[kept]
        place = self._campaign.folder / output
        try:
            table = ScoreTable.load(place)
        except InputError as error:
            self._campaign.fail(f"{name}: {error}")
            return
        if table != expected or table.run != expected.run:
            wrong = [spec for spec in expected.columns if table.columns.get(spec) != expected.columns[spec]]
            self._campaign.fail(f"{name}{', with a cache' * kept}: the table is another one: {wrong}")
        if place.is_dir() and (left := [path.name for path in place.iterdir() if path.name.startswith(".")]):
            self._campaign.fail(f"{name}: {left} is left in the folder")

    def kills(self, count: int) -> None:
        made = ends = hurt = 0
        self._campaign.fresh()
        chance = self._campaign.chance
        place = self._campaign.folder / "folder"
        while made < count or ends < 2:
            kept = bool(ends % 2)
            run = self._start("folder", kept)
            if made < count and kill(run, chance.uniform(0.3, 0.9) * self.seconds):
                made += 1
                continue
            self._campaign.end(run, "a folder after kills")
            self.compare("folder", "a folder after kills", kept)
            ends += 1
            blocks = sorted(place.glob("rows-*.parquet"))
            for way in (flip, cut):
                way(chance.choice(blocks), chance)
                hurt += 1
            self._campaign.end(self._start("folder", kept), "a folder with damaged blocks")
            self.compare("folder", "a folder with damaged blocks", kept)
            shutil.rmtree(place)
            self._campaign.fresh()
        print(f"folders: {made} kills in {ends} runs that ended, {hurt} blocks damaged", flush=True)

    def at_once(self, rounds: int) -> None:
        refused = 0
        for _ in range(rounds):
            runs = [self._start("folder", False) for _ in range(2)]
            ended = [self._campaign.end(run, "folders at once", "another run is at work") for run in runs]
            refused += ended.count(False)
            if not any(ended):
                self._campaign.fail("folders at once: both were refused")
            self.compare("folder", "folders at once", False)
            shutil.rmtree(self._campaign.folder / "folder")
        print(f"folders at once: {rounds} times two runs, {refused} refused", flush=True)


def writers(campaign: Campaign, rounds: int) -> None:
    """Two tables of different rows are saved under one name, again and again."""
    both = []
    for name in ("rows", "fewer"):
        campaign.end(campaign.start(f"{name}.scores", more=["--no-cache"], rows=f"{name}.jsonl"), name)
        both.append((campaign.folder / f"{name}.scores").read_bytes())
    place = campaign.folder / "shared"
    place.mkdir()
    script = "import sys, time; from nlgauge import ScoreTable; table = ScoreTable.load(sys.argv[1])\n"
    script += "while time.time() < float(sys.argv[3]): pass\n"
    script += "table.save(sys.argv[2])"
    found = [0, 0]
    for number in range(rounds):
        start = str(time.time() + 1.5)
        names = [str(campaign.folder / f"{name}.scores") for name in ("rows", "fewer")]
        commands = [[sys.executable, "-c", script, name, str(place / "out.jsonl"), start] for name in names]
        runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
        for run in runs:
            campaign.end(run, "writers")
        there = (place / "out.jsonl").read_bytes()
        if there not in both:
            campaign.fail(f"writers: the file of round {number} is neither of the two")
        else:
            found[both.index(there)] += 1
        if len(left := list(place.iterdir())) != 1:
            campaign.fail(f"writers: {left} are left")
    print(f"writers: {rounds} races, {found[0]} won by the one and {found[1]} by the other", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=600)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--rounds", type=int, default=8, help="of each other disturbance")
    options.add_argument("--races", type=int, default=100, help="of two that write one file")
    options.add_argument("--only", choices=["cache", "folders", "writers"], help="these disturbances alone")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("-m", "--metric", dest="metrics", action="append")
    given = options.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="nlgauge-faults-") as folder:
        make_rows(Path(folder) / "rows.jsonl", given.rows, chance)
        make_rows(Path(folder) / "fewer.jsonl", given.rows // 2, chance)
        campaign = Campaign(Path(folder), given.metrics or METRICS, chance)
        if given.only in (None, "cache"):
            campaign.run("a second run, from the cache")
            kills(campaign, given.kills)
            at_once(campaign, given.rounds)
            damage(campaign, given.rounds)
            removed(campaign, given.rounds)
            full(campaign)
        if given.only in (None, "folders"):
            folders = Folders(campaign, max(1, given.rows // 10))
            folders.kills(given.kills)
            folders.at_once(given.rounds)
        if given.only in (None, "writers"):
            writers(campaign, given.races)
    print(f"{campaign.wrong} wrong", flush=True)
    sys.exit(campaign.wrong > 0)


if __name__ == "__main__":
    main()
