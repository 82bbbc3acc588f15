"""Nothing that the other side says can stall, exhaust or mislead the trusted side."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.subject.confined import places, wire
from grader.subject.confined.frames import LENGTHS, BadFrame, Channel, Closed, Deadline
from grader.subject.values import Opaque


@pytest.fixture
def ends() -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Channel(ours), theirs


Ends = tuple[Channel, socket.socket]


def frame(text: bytes, body: bytes = b"") -> bytes:
    return LENGTHS.pack(len(text), len(body)) + text + body


def test_what_is_sent_arrives(ends: Ends) -> None:
    ours, theirs = ends
    Channel(theirs).send({"a": [1, None, "ä"]}, {"x": torch.arange(3)})
    header, tensors = ours.receive(Deadline(5))
    assert header == {"a": [1, None, "ä"]}
    assert torch.equal(tensors["x"], torch.arange(3))


BAD = {
    "not JSON": frame(b"1 passed"),
    "not an object": frame(b"[]"),
    "nested without end": frame(b"[" * 200_000),
    "a number without end": frame(b'{"a": ' + b"9" * 5000 + b"}"),
    "bytes that are no text": frame(b'{"a": "\xff"}'),
    "a header that is too long": LENGTHS.pack(1 << 31, 0),
    "a body that is too long": LENGTHS.pack(2, 1 << 62) + b"{}",
    "a pickle": frame(b"{}", b"cos\nsystem\n(S'true'\ntR."),
    "tensors that end early": frame(b"{}", safetensors.torch.save({"x": torch.ones(4)})[:-1]),
    "tensors and more": frame(b"{}", safetensors.torch.save({"x": torch.ones(4)}) + b"x"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_frame_is_refused(name: str, ends: Ends) -> None:
    ours, theirs = ends
    sender = threading.Thread(target=theirs.sendall, args=(BAD[name],))
    sender.start()
    with pytest.raises(BadFrame):
        ours.receive(Deadline(5))
    sender.join()


@pytest.mark.parametrize("cut", [0, 5, LENGTHS.size, LENGTHS.size + 1])
def test_an_end_that_closes_early_is_noticed(cut: int, ends: Ends) -> None:
    ours, theirs = ends
    theirs.sendall(frame(b"{}")[:cut])
    theirs.close()
    with pytest.raises(Closed):
        ours.receive(Deadline(5))


def test_one_deadline_holds_for_a_whole_frame(ends: Ends) -> None:
    ours, theirs = ends
    stop = threading.Event()

    def trickle() -> None:
        theirs.sendall(LENGTHS.pack(1000, 0))
        while not stop.wait(0.02):
            theirs.sendall(b" ")

    sender = threading.Thread(target=trickle)
    sender.start()
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        ours.receive(Deadline(0.3))
    assert time.monotonic() - start < 10  # 1000 bytes at 20 ms each would take 20 s
    stop.set()
    sender.join()


def test_an_end_that_does_not_read_is_not_waited_for(ends: Ends) -> None:
    ours, _ = ends
    with pytest.raises(TimeoutError):
        ours.send({"a": "x" * (3 << 20)}, deadline=Deadline(0.2))


def test_an_error_tells_nothing_of_ours(ends: Ends) -> None:
    ours, _ = ends
    with pytest.raises(BadFrame, match="too long"):
        ours.send({"a": "x" * (5 << 20)})


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.text() | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=10,
)


@given(plain)
def test_plain_values_cross_as_they_are(value: Any) -> None:
    assert repr(crossed(value)) == repr(value)


@pytest.mark.parametrize(
    "value", [torch.float16, torch.device("meta"), torch.Size([2, 3]), Opaque("generator")]
)
def test_values_of_torch_cross(value: Any) -> None:
    assert crossed(value) == value


def other(value: Any) -> Any:
    raise TypeError(type(value))


def unknown(kind: str, content: Any, incoming: wire.Incoming) -> Any:
    raise BadFrame(f"{kind}, {content}, {incoming}")


def crossed(value: Any) -> Any:
    outgoing = wire.Outgoing("a", other)
    node = json.loads(json.dumps(outgoing.node(value), allow_nan=False))
    layouts, storages = outgoing.pack()
    storages = {name: flat.clone() for name, flat in storages.items()}
    return wire.Incoming(json.loads(json.dumps(layouts)), storages).value(node, unknown)


@given(
    shape=st.lists(st.integers(0, 4), max_size=4),
    dtype=st.sampled_from(sorted(places.DTYPES)),
    axes=st.randoms(use_true_random=False),
    step=st.integers(1, 3),
)
def test_tensors_cross_with_their_layout(
    shape: list[int], dtype: str, axes: Any, step: int
) -> None:
    order = list(range(len(shape)))
    axes.shuffle(order)
    x = torch.randint(0, 2, shape).to(places.DTYPES[dtype]).permute(order)
    x = x[::step] if x.ndim else x
    y = crossed(x)
    assert (y.dtype, y.shape, y.stride()) == (x.dtype, x.shape, x.stride())
    assert torch.equal(x, y)


LAYOUT: dict[str, Any] = {
    "size": [2],
    "stride": [1],
    "offset": 0,
    "dtype": "float32",
    "storage": "a",
}
STRANGE: dict[str, dict[str, Any]] = {
    "past the end": {"offset": 3},
    "before the start": {"offset": -1},
    "far too large": {"size": [1 << 20, 1 << 20], "stride": [0, 0]},
    "steps back": {"stride": [-1]},
    "of many dimensions": {"size": [1] * 9, "stride": [1] * 9},
    "of no known dtype": {"dtype": "float99"},
    "in no storage": {"storage": "b"},
    "of a size that is no count": {"size": [2.5]},
    "of a size that is a truth": {"size": [True]},
    "of other lengths": {"size": [1, 1]},
    "without a place": {"offset": None},
    "without numbers": {"device": "cpu"},
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_tensor_in_a_strange_place_is_refused(name: str) -> None:
    storages = {"a": torch.arange(4.0)}
    assert torch.equal(places.placed(LAYOUT, storages), torch.arange(2.0))
    with pytest.raises(BadFrame):
        places.placed(LAYOUT | STRANGE[name], storages)


@pytest.mark.parametrize("layout", [None, [], {}, "x", 7])
def test_a_layout_that_is_none_is_refused(layout: Any) -> None:
    with pytest.raises(BadFrame):
        places.placed(layout, {"a": torch.arange(4.0)})


@pytest.mark.parametrize(
    "flat",
    [
        torch.tensor([0, 1, 2], dtype=torch.uint8).view(torch.bool),
        torch.ones(2, 2),
        torch.ones(()),
        torch.ones(2, dtype=torch.complex64),
    ],
)
def test_a_storage_that_nobody_sends_is_refused(flat: torch.Tensor) -> None:
    with pytest.raises(BadFrame):
        places.refuse_strange({"a": flat})
    places.refuse_strange({"a": torch.tensor([True, False]), "b": torch.ones(3)})


NODES = [
    {"tensor": 0},
    {"tensor": "0"},
    {"argument": 0},
    {"float": "1e999"},
    {"dtype": "nn"},
    {"device": "no such"},
    {"size": [-1]},
    {"size": 3},
    {"tuple": 3},
    {"dict": []},
    {"unheard": 1},
    {},
    {"tuple": [], "dict": {}},
]


@pytest.mark.parametrize("node", NODES, ids=str)
def test_a_node_that_nobody_sends_is_refused(node: Any) -> None:
    with pytest.raises(BadFrame):
        wire.Incoming([], {}).value(node, unknown)


def test_values_nested_too_deeply_are_refused() -> None:
    node: Any = None
    for _ in range(100):
        node = [node]
    with pytest.raises(BadFrame, match="too deeply"):
        wire.Incoming([], {}).value(node, unknown)
