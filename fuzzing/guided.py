"""Inputs that atheris chooses by the code that they reach: `--atheris`, where atheris is installed (Linux, CPython)."""

from __future__ import annotations

import inspect
import os
import sys
import time
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]
from hypothesis import HealthCheck, given, settings

if TYPE_CHECKING:
    from fuzzer import Fuzzer

ROOMS = ("nlgauge.data.corpus", "nlgauge.registry", "nlgauge.contract.parameters", "nlgauge.data.table")


def guided(fuzzer: Fuzzer, inputs: int, seed: int) -> NoReturn:
    """Try so many inputs, tell, and end the process as libFuzzer would. What is found is not made smaller."""
    for function in _functions():
        atheris.instrument_func(function)
    began = time.monotonic()

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(fuzzer.surface.inputs)
    def tested(value: object) -> None:
        fuzzer.count(value)

    def one(data: bytes) -> None:
        tested.hypothesis.fuzz_one_input(data)  # type: ignore[attr-defined,unused-ignore]
        if fuzzer.tried >= inputs:
            print(fuzzer.told(time.monotonic() - began), flush=True)
            os._exit(bool(fuzzer.findings))

    atheris.Setup([sys.argv[0], f"-seed={seed + 1}", "-max_len=4096", "-verbosity=0"], one)
    atheris.Fuzz()
    raise AssertionError("libFuzzer ends the process")


def _functions() -> list[FunctionType]:
    found = []
    for name, module in list(sys.modules.items()):
        if name.startswith(ROOMS):
            things = [*vars(module).values()]
            things += [one for thing in things if inspect.isclass(thing) for one in vars(thing).values()]
            found += [thing for thing in things if isinstance(thing, FunctionType) and thing.__module__ == name]
    return found
