"""The body of a request: of one kind, not larger and not slower than the limits say."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from nlgauge.serve.limits import Limits
from nlgauge.serve.refusal import Refused


async def read(request: Request, limits: Limits) -> bytes:
    """The body. Raises Refused for another kind, for a compressed one, for too large and for too slow a one."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # A browser sends this kind to another site only after that site has allowed it, which this one never does.
        raise Refused(415, "the body has to be JSON (send Content-Type: application/json)")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "the body is compressed (send it as it is)")
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdecimal() and (len(declared) > 18 or int(declared) > limits.body):
        raise _too_large(limits)
    try:
        return await asyncio.wait_for(_collected(request, limits), limits.seconds)
    except asyncio.TimeoutError:
        raise Refused(408, f"the body did not come within {limits.seconds:g} seconds (send it faster)") from None
    except ClientDisconnect:
        raise Refused(408, "the client went away before the body was whole") from None


async def _collected(request: Request, limits: Limits) -> bytes:
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limits.body:
            raise _too_large(limits)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(limits: Limits) -> Refused:
    return Refused(413, f"the body is larger than {limits.body} bytes (send fewer rows at a time)")
