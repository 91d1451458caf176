"""Web and mail addresses of an answer that its source does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from nlgauge.faithfulness.layout import ADDRESS, URL

WEB = re.compile(
    rf"(?i)(?<![\w@/]){URL}|(?<![\w.+-])(?:mailto:)?[\w+-]{{1,40}}(?:\.[\w+-]{{1,40}}){{0,4}}@[\w-]{{1,40}}(?:\.[\w-]{{1,40}}){{1,4}}"
)
_CITED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?i)\[(?:source|more|details|see|ref(?:erence)?|[^\w\n]{{0,5}}\d+[^\w\n]{{0,5}})\]{ADDRESS}",
        r"(?m)^[ \t]*\[\^?[\w-]+\]:\s*\S.*$",
        r"(?im)^[^\w\n]{0,9}(?:sources?|references?|citations?|see|\[?\d+\]?)[^\w\n]{1,5}.*$",
        rf"(?<=[.!?])(\s*)(?:\[[^\]\n]{{0,300}}\]{ADDRESS}|<?{URL}>?)(?=\s*(?:\n|\Z))",
        rf"(?<!\])\(\s*(?:(?:see|source|from|via|more)\s*)?(?::\s*)?(?:\[[^\]\n]{{0,300}}\]{ADDRESS}|<?{URL}>?)\s*\)",
    )
)
"""Places where an address only cites a source, as in "[source](https://...)" """


class Link(NamedTuple):
    """A place of an answer that differs from its source, such as an address that the source does not have."""

    begin: int
    end: int
    reason: str
    sure: bool
    """Whether the difference is certainly an error. An address is an error if the source has addresses, but not this
    one
    """


def made_up(text: str, others: Sequence[str]) -> list[Link]:
    """Return the web and mail addresses of an answer that its source does not have.

    Args:
        text: an answer, as it is written.
        others: the texts of its source.

    Returns:
        The addresses, in the order of the answer. An address that only cites a source is left out, unless the source
        has addresses itself.
    """
    links = list(WEB.finditer(text))
    there = {_address(match.group()) for other in others for match in WEB.finditer(other)}
    homes = {address.partition("/")[0] for address in there}
    cited = bytearray(len(text))
    for pattern in _CITED if not there else ():
        for match in pattern.finditer(text):
            cited[match.start() : match.end()] = b"1" * (match.end() - match.start())
    missing = []
    for match in links:
        address = _address(match.group())
        if address not in there and address not in homes and not cited[match.start()]:
            reason = f"{match.group()}: the source does not have this address"
            missing.append(Link(*match.span(), reason, bool(there)))
    return missing


def _address(link: str) -> str:
    """Return an address as it is compared: in lower case, without "https://www.", query, fragment and end signs."""
    plain = re.sub(r"\A(?:https?://)?(?:www\.)?|\Amailto:", "", link.lower())
    return plain.partition("#")[0].partition("?")[0].rstrip("/.,;:")
