"""Calibration of log-odds: the temperature that makes them fit held-out rows, and how well they fit.

Here is also the choice of the probability under which a word is called unsupported.

Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML 2017, section 4.2: one number, found
by maximum likelihood, divides all log-odds. It does not change their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.alignment import logistic
from nlgauge_lab.maths.detection import detection
from nlgauge_lab.reproduce.markdown import table

Numbers = NDArray[np.float64]

_LEAST, _MOST = 0.05, 20.0
_THRESHOLDS = np.arange(5, 100) / 100


class Bin(NamedTuple):
    """The rows whose predicted probability is in the same tenth of the scale."""

    low: float
    high: float
    rows: int
    predicted: float
    """Mean predicted probability of the rows"""
    true: float
    """Share of the rows that is supported"""


def temperature(logits: Numbers, truth: NDArray[np.int64]) -> float:
    """Return the temperature t, between 0.05 and 20, for which logits / t have the largest likelihood.

    If all rows have the same label, no finite temperature is the best. Then 1 is returned, which changes nothing.

    Args:
        logits: log-odds: [rows].
        truth: 1 or 0 for each row: [rows].

    Returns:
        The temperature.
    """
    if (truth == 1).all() or (truth == 0).all():
        return 1.0
    # The likelihood is concave in the slope 1 / t: where its derivative crosses 0 is the best one.
    low, high = 1 / _MOST, 1 / _LEAST
    for _ in range(60):
        slope = (low * high) ** 0.5
        if float(logits @ (truth - logistic(logits * slope))) > 0:
            low = slope
        else:
            high = slope
    return float(1 / (low * high) ** 0.5)


def word_threshold(sets: Sequence[tuple[Numbers, NDArray[np.int64]]]) -> float:
    """Return the probability below which words are best called unsupported, in hundredths.

    The threshold has the largest F1 in the mean over the sets, so that each set counts once. Among equally good
    thresholds the lowest is taken.

    Args:
        sets: for each set, the probability that each word is supported [words], and labels of 1 and 0 [words].

    Returns:
        The threshold; NaN if no set has words of both kinds.
    """
    known = [(chances, truth) for chances, truth in sets if (truth == 0).any() and (truth == 1).any()]
    if not known:
        return np.nan
    found = np.array([[detection(*one, threshold=float(at))["f1"] for one in known] for at in _THRESHOLDS]).mean(1)
    return float(_THRESHOLDS[found.argmax()])


def reliability(logits: Numbers, truth: NDArray[np.int64]) -> list[Bin]:
    """Return for each tenth of the scale how often its rows are supported. Tenths without rows are left out."""
    chances = logistic(logits)
    number = np.minimum((chances * 10).astype(np.int64), 9)
    found = []
    for at in np.unique(number).tolist():
        inside = number == at
        mean, share = float(chances[inside].mean()), float(truth[inside].mean())
        found.append(Bin(low=at / 10, high=(at + 1) / 10, rows=int(inside.sum()), predicted=mean, true=share))
    return found


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean over all rows of |predicted probability - share of supported rows| in the row's bin.

    The result is NaN if there are no rows.
    """
    rows = sum(one.rows for one in bins)
    return sum(one.rows * abs(one.predicted - one.true) for one in bins) / rows if rows else np.nan


def likelihood_loss(logits: Numbers, truth: NDArray[np.int64]) -> float:
    """Return the mean negative log-likelihood of the labels, in nats."""
    return float(np.logaddexp(0, np.where(truth == 1, -logits, logits)).mean())


def reliability_lines(logits: Numbers, truth: NDArray[np.int64], divisor: float) -> list[str]:
    """Return the reliability of logits / divisor as lines of Markdown, compared with the reliability of the logits."""
    calibrated = logits / divisor
    bins = reliability(calibrated, truth)
    before, after = (calibration_error(reliability(some, truth)) for some in (logits, calibrated))
    loss, less = (likelihood_loss(some, truth) for some in (logits, calibrated))
    rows = [[f"{b.low:.1f} to {b.high:.1f}", b.rows, f"{b.predicted:.3f}", f"{b.true:.3f}"] for b in bins]
    return [
        f"Log-odds of whole texts are divided by {divisor:.3f}, fitted on {len(logits)} held-out rows; "
        f"mean distance of probability and share {before:.3f} without it, {after:.3f} with it; "
        f"negative log-likelihood {loss:.3f} and {less:.3f}.",
        "",
        *table(["probability of being supported", "rows", "mean of it", "share supported"], "llll", rows),
    ]
