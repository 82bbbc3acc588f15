"""Wrong ways to add to the residual stream, with what must be said of each."""

from harness.suite.answers import Wrong, indented

HEAD = """\
import torch

from .mixing import attention
from .projection import project_qkv


"""
ADD = """\
if x.shape != update.shape:
    raise ValueError("shapes differ")
return x + update"""
BLOCK = """\
q, k, v = project_qkv(x, w_q, w_k, w_v)
return add_residual(x, attention(q, k, v) @ w_o)"""


def module(add: str = ADD, block: str = BLOCK) -> str:
    """A module with these bodies; right where none is given."""
    return (
        f"{HEAD}def add_residual(x, update):\n{indented(add)}\n\n"
        f"def attention_block(x, w_q, w_k, w_v, w_o):\n{indented(block)}"
    )


def adding(name: str, sum_: str, check: str, *reason: str) -> Wrong:
    """Shapes are compared, and then another sum is returned."""
    return Wrong(name, module(add=ADD.replace("x + update", sum_)), check, reason)


def in_block(name: str, line: str, check: str, *reason: str) -> Wrong:
    """The last line of the block is another one."""
    first = BLOCK.splitlines()[0]
    return Wrong(name, module(block=f"{first}\n{line}"), check, reason)


DIFFERS = ("stream:", "numbers differ", "expected")
CHANGED = ("changed its argument x", "it was", "Make a new tensor")
STRETCHED = ("(token 6, d_model 7)", "returned (token 6, d_model 7); expected a ValueError")

WRONG_RESIDUALS = (
    adding("no residual", "update", "nothing_to_add", "the update is 0", *DIFFERS),
    adding("the stream only", "x.clone()", "add_numbers", *DIFFERS),
    adding("twice", "update + update", "nothing_to_add", "the update is 0", *DIFFERS),
    adding("average", "(x + update) / 2", "nothing_to_add", "the update is 0", *DIFFERS),
    adding("subtracted", "x - update", "add_numbers", *DIFFERS),
    adding("in place", "x.add_(update)", "untouched", *CHANGED),
    adding("into the update", "update.add_(x)", "untouched", "changed its argument update"),
    adding("skip cut off", "x.detach() + update", "gradients", "no gradient reaches x"),
    adding("update cut off", "x + update.detach()", "gradients", "no gradient reaches update"),
    adding("skip halved", "x / 2 + x.detach() / 2 + update", "gradients", "gradient for x:"),
    adding("float64", "x.double() + update", "dtypes", "stream is float64; expected float32"),
    Wrong("shapes never compared", module(add="return x + update"), "unequal_shapes", STRETCHED),
    Wrong(
        "shapes asserted",
        module(add="assert x.shape == update.shape\nreturn x + update"),
        "unequal_shapes",
        ("raised AssertionError; expected a ValueError",),
    ),
    Wrong(
        "wrong exception",
        module(add=ADD.replace("ValueError", "RuntimeError")),
        "unequal_shapes",
        ("raised RuntimeError; expected a ValueError",),
    ),
    Wrong(
        "sizes compared from the end",
        module(add=ADD.replace("x.shape != update.shape", "x.shape[-1:] != update.shape[-1:]")),
        "unequal_shapes",
        ("expected a ValueError",),
    ),
    Wrong(
        "result compared",
        module(add=ADD.replace("x.shape != update.shape", "(x + update).shape != x.shape")),
        "unequal_shapes",
        ("expected a ValueError",),
    ),
    in_block("w_o left out", "return add_residual(x, v)", "block_shapes", "ValueError"),
    in_block(
        "w_o left out where it fits",
        "mixed = attention(q, k, v)\n"
        "update = mixed if mixed.shape == x.shape else mixed @ w_o\n"
        "return add_residual(x, update)",
        "output_weights",
        "w_o is random",
        *DIFFERS,
    ),
    in_block(
        "w_o transposed where it fits",
        "fits = w_o.shape[0] == w_o.shape[1]\n"
        "return add_residual(x, attention(q, k, v) @ (w_o.mT if fits else w_o))",
        "output_weights",
        "w_o is random",
        *DIFFERS,
    ),
    in_block(
        "block without residual", "return attention(q, k, v) @ w_o", "nothing_to_add", "w_o is 0"
    ),
    in_block(
        "queries and keys swapped",
        "return add_residual(x, attention(k, q, v) @ w_o)",
        "block_numbers",
        *DIFFERS,
    ),
    in_block(
        "values from the stream",
        "return add_residual(x, attention(q, k, x) @ w_v @ w_o * 2)",
        "block_numbers",
        *DIFFERS,
    ),
    in_block(
        "stream changed by the block",
        "x += attention(q, k, v) @ w_o\nreturn x.clone()",
        "untouched",
        *CHANGED,
    ),
    in_block(
        "weights cut off",
        "return add_residual(x, attention(q, k, v) @ w_o.detach())",
        "gradients",
        "no gradient reaches w_o",
    ),
)
