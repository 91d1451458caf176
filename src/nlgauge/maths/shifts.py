"""The number of edits between two sequences of words if blocks may be shifted, as in translation edit rate (TER).

Snover, Dorr, Schwartz, Micciulla and Makhoul, "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA
2006. The search for shifts is greedy. Programs differ in the shifts that they try and in how they break ties. We follow
Tercom as implemented in sacrebleu, with the same number for any two texts: blocks of at most 10 words move by at most
50 positions, 1,000 shifts are tried, and distances are those of alignments near the diagonal.

The distance after a shift comes from rapidfuzz if no alignment of that cost can be far from the diagonal. Alignments
come from Hyyrö's bit vectors ("A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances", 2003),
with one row of the table in one integer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Distance: TypeAlias = Callable[[str, str], int]

_LONGEST, _FARTHEST, _MOST = 10, 50, 1000
_BLOCK = (1 << _LONGEST) - 1
_BEAM = 25
_REMEMBERED = 100_000


def fewest_shifted_edits(
    candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]], distance: Distance
) -> list[int]:
    """Return, for each candidate, the number of edits to its closest reference. The shift of a block is one edit.

    Args:
        candidates: the words of each candidate.
        references: the words of each reference, at least one reference.
        distance: the Levenshtein distance of two strings, for example from rapidfuzz.

    Returns:
        The number of insertions, deletions, substitutions and block shifts of each candidate.
    """
    letters: dict[str, str] = {}

    def spelled(words: Sequence[str]) -> str:
        return "".join([letters.setdefault(word, chr(len(letters) + 1)) for word in words])

    searches = [_Search(text, distance) for text in dict.fromkeys(map(spelled, references))]
    return [_fewest(spelled(words), searches) for words in candidates]


def _fewest(ours: str, searches: Sequence[_Search]) -> int:
    counts = Counter(ours)
    leasts = [(search.least(len(ours), counts), number) for number, search in enumerate(searches)]
    fewest: float = math.inf
    for least, number in sorted(leasts):
        if least >= fewest:
            break
        fewest = min(fewest, searches[number].edits(ours, least, fewest))
    return int(fewest)


class _Search:
    """The search for edits and shifts from candidates to one reference. Each word is one character of a string."""

    def __init__(self, reference: str, distance: Distance) -> None:
        self._reference, self._exact = reference, distance
        self._places: dict[str, list[int]] = {}
        for place, letter in enumerate(reference):
            self._places.setdefault(letter, []).append(place)
        self._bits = {letter: sum(1 << place for place in places) for letter, places in self._places.items()}
        self._known: dict[str, int] = {}
        self._paths: dict[str, tuple[int, str]] = {}
        self._last, self._rows = "", list[tuple[int, int, int, int]]()

    def least(self, length: int, counts: Mapping[str, int]) -> int:
        """Return a lower bound of the distance for any order of a text's words, from the counts of each word."""
        common = sum([min(len(places), counts.get(letter, 0)) for letter, places in self._places.items()])
        return max(length, len(self._reference)) - common

    def edits(self, ours: str, least: int, limit: float) -> int:
        """Return the number of edits and shifts from a candidate to the reference.

        Args:
            ours: the candidate.
            least: a lower bound of the number.
            limit: the number from which on the search may stop. The result is then this number or more.

        Returns:
            The number.
        """
        if not self._reference or not ours:
            return len(ours) + len(self._reference)
        if len(self._known) > _REMEMBERED:
            self._known.clear()
            self._paths.clear()
        shifts, tried = 0, 0
        while (edits := self.distance(ours)) > least and shifts + 1 + least < limit:
            gain, shifted, tried = self.shift(ours, edits, edits - least, tried)
            if tried >= _MOST or gain <= 0:
                break
            shifts, ours = shifts + 1, shifted
        return shifts + edits

    def shift(self, ours: str, edits: int, most: int, tried: int) -> tuple[int, str, int]:
        """Return the shift that lowers the distance most.

        Args:
            ours: the text before the shift.
            edits: the distance of this text from the reference.
            most: an upper bound of the gain.
            tried: the number of shifts that were tried before.

        Returns:
            The gain, the shifted text, and the number of shifts that were tried so far.
        """
        theirs, n, m = self._reference, len(ours), len(self._reference)
        aligned, wrong, missed = self._alignment(ours)
        best = (-n - m, 0, 0, 0)
        shifted = ours
        # A block must contain a wrong word, move to a place with a missing word, and not move into itself.
        places = {}
        for letter in dict.fromkeys(ours):
            if there := [to for to in self._places.get(letter, ()) if missed >> to & _BLOCK]:
                places[letter] = there
        for start, letter in enumerate(ours):
            wrong_here = wrong >> start
            if not wrong_here & _BLOCK:
                continue
            following = ours[start + 1 : start + 2]
            for to in places.get(letter, ()):
                if abs(to - start) > _FARTHEST:
                    continue
                missed_here = missed >> to
                alone = not following or theirs[to + 1 : to + 2] != following
                if alone and not wrong_here & missed_here & 1:
                    continue
                last = 1 if alone else min(_LONGEST, n - start, m - to)
                length, block = 0, 0
                while length < last and ours[start + length] == theirs[to + length]:
                    length, block = length + 1, block << 1 | 1
                    if not (wrong_here & block and missed_here & block) or start <= aligned[to] < start + length:
                        continue
                    # Removing and inserting a block costs at most two edits per word.
                    bound, before = min(2 * length, most), -1
                    for place in range(to - 1, to + length):
                        target = aligned[place] + 1 if place >= 0 else 0
                        if target == before:
                            continue
                        before = target
                        tried += 1
                        if (bound, length, -start, -target) <= best:
                            continue
                        moved = _moved(ours, start, length, target)
                        if (edits - self._at_least(moved), length, -start, -target) > best:
                            gain = (edits - self.distance(moved), length, -start, -target)
                            if gain > best:
                                best, shifted = gain, moved
                    if tried >= _MOST:
                        return best[0], shifted, tried
        return best[0], shifted, tried

    def distance(self, ours: str) -> int:
        """Return the distance of a text from the reference, by alignments near the diagonal alone."""
        edits, n, m = self._at_least(ours), len(ours), len(self._reference)
        # With so few edits, even if all are insertions or deletions, the path stays near the diagonal.
        return edits if m < _BEAM or edits + abs(n - m) <= 2 * (_BEAM - 2) else self._along(ours)[0]

    def _at_least(self, ours: str) -> int:
        least = self._known.get(ours)
        if least is None:
            least = self._known[ours] = self._exact(ours, self._reference)
        return least

    def _along(self, ours: str) -> tuple[int, str]:
        """Return the number of edits of the cheapest alignment near the diagonal, and its steps (`_steps`)."""
        path = self._paths.get(ours)
        if path is None:
            steps, n, m = self._steps(ours), len(ours), len(self._reference)
            if m >= _BEAM and not _near(steps, n, m):
                steps = _near_steps(ours, self._reference)
            path = self._paths[ours] = len(steps) - steps.count("="), steps
        return path

    def _alignment(self, ours: str) -> tuple[list[int], int, int]:
        """Return the alignment of a text with the reference.

        Returns:
            The text's position for each position of the reference; the positions of the text that are wrong, as bits of
            an integer; and the positions of the reference that are missed, as bits of an integer.
        """
        aligned: list[int] = []
        wrong = missed = 0
        place = -1
        for step in self._along(ours)[1]:
            if step == "=":
                place += 1
                aligned.append(place)
                continue
            if step != "i":
                place += 1
                wrong |= 1 << place
            if step != "d":
                missed |= 1 << len(aligned)
                aligned.append(place)
        return aligned, wrong, missed

    def _steps(self, ours: str) -> str:
        """Return the cheapest alignment: '=' same word, 's' substitution, 'd' deletion of an extra word, 'i' insertion.

        Of several such alignments it is the one that prefers '=' or 's' to 'd', and 'd' to 'i', beginning at the end.
        """
        theirs, full = self._reference, (1 << len(self._reference)) - 1
        # A shift does not change the words before it, so their rows can be reused.
        same_words = 0
        for word, other in zip(ours, self._last, strict=False):
            if word != other:
                break
            same_words += 1
        rows = self._rows[:same_words]
        _, _, up, down = rows[-1] if rows else (0, 0, full, 0)
        for letter in ours[same_words:]:
            same = self._bits.get(letter, 0)
            diagonal = ((((same & up) + up) ^ up) | same | down) & full
            plus = down | (full & ~(diagonal | up))
            minus = (diagonal & up) << 1
            shifted = plus << 1 | 1
            up, down = (minus | ~(diagonal | shifted)) & full, shifted & diagonal & full
            rows.append((diagonal, plus, up, down))
        self._last, self._rows = ours, rows
        i, j = len(ours) - 1, len(theirs) - 1
        steps = []
        while i >= 0 and j >= 0:
            if ours[i] == theirs[j]:
                steps.append("=")
                i, j = i - 1, j - 1
                continue
            diagonal, plus, _, _ = rows[i]
            if not diagonal >> j & 1:
                steps.append("s")
                i, j = i - 1, j - 1
            elif plus >> j & 1:
                steps.append("d")
                i -= 1
            else:
                steps.append("i")
                j -= 1
        return ("".join(steps) + "d" * (i + 1) + "i" * (j + 1))[::-1]


