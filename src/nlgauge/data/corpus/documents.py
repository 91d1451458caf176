"""Documents of retrievers: records or objects with a text and other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMES = ("page_content", "text", "content")
"""Names that frameworks give to the text of a document, in the order in which they are tried"""

_AROUND = ("node", "document")
"""Keys under which a record may hold its document, as LlamaIndex's scored nodes and Phoenix's records do"""


def without_documents(value: Any) -> Any:
    """Return the text of a document, or a list with the text in place of each document.

    Args:
        value: a document, a list of documents, or anything else. A document is a mapping with one of the keys `NAMES`,
            or an object with such an attribute.

    Returns:
        The text or the list. A value that is no document is returned unchanged, and is not checked here.
    """
    entries = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(entries, list | tuple):
        return [_text(entry) for entry in entries]
    return _text(value)


def _text(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    for outer in _AROUND:
        if isinstance(value, Mapping) and isinstance(value.get(outer), Mapping):
            value = value[outer]
    for name in (*NAMES, "document.content"):
        text = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if isinstance(text, str):
            return text
    return value
