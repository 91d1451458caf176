"""Information measures between two distributions over a vocabulary, from log-probabilities.

``p`` is the reference and ``q`` the candidate; D(p||q) is a distance: never negative, 0 is best. Logarithms are
natural.

Five of the ten are one family. With escorts ``u ~ p^(a+b)`` and ``v ~ q^(a+b)`` (where a + b = 1 these are p and q),
``r = ln(p/q)`` up to a constant, and ``w = u^(a/(a+b)) v^(b/(a+b)) = v exp(a r)``, the summand

    s = (a u / (a+b) + b v / (a+b) - w) / (a b) = v r^2 exp[0, a r, (a+b) r]

is a second divided difference of exp, so it is never negative and stays finite as a, b or a + b go to 0. Then

    alpha(a) = sum s at (a, 1-a)    ab(a, b) = -ln(sum w) / (a b), where sum w = 1 - a b sum s
    kl       = sum s at (1, 0)      gamma(b) = ab(1, b)      renyi(a) = a ab(a, 1-a)

Definitions: Colombo, Clavel and Piantanida, InfoLM (AAAI 2022), Table 1, with two corrections. Its alpha row has the
wrong sign (it is never positive); ours is (sum p^a q^(1-a) - 1) / (a (a-1)). Its AB row lacks a factor 1/a on the
second and third terms (it is not 0 at p = q); ours is the scale-invariant AB divergence of Cichocki, Cruces and Amari
(Entropy 2011) and Regli and Silva (2018). Its "JS" is the mean of the two KL divergences (Jeffreys). Here that is a
direction (`symmetrised`), and ``jensen_shannon`` is the divergence of Lin (1991).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def log_ratio(log_p: Vector, log_q: Vector) -> Vector:
    """Return ln(p/q) of each item: [vocabulary]. It is 0 where both p and q are 0."""
    ratio = log_p - log_q
    ratio[np.isneginf(log_p) & np.isneginf(log_q)] = 0.0
    return ratio


class Distance(NamedTuple):
    """A symmetric measure without parameters. ``total`` computes the distance from the summands."""

    summands: Callable[[Vector, Vector], Vector]
    total: Callable[[Vector], float]
    maximum: float


def _gaps(log_p: Vector, log_q: Vector) -> Vector:
    gaps: Vector = np.exp(log_p) - np.exp(log_q)
    return np.abs(gaps, out=gaps)


def _arc(squared_root_gaps: Vector) -> float:
    # With arccos, an overlap one float32 ulp below 1 would give a distance of 2e-4; the half chord does not.
    return 4 / math.pi * math.asin(min(math.sqrt(squared_root_gaps.sum()) / 2, 1.0))


def _jensen_shannon_summands(log_p: Vector, log_q: Vector) -> Vector:
    gap = np.minimum(np.abs(log_ratio(log_p, log_q)), 800.0)  # exp(-800) is 0, and 0 * inf must not arise
    decay = np.exp(-gap)
    shape: Vector = np.maximum(-gap * decay / (1 + decay) - np.log1p(np.expm1(-gap) / 2), 0.0)
    return (np.exp(log_p) + np.exp(log_q)) / 2 * shape


DISTANCES = {
    "l1": Distance(_gaps, np.sum, 2.0),
    "l2": Distance(lambda log_p, log_q: _gaps(log_p, log_q) ** 2, lambda squares: math.sqrt(squares.sum()), 2**0.5),
    "linf": Distance(_gaps, np.max, 1.0),
    "fisher_rao": Distance(lambda log_p, log_q: _gaps(log_p / 2, log_q / 2) ** 2, _arc, 1.0),
    "jensen_shannon": Distance(_jensen_shannon_summands, np.sum, math.log(2)),
}


MEASURES = ("kl", "alpha", "gamma", "ab", "renyi", "l1", "l2", "linf", "fisher_rao", "jensen_shannon")
DIRECTIONS = ("jeffreys", "forward", "reverse")

_PARAMETERS = {"alpha": ("alpha",), "gamma": ("beta",), "ab": ("alpha", "beta"), "renyi": ("alpha",)}

_Value = TypeVar("_Value", float, Vector)


@dataclass(frozen=True)
class Measure:
    """An information measure with its parameters; call it with log p and log q to get D(p||q).

    The measures::

        kl              -            sum p ln(p/q)
        alpha           alpha        (sum p^a q^(1-a) - 1) / (a (a-1)); a = 1 is KL(p||q), a = 0 is KL(q||p)
        gamma           beta         ab(1, b): 0 is KL(p||q), 1 is -ln cos(p, q); called D_beta in InfoLM's results
        ab              alpha, beta  scale-invariant AB divergence; both 0 is half the variance of ln(p/q)
        renyi           alpha > 0    ln(sum p^a q^(1-a)) / (a-1); a = 1 is KL(p||q)
        l1, l2, linf    -            norms of p - q
        fisher_rao      -            (2/pi) arccos(sum sqrt(p q)), in [0, 1]
        jensen_shannon  -            mean KL of p and q to their midpoint, in [0, ln 2]

    If a formula divides by zero, its limit is used. Renyi's order must be above 0: at 0 it only compares supports, and
    below 0 it is negative. If a + b <= 0 (gamma: b <= -1), a distribution with zeros has no escort, so zeros are
    refused. At a + b = 0 the escort is uniform, and the measure depends on the size of the vocabulary.

    Raises ValueError for an unknown name and for a parameter that is missing, unexpected or out of range.
    """

    name: str
    alpha: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        if self.name not in MEASURES:
            raise ValueError(f"unknown measure {self.name!r}: one of {', '.join(MEASURES)}")
        for parameter in ("alpha", "beta"):
            value = getattr(self, parameter)
            wanted = parameter in _PARAMETERS.get(self.name, ())
            if wanted != (value is not None):
                raise ValueError(f"measure {self.name!r} {'needs' if wanted else 'takes no'} {parameter}")
            if wanted:
                object.__setattr__(self, parameter, _checked_parameter(self.name, parameter, value))

    @property
    def symmetric(self) -> bool:
        """Whether D(p||q) = D(q||p) for all p and q."""
        return self.name in DISTANCES or self._exponents[0] == self._exponents[1]

    @property
    def needs_support(self) -> bool:
        """Whether distributions with zeros are refused."""
        return self.name in ("gamma", "ab") and sum(self._exponents) <= 0

    @property
    def maximum(self) -> float:
        """The largest possible value; infinite for an unbounded measure."""
        a, b = self._exponents
        if self.name == "alpha" and a > 0 and b > 0:
            return 1 / (a * b)
        return DISTANCES[self.name].maximum if self.name in DISTANCES else math.inf

    def __call__(self, log_p: Vector, log_q: Vector) -> float:
        """Return D(p||q), p the reference and q the candidate, in natural logarithms.

        Both are assumed to be normalised; only the escorts of gamma, ab and renyi are normalised here.

        Args:
            log_p: log-probabilities of the reference: [vocabulary], with -inf for zero.
            log_q: log-probabilities of the candidate: [vocabulary], with -inf for zero.

        Returns:
            The divergence. It is never NaN, and infinite only if D is or if it exceeds float64.

        Raises:
            ValueError: the shapes are unequal, a number is NaN or +inf, there is no mass at all, a finite logarithm is
                below -1e290, or there are zeros where a + b <= 0.
        """
        log_p, log_q = _checked_distributions(log_p, log_q)
        with np.errstate(all="ignore"):
            if self.name in DISTANCES:
                distance = float(DISTANCES[self.name].total(self._summands(log_p, log_q)))
            else:
                distance = _family(self._pair(log_p, log_q), *self._exponents, logged=self.name != "alpha")
        return min(self._exponents[0] * distance if self.name == "renyi" else distance, self.maximum)

    def contributions(self, log_p: Vector, log_q: Vector) -> Vector:
        """Return how much each vocabulary item contributes to D(p||q).

        kl, alpha, l1 and jensen_shannon are sums, and the contributions are their summands (kl: p ln(p/q) - p + q). For
        the others, D is divided in proportion to the summands of a related sum: for gamma, ab and renyi the divergence
        of the escorts without the logarithm, for l2 (p - q)^2, for linf |p - q|, for fisher_rao (sqrt p - sqrt q)^2. An
        infinite D cannot be divided, so the summands are returned as they are, some of them +inf.

        Args:
            log_p: log-probabilities of the reference: [vocabulary], with -inf for zero.
            log_q: log-probabilities of the candidate: [vocabulary], with -inf for zero.

        Returns:
            The contributions: [vocabulary], non-negative, with sum D(p||q).

        Raises:
            ValueError: as for the call.
        """
        distance = self(log_p, log_q)
        log_p, log_q = _checked_distributions(log_p, log_q)
        with np.errstate(all="ignore"):
            summands = self._summands(log_p, log_q)
            if math.isinf(summands.sum()) and math.isfinite(distance):
                log_w = _log_w(self._pair(log_p, log_q), *self._exponents)
                summands = np.exp(log_w - log_w.max())  # w outweighs u and v, whose sums are 1
        total = float(summands.sum())
        return summands / total * distance if total > 0 and math.isfinite(distance) else summands

    @property
    def _exponents(self) -> tuple[float, float]:
        a = 1.0 if self.alpha is None else self.alpha
        return a, 1 - a if self.beta is None else self.beta

    def _pair(self, log_p: Vector, log_q: Vector) -> _LogPair:
        if self.name in ("kl", "alpha"):
            return _LogPair(log_p, log_q, log_ratio(log_p, log_q))
        return _escorts(log_p, log_q, sum(self._exponents))

    def _summands(self, log_p: Vector, log_q: Vector) -> Vector:
        if self.name in DISTANCES:
            return DISTANCES[self.name].summands(log_p, log_q)
        return _family_summands(self._pair(log_p, log_q), *self._exponents)


def symmetrised(measure: Measure, log_p: Vector, log_q: Vector, direction: str = "jeffreys") -> float:
    """Return a divergence in one direction, or the mean of both.

    Args:
        measure: the divergence.
        log_p: log-probabilities of the reference: [vocabulary].
        log_q: log-probabilities of the candidate: [vocabulary].
        direction: 'forward' for D(p||q), 'reverse' for D(q||p), or 'jeffreys' for their mean, as InfoLM has it
            (Jeffreys' own is the sum).

    Returns:
        The divergence, in natural logarithms.

    Raises:
        ValueError: the direction is unknown, or the measure refuses its arguments.
    """
    return _in_direction(measure, measure.symmetric, log_p=log_p, log_q=log_q, direction=direction)


def symmetrised_contributions(measure: Measure, log_p: Vector, log_q: Vector, direction: str = "jeffreys") -> Vector:
    """Return how much each item contributes to `symmetrised`: [vocabulary], as in `Measure.contributions`."""
    return _in_direction(measure.contributions, measure.symmetric, log_p=log_p, log_q=log_q, direction=direction)


def _in_direction(
    evaluate: Callable[[Vector, Vector], _Value], symmetric: bool, log_p: Vector, log_q: Vector, direction: str
) -> _Value:
    if direction not in DIRECTIONS:
        raise ValueError(f"unknown direction {direction!r}: one of {', '.join(DIRECTIONS)}")
    if direction == "reverse":
        return evaluate(log_q, log_p)
    forward = evaluate(log_p, log_q)
    return forward if direction == "forward" or symmetric else 0.5 * forward + 0.5 * evaluate(log_q, log_p)


def _checked_parameter(measure: str, parameter: str, value: object) -> float:
    number = float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else math.nan
    if not abs(number) <= 1e6:  # 1 - a must keep its digits, and a log p must not overflow
        raise ValueError(f"{parameter} of {measure!r} must be from -1e6 to 1e6, not {value!r}")
    if measure == "renyi" and number <= 0:
        raise ValueError(f"alpha of 'renyi' must be above 0, not {value!r}: at 0 it compares supports only")
    return number


def _checked_distributions(log_p: Vector, log_q: Vector) -> tuple[Vector, Vector]:
    log_p, log_q = np.asarray(log_p, dtype=np.float64), np.asarray(log_q, dtype=np.float64)
    if log_p.shape != log_q.shape or log_p.ndim != 1 or log_p.size == 0:
        raise ValueError(f"log_p and log_q must share a shape [vocabulary], not {log_p.shape} and {log_q.shape}")
    for name, logs in (("log_p", log_p), ("log_q", log_q)):
        if not math.isfinite(logs.max()):
            raise ValueError(f"{name} is not a distribution: it holds NaN or +inf, or every probability in it is zero")
        if ((logs < -1e290) & (logs > -np.inf)).any():
            raise ValueError(f"{name} holds finite values below -1e290, which overflow: use -inf for zero")
    return log_p, log_q


class _LogPair(NamedTuple):
    """The arrays ln u, ln v and r of the module's docstring: [vocabulary] each.

    r is +inf where only v is 0, and 0 where both u and v are 0.
    """

    log_u: Vector
    log_v: Vector
    log_ratio: Vector


def _log_power_mean(logs: Vector, order: float) -> float:
    if abs(order) < 1e-300:  # 0, or a subnormal number, whose products have no digits left
        return float(logs.mean())
    scaled = order * logs
    top = float(scaled.max())
    scaled -= top
    # For a small order, exp is close to 1, and the division would amplify the rounding of ln(mean exp).
    mean = np.log1p(np.expm1(scaled).mean()) if scaled.min() > -1 else np.log(np.exp(scaled).mean())
    return (top + float(mean)) / order


def _escorts(log_p: Vector, log_q: Vector, order: float) -> _LogPair:
    """Return the escorts of p and q: their powers with exponent `order`, normalised.

    The powers are centred by power means, so that r stays exact as the order goes to 0.
    """
    if order <= 0 and not (math.isfinite(log_p.min()) and math.isfinite(log_q.min())):
        raise ValueError(f"a measure with alpha + beta = {order:g} <= 0 needs distributions without zeros")
    log_p, log_q = log_p - _log_power_mean(log_p, order), log_q - _log_power_mean(log_q, order)
    log_size = math.log(log_p.size)
    return _LogPair(order * log_p - log_size, order * log_q - log_size, log_ratio(log_p, log_q))


def _family(pair: _LogPair, a: float, b: float, logged: bool) -> float:
    if a * b != 0:
        log_w = _log_w(pair, a, b)
        top = float(log_w.max())
        log_sum = top + math.log(np.exp(log_w - top).sum()) if math.isfinite(top) else top
        if abs(log_sum) > 0.1:
            return -(log_sum if logged else float(np.expm1(log_sum))) / (a * b)
    # If p and q are close, or near a limit, sum w is 1 up to rounding, and the sum of s is more exact.
    total = float(_family_summands(pair, a, b).sum())
    return -math.log1p(-a * b * total) / (a * b) if logged and abs(a * b) > 1e-15 else total


def _log_w(pair: _LogPair, a: float, b: float) -> Vector:
    # Starting from the side with the smaller weight (as low as -1e38) would lose the other side's digits.
    log_w = pair.log_v + a * pair.log_ratio if abs(a) <= abs(b) else pair.log_u - b * pair.log_ratio
    log_w[np.isposinf(pair.log_ratio)] = -np.inf if b > 0 else np.inf
    log_w[np.isneginf(pair.log_ratio)] = -np.inf if a > 0 else np.inf
    return log_w


def _family_summands(pair: _LogPair, a: float, b: float) -> Vector:
    """Return the summand s of the module's docstring for each item: [vocabulary]."""
    if abs(a) > abs(b):  # the division below must be by the larger exponent, or rounding grows at the limits
        pair, a, b = _LogPair(pair.log_v, pair.log_u, -pair.log_ratio), b, a
    log_u, log_v, log_ratio = pair
    v = np.exp(log_v)
    difference = _rise(v, log_u, log_ratio, a + b) - _rise(v, _log_w(pair, a, b), log_ratio, a)
    summands = np.maximum(difference / b, 0.0)
    near = np.flatnonzero(np.abs(b * log_ratio) < 1e-5)  # here the difference is mostly rounding error: use the series
    summands[near] = v[near] * log_ratio[near] ** 2 * (1 / 2 + (2 * a + b) * log_ratio[near] / 6)
    only_u, only_v = np.isposinf(log_ratio), np.isneginf(log_ratio)
    summands[only_u] = np.exp(log_u[only_u]) / (b * (a + b)) if b > 0 else np.inf
    summands[only_v] = v[only_v] / (a * (a + b)) if a > 0 else np.inf
    return summands


def _rise(v: Vector, log_end: Vector, log_ratio: Vector, exponent: float) -> Vector:
    """Return (exp(log_end) - v) / exponent, where log_end = ln v + exponent r: [vocabulary], exact for small r."""
    if abs(exponent) < 1e-15:
        return v * log_ratio
    rise = np.exp(log_end) - v
    steps = exponent * log_ratio
    near = np.flatnonzero(np.abs(steps) < 1)
    rise[near] = v[near] * np.expm1(steps[near])
    return rise / exponent
