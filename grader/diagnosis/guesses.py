"""What a function's wrong numbers may be right for: everything that is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import permutations

import numpy as np

from ..suite.axes import names
from ..suite.probe import Array, Function, Probe, Value
from . import transforms
from .asif import AsIf, Results, called, changed, right, through
from .case import Seen


def guesses(call: Seen) -> Iterator[AsIf]:
    """Everything, the plainest first.

    Args:
        call: a call that came out wrong; its results' shapes decide what is worth a try.
    """
    function = call.probe.function
    yield from _in_place_of(function)
    yield from _of_results(call)
    yield from _cut(function)
    yield from _otherwise_joined(function)
    yield from _of_arguments(function)
    yield from _of_both(function)


def joined(call: Seen) -> Iterator[AsIf]:
    """The right result with something added to it, and so on, the plainest first.

    Args:
        call: a call that came out wrong.
    """
    for wrong, kept in _wrong(call):
        if kept:
            yield from _with_arguments(call.probe.function, wrong)
            yield from _with_results(call.probe.function, wrong)


def arrays(function: Function) -> list[str]:
    """The arguments that are arrays."""
    return [name for name, axes in function.axes.items() if axes]


def _own(axes: str) -> list[str]:
    """The axes that are always there."""
    return [axis for axis in axes.split() if axis != "..."]


def _in_place_of(function: Function) -> Iterator[AsIf]:
    for name, other in permutations(arrays(function), 2):
        yield AsIf(
            "general/other_argument",
            f"Your result would be right with {other} in place of {name}.",
            partial(_exchanged, places={name: other}),
        )
        if name < other:
            yield AsIf(
                "general/swapped_arguments",
                f"Your result would be right with {name} and {other} in each other's place.",
                partial(_exchanged, places={name: other, other: name}),
            )


def _exchanged(probe: Probe, places: dict[str, str]) -> Results:
    return called(probe, {name: probe.arguments[other] for name, other in places.items()})


def _wrong(call: Seen) -> Iterator[tuple[tuple[str, ...], bool]]:
    """All results that are wrong and each of them alone, and whether they kept their shape."""
    for wrong in dict.fromkeys((tuple(sorted(call.wrong)), *((name,) for name in call.wrong))):
        yield wrong, all(call.results[n].shape == call.right[n].shape for n in wrong)


def _of_results(call: Seen) -> Iterator[AsIf]:
    """A change to the right results that are wrong here, all in the same way or one of them."""
    for wrong, kept in _wrong(call):
        own = _own(call.probe.function.results[wrong[0]])
        kinds = transforms.in_shape(own) if kept else transforms.out_of_shape(own)
        for words, change in (*kinds, *_along_the_batch(own), *transforms.at_once()):
            told = f"What you return for {' and '.join(wrong)} is the right result {words}."
            results = partial(through, wrong=wrong, change=change)
            yield AsIf("general/result_through", told, results)


def _with_arguments(function: Function, wrong: Sequence[str]) -> Iterator[AsIf]:
    """The right result with an argument added to it, or its mean along an axis, and so on."""
    for name in arrays(function):
        for words, of in _whole_or_in_short(_own(function.axes[name])):
            for link, join in _JOINED if not words else _JOINED[:2]:
                told = f"is the right result {link} {words}{name}."
                yield AsIf(
                    "general/argument_joined",
                    f"What you return for {' and '.join(wrong)} {told}",
                    partial(_with_argument, wrong=wrong, name=name, of=of, join=join),
                )


def _whole_or_in_short(own: Sequence[str]) -> Iterator[transforms.Transform]:
    yield "", lambda a: a
    for at, axis in enumerate(own, start=-len(own)):
        yield f"the mean along {axis} of ", partial(_mean, axis=at)
        yield f"the sum along {axis} of ", partial(_sum, axis=at)


def _mean(a: Array, axis: int) -> Array:
    return np.asarray(a.mean(axis=axis, keepdims=True))


def _sum(a: Array, axis: int) -> Array:
    return np.asarray(a.sum(axis=axis, keepdims=True))


def _with_argument(
    probe: Probe,
    wrong: Sequence[str],
    name: str,
    of: transforms.Change,
    join: Callable[[Array, Array], Array],
) -> Results:
    return through(probe, wrong, lambda a: join(a, of(np.asarray(probe.arguments[name]))))


def _with_results(function: Function, wrong: Sequence[str]) -> Iterator[AsIf]:
    """Of several results, one with another added to it, and so on."""
    for name in function.results:
        for words, join in _JOINED if len(function.results) > 1 else ():
            yield AsIf(
                "general/result_joined",
                f"What you return for {' and '.join(wrong)} is the right result {words} {name}.",
                partial(_with_result, wrong=wrong, name=name, join=join),
            )


def _with_result(
    probe: Probe, wrong: Sequence[str], name: str, join: Callable[[Array, Array], Array]
) -> Results:
    other = right(probe)[name]
    return through(probe, wrong, lambda a: join(a, other))


_JOINED: tuple[tuple[str, Callable[[Array, Array], Array]], ...] = (
    ("plus", np.add),
    ("less", np.subtract),
    ("plus twice", lambda a, b: a + 2 * b),
    ("multiplied number by number by", np.multiply),
    ("divided number by number by", np.divide),
    ("compared for the larger number with", np.maximum),
    ("averaged with", lambda a, b: (a + b) / 2),
)


def _cut(function: Function) -> Iterator[AsIf]:
    """A loop that ends too early or begins too late."""
    axes = dict.fromkeys(axis for own in function.axes.values() for axis in _own(own))
    for axis in axes:
        for words, part in _PARTS:
            told = f"Your result would be right {words.format(axis)}."
            yield AsIf("general/axis_cut", told, partial(_part, axis=axis, part=part))


def _part(probe: Probe, axis: str, part: slice) -> Results:
    found: dict[str, Value] = {}
    for name, value in probe.arguments.items():
        if not isinstance(value, int):
            own = names(value.shape, probe.function.axes[name])
            found[name] = value[tuple(part if a == axis else slice(None) for a in own)]
    return called(probe, found)


_PARTS: tuple[tuple[str, slice], ...] = (
    ("without the last {}", slice(None, -1)),
    ("without the first {}", slice(1, None)),
    ("if the first {} were the only one", slice(None, 1)),
    ("if the last {} were the only one", slice(-1, None)),
    ("if every other {} were left out", slice(None, None, 2)),
)


def _of_arguments(function: Function) -> Iterator[AsIf]:
    """A change to an argument; of many, only to those that may have a batch, to save time."""
    given = arrays(function)
    few = len(given) < 3
    for name in given if few else [n for n in given if "..." in function.axes[n]]:
        own = _own(function.axes[name])
        batches = _along_the_batch(own) if "..." in function.axes[name] else ()
        for words, change in (*(transforms.in_shape if few else transforms.usual)(own), *batches):
            told = f"Your result would be right for {name} {words}."
            results = partial(changed, name=name, change=change)
            yield AsIf("general/argument_through", told, results)


def _of_both(function: Function) -> Iterator[AsIf]:
    """The same change to both arguments of a function of two."""
    both = arrays(function)
    for words, change in transforms.one_by_one() if len(both) == 2 else ():
        told = f"Your result would be right for {' and '.join(both)}, both {words}."
        yield AsIf("general/arguments_through", told, partial(_changed, change=change))


def _changed(probe: Probe, change: transforms.Change) -> Results:
    given = {name: change(np.asarray(probe.arguments[name])) for name in arrays(probe.function)}
    return called(probe, given)


def _along_the_batch(own: Sequence[str]) -> Iterator[transforms.Transform]:
    """Changes along the batch; an array without one stays as it is."""
    for words, change in transforms.of_batch():
        yield words, partial(_with_batch, own=len(own), change=change)


def _with_batch(array: Array, own: int, change: transforms.Change) -> Array:
    return change(array) if array.ndim > own else array


def _otherwise_joined(function: Function) -> Iterator[AsIf]:
    """For a product of matrices: rows and columns that meet in another way."""
    own = [_own(function.axes[name]) for name in arrays(function)]
    if len(own) != 2 or any(len(axes) != 2 for axes in own):
        return
    result = next(iter(function.results.values())).split()
    shared = [axis for axis in own[0] if axis in own[1] and axis not in result]
    if len(shared) != 1:
        return
    turned = [axes[-1] != shared[0] for axes in own]
    for joined, join in _MEET:
        for ended, end in _END:
            yield AsIf(
                "general/otherwise_joined",
                f"In your result the {shared[0]} numbers of {' and '.join(arrays(function))} that "
                f"meet are {joined}, and {ended}. They must be multiplied, and added up.",
                partial(_meeting, turned=turned, join=join, end=end),
            )


def _meeting(
    probe: Probe,
    turned: Sequence[bool],
    join: Callable[[Array, Array], Array],
    end: Callable[[Array], Array],
) -> Results:
    """Both arrays with the axis that they share last, joined across each other."""
    given = (np.asarray(probe.arguments[name]) for name in arrays(probe.function))
    a, b = (
        np.swapaxes(array, -1, -2) if turn else array
        for array, turn in zip(given, turned, strict=True)
    )
    return {next(iter(probe.function.results)): end(join(a[..., :, None, :], b[..., None, :, :]))}


_MEET: tuple[tuple[str, Callable[[Array, Array], Array]], ...] = (
    ("multiplied", np.multiply),
    ("added", np.add),
    ("added, put through a tanh", lambda a, b: np.tanh(a + b)),
    ("added, with 0 for what is negative", lambda a, b: np.maximum(a + b, 0)),
    ("multiplied, put through a tanh", lambda a, b: np.tanh(a * b)),
    ("subtracted", np.subtract),
    ("subtracted and squared", lambda a, b: (a - b) ** 2),
    ("subtracted without their sign", lambda a, b: np.abs(a - b)),
    ("divided", np.divide),
    ("compared for the larger", np.maximum),
    ("compared for the smaller", np.minimum),
)


def _length(a: Array) -> Array:
    length: Array = np.sqrt((a * a).sum(axis=-1))
    return length


_END: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("added up", lambda a: a.sum(axis=-1)),
    ("averaged", lambda a: a.mean(axis=-1)),
    ("the largest is taken", lambda a: a.max(axis=-1)),
    ("the smallest is taken", lambda a: a.min(axis=-1)),
    ("multiplied with each other", lambda a: a.prod(axis=-1)),
    ("the root of their sum of squares is taken", _length),
    ("added up without their signs", lambda a: np.abs(a).sum(axis=-1)),
    ("added up, with 0 for what is negative", lambda a: np.maximum(a, 0).sum(axis=-1)),
    ("added up, and the root is taken", lambda a: np.sqrt(a.sum(axis=-1))),
    ("added up and negated", lambda a: -a.sum(axis=-1)),
    ("averaged and negated", lambda a: -a.mean(axis=-1)),
    ("the root of their sum of squares is taken and negated", lambda a: -_length(a)),
)
