"""The page at /: one document that loads no other file, not even from this service."""

from __future__ import annotations

from pathlib import Path

from nlgauge.gate.verdict import SAID
from nlgauge.show.environment import digest, inlined
from nlgauge.show.page import VERDICT, page, style

_FOLDER = Path(__file__).parent
_STYLES, _SCRIPTS = [VERDICT, _FOLDER / "paste.css"], [_FOLDER / "paste.js"]
_RULES = (
    # The page may run its own script and ask its own service, and nothing else, whatever is pasted into it.
    f"default-src 'none'; style-src '{digest(str(style(*_STYLES)))}'; script-src '{digest(str(inlined(*_SCRIPTS)))}'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
)
HTML = page(
    "paste.html",
    _FOLDER,
    command="serve",
    title="Does the source support the answer?",
    styles=_STYLES,
    scripts=_SCRIPTS,
    rules=_RULES,
    said=SAID,
).encode()
HEADERS = {
    "content-security-policy": f"{_RULES}; frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
}
