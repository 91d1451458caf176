"""The page at /: one document that loads nothing, not even from this service."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files

from nlgauge.gate.verdict import SAID

_FOLDER = files("nlgauge.serve") / "static"


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_STYLE, _SCRIPT = _text("page.css"), _text("page.js").replace("{{said}}", json.dumps(SAID))
HTML = _text("page.html").replace("{{style}}", _STYLE).replace("{{script}}", _SCRIPT).encode()
HEADERS = {
    # The page may run its own script and ask its own service, and nothing else, whatever is pasted into it.
    "content-security-policy": (
        f"default-src 'none'; style-src {_hash(_STYLE)}; script-src {_hash(_SCRIPT)}; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
}
