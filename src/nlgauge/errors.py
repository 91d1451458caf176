"""The errors that nlgauge raises.

    NlgaugeError
    |-- InputError       a file, row or value that was given is wrong        (exit code 2)
    |-- SpecError        a metric or model spec, or a parameter, is wrong    (exit code 2)
    |-- MissingExtraError  an optional library is not installed              (exit code 2)
    `-- MetricError      a metric gave what no metric may give              (exit code 2)

Every message is one line: where, what, and what to do about it.
"""

from __future__ import annotations


class NlgaugeError(Exception):
    """Root of every error that nlgauge raises on purpose."""


class InputError(NlgaugeError, ValueError):
    """Something given is wrong: says where (file, row counted from 1), what, and the remedy."""

    def __init__(self, problem: str, *, file: object = None, row: int | None = None, remedy: str | None = None) -> None:
        where = "".join([f"{file}: " if file is not None else "", f"row {row}: " if row is not None else ""])
        super().__init__(where + problem + (f" ({remedy})" if remedy else ""))
        self.problem, self.file, self.row, self.remedy = problem, file, row, remedy


class SpecError(NlgaugeError, ValueError):
    """A metric or model spec does not parse, names nothing known, or has a parameter outside its domain."""


class MetricError(NlgaugeError):
    """A metric gave something that is no score: its author has to mend it, and no row or parameter is wrong."""


def installing(package: str, extra: str = "") -> str:
    """Return the commands that install a distribution of this project: from an index, and from a clone."""
    clone = "." if package == "nlgauge" else f"./packages/{package}"
    first, second = (f"'{place}[{extra}]'" if extra else place for place in (package, clone))
    return f"pip install {first}, or pip install {second} from a clone"


class MissingExtraError(NlgaugeError, ImportError):
    """An optional library is needed; the message holds the command that installs it."""

    def __init__(self, what: str, extra: str, package: str = "nlgauge") -> None:
        super().__init__(f"{what} needs an optional library: {installing(package, extra)}")
        self.what, self.extra, self.package = what, extra, package

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return MissingExtraError, (self.what, self.extra, self.package)  # else no other process could hand it over
