"""Size limit for response bodies.

The body is counted as it arrives and decompressed in steps, so that neither an endless nor a compressed body exhausts
memory or, between two checks of the timeout, a request's time.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2

LARGEST = 16 * 2**20
"""Maximum bytes of a decompressed body: a hundred times the longest answer, and parsed in well under a second."""
ACCEPTED = "gzip"
"""The only requested content encoding."""
_PACKED = ("gzip", "x-gzip", "deflate")
_WINDOW = zlib.MAX_WBITS | 32  # gzip or zlib, detected by the header
_STEP = 2**16
"""Bytes to decompress at a time."""


class OversizedAnswer(httpx2.RequestError):
    """The body of a response is larger than `LARGEST`."""


async def bound(response: httpx2.Response) -> None:
    """Limit the unread body of a response to `LARGEST` bytes; an event hook of a client.

    Reading the body raises OversizedAnswer if it is too large, DecodingError if it cannot be decompressed.
    """
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    content_encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if content_encoding in _PACKED:
        del response.headers["content-encoding"]  # httpx2 would unpack each piece whole, whatever its size
        response.stream = _Bounded(_Unpacked(response.stream))
    elif content_encoding in ("identity", ""):
        response.stream = _Bounded(response.stream)
    else:
        raise httpx2.DecodingError(f"its answer is packed as '{content_encoding}', which was not asked for")


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
        decompressor = zlib.decompressobj(_WINDOW)
        try:
            async for chunk in self._inner:
                data = chunk
                while data:
                    yield decompressor.decompress(data, _STEP)
                    data = decompressor.unconsumed_tail
            yield decompressor.flush(_STEP)
        except zlib.error as error:
            raise httpx2.DecodingError("its answer cannot be unpacked") from error

    async def aclose(self) -> None:
        await self._inner.aclose()
