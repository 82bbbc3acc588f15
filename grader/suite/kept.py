"""Probes as data: inputs and the right answers to them, for a bundle that carries no oracle.

`<stage>.json` says what there is, and `<stage>.safetensors` holds the numbers, and nothing that
could run. The file of probes beside them gets its designs from `read`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import numpy as np
import torch
from safetensors.numpy import load_file, save

from .probe import Array, Function, Probe

Design: TypeAlias = Callable[[np.random.Generator], list[Probe]]

Shape: TypeAlias = Mapping[str, Any]
"""What is kept of a function: its name, its axes, and those of its results."""


class NotKept(Exception):
    """An answer that nobody asked for when the probes were kept."""


def write(stem: Path, designs: Mapping[str, Sequence[Probe]]) -> None:
    """Keep probes by the name of their design, with all that was computed for them so far.

    Args:
        stem: the files' common path, without suffix.
        designs: the probes; their answers must have been asked for.
    """
    arrays: dict[str, Any] = {}

    def kept(value: Array) -> str:
        key = str(len(arrays))
        arrays[key] = np.array(value, order="C")
        return key

    shapes: list[Shape] = []  # one function may be called with axes of other names

    def shape(function: Function) -> int:
        own = {"name": function.name, "axes": function.axes, "results": function.results}
        if own not in shapes:
            shapes.append(own)
        return shapes.index(own)

    rows = {
        name: [{"function": shape(probe.function), **_row(probe, kept)} for probe in probes]
        for name, probes in designs.items()
    }
    data = {"functions": shapes, "designs": rows}
    stem.with_suffix(".json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    stem.with_suffix(".safetensors").write_bytes(save(arrays))


def read(stem: Path) -> Mapping[str, Design]:
    """Designs that `write` kept, by name; each gives its probes whatever generator it is given."""
    data = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    arrays = load_file(stem.with_suffix(".safetensors"))
    functions = [
        Function(**shape, oracle=_not_kept, error=_not_kept) for shape in data["functions"]
    ]
    return {
        name: _design([_probe(row, functions, arrays) for row in rows])
        for name, rows in data["designs"].items()
    }


class Nothing:
    """Stands in for an oracle: its functions raise `NotKept`."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        return _not_kept


def _design(probes: list[Probe]) -> Design:
    return lambda _: list(probes)


def _not_kept(*_: object) -> NoReturn:
    raise NotKept("This bundle has the right answers for its own probes only.")


def _row(probe: Probe, kept: Callable[[Array], str]) -> dict[str, Any]:
    computed = {
        f"{what} {str(dtype).removeprefix('torch.')}": [kept(value) for value in values]
        for key, values in probe._cache.items()
        if isinstance(key, tuple)
        for what, dtype in [key]
    }
    gradients = probe._cache.get("gradients", {})
    return {
        "note": probe.note,
        "arguments": {n: v if isinstance(v, int) else kept(v) for n, v in probe.arguments.items()},
        "computed": computed,
        "gradients": {name: kept(value) for name, value in gradients.items()},
    }


def _probe(
    row: dict[str, Any], functions: Sequence[Function], arrays: Mapping[str, Array]
) -> Probe:
    given = {n: v if isinstance(v, int) else arrays[v] for n, v in row["arguments"].items()}
    cache: dict[Any, Any] = {}
    for name, keys in row["computed"].items():
        what, _, dtype = name.partition(" ")
        cache[what, getattr(torch, dtype)] = tuple(arrays[key] for key in keys)
    if row["gradients"]:
        cache["gradients"] = {name: arrays[key] for name, key in row["gradients"].items()}
    return Probe(functions[row["function"]], given, row["note"], cache)
