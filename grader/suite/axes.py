"""Shapes with the names of their axes: `(batch 2, query 6, key 5)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def names(shape: Sequence[int], axes: str) -> list[str]:
    """The name of each axis of a shape; `...` stands for any number of batch axes.

    >>> names((2, 6, 5), "... query key")
    ['batch', 'query', 'key']
    >>> names((5,), "... query key")
    ['key']
    """
    given = axes.split()
    if "..." not in given:
        return given
    own = [name for name in given if name != "..."]
    own = own[max(0, len(own) - len(shape)) :]
    batches = len(shape) - len(own)
    leading = ["batch"] if batches == 1 else [f"batch {i + 1}" for i in range(batches)]
    return leading + own


def named_shape(shape: Sequence[int], axes: str) -> str:
    """A shape that is as it should be.

    >>> named_shape((2, 6, 5), "... query key")
    '(batch 2, query 6, key 5)'
    """
    return _joined(names(shape, axes), shape)


def guessed_shape(shape: Sequence[int], sizes: Mapping[str, int]) -> str:
    """A shape that is not as it should be: each axis named by its size, where that is certain.

    Probes give every axis a size of its own, so a size tells which axis it is.

    >>> guessed_shape((5, 6, 9), {"query": 6, "key": 5})
    '(key 5, query 6, 9)'
    """
    by_size: dict[int, list[str]] = {}
    for name, size in sizes.items():
        by_size.setdefault(size, []).append(name)
    found = [by_size.get(size, []) for size in shape]
    return _joined([own[0] if len(own) == 1 else "" for own in found], shape)


def place(index: Sequence[int], axis_names: Sequence[str]) -> str:
    """One entry's place in words.

    >>> place((1, 2, 0), ["batch", "query", "key"])
    'batch 1, query 2, key 0'
    """
    return _joined(axis_names, index)[1:-1] or "the only entry"


def _joined(axis_names: Sequence[str], sizes: Sequence[int]) -> str:
    parts = [f"{name} {size}".strip() for name, size in zip(axis_names, sizes, strict=False)]
    return f"({', '.join(parts)})"
