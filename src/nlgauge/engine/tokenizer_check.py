r"""Checks of a tokenizer.json before it is loaded, so that it can neither run without end nor fill the memory.

The library that reads the file matches patterns by backtracking, replaces text as often as the file says, and cannot be
interrupted. So a file is loaded only under three conditions: all its sizes are within limits; its replacements make a
text only a limited number of times longer; and each branch of its patterns is of a form that never goes back over a
long match, or is on a list of branches that common tokenizers use. This is simpler and safer than trying a text in
another process, where the harmful text would have to be guessed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from nlgauge.errors import SpecError

_STEPS = 64
_GROWTH = 16.0
"""The largest factor by which all replacements together may make a text longer"""
_LONGEST_PATTERN = 10_000
_LONGEST_MAP = 1 << 20
_LONGEST_PIECE = 256
"""The largest number of bytes that replace one sign in a Precompiled map; common maps have up to 33"""
_LONGEST_WORD = 1000
_FRAME = 32
"""The largest number of pieces in a template, and of ids in each piece"""

# A piece of a pattern takes one sign, or some signs without a choice of how many; an anchor takes none.
_CLASS = r"\[(?!\^?\])(?:\\.|[^\[\]\\]|\[(?:\\.|[^\[\]\\])+\])+\]"
_ESCAPE = r"\\(?:[pP]\{\^?\w+\}|x\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^\W\d_pPxuXRKkgGcCMbBAzZ]|\W|[0_])"
_ONE = rf"(?:{_CLASS}|{_ESCAPE}|[^\\\[\](){{}}*+?|^$])"
_ANCHOR = r"(?:\\[bBAzZ]|[\^$])"
_WORDS = r"\((?:\?i?:)?[\w' ]+(?:\|[\w' ]+){0,11}\)"
_FIXED = rf"(?:{_ANCHOR}|{_ONE}(?:\{{\d{{1,3}}\}})?(?![*+?{{]))"
_CHOICE = rf"(?:{_WORDS}\??|{_ONE}(?:\?|\{{\d,\d\}}))(?![*+?{{])"
_MANY = rf"{_ONE}(?:[*+]|\{{\d,\}})(?![*+?{{])"
_MAYBE = rf"(?:(?:{_WORDS}|{_ONE})\?|{_ONE}\*)(?![*+?{{])"
# Behind the first match without a bound nothing can fail, so that nothing is given back; before it are three choices.
_SAFE = rf"(?:{_FIXED})*(?:{_CHOICE}(?:{_FIXED})*){{0,3}}(?:{_MANY}(?:{_MAYBE})*)?"
_EMPTY = re.compile(rf"(?:{_ANCHOR}|{_MAYBE}|{_ONE}\{{0,\d?\}})*", re.DOTALL)
"""A pattern for branches that also match the empty text"""
# Branches that go back over a long match, in patterns of common tokenizers: over blanks, or over letters of one word.
_KNOWN = (
    r"\\s\+\(\?!\\S\)|\\s\*\[\\r\\n/?\]\+?|\\s\+\$|[ ]\+\\z|[ ]\+▁|\^▁\+\$|\(\\d\{3\}\)\+"
    r"|(?:\[\^\\r\\n\\p\{L\}\\p\{N\}\]\??)?\[(?:\\p\{[LM]\w?\})+\]\*\[(?:\\p\{[LM]\w?\})+\]\+(?:\(\?i:[\w'|]*\)\?)?"
)
# The only backreference that is known to be used: a sign of a class, and the same one again. And places between digits.
_KNOWN_WHOLE = {
    r"[\(\)\[\]\{\}]|([!\"#\$%\&'\*\+,\-\./:;<=>\?\\\^_`\|\~])\1*": True,
    r"(?=(\d{3})+(?!\d))": False,
}
"""Known whole patterns, and whether each takes at least one sign"""
_BRANCH = re.compile(rf"(?:{_KNOWN}|{_SAFE})(?=\||\Z)", re.DOTALL)


class _HarmfulError(Exception):
    """An error whose message says what is harmful in a tokenizer."""


def refuse_harmful(definition: object, place: str) -> None:
    """Raise SpecError for a tokenizer that could take time or memory without end.

    Args:
        definition: the parsed content of a tokenizer.json.
        place: the file or model that it comes from, for the error message.
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
    """Yield the steps of a part of a tokenizer, with the steps inside sequences."""
    waiting, count = [part], 0
    while waiting:
        step, count = _dict(waiting.pop()), count + 1
        if count > _STEPS:
            raise _HarmfulError(f"a part has more than {_STEPS} steps")
        yield step
        for name in ("normalizers", "pretokenizers", "decoders"):
            waiting += _list(step.get(name))


def _growth_of(step: dict[str, Any]) -> float:
    """Return the largest factor by which a step can make a text longer. Raises _HarmfulError."""
    least = 1
    if (pattern := step.get("pattern")) is not None:
        expression, text = _dict(pattern).get("Regex"), _dict(pattern).get("String")
        if isinstance(expression, str):
            least = int(_takes_a_sign(expression))
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
    """Raise _HarmfulError for a map of signs with wrong or too large sizes.

    A map has three parts: the size of a table in bytes, the table, and the replacements of signs. Each replacement is
    followed by a zero byte.
    """
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
        ids = [_list(_dict(special).get("ids")) for special in _dict(step.get("special_tokens")).values()]
        if any(len(frame) > _FRAME for frame in (_list(step.get("single")), _list(step.get("pair")), *ids)):
            raise _HarmfulError(f"it puts more than {_FRAME} special tokens around a text")
    if len(_list(_dict(part).get("processors"))) > _STEPS:
        raise _HarmfulError(f"a part has more than {_STEPS} steps")


def _takes_a_sign(pattern: str) -> bool:
    """Return whether each match of a pattern takes at least one sign. Raises _HarmfulError for a slow pattern."""
    if len(pattern) > _LONGEST_PATTERN:
        raise _HarmfulError(f"a pattern has more than {_LONGEST_PATTERN} characters")
    if pattern in _KNOWN_WHOLE:
        return _KNOWN_WHOLE[pattern]
    at, takes = 0, True
    while at <= len(pattern):
        branch = _BRANCH.match(pattern, at)
        if branch is None:
            shown = " ".join(ascii(pattern[:60]).split()) + ("..." if len(pattern) > 60 else "")
            raise _HarmfulError(f"the pattern {shown} could take very long on some texts")
        takes = takes and _EMPTY.fullmatch(branch[0]) is None
        at = branch.end() + 1
    return takes


def checked(text: str, place: str) -> None:
    """Raise SpecError if the text of a tokenizer.json is not JSON, or not safe to use."""
    try:
        definition = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"{place} is not a tokenizer: {' '.join(str(error).split())}") from None
    refuse_harmful(definition, place)
