"""Entry points of installed packages: metrics, models and commands.

Their groups are ``nlgauge.metrics``, ``nlgauge.models`` and ``nlgauge.commands``.

A metric or a model is called ``package/Name``, so it is never mistaken for one of nlgauge or of another package. The
metrics of nlgauge-lab, a second distribution of this project, have their bare names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, distribution, entry_points, version

from nlgauge.errors import SpecError, installing

LAB = "nlgauge-lab"
LAB_METRICS = frozenset(
    {
        *("CDER", "Combination", "DepthScore", "EED", "EmbeddingAverage", "GreedyMatching", "RougeWE", "VectorExtrema"),
        *("published/BaryScore", "published/Consistency", "published/Engagingness", "published/Groundedness"),
        *("published/InfoLM", "published/MeanAlignment", "published/Preservation", "published/Relevance"),
        *("published/LettuceDetect", "published/MiniCheck", "published/SummaCZS"),
    }
)
LAB_COMMANDS = {
    "reproduce": "Rebuild the public tables of the five papers.",
    "study": "Study metrics as the papers do.",
    "train": "Train models, aligners, weights and thresholds.",
}
"""The commands of nlgauge-lab, each with its line in `nlgauge --help`"""


@cache
def installed_version(name: str) -> str:
    """Return the version of an installed distribution, read once in a process.

    Only the line with the version is read from the metadata, because parsing the whole file takes longer than scoring a
    row of strings.

    Args:
        name: the name of the distribution on the package index.

    Returns:
        The version.

    Raises:
        PackageNotFoundError: the distribution is not installed.
    """
    written = re.search(r"^Version: (.+)$", distribution(name).read_text("METADATA") or "", re.MULTILINE)
    return version(name) if written is None else written[1].strip()


def offered(group: str) -> Iterator[tuple[str, EntryPoint]]:
    """Yield the entry points of a group, each with the name that a spec uses for it."""
    for point in entry_points(group=group):
        package = point.dist.name if point.dist else "unknown"
        yield (point.name if package == LAB else f"{package}/{point.name}"), point


def load_offered(name: str, point: EntryPoint) -> object:
    """Return the object that an entry point names.

    Args:
        name: the name that a spec uses, for the error.
        point: the entry point of an installed package.

    Returns:
        The object, such as the class of a metric.

    Raises:
        SpecError: the package cannot be imported, whatever it raises. The message names the package.
    """
    try:
        loaded: object = point.load()
    except Exception as error:  # another package's code: whatever it raises, the user has to know which package
        raise SpecError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    return loaded


def in_the_lab(what: str) -> str:
    """Return the sentence that says how to install nlgauge-lab, for a metric or command that is in it."""
    return f"{what} is in the package {LAB}: {installing(LAB)}"
