"""Information measures between two distributions over a vocabulary, from log-probabilities.

``p`` is the reference and ``q`` the candidate; D(p||q) is a distance: 0 is best, never negative, natural logarithm.

Five of the ten are one family. With escorts ``u ~ p^(a+b)`` and ``v ~ q^(a+b)`` (for ``a + b = 1`` these are ``p``
and ``q``), ``r = ln(p/q)`` up to normalisation, and ``w = u^(a/(a+b)) v^(b/(a+b)) = v exp(a r)``, the summand

    s = (a u / (a+b) + b v / (a+b) - w) / (a b) = v r^2 exp[0, a r, (a+b) r]

is a second divided difference of exp, so it is never negative and stays finite as a, b or a + b go to 0. Then

    kl = sum s at (1, 0)          gamma(b) = ab(1, b)
    alpha(a) = sum s at (a, 1-a)  renyi(a) = a ab(a, 1-a)     ab(a, b) = -ln(sum w) / (a b), where sum w = 1 - a b sum s

Definitions: Colombo, Clavel and Piantanida, InfoLM (AAAI 2022), Table 1, with two of its rows set right. Its alpha row
has the sign reversed (it is never positive); ours is (sum p^a q^(1-a) - 1) / (a (a-1)). Its AB row lacks a factor 1/a
on the second and third terms (it is not 0 at p = q); ours is the scale-invariant AB divergence of Cichocki, Cruces and
Amari (Entropy 2011) and Regli and Silva (2018). Its "JS" is the Jeffreys mean of the two KL, which here is a direction
(`symmetrised`), not a measure; ``jensen_shannon`` is the divergence of Lin (1991).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "kl": (),
    "alpha": ("alpha",),
    "gamma": ("beta",),
    "ab": ("alpha", "beta"),
    "renyi": ("alpha",),
    "l1": (),
    "l2": (),
    "linf": (),
    "fisher_rao": (),
    "jensen_shannon": (),
}
_LARGEST_PARAMETER = 1e6  # 1 - a must keep its digits, and a log p must not overflow

MEASURES = tuple(_PARAMETERS)
DIRECTIONS = ("jeffreys", "forward", "reverse")

Vector = NDArray[np.float64]
_Value = TypeVar("_Value", float, Vector)


@dataclass(frozen=True)
class Measure:
    """An information measure with its parameters; call it with log p and log q to get D(p||q).

    ==============  ==========  ==========================================================================
    name            parameters  D(p||q)
    ==============  ==========  ==========================================================================
    kl                          sum p ln(p/q)
    alpha           alpha       (sum p^a q^(1-a) - 1) / (a (a-1)); a = 1 is KL(p||q), a = 0 is KL(q||p)
    gamma           beta        ab(1, b): 0 is KL(p||q), 1 is -ln cos(p, q); called D_beta in InfoLM's results
    ab              alpha beta  scale-invariant AB divergence; both 0 is half the variance of ln(p/q)
    renyi           alpha > 0   ln(sum p^a q^(1-a)) / (a-1); a = 1 is KL(p||q)
    l1, l2, linf                norms of p - q
    fisher_rao                  (2/pi) arccos(sum sqrt(p q)), in [0, 1]
    jensen_shannon              mean KL of p and q to their midpoint, in [0, ln 2]
    ==============  ==========  ==========================================================================

    Parameters where a formula divides by zero mean its limit. Renyi's order starts above 0: at 0 it compares supports
    only, and below 0 it is negative. Of order a + b <= 0 (gamma: b <= -1) there are no escorts of a distribution
    that has zeros, and the order 0 weighs the whole vocabulary evenly: such measures refuse zeros when called.

    Raises ValueError for an unknown name, a parameter missing, not taken by the measure, or out of its domain.
    """

    name: str
    alpha: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        if self.name not in _PARAMETERS:
            raise ValueError(f"unknown measure {self.name!r}: one of {', '.join(MEASURES)}")
        for parameter in ("alpha", "beta"):
            value = getattr(self, parameter)
            wanted = parameter in _PARAMETERS[self.name]
            if wanted != (value is not None):
                raise ValueError(f"measure {self.name!r} {'needs' if wanted else 'takes no'} {parameter}")
            if wanted:
                object.__setattr__(self, parameter, _checked_parameter(self.name, parameter, value))

    @property
    def symmetric(self) -> bool:
        """Whether D(p||q) = D(q||p) for all p and q."""
        if self.name in _DISTANCES:
            return True
        a, b = self._exponents
        return a == b

    @property
    def maximum(self) -> float:
        """The largest value over all pairs of distributions; infinite for a measure without a bound."""
        if self.name == "alpha":
            a, b = self._exponents
            return 1 / (a * b) if a > 0 and b > 0 and a * b > 0 else math.inf
        return {"l1": 2.0, "l2": math.sqrt(2), "linf": 1.0, "fisher_rao": 1.0, "jensen_shannon": math.log(2)}.get(
            self.name, math.inf
        )

    def __call__(self, log_p: Vector, log_q: Vector) -> float:
        """D(p||q), p the reference and q the candidate, in nats where the measure has a unit.

        Both are log-probabilities, shape [vocabulary], -inf for a zero. They are taken as normalised: kl and alpha
        use them as they are, gamma, ab and renyi normalise the escorts. The answer is never NaN, and infinite only
        where D is, or where it is larger than a float64 can be.

        Raises ValueError for unequal shapes, NaN, +inf, no mass at all, or zeros at an order a + b <= 0.
        """
        return self._decomposed(log_p, log_q)[0]

    def contributions(self, log_p: Vector, log_q: Vector) -> Vector:
        """How much of D(p||q) each vocabulary item accounts for, shape [vocabulary]: non-negative, of sum D(p||q).

        kl, alpha, l1 and jensen_shannon are sums, and these are their summands (kl: p ln(p/q) - p + q). The others
        are shared out in proportion to a sum that orders pairs as they do: gamma, ab and renyi to the summand of the
        un-logged divergence of the escorts, l2 to (p - q)^2, linf to |p - q|, fisher_rao to (sqrt p - sqrt q)^2.

        An infinite D cannot be shared out: then these are the summands unscaled, +inf at the items to blame, if the
        fault lies with items and not with an empty overlap.

        Raises ValueError as the call does.
        """
        distance, summands = self._decomposed(log_p, log_q)
        total = float(summands.sum())
        return summands / total * distance if total > 0 and math.isfinite(distance) else summands

    @property
    def _exponents(self) -> tuple[float, float]:
        a = 1.0 if self.alpha is None else self.alpha
        return a, 1 - a if self.beta is None else self.beta

    def _decomposed(self, log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
        """D(p||q), and non-negative weights in whose proportion the items account for it."""
        log_p, log_q = _checked_distribution("log_p", log_p), _checked_distribution("log_q", log_q)
        if log_p.shape != log_q.shape:
            raise ValueError(f"log_p and log_q cover different vocabularies: shapes {log_p.shape} and {log_q.shape}")
        with np.errstate(over="ignore", under="ignore"):
            if self.name in _DISTANCES:
                distance, summands = _DISTANCES[self.name](log_p, log_q)
            elif self.name in ("kl", "alpha"):
                summands = _ab_summands(_Pair(log_p, log_q, _log_ratio(log_p, log_q)), *self._exponents)
                distance = float(summands.sum())
            else:
                distance, summands = _scale_invariant_ab(log_p, log_q, *self._exponents)
                if self.name == "renyi":
                    distance *= self._exponents[0]
        return min(distance, self.maximum), summands


def symmetrised(measure: Measure, log_p: Vector, log_q: Vector, direction: str = "jeffreys") -> float:
    """D(p||q) ("forward"), D(q||p) ("reverse") or the mean of the two ("jeffreys").

    InfoLM, section 3.2, takes the mean; Jeffreys' own divergence is the sum. A symmetric measure is evaluated once.

    Raises ValueError for an unknown direction, and as the measure does.
    """
    return _in_direction(measure, measure.symmetric, log_p, log_q, direction)


def symmetrised_contributions(measure: Measure, log_p: Vector, log_q: Vector, direction: str = "jeffreys") -> Vector:
    """How much of `symmetrised` each vocabulary item accounts for, shape [vocabulary]; see `Measure.contributions`."""
    return _in_direction(measure.contributions, measure.symmetric, log_p, log_q, direction)


def _in_direction(
    evaluate: Callable[[Vector, Vector], _Value], symmetric: bool, log_p: Vector, log_q: Vector, direction: str
) -> _Value:
    if direction not in DIRECTIONS:
        raise ValueError(f"unknown direction {direction!r}: one of {', '.join(DIRECTIONS)}")
    if direction == "reverse":
        return evaluate(log_q, log_p)
    forward = evaluate(log_p, log_q)
    if direction == "forward" or symmetric:
        return forward
    return 0.5 * forward + 0.5 * evaluate(log_q, log_p)


def _checked_parameter(measure: str, parameter: str, value: object) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not abs(value) <= _LARGEST_PARAMETER:
        raise ValueError(
            f"{parameter} of measure {measure!r} must be a number of size at most {_LARGEST_PARAMETER:g}, not {value!r}"
        )
    if measure == "renyi" and float(value) <= 0:
        raise ValueError(f"alpha of measure 'renyi' must be above 0, not {value!r}: at 0 it compares supports only")
    return float(value)


def _checked_distribution(name: str, logs: Vector) -> Vector:
    logs = np.asarray(logs, dtype=np.float64)
    if logs.ndim != 1 or logs.size == 0:
        raise ValueError(f"{name} must have the shape [vocabulary], not {logs.shape}")
    if not math.isfinite(logs.max()):
        raise ValueError(f"{name} is no distribution: it holds NaN or +inf, or every probability in it is zero")
    return logs


class _Pair(NamedTuple):
    """Log-probabilities of two distributions u and v, and the logarithm of p/q up to a constant, all [vocabulary]."""

    log_u: Vector
    log_v: Vector
    log_ratio: Vector

    def swapped(self) -> _Pair:
        return _Pair(self.log_v, self.log_u, -self.log_ratio)


def _log_ratio(log_p: Vector, log_q: Vector) -> Vector:
    with np.errstate(invalid="ignore"):
        ratio = log_p - log_q
    ratio[np.isneginf(log_p) & np.isneginf(log_q)] = 0.0
    return ratio


def _log_power_mean(logs: Vector, order: float) -> float:
    if order == 0:
        return float(logs.mean())
    scaled = order * logs
    top = float(scaled.max())
    below = scaled - top
    # Dividing by a small order would blow up the rounding of ln(mean exp), where exp is 1 but for its last digits.
    mean = np.log1p(np.expm1(below).mean()) if below.min() > -1 else np.log(np.exp(below).mean())
    return (top + float(mean)) / order


def _escorts(log_p: Vector, log_q: Vector, order: float) -> _Pair:
    """The normalised ``order``-th powers; centring by power means keeps them exact as the order goes to 0."""
    if order <= 0 and not (math.isfinite(log_p.min()) and math.isfinite(log_q.min())):
        raise ValueError(f"a measure of order alpha + beta = {order:g} <= 0 needs distributions without zeros")
    centred_p, centred_q = (logs - _log_power_mean(logs, order) for logs in (log_p, log_q))
    log_size = math.log(log_p.size)
    return _Pair(order * centred_p - log_size, order * centred_q - log_size, _log_ratio(centred_p, centred_q))


def _ab_summands(pair: _Pair, a: float, b: float) -> Vector:
    """The summand s of the module's head for each item, shape [vocabulary]."""
    if abs(a) > abs(b):  # the division below must be by the larger exponent, or rounding grows at the limits
        pair, a, b = pair.swapped(), b, a
    no_u, no_v = np.isneginf(pair.log_u), np.isneginf(pair.log_v)
    if not (no_u.any() or no_v.any()):
        return _positive_ab_summands(pair, a, b)
    summands = np.zeros_like(pair.log_u)
    both, only_u, only_v = ~(no_u | no_v), no_v & ~no_u, no_u & ~no_v
    summands[both] = _positive_ab_summands(_Pair(*(logs[both] for logs in pair)), a, b)
    summands[only_u] = np.exp(pair.log_u[only_u]) / (b * (a + b)) if b > 0 else np.inf
    summands[only_v] = np.exp(pair.log_v[only_v]) / (a * (a + b)) if a > 0 else np.inf
    return summands


