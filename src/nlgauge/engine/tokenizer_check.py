r"""Checks of a tokenizer.json before it is loaded: it cannot keep a run busy for ever or fill the memory.

The library that reads the file matches patterns by backtracking, replaces text as often as the file says, and cannot be
interrupted. So a file is read only if its structure shows that the work grows with the text: patterns that never go
back over a long match, replacements that make a text at most some times longer, and no long list of steps. A pattern
that common tokenizers use, and that goes back over blanks alone, is on a list. This is simpler and surer than to try a
text out in another process, where the harmful text would have to be guessed.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nlgauge.errors import SpecError

_STEPS = 64
_GROWTH = 16.0
"""Times as long as a text that all replacements together may make it"""
_LONGEST_PATTERN = 10_000
_CHOICES = 4096
"""Ways in which the bounded part of a pattern may match"""
_LONGEST_FIXED = 1000
_LONGEST_MAP = 1 << 20
_LONGEST_PIECE = 256
"""Bytes that stand for one sign in a Precompiled map; in those that are used, 33"""
_LONGEST_WORD = 1000
_FRAME = 32
"""Pieces of a template, and ids of each"""

# Branches that go back over a long match, in patterns of common tokenizers: over blanks, or over letters of one word.
_KNOWN = re.compile(
    r"\\s\+\(\?!\\S\) | \\s\*\[\\r\\n/?\]\+? | \\s\+\$ | [ ]\+\\z | [ ]\+▁ | \^▁\+\$"
    r"| (\[\^\\r\\n\\p\{L\}\\p\{N\}\]\??)? \[(\\p\{[LM]\w?\})+\]\* \[(\\p\{[LM]\w?\})+\]\+ (\(\?i:[\w'|]*\)\?)?",
    re.VERBOSE,
)
# The only backreference that is known to be used: a sign of a class, and the same one again. And places between digits.
_KNOWN_WHOLE = {
    r"[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*": 1,
    r"(?=(\d{3})+(?!\d))": 0,
}
_OPENINGS = re.compile(r"\((\?(?P<look><?[=!])|\?i?:|(?!\?))")
_QUANTIFIER = re.compile(r"(?P<sign>[*+?])[?+]?|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")
_CLASS_END = re.compile(r"\\.|\[|\]", re.DOTALL)


class _HarmfulError(Exception):
    """What is wrong with a tokenizer, in words."""


def refuse_harmful(definition: object, place: str) -> None:
    """Raise SpecError for a tokenizer that could take time or memory without end.

    Args:
        definition: content of a tokenizer.json.
        place: its file or model, for the error message.
    """
    try:
        if not isinstance(definition, dict):
            raise _HarmfulError("it holds no object")
        growth, maps = 1.0, 0
        for part in ("normalizer", "pre_tokenizer", "decoder"):
            for step in _steps(definition.get(part)):
                growth *= max(1.0, _growth_of(step))
                maps += step.get("type") == "Precompiled"
        if growth > _GROWTH or maps > 1:
            raise _HarmfulError(f"its replacements could make a text more than {_GROWTH:g} times longer")
        _check_template(definition.get("post_processor"))
        longest = _dict(definition.get("model")).get("max_input_chars_per_word", 0)
        if isinstance(longest, int) and longest > _LONGEST_WORD:
            raise _HarmfulError(f"its words may have {longest:.3g} characters, and {_LONGEST_WORD} is the limit")
    except _HarmfulError as error:
        raise SpecError(f"{place} is not a tokenizer that is safe to use: {error}") from None
    except RecursionError:
        raise SpecError(f"{place} is not a tokenizer that is safe to use: it is nested too deep") from None


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _steps(part: object) -> Iterator[dict[str, Any]]:
    """Yield the steps of a part, those in sequences too."""
    waiting, count = [part], 0
    while waiting:
        step, count = _dict(waiting.pop()), count + 1
        if count > _STEPS:
            raise _HarmfulError(f"a part has more than {_STEPS} steps")
        yield step
        for name in ("normalizers", "pretokenizers", "decoders"):
            waiting += _list(step.get(name))


def _growth_of(step: dict[str, Any]) -> float:
    """Return how many times longer a step can make a text."""
    least = 1
    if (pattern := step.get("pattern")) is not None:
        expression, text = _dict(pattern).get("Regex"), _dict(pattern).get("String")
        if isinstance(expression, str):
            least = _least_of(expression)
        elif isinstance(text, str):
            least = len(text)
    if step.get("type") == "Replace":
        if not least:
            raise _HarmfulError("it replaces what is empty")
        return len(str(step.get("content", ""))) / least
    if step.get("type") == "Prepend" and len(str(step.get("prepend", ""))) > _LONGEST_PIECE:
        raise _HarmfulError("it puts a long text before every text")
    if step.get("type") == "Precompiled":
        _check_map(step.get("precompiled_charsmap"))
    return 1.0


def _check_map(encoded: object) -> None:
    """Check a map: the size of a table, the table, and what stands for each sign, each with a zero byte behind."""
    if not isinstance(encoded, str) or len(encoded) > _LONGEST_MAP:
        raise _HarmfulError(f"its map of signs is larger than {_LONGEST_MAP} characters")
    try:
        content = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise _HarmfulError("its map of signs is not base64") from None
    size = int.from_bytes(content[:4], "little")
    if len(content) < 4 or 4 + size > len(content) or size % 4:
        raise _HarmfulError("its map of signs has another size than it says")
    if max(map(len, content[4 + size :].split(b"\0"))) > _LONGEST_PIECE:
        raise _HarmfulError(f"its map of signs puts more than {_LONGEST_PIECE} bytes in place of one sign")


def _check_template(part: object) -> None:
    for step in [_dict(part), *map(_dict, _list(_dict(part).get("processors"))[:_STEPS])]:
        ids = [_list(_dict(one).get("ids")) for one in _dict(step.get("special_tokens")).values()]
        if any(len(one) > _FRAME for one in (_list(step.get("single")), _list(step.get("pair")), *ids)):
            raise _HarmfulError(f"it puts more than {_FRAME} special tokens around a text")
    if len(_list(_dict(part).get("processors"))) > _STEPS:
        raise _HarmfulError(f"a part has more than {_STEPS} steps")


@dataclass
class _Item:
    """A piece of a pattern: how often it matches, and in how many ways while that is bounded."""

    least: int
    """Signs that it takes at least"""
    unbounded: bool = False
    choices: int = 1
    can_fail: bool = True


@dataclass
class _Branch:
    """One of the alternatives of a pattern."""

    items: list[_Item] = field(default_factory=list)

    @property
    def least(self) -> int:
        return sum(item.least for item in self.items)

    @property
    def choices(self) -> int:
        return math.prod(item.choices for item in self.items)

    @property
    def unbounded(self) -> bool:
        return any(item.unbounded for item in self.items)


def _least_of(pattern: str) -> int:
    """Return how many signs a pattern matches at least. Raises _HarmfulError where it may go back over a long match."""
    if len(pattern) > _LONGEST_PATTERN:
        raise _HarmfulError(f"a pattern has more than {_LONGEST_PATTERN} characters")
    if pattern in _KNOWN_WHOLE:
        return _KNOWN_WHOLE[pattern]
    parser = _Parser(pattern)
    least = []
    for text, branch in parser.branches():
        least.append(branch.least)
        if _KNOWN.fullmatch(text):
            continue
        first = next((n for n, item in enumerate(branch.items) if item.unbounded), len(branch.items))
        # Behind the first match without a bound nothing can fail, so that nothing is ever given back.
        if branch.choices > _CHOICES or any(item.can_fail for item in branch.items[first + 1 :]):
            raise parser.harmful()
    return min(least)


class _Parser:
    """Reads the syntax that tokenizers use; all that it does not know is refused."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0

    def harmful(self) -> _HarmfulError:
        """Return the error that shows the pattern."""
        shown = " ".join(ascii(self._pattern[:60]).split()) + ("..." if len(self._pattern) > 60 else "")
        return _HarmfulError(f"the pattern {shown} could take very long on some texts")

    def branches(self, depth: int = 0) -> list[tuple[str, _Branch]]:
        """Return the alternatives from here to the end of the group, each with its text."""
        found, begin, branch = [], self._at, _Branch()
        while True:
            sign = self._pattern[self._at : self._at + 1]
            if sign in ("", ")", "|"):
                if (sign == ")") != (depth > 0) and sign != "|":
                    raise self.harmful()
                found.append((self._pattern[begin : self._at], branch))
                if sign != "|":
                    return found
                self._at += 1
                begin, branch = self._at, _Branch()
            else:
                branch.items.append(self._quantified(self._item(sign, depth)))

    def _item(self, sign: str, depth: int) -> _Item:
        if sign == "(":
            return self._group(depth)
        self._at += 1
        if sign == "[":
            return self._class()
        if sign == "\\":
            return self._escape()
        if sign in "*+?":
            raise self.harmful()
        return _Item(0 if sign in "^$" else 1)

    def _group(self, depth: int) -> _Item:
        opening = _OPENINGS.match(self._pattern, self._at)
        if opening is None or depth > 8:
            raise self.harmful()
        self._at = opening.end()
        inside = [branch for _, branch in self.branches(depth + 1)]
        self._at += 1
        if any(branch.unbounded for branch in inside):
            raise self.harmful()
        return _Item(
            0 if opening["look"] else min(branch.least for branch in inside),
            choices=sum(branch.choices for branch in inside),
        )

    def _class(self) -> _Item:
        if re.match(r"\^?\]", self._pattern[self._at :]):  # where such a class ends differs between libraries
            raise self.harmful()
        depth = 1
        while depth:
            found = _CLASS_END.search(self._pattern, self._at)
            if found is None:
                raise self.harmful()
            self._at = found.end()
            depth += {"[": 1, "]": -1}.get(found[0], 0)
        return _Item(1)

    def _escape(self) -> _Item:
        found = re.compile(r"[pP]\{\^?\w+\}|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.", re.DOTALL).match(
            self._pattern, self._at
        )
        if found is None or re.match(r"[1-9XRKkgGcCM]", found[0]):  # backreferences, calls and odd ones
            raise self.harmful()
        self._at = found.end()
        return _Item(0 if found[0] in "bBAzZ" else 1)

    def _quantified(self, item: _Item) -> _Item:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None or (found["sign"] is None and not (found["least"] or found["most"])):
            return item
        self._at = found.end()
        if _QUANTIFIER.match(self._pattern, self._at):
            raise self.harmful()
        if found["sign"] is not None:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[found["sign"]]
        else:
            least = int(found["least"] or 0)
            most = (int(found["most"]) if found["most"] else None) if found["comma"] else least
        if max(least, most or 0) * max(item.least, 1) > _LONGEST_FIXED:
            raise self.harmful()
        many = most is None or most > 1
        if many and (item.choices > 1 or not item.least):  # a group in which there is a choice, again and again
            raise self.harmful()
        choices = item.choices + (not least) if not many else 1 if most is None else most - least + 1
        return _Item(least * item.least, most is None, choices, least > 0)


def checked(text: str, place: str) -> None:
    """Raise SpecError for the text of a tokenizer.json that is no JSON, or not safe to use."""
    try:
        definition = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{place} is not a tokenizer: {' '.join(str(error).split())}") from None
    refuse_harmful(definition, place)
