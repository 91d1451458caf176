"""The errors that nlgauge raises.

    NlgaugeError
    |-- InputError       a file, row or value that was given is wrong        (exit code 2)
    |-- SpecError        a metric or model spec, or a parameter, is wrong    (exit code 2)
    |-- MissingExtraError  an optional library is not installed              (exit code 2)
    `-- MetricError      a metric gave something that is not a score         (exit code 2)

Every message is one line: where it is wrong, what is wrong, and what to do about it.
"""

from __future__ import annotations


class NlgaugeError(Exception):
    """The base class of all errors that nlgauge raises on purpose."""


class InputError(NlgaugeError, ValueError):
    """An error in the input. Its message names the place (file, row counted from 1), the problem and the remedy."""

    def __init__(self, problem: str, *, file: object = None, row: int | None = None, remedy: str | None = None) -> None:
        where = "".join([f"{file}: " if file is not None else "", f"row {row}: " if row is not None else ""])
        super().__init__(where + problem + (f" ({remedy})" if remedy else ""))
        self.problem, self.file, self.row, self.remedy = problem, file, row, remedy


class SpecError(NlgaugeError, ValueError):
    """An error in the spec of a metric or model: it is not readable, names something unknown, or has a wrong value."""


class MetricError(NlgaugeError):
    """An error in the code of a metric, which gave something that is not a score. No row or parameter is wrong."""


def installing(package: str, extra: str = "") -> str:
    """Return the commands that install a distribution of this project: from an index, or from a clone."""
    clone = "." if package == "nlgauge" else f"./packages/{package}"
    first, second = (f"'{place}[{extra}]'" if extra else place for place in (package, clone))
    return f"pip install {first}, or pip install {second} from a clone"


class MissingExtraError(NlgaugeError, ImportError):
    """An error for an optional library that is not installed. Its message has the command that installs it."""

    def __init__(self, what: str, extra: str, package: str = "nlgauge") -> None:
        super().__init__(f"{what} needs an optional library: {installing(package, extra)}")
        self.what, self.extra, self.package = what, extra, package

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return MissingExtraError, (self.what, self.extra, self.package)  # else no other process could hand it over