def _positive_ab_summands(pair: _Pair, a: float, b: float) -> Vector:
    v = np.exp(pair.log_v)
    if abs(b) < 1e-6:  # both exponents vanish, and the difference below would be rounding only
        return v * pair.log_ratio**2 / 2
    difference = _tilt(v, pair, a + b) - _tilt(v, pair, a)
    return np.maximum(difference / b, 0.0)


def _tilt(v: Vector, pair: _Pair, exponent: float) -> Vector:
    """v (exp(exponent r) - 1) / exponent, with all its digits for small r, and no overflow where v makes up for it."""
    if abs(exponent) < 1e-15:
        return v * pair.log_ratio
    rise = exponent * pair.log_ratio
    tilt = np.exp(pair.log_v + rise) - v
    near = np.abs(rise) < 1
    tilt[near] = v[near] * np.expm1(rise[near])
    return tilt / exponent


def _scale_invariant_ab(log_p: Vector, log_q: Vector, a: float, b: float) -> tuple[float, Vector]:
    pair = _escorts(log_p, log_q, a + b)
    summands = _ab_summands(pair, a, b)
    total = float(summands.sum())
    if a * b == 0 or abs(a * b * total) < 1e-15:
        return total, summands
    if abs(a * b * total) < 0.5:
        return -math.log1p(-a * b * total) / (a * b), summands
    # Far apart 1 - a b sum s has lost its digits, or the sum overflowed: take the sum of w by its logarithm.
    log_w = _log_geometric(pair, a, b)
    top = float(log_w.max())
    log_sum = top + math.log(np.exp(log_w - top).sum()) if math.isfinite(top) else top
    if math.isinf(total) and math.isfinite(log_sum):
        summands = np.exp(log_w - log_sum)
    return -log_sum / (a * b), summands


