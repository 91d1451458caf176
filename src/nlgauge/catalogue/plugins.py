"""What installed packages offer: metrics (``nlgauge.metrics``), models (``nlgauge.models``), each as ``package/Name``.

So they can never be mistaken for what ships here, or for each other's.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from nlgauge.errors import SpecError


def offered(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """What installed packages offer under an entry point group, by ``package/Name``."""
    for point in entry_points(group=group):
        yield f"{point.dist.name if point.dist else 'unknown'}/{point.name}", point


def load_offered(name: str, point: EntryPoint) -> object:
    """What an entry point stands for. Raises SpecError, with the name of the package, for whatever it raises."""
    try:
        loaded: object = point.load()
    except Exception as error:  # another package's code: whatever it raises, the user has to know which package
        raise SpecError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    return loaded
