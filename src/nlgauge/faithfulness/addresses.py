"""Addresses of the web and of mail that an answer has, and its source does not."""

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
"""Where an address is a mark of a source"""


class Link(NamedTuple):
    """An address that no other text has, or another difference that is found before the claims are read."""

    begin: int
    end: int
    reason: str
    sure: bool
    """Whether it is surely wrong: other texts have addresses, and this is none of them"""


def made_up(text: str, others: Sequence[str]) -> list[Link]:
    """Return the addresses of a text that no other text has.

    Args:
        text: an answer, as it is written.
        others: the texts of its source.

    Returns:
        The addresses. Marks of sources are not among them, unless the source has addresses itself.
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
    """Return an address in the form in which two are compared."""
    plain = re.sub(r"\A(?:https?://)?(?:www\.)?|\Amailto:", "", link.lower())
    return plain.partition("#")[0].partition("?")[0].rstrip("/.,;:")
