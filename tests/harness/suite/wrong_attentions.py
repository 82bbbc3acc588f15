"""Twenty-four wrong ways to write attention, with what must be said of each.

Many public test suites let some of them pass: they use equal sizes, small numbers, one batch
item, or never look at what happened to the inputs.
"""

from harness.suite.answers import Wrong, indented

HEAD = """\
import math

import torch
from torch.nn.functional import normalize, one_hot

from .softmax import row_softmax


def mix_values(weights, v):
    return weights @ v


def attention(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
"""


def wrong(name: str, body: str, check: str, reason: tuple[str, ...]) -> Wrong:
    """A module whose `attention` ends in these lines; everything else in it is right."""
    return Wrong(name, HEAD + indented(body), check, reason)


DIFFERS = ("attention(q, k, v)", "output:", "numbers differ", "expected")
MISFIT = ("(key 4, d_k 5)", "RuntimeError", "cannot be multiplied", "in attention", "@")
NOT_FINITE = ("rows of q·k near 1e4", "at query 0", "nan")

WRONG_ATTENTIONS = (
    wrong("no scale", "return row_softmax(q @ k.mT) @ v", "attention_numbers", DIFFERS),
    wrong(
        "divided by d_k",
        "return row_softmax(q @ k.mT / q.shape[-1]) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "multiplied by √d_k",
        "return row_softmax(q @ k.mT * math.sqrt(q.shape[-1])) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "divided by √n",
        "return row_softmax(q @ k.mT / math.sqrt(q.shape[-2])) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "divided by √d_v",
        "return row_softmax(q @ k.mT / math.sqrt(v.shape[-1])) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "root rounded down",
        "return row_softmax(q @ k.mT / int(math.sqrt(q.shape[-1]))) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "softmax over queries",
        "return row_softmax(scores.mT).mT @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "softmax over all entries",
        "e = (scores - scores.max()).exp()\nreturn e / e.sum() @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "no shift",
        "e = scores.exp()\nreturn e / e.sum(-1, keepdim=True) @ v",
        "extremes",
        NOT_FINITE,
    ),
    wrong(
        "global maximum",
        "e = (scores - scores.max()).exp()\nreturn e / e.sum(-1, keepdim=True) @ v",
        "extremes",
        ("rows of q·k near 1e4", "nan"),
    ),
    wrong(
        "clamped scores",
        "e = scores.clamp(-50, 50).exp()\nreturn e / e.sum(-1, keepdim=True) @ v",
        "extremes",
        ("rows of q·k near 1e4", "numbers differ", "query 0"),
    ),
    wrong(
        "sum without keepdim",
        "e = (scores - scores.amax(-1, keepdim=True)).exp()\nreturn e / e.sum(-1) @ v",
        "attention_shapes",
        ("RuntimeError", "must match the size", "in attention", "e / e.sum(-1)"),
    ),
    wrong(
        "argmax",
        "return one_hot(scores.argmax(-1), k.shape[-2]).to(v.dtype) @ v",
        "gradients",
        ("no gradient reaches q",),
    ),
    wrong(
        "K Qᵀ",
        "return row_softmax(k @ q.mT / math.sqrt(q.shape[-1])) @ v",
        "attention_shapes",
        MISFIT,
    ),
    wrong(
        "Q K", "return row_softmax(q @ k / math.sqrt(q.shape[-1])) @ v", "attention_shapes", MISFIT
    ),
    wrong("Aᵀ V", "return row_softmax(scores).mT @ v", "attention_shapes", MISFIT),
    wrong(
        "keys for values",
        "return row_softmax(scores) @ k",
        "attention_shapes",
        ("output: got (query 6, d_k 5), expected (query 6, d_v 3)",),
    ),
    wrong(
        "uniform weights",
        "return torch.full_like(scores, 1 / k.shape[-2]) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "scaled after softmax",
        "return row_softmax(q @ k.mT) / math.sqrt(q.shape[-1]) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "cosine similarity",
        "return row_softmax(normalize(q, dim=-1) @ normalize(k, dim=-1).mT) @ v",
        "attention_numbers",
        DIFFERS,
    ),
    wrong(
        "in place",
        "q /= math.sqrt(q.shape[-1])\nreturn row_softmax(q @ k.mT) @ v",
        "untouched",
        ("changed its argument q", "it was", "Make a new tensor"),
    ),
    wrong(
        "detached",
        "return row_softmax(scores.detach()) @ v",
        "gradients",
        ("no gradient reaches q",),
    ),
    wrong(
        "float64",
        "return row_softmax(scores.double()) @ v.double()",
        "dtypes",
        ("output is float64; expected float32",),
    ),
    wrong(
        "batch item 0 only",
        "return (row_softmax(scores[:1]) if scores.ndim > 2 else row_softmax(scores)) @ v",
        "attention_numbers",
        ("output:", "numbers differ", "at batch 1"),
    ),
)
