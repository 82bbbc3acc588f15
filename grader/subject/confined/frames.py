"""Frames: how the trusted process and a worker talk. Neither ever unpickles anything.

A frame is a header length, a body length, a header (JSON) and a body (safetensors). Lengths are
capped before anything is read, and one deadline holds for all of it, so that a peer that sends
byte by byte gains nothing.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

LENGTHS = struct.Struct("<IQ")
MOST_HEADER = 4 << 20
MOST_BODY = 256 << 20
AHEAD = 1 << 16
"""How much is taken from the system at once; a frame is rarely longer."""

_JSON = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))

Raw = tuple[bytes, bytes]
"""A frame's header and body as they came."""


class BadFrame(Exception):
    """A frame that is none: too long, not JSON, not safetensors."""


class Closed(Exception):
    """The other side is gone."""


class Deadline:
    """A moment after which nothing more is waited for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then.

        Raises:
            TimeoutError: it has passed.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class Channel:
    """One end of a connection over which frames go, one question and one answer at a time."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._came = bytearray()

    def send(
        self,
        header: dict[str, Any],
        tensors: dict[str, Tensor] | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """Send a frame.

        Raises:
            Closed: the other side is gone.
            TimeoutError: the deadline passed.
        """
        self.send_packed(packed(header, tensors), deadline)

    def send_packed(self, frames: bytes, deadline: Deadline | None = None) -> None:
        """Send frames that are bytes already; see `send`."""
        self._wait_until(deadline)
        try:
            self._socket.sendall(frames)
        except (BrokenPipeError, ConnectionError):
            raise Closed from None

    def receive(self, deadline: Deadline | None = None) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Receive a frame: its header, and the tensors of its body by name.

        Raises:
            Closed: the other side is gone.
            BadFrame: what came is no frame.
            TimeoutError: the deadline passed.
        """
        return read(self.receive_raw(deadline))

    def receive_raw(self, deadline: Deadline | None = None) -> Raw:
        """Receive a frame without reading what it says; see `receive` and `read`."""
        lengths = LENGTHS.unpack(self._read(LENGTHS.size, deadline))
        _refuse_long(*lengths)
        header, body = (self._read(length, deadline) for length in lengths)
        return header, body

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def _wait_until(self, deadline: Deadline | None) -> None:
        if deadline is not None:
            self._socket.settimeout(deadline.left())

    def _read(self, length: int, deadline: Deadline | None) -> bytes:
        while len(self._came) < length:
            self._wait_until(deadline)
            try:
                received = self._socket.recv(max(AHEAD, length - len(self._came)))
            except ConnectionError:
                raise Closed from None
            if not received:
                raise Closed
            self._came += received
        taken = bytes(memoryview(self._came)[:length])
        del self._came[:length]
        return taken


def packed(header: dict[str, Any], tensors: dict[str, Tensor] | None = None) -> bytes:
    """A frame as bytes.

    Raises:
        BadFrame: it would be too long.
    """
    text = _JSON.encode(header).encode()
    body = _packed(tensors) if tensors else b""
    _refuse_long(len(text), len(body))
    return LENGTHS.pack(len(text), len(body)) + text + body


def unpacked(data: bytes) -> Iterator[tuple[dict[str, Any], dict[str, Tensor]]]:
    """Frames that lie one after the other, in a file of our own."""
    at = 0
    while at < len(data):
        header, body = LENGTHS.unpack_from(data, at)
        start = at + LENGTHS.size
        at = start + header + body
        yield read((data[start : start + header], data[start + header : at]))


def read(raw: Raw) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What a frame says: its header, and the tensors of its body by name.

    Raises:
        BadFrame: it is none.
    """
    header, body = raw
    return _header(header), _tensors(body)


def _refuse_long(header: int, body: int) -> None:
    if header > MOST_HEADER or body > MOST_BODY:
        raise BadFrame(f"a frame of {header + body} bytes is too long")


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a header that is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise BadFrame("a header that is not a JSON object")
    return header


_DTYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}


def _packed(tensors: dict[str, Tensor]) -> bytes:
    """Flat tensors as safetensors: a header's length, the header, and the numbers.

    The library's own writer takes four times as long for tensors as small as these. What comes in
    is read by the library, which looks at every length and offset.
    """
    table, parts, at = {}, [], 0
    for name, flat in tensors.items():
        part = _numbers(flat).tobytes()
        end = at + len(part)
        shape = list(flat.shape)
        table[name] = {"dtype": _DTYPES[flat.dtype], "shape": shape, "data_offsets": [at, end]}
        parts.append(part)
        at = end
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % 8)
    return b"".join([len(header).to_bytes(8, "little"), header, *parts])


def _numbers(flat: Tensor) -> Any:
    flat = flat.detach().contiguous()
    return (flat.view(torch.int16) if flat.dtype is torch.bfloat16 else flat).numpy()


def _tensors(body: bytes) -> dict[str, Tensor]:
    if not body:
        return {}
    try:
        return safetensors.torch.load(body)
    except Exception as error:  # noqa: BLE001 - whatever it does not like, it is no frame
        raise BadFrame(f"a body that is not safetensors: {error}") from None