def _log_geometric(pair: _Pair, a: float, b: float) -> Vector:
    """ln w, shape [vocabulary]; an item that both lack counts as w = 0."""
    no_u, no_v = np.isneginf(pair.log_u), np.isneginf(pair.log_v)
    with np.errstate(invalid="ignore"):
        log_w = pair.log_v + a * pair.log_ratio
    log_w[no_v] = -np.inf if b > 0 else np.inf
    log_w[no_u] = -np.inf if a > 0 else np.inf
    log_w[no_u & no_v] = -np.inf
    return log_w


def _l1(log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
    gaps = np.abs(np.exp(log_p) - np.exp(log_q))
    return float(gaps.sum()), gaps


def _l2(log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
    squares = (np.exp(log_p) - np.exp(log_q)) ** 2
    return math.sqrt(squares.sum()), squares


def _linf(log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
    gaps = np.abs(np.exp(log_p) - np.exp(log_q))
    return float(gaps.max()), gaps


def _fisher_rao(log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
    squares = (np.exp(log_p / 2) - np.exp(log_q / 2)) ** 2
    # arccos of the overlap turns one float32 ulp below 1 into a distance of 4e-4; the half chord does not.
    half_chord = min(math.sqrt(squares.sum()) / 2, 1.0)
    return 4 / math.pi * math.asin(half_chord), squares


def _jensen_shannon(log_p: Vector, log_q: Vector) -> tuple[float, Vector]:
    gap = np.minimum(np.abs(_log_ratio(log_p, log_q)), 800.0)  # exp(-800) is 0, and 0 * inf must not arise
    decay = np.exp(-gap)
    shape = -gap * decay / (1 + decay) - np.log1p(np.expm1(-gap) / 2)
    summands = np.maximum((np.exp(log_p) + np.exp(log_q)) / 2 * shape, 0.0)
    return float(summands.sum()), summands


_DISTANCES: dict[str, Callable[[Vector, Vector], tuple[float, Vector]]] = {
    "l1": _l1,
    "l2": _l2,
    "linf": _linf,
    "fisher_rao": _fisher_rao,
    "jensen_shannon": _jensen_shannon,
}
