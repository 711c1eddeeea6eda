"""Answers of bounded size: a server may send what it likes, what is read of it has an end.

The body is counted as it comes and unpacked in steps, so that neither an endless nor a packed body takes the memory
or, between two looks at the clock, the time that a request has.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2

LARGEST = 16 * 2**20
"""Bytes of an answer, unpacked: a hundred times the longest that models write, and parsed in well under a second."""
ACCEPTED = "gzip"
"""The one way of packing that is asked for."""
_PACKED = ("gzip", "x-gzip", "deflate")
_WINDOW = zlib.MAX_WBITS | 32  # gzip and zlib alike: the data says which
_STEP = 2**16
"""Bytes that are unpacked at a time."""


class OversizedAnswer(httpx2.RequestError):
    """The body of a response is larger than `LARGEST`."""


async def bound(response: httpx2.Response) -> None:
    """Let a response whose body is not read yet have `LARGEST` bytes at most: an event hook of a client.

    Reading it raises OversizedAnswer, and DecodingError for what cannot be unpacked.
    """
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed in _PACKED:
        del response.headers["content-encoding"]  # httpx2 would unpack each piece whole, whatever its size
        response.stream = _Bounded(_Unpacked(response.stream))
    elif packed in ("identity", ""):
        response.stream = _Bounded(response.stream)
    else:
        raise httpx2.DecodingError(f"its answer is packed as '{packed}', which was not asked for")


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST:
                raise OversizedAnswer(f"its answer is larger than {LARGEST // 2**20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Unpacked(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacking = zlib.decompressobj(_WINDOW)
        try:
            async for chunk in self._inner:
                data = chunk
                while data:
                    yield unpacking.decompress(data, _STEP)
                    data = unpacking.unconsumed_tail
            yield unpacking.flush(_STEP)
        except zlib.error as error:
            raise httpx2.DecodingError("its answer cannot be unpacked") from error

    async def aclose(self) -> None:
        await self._inner.aclose()
