"""PyTorch's error messages in the words of the course: which axes did not fit, and what to look at.

A table of patterns. PyTorch speaks of `mat1` and of sizes; the sizes of the call say which axes
those are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import combinations
from math import prod

Sizes = Mapping[str, int]
Told = Callable[[re.Match[str], Sizes], str]


def translated(text: str, sizes: Sizes) -> str:
    """What an exception's text means, or nothing where it is not known.

    Args:
        text: the exception's type and message, `RuntimeError: mat1 and mat2 shapes …`, and after
            it the line that raised it, if that is known.
        sizes: the size of every axis of the call, by name.
    """
    for pattern, told in PATTERNS:
        match = re.search(pattern, text, re.DOTALL)
        if match is not None:
            return told(match, sizes)
    return ""


def axis(size: int, sizes: Sizes) -> str:
    """A size with the name of the axis that has it, or of the two or three merged into it.

    >>> axis(12, {"batch": 2, "query": 6})
    '12 (batch times query)'
    """
    exact = [name for name, value in sizes.items() if value == size]
    if exact:
        return f"{size} ({' or '.join(exact)})"
    for count in (2, 3):
        merged = [m for m in combinations(sizes, count) if prod(sizes[n] for n in m) == size]
        if len(merged) == 1 and all(sizes[name] > 1 for name in merged[0]):
            return f"{size} ({' times '.join(merged[0])})"
    return str(size)


def _shape(text: str, sizes: Sizes) -> str:
    found = [axis(int(size), sizes) for size in re.findall(r"-?\d+", text)]
    return f"({', '.join(found)})"


def _matrices(match: re.Match[str], sizes: Sizes) -> str:
    rows, inner, other, columns = (axis(int(size), sizes) for size in match.groups())
    return (
        f"`A @ B` needs A's columns to be B's rows, but A is {rows} by {inner}, and B is {other} "
        f"by {columns}. Are the two in the right order? Is a transpose missing, or one too many?"
    )


def _batched(match: re.Match[str], sizes: Sizes) -> str:
    wanted, got = match.group(1), match.group(2)
    return (
        "The two stacks of matrices do not fit: `A @ B` needs A's last axis to be as long as B's "
        f"last but one, and the batch axes to be the same. Expected {_shape(wanted, sizes)}, got "
        f"{_shape(got, sizes)}. Swap the last two axes with `.transpose(-2, -1)`, not with `.T`."
    )


def _stacks(match: re.Match[str], sizes: Sizes) -> str:
    found = [int(group) for group in match.groups()[:2]]
    batches = [size for name, size in sizes.items() if name.startswith("batch")]
    a, b = (axis(size, sizes) for size in found)
    if not set(found) & set(batches):  # it may also be a sum beside the product that failed
        return (
            f"Axes of different sizes met: {a} and {b}, at axis {match.group(3)} of the result. "
            "An entry-by-entry operation (`+`, `*`) needs equal axes, and so do the axes before "
            "the last two in a product of matrices (`@`)."
        )
    return (
        f"The batch axes of two stacks of matrices do not fit: {a} and {b}. A product of matrices "
        "goes over the last two axes, and the axes before them must be the same. On a tensor with "
        "a batch, `.T` reverses all axes; `.transpose(-2, -1)` swaps the last two."
    )


def _elementwise(match: re.Match[str], sizes: Sizes) -> str:
    a, b, at = (int(group) for group in match.groups())
    return (
        f"An entry-by-entry operation met axes of different sizes: {axis(a, sizes)} and "
        f"{axis(b, sizes)}, at axis {at} of the result. Axes are matched from the last one "
        "backwards. Did a sum, mean or maximum lose its axis (`keepdim=True` keeps it), or is a "
        "product of matrices meant (`@`, not `*`)?"
    )


def _reshaped(match: re.Match[str], sizes: Sizes) -> str:
    return (
        f"{_shape(match.group(1), sizes)} was asked for, and the tensor has {match.group(2)} "
        "numbers. `reshape` and `view` can only regroup the numbers that are there."
    )


def _index(match: re.Match[str], sizes: Sizes) -> str:
    asked, at, size = match.groups()
    return (
        f"Index {asked} lies outside of axis {at}, which is {axis(int(size), sizes)} long and is "
        "counted from 0. Does the loop go over the length of the right axis?"
    )


def _joined_up(match: re.Match[str], sizes: Sizes) -> str:
    along, wanted, got = (int(group) for group in match.groups())
    return (
        f"`cat` along axis {along} needs all other axes to be the same, and {axis(wanted, sizes)} "
        f"met {axis(got, sizes)}."
    )


def _stacked(match: re.Match[str], sizes: Sizes) -> str:
    first, other = match.groups()
    return (
        f"`stack` needs tensors of one shape, and {_shape(first, sizes)} met "
        f"{_shape(other, sizes)}. A tuple holds tensors of any shape."
    )


def _expanded(match: re.Match[str], sizes: Sizes) -> str:
    wanted, got = (axis(int(group), sizes) for group in match.groups())
    return f"An axis of {got} cannot be stretched to {wanted}. Only axes of 1 can be stretched."


def _in_place(match: re.Match[str], sizes: Sizes) -> str:
    own, wanted = match.groups()
    return (
        f"A result of the shape {_shape(wanted, sizes)} was written into a tensor of the shape "
        f"{_shape(own, sizes)}. Make a new tensor: `x = x + y`, not `x += y`."
    )


def _same(text: str) -> Told:
    return lambda _match, _sizes: text


def _with_groups(text: str) -> Told:
    return lambda match, _sizes: text.format(*match.groups())


def _dimension(match: re.Match[str], _sizes: Sizes) -> str:
    low, high, asked = match.groups()
    return (
        f"There is no axis {asked}: this tensor has the axes {low} to {high}. Counting from the "
        "end (-1 is the last) works with and without a batch."
    )


_SIZES = r"\[([-\d, ]*)\]"
_NUMBER_FOR_TENSOR = (
    "`torch.{0}` wants a tensor and got a Python {1}. For a plain number use `math.{0}`, "
    "or for a root `** 0.5`."
)

PATTERNS: tuple[tuple[str, Told], ...] = (
    (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _matrices),
    (rf"Expected size for first two dimensions of batch2 tensor to be: {_SIZES} "
     rf"but got: {_SIZES}", _batched),
    (r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
     r"dimension (\d+).*(?:@|matmul|bmm)", _stacks),
    (r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
     r"dimension (\d+)", _elementwise),
    (rf"shape '{_SIZES}' is invalid for input of size (\d+)", _reshaped),
    (r"rsqrt\(\): argument 'input' \(position 1\) must be Tensor, not (\w+)",
     _with_groups("`torch.rsqrt` wants a tensor and got a Python {0}. For a plain number write "
                  "`** -0.5`.")),
    (r"(\w+)\(\): argument 'input' \(position 1\) must be Tensor, not (\w+)",
     _with_groups(_NUMBER_FOR_TENSOR)),
    (r"view size is not compatible",
     _same("`view` needs its numbers side by side in memory, and a transposed tensor's are not. "
           "`reshape` copies where it must.")),
    (r"a (?:leaf Variable|view of a leaf Variable) that requires grad is being used in an in-place",
     _same("You wrote into a tensor that was handed to you, and its gradient would be lost. Make a "
           "new one: `x = x + y`, not `x += y`, and no methods that end in an underscore.")),
    (r"modified by an inplace operation",
     _same("A tensor that the gradient still needs was overwritten. Write `x = x * y` rather than "
           "`x *= y`, and leave methods that end in an underscore alone.")),
    (r"element 0 of tensors does not require grad",
     _same("The result is cut off from the arguments, so no gradient can flow. Look for "
           "`.detach()`, `.data`, `.numpy()`, `torch.tensor(…)` and `no_grad`.")),
    (r"Can't call numpy\(\) on Tensor that requires grad",
     _same("NumPy cannot follow gradients. Stay with torch's own functions: almost each of NumPy's "
           "has a namesake there.")),
    (r"expected (?:m1 and m2|both|scalar type|.* to have the same dtype)",
     _same("Two tensors of different dtypes met. Does a tensor that you make have the arguments' "
           "dtype? `torch.zeros(…, dtype=x.dtype)` or `torch.zeros_like(x)` give it.")),
    (r"result type (\w+) can't be cast to the desired output type (\w+)",
     _with_groups("A {0} result was written into a {1} tensor. Make the buffer with the arguments' "
                  "dtype.")),
    (r"Expected all tensors to be on the same device",
     _same("Two tensors on different devices met. Make new tensors with `device=x.device`.")),
    (r"Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)",
     _dimension),
    (r"number of subscripts in the equation \((\d+)\) does not match the number of dimensions "
     r"\((\d+)\) for operand (\d+)",
     _with_groups("The einsum names {0} axes for operand {2}, which has {1}. Begin each operand "
                  "with `...` to let batch axes through.")),
    (r"einsum\(\): (?:subscript|operand).*?(?:size|broadcast)",
     _same("In the einsum one letter stands for two axes of different sizes. Write the letters "
           "beside the shapes: the same letter must mean the same axis.")),
    (r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", _index),
    (r"einsum\(\): output subscript (\w+) does not appear",
     _with_groups("The letter {0} is in the einsum's result but in none of its operands.")),
    (r"t\(\) expects a tensor with <= 2 dimensions, but self is (\d+)D",
     _with_groups("`.t()` is for matrices, and this tensor has {0} axes. `.transpose(-2, -1)` "
                  "swaps the last two and leaves the batch alone.")),
    (r"(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given",
     _with_groups("`{0}` takes {1} and is called with {2} arguments. Compare the call with its "
                  "`def` line, and that with the stage's page.")),
    (r"(\w+)\(\) missing \d+ required positional arguments?: ([^\n]+)",
     _with_groups("`{0}` is called without {1}, which it needs. Compare the call with its `def` "
                  "line, or with PyTorch's page on it.")),
    (r"(\w+)\(\) got multiple values for argument '(\w+)'",
     _with_groups("`{0}` gets `{1}` twice: once by its place, and once by its name.")),
    (r"(\w+)\(\) got an unexpected keyword argument '(\w+)'",
     _with_groups("`{0}` has no argument called `{1}`.")),
    (r"UnboundLocalError|cannot access local variable '(\w+)'",
     _same("A name is used before it gets its value on this way through the function.")),
    (r"NameError: name '(\w+)' is not defined",
     _with_groups("Nothing here is called `{0}`. Is it spelled as where it was made, or is an "
                  "import missing?")),
    (r"AttributeError: 'Tensor' object has no attribute '(\w+)'",
     _with_groups("Tensors have no `{0}`. NumPy's name for it may differ from torch's.")),
    (r"module '([\w.]+)' has no attribute '(\w+)'", _with_groups("There is no `{1}` in `{0}`.")),
    (r"torch\.return_types\.(\w+)",
     _with_groups("`{0}` with a `dim` returns two things, values and indices. Take its `.values`; "
                  "`amax` and `amin` return the values alone.")),
    (r"unsupported ScalarType BFloat16",
     _same("NumPy has no bfloat16, and it cannot follow gradients. Stay with torch's own "
           "functions: almost each of NumPy's has a namesake there.")),
    (r"'NoneType' object (?:has no attribute '(?P<what>\w+)'|is not)",
     _same("Something is `None` here that should be a tensor. Does a function of yours compute its "
           "result without `return`?")),
    (r"'(tuple|list)' object has no attribute '(\w+)'",
     _with_groups("A {0} of several things has no `{1}`; each thing in it has. Take it apart "
                  "first: `q, k, v = …`.")),
    (r"'torch\.Size' object is not callable",
     _same("A shape is read with square brackets, `x.shape[-1]`; `x.size(-1)` has round ones.")),
    (r"'builtin_function_or_method' object is not subscriptable",
     _same("A method is called with round brackets: `x.size(-1)`, or `x.shape[-1]` without one.")),
    (r"(?:operand|argument).*(?:builtin_function_or_method|method-wrapper|'method'|'function')"
     r"|not (?:function|method|builtin_function_or_method)\b",
     _same("A function was named and not called: its round brackets are missing.")),
    (r"'Tensor' object is not callable",
     _same("A tensor is followed by round brackets, as if it were a function. `.T` and `.mT` have "
           "none, and a product needs its sign: `a * (b + c)`.")),
    (r"'(int|float)' object is not (callable|iterable|subscriptable)",
     _with_groups("A plain number (a Python {0}) is used as if it were more than that: it is not "
                  "{1}.")),
    (r"object of type '(\w+)' has no len\(\)", _with_groups("A Python {0} has no length.")),
    (r"'float' object cannot be interpreted as an integer",
     _same("A whole number is needed. `/` always gives a float; `//` gives a whole number.")),
    (r"(\w+)\(\) received an invalid combination of arguments - got \((.*?),? ?\)",
     _with_groups("`{0}` cannot be called with ({1}). PyTorch's page on it lists what it takes.")),
    (r"argument '(\w+)' .*must be (?:int|tuple of ints|torch\.dtype|bool), not (\w+)",
     _with_groups("The argument `{0}` is of the wrong kind: a {1}.")),
    (r"argument '(\w+)' \(position \d+\) must be Tensor, not (\w+)",
     _with_groups("The argument `{0}` must be a tensor, and is a {1}.")),
    (r"permute.*input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)",
     _with_groups("`permute` must name every axis of the tensor, and this one has {0}, not {1}. "
                  "`.transpose(-2, -1)` swaps the last two, however many there are.")),
    (r"self must be a matrix|mat2 must be a matrix",
     _same("`mm` is for two matrices and takes no batch axis. `@` and `matmul` do.")),
    (r"batch[12] must be a 3D tensor",
     _same("`bmm` wants exactly one batch axis. `@` and `matmul` take any number, none included.")),
    (r"1D tensors expected",
     _same("`dot` is for two vectors. For matrices it is `@`, or `matmul`.")),
    (r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size "
     r"(\d+)", _joined_up),
    (r"stack expects each tensor to be equal size, but got \[([\d, ]*)\].* and \[([\d, ]*)\]",
     _stacked),
    (r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)",
     _expanded),
    (r"normalized_shape=\[(\d+)\]",
     _same("A layer norm was made for an axis of another length. No stage here has one.")),
    (r"fewer operands were provided than specified|more operands were provided",
     _same("The einsum's text names another number of operands than follow it. One comma stands "
           "between two.")),
    (r"could not infer output dtype|not implemented for '(Long|Int|Bool)'",
     _same("Whole numbers cannot be averaged or exponentiated. Make them floating with "
           "`.to(x.dtype)`.")),
    (r"not compiled with CUDA enabled|No CUDA GPUs|Found no NVIDIA driver",
     _same("A line names CUDA, and this machine has none. Work where the input is, `x.device`, and "
           "ask `torch.cuda.is_available()` before anything else of CUDA.")),
    (r'is missing the required "forward" function',
     _same("The class has no `forward`. Is it spelled so, and indented as `__init__` is?")),
    (r"cannot assign module before Module\.__init__|before Module\.__init__\(\) call",
     _same("`super().__init__()` comes first in the `__init__` of every module.")),
    (r"must be real number, not (\w+)",
     _with_groups("A function of `math` wants a plain number, and got a {0}.")),
    (r"ZeroDivisionError|math domain error",
     _same("A division by 0, or the root or logarithm of a number that has none. Which number "
           "becomes 0 or negative for this call?")),
    (r"output with shape \[([\d, ]*)\] doesn't match the broadcast shape \[([\d, ]*)\]",
     _in_place),
    (r"type Tensor doesn't define __round__",
     _same("Python's `round` takes no tensors. Nothing has to be rounded here.")),
    (r"unsupported operand type\(s\) for \^|bitwise_xor",
     _same("In Python `^` is no power, but compares bits. A power is written `d_k ** 0.5`.")),
    (r"unsupported operand type\(s\) for .*?'([\w.]+)' and '([\w.]+)'",
     _with_groups("An operation met two things of the types {0} and {1}. Did a function of yours "
                  "return nothing, or a tuple where a tensor was expected?")),
    (r"too many values to unpack|not enough values to unpack",
     _same("The names on the left do not match what is unpacked on the right. A shape has as many "
           "parts as there are axes, and batches add some: `x.shape[-1]` always is the last.")),
    (r"Boolean value of Tensor with more than one value is ambiguous",
     _same("An `if` or `max` asked whether a whole tensor is true. `torch.where` and `torch.max` "
           "work entry by entry.")),
    (r"only one element tensors can be converted to Python scalars"
     r"|a Tensor with \d+ elements cannot be converted to Scalar",
     _same("A tensor with many numbers was turned into one Python number. Stay with tensors, or "
           "use torch's function in place of `math`'s.")),
    (r"AssertionError.*\n +assert |Error.*\n +raise ",
     _same("A check of your own refuses this call. Either the check asks for too much, or what is "
           "handed on to it is not what you think: print the shapes before it.")),
    (r"'(int|float)' object has no attribute 'sqrt'",
     _with_groups("A plain number (a Python {0}) has no `sqrt`: use `math.sqrt(…)` or `** 0.5`.")),
    (r"RecursionError",
     _same("A function calls itself without end. Does it have the name of something that it "
           "imports?")),
    (r"cannot import name '(\w+)' from",
     _with_groups("The module has no `{0}`. Compare its spelling with that stage's page.")),
    (r"attempted relative import|No module named '?([\w.]+)",
     _same("An import found nothing. Is the name right, and is it installed? No stage needs more "
           "than PyTorch. Stages before this one are imported as siblings: "
           "`from .scores import attention_scores`.")),
)  # fmt: skip
"""Pattern, and what to say; the first that fits is told."""
