"""What one request, and all that wait, may ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Whatever is over one of them is refused with a status of its own, and nothing is cut to fit."""

    body: int = 1 << 20
    """Bytes of a request's body: 413"""
    rows: int = 256
    """Rows of a request: 413"""
    characters: int = 200_000
    """Characters of all texts of a request: 413"""
    metrics: int = 16
    """Metrics of a request: 413"""
    work: float = 2.0
    """Blocks of work that a request asks one model for: 413"""
    seconds: float = 60.0
    """From the moment a request is read to its answer, waiting included: 503; and for the reading of its body: 408"""
    waiting: int = 64
    """Requests that wait for the worker; one more is sent away: 429"""
    connections: int = 1000
    """Open connections; one more is sent away: 503"""
    batch_rows: int = 256
    """Rows of one evaluation that several requests share; a request of more rows is an evaluation of its own"""
