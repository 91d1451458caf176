"""The progress of an engine: a bar on a terminal, and a short text for commands that show it elsewhere."""

from __future__ import annotations

from weakref import WeakSet

from tqdm import tqdm

_FORM = "{desc} {percentage:3.0f} %|{bar}| {elapsed}<{remaining}"


class Progress:
    """Finished and expected work, counted in characters and shown in rows. shown: show it if stderr is a terminal."""

    def __init__(self, shown: bool) -> None:
        self.done, self.work, self.rows, self.shown = 0.0, 0, 0, shown
        self._end = 0.0
        """The finished work at the end of the part that is under way; 0 before the first part"""
        self._bar = tqdm(total=0, bar_format=_FORM, disable=None if shown else True, leave=False)
        if shown:
            _under_way.add(self)

    def expect(self, work: int, rows: int) -> None:
        """Add expected work, in characters and rows."""
        self.work, self.rows = self.work + work, self.rows + rows
        self.reach(self.done)

    def reach(self, done: float) -> None:
        """Set the total of finished work, in characters, and show it."""
        self.done = min(done, self._end or done)
        self._bar.total, self._bar.n = self.work, min(self.done, self.work)
        self._bar.set_description_str(str(self), refresh=False)
        self._bar.update(0)
        if self._bar.n == self._bar.total:
            self._bar.refresh()

    def part(self, work: int) -> None:
        """Finish the part before, and begin the next one, which is this much of the expected work.

        Whatever is reached in a part counts as no more than that: requests may follow from others, and texts that
        several parts share may be read once or again.
        """
        self.done = self._end
        self._end += work

    def __str__(self) -> str:
        share = min(1.0, self.done / self.work) if self.work else 0.0
        return f"about {share * self.rows:,.0f} of {self.rows:,} rows"

    def close(self) -> None:
        _under_way.discard(self)
        self._bar.close()


_under_way: WeakSet[Progress] = WeakSet()


def so_far() -> str | None:
    """Return the progress of all engines in this process, as text; None if there is no work."""
    return ", ".join(str(bar) for bar in list(_under_way) if bar.work) or None