def _moved(ours: str, start: int, length: int, target: int) -> str:
    """Return the text with a block moved to the position `target`.

    If `target` is inside the block, the block moves to the index `target` of the text without the block.

    Args:
        ours: the text.
        start: where the block begins.
        length: the length of the block.
        target: the position in the text before which the block is to stand.
    """
    block, rest = ours[start : start + length], ours[:start] + ours[start + length :]
    at = target if target < start else target - length if target > start + length else target
    return rest[:at] + block + rest[at:]


def _band(row: int, n: int, m: int) -> tuple[int, int]:
    """Return the range of reference positions near the diagonal, for the first `row` words of the candidate."""
    ratio = m / n
    width = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
    diagonal = math.floor(row * ratio)
    return max(0, diagonal - width), m + 1 if row == n else min(m + 1, diagonal + width)


def _near(steps: str, n: int, m: int) -> bool:
    """Return whether an alignment stays near the diagonal."""
    if steps.count("i") - min(0, m - n) < _BEAM - 1 and steps.count("d") + max(0, m - n) < _BEAM - 1:
        return True
    i = j = 0
    for step in steps:
        i, j = i + (step != "i"), j + (step != "d")
        if i:
            low, high = _band(i, n, m)
            if not low <= j < high:
                return False
    return True


def _near_steps(ours: str, theirs: str) -> str:
    """Return the steps of the cheapest alignment near the diagonal, in the letters of `_Search._steps`.

    It is computed cell by cell, for the few texts whose cheapest alignment leaves the diagonal.
    """
    n, m = len(ours), len(theirs)
    far = n + m + 1
    costs, steps = [list(range(m + 1))], ["i" * (m + 1)]
    for i, letter in enumerate(ours, start=1):
        low, high = _band(i, n, m)
        above, row, best = costs[-1], [far] * (m + 1), [" "] * (m + 1)
        for j in range(low, high):
            choices = [(above[j] + 1, "d")]
            if j:
                same = letter == theirs[j - 1]
                choices = [(above[j - 1] + (not same), "=" if same else "s"), *choices, (row[j - 1] + 1, "i")]
            row[j], best[j] = min(choices, key=lambda choice: choice[0])
        costs.append(row)
        steps.append("".join(best))
    backwards = []
    i, j = n, m
    while i or j:
        backwards.append(steps[i][j])
        i, j = i - (backwards[-1] != "i"), j - (backwards[-1] != "d")
    return "".join(reversed(backwards))
