"""Packages and megabytes that each extra adds to the base installation, as a Markdown table.

    python benchmarks/extras.py [EXTRA ...]

The script counts the distributions that an extra needs, and those that they need, by the metadata of this environment.
An extra that is not completely installed here is left out with a message. Megabytes are of the installed files, without
compiled caches.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution, metadata

from measuring import installed_bytes
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


class NotInstalledError(Exception):
    """The error that a distribution is not installed in this environment."""


def needed(name: str, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]) -> set[str]:
    """Return the canonical names of a distribution and of all distributions that it needs."""
    name = canonicalize_name(name)
    if (name, extras) in seen:
        return set()
    seen.add((name, extras))
    try:
        requirements = distribution(name).requires or []
    except PackageNotFoundError:
        raise NotInstalledError(name) from None
    found = {name}
    for one in map(Requirement, requirements):
        asked = [extra for extra in (*extras, "") if one.marker is None or one.marker.evaluate({"extra": extra})]
        if asked:
            found |= needed(one.name, frozenset(one.extras), seen)
    return found


def main() -> None:
    base = needed("nlgauge", frozenset(), set())
    print("| extra | packages | MB |\n|---|---:|---:|")
    print(f"| (none) | {len(base)} | {sum(map(installed_bytes, base)) / 1e6:.0f} |")
    for extra in sys.argv[1:] or metadata("nlgauge").get_all("Provides-Extra") or []:
        try:
            more = needed("nlgauge", frozenset([extra]), set()) - base
        except NotInstalledError as lacking:
            print(f"{extra}: {lacking} is not installed here", file=sys.stderr)
            continue
        print(f"| `[{extra}]` | {len(more)} | {sum(map(installed_bytes, more)) / 1e6:.0f} |")


if __name__ == "__main__":
    main()
