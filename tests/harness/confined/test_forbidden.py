"""What a stage refuses is refused by every path, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import torch

from grader.subject import ForbiddenOperation, Subject, SubmissionError, escapes, forbidden
from grader.subject.errors import ForbiddenName
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from harness.confined import machine

HEAD = """
import threading
import torch
import torch.nn.functional as F
from torch import nn

g = lambda x: x.detach().requires_grad_()
q = lambda x: x[None]
mha = nn.MultiheadAttention(4, 2, batch_first=True)
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
aten = torch.ops.aten

def elsewhere(call):
    raised, done = [], []
    def run():
        try: done.append(call())
        except BaseException as error: raised.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised: raise raised[0]
    return done[0]

def on_onednn(x): return aten._softmax(x.to_mkldnn(), -1, False).to_dense()

def quietly(call):
    modes = getattr(torch.utils, "_python" + "_dispatch")
    core = getattr(torch, "_" + "C")
    with modes._disable_current_modes(), core.DisableTorchFunction(): return call()

"""

SOFTMAX = {
    "functional": "F.softmax(x, -1)",
    "method": "x.softmax(-1)",
    "function": "torch.softmax(x, -1)",
    "with gradients": "g(x).softmax(-1)",
    "module": "nn.Softmax(-1)(x)",
    "module 2d": "nn.Softmax2d()(x[None])",
    "special": "torch.special.softmax(x, -1)",
    "log": "F.log_softmax(x, -1).exp()",
    "log module": "nn.LogSoftmax(-1)(x)",
    "special log": "torch.special.log_softmax(x, -1)",
    "softmin": "F.softmin(-x, -1)",
    "gumbel": "F.gumbel_softmax(x)",
    "cross entropy": "F.cross_entropy(x[0], torch.tensor([0, 1, 2]))",
    "operator": "aten._softmax(x, -1, False)",
    "operator, log": "aten._log_softmax(x, -1, False)",
    "operator with out": "aten._softmax.out(x, -1, False, out=torch.empty_like(x))",
    "composite operator": "aten.softmax.int(x, -1)",
    "with out": "torch.softmax(x, -1, out=torch.empty_like(x))",
    "private": "torch._softmax(x, -1, False)",
    "safe": "torch._safe_softmax(x, -1)",
    "masked": "torch._masked_softmax(x, torch.zeros(x.shape, dtype=torch.bool), -1, 2)",
    "sparse": "torch.sparse.softmax(x[0].to_sparse(), -1).to_dense()",
    "sparse log": "torch.sparse.log_softmax(x[0].to_sparse(), -1).to_dense()",
    "oneDNN": "x.to_mkldnn().softmax(-1).to_dense()",
    "oneDNN operator, in a thread": "elsewhere(lambda: on_onednn(x))",
    "nested": "torch.nested.nested_tensor([x[0], x[1]]).softmax(-1).to_padded_tensor(0)",
    "vmap": "torch.vmap(lambda r: r.softmax(-1))(x)",
    "forward mode": "torch.func.jvp(lambda r: r.softmax(-1), (x,), (x,))",
    "functional gradient": "torch.func.grad(lambda r: r.softmax(-1).sum())(x)",
    "traced": "torch.jit.trace(lambda r: r.softmax(-1), x, check_trace=False)(x)",
    "script": "torch.jit.CompilationUnit('def f(x):\\n  return x.softmax(-1)\\n').f(x)",
    "distribution": "torch.distributions.Categorical(logits=x).probs",
    "meta": "x.to('meta').softmax(-1)",
    "autocast": "torch.autocast('cpu')(lambda: x.softmax(-1))()",
    "inference mode": "torch.inference_mode()(lambda: x.softmax(-1))().clone()",
    "thread": "elsewhere(lambda: x.softmax(-1))",
    "without modes": "quietly(lambda: x.softmax(-1))",
}
FUSED = {
    "functional": "F.scaled_dot_product_attention(x, x, x)",
    "with gradients": "F.scaled_dot_product_attention(g(x), g(x), g(x))",
    "in float64": "F.scaled_dot_product_attention(x.double(), x.double(), x.double())",
    "with a mask": "F.scaled_dot_product_attention(g(x), x, x, attn_mask=g(torch.ones(3, 3)))",
    "math": "aten._scaled_dot_product_attention_math(x, x, x)",
    "flash": "aten._scaled_dot_product_flash_attention_for_cpu(q(x), q(x), q(x))",
    "module": "mha(x, x, x, need_weights=False)",
    "encoder": "layer(x)",
    "encoder, fast": "torch.inference_mode()(lambda: layer.eval()(x))().clone()",
    "thread": "elsewhere(lambda: F.scaled_dot_product_attention(x, x, x))",
    "fast, in a thread": "elsewhere(lambda: torch.inference_mode()(lambda: layer.eval()(x))())",
    "without modes": "quietly(lambda: F.scaled_dot_product_attention(x, x, x))",
}
PATHS = [("softmax", *path) for path in SOFTMAX.items()]
PATHS += [("fused attention", *path) for path in FUSED.items()]

EVASIVE = {"thread", "without modes", "fast, in a thread", "oneDNN operator, in a thread"}
"""Paths that only a worker can close."""

SPEECHLESS = {"script"}
"""Paths on which PyTorch itself drops the sentence of a refusal in one's own process."""

TEXT = HEAD + "".join(
    f"def path_{number}(x): return {call}\n" for number, (_, _, call) in enumerate(PATHS)
)
numbered = pytest.mark.parametrize(
    "number", range(len(PATHS)), ids=["-".join(path[:2]).replace(" ", "-") for path in PATHS]
)


@pytest.fixture(scope="module")
def confined() -> Iterator[dict[str | None, Subject]]:
    """Workers that refuse one group each, and one that refuses nothing."""
    with ExitStack() as stack:
        yield {
            group: stack.enter_context(
                machine.submission(TEXT, forbidden=(group,) if group else (), seconds=300)
            )
            for group in ("softmax", "fused attention", None)
        }


@pytest.fixture(scope="module")
def local() -> Iterator[dict[str, Subject]]:
    made = {g: InProcess(Sources("answer", {"answer": TEXT}), (g,)) for g in forbidden.GROUPS}
    yield {**made}
    for subject in made.values():
        subject.close()


def x() -> torch.Tensor:
    return torch.rand(2, 3, 4)


@numbered
def test_a_worker_refuses_every_path(number: int, confined: dict[str | None, Subject]) -> None:
    group = PATHS[number][0]
    with pytest.raises(SubmissionError, match=f"built-in {group} is refused here"):
        getattr(confined[group], f"path_{number}")(x())


@numbered
def test_it_is_refused_in_its_stage_only(number: int, confined: dict[str | None, Subject]) -> None:
    assert getattr(confined[None], f"path_{number}")(x()) is not None


@pytest.mark.filterwarnings("ignore")  # some paths are deprecated
@numbered
def test_the_learners_own_check_refuses_it_as_well(number: int, local: dict[str, Subject]) -> None:
    group, name, _ = PATHS[number]
    call = getattr(local[group], f"path_{number}")
    if name in EVASIVE:
        assert call(x()) is not None
    else:
        said = "" if name in SPEECHLESS else f"built-in {group} is refused here"
        with pytest.raises(RuntimeError, match=said):
            call(x())


def test_the_refusal_reads_the_same_and_names_the_line(
    confined: dict[str | None, Subject], local: dict[str, Subject]
) -> None:
    with pytest.raises(SubmissionError) as there:
        confined["softmax"].path_1(x())
    with pytest.raises(ForbiddenOperation) as here:
        local["softmax"].path_1(x())
    assert str(there.value) == str(here.value)
    assert there.value.kind == "ForbiddenOperation"
    assert there.value.frames[-1].text == "def path_1(x): return x.softmax(-1)"


def test_what_is_not_named_still_works() -> None:
    given = x()
    shifted = "def answer(x): return (x - x.logsumexp(-1, keepdim=True)).exp()"
    with machine.submission(shifted, forbidden=tuple(forbidden.GROUPS)) as subject:
        assert torch.allclose(subject.answer(given), given.softmax(-1))


COUNTER_MEASURES = {
    "drop the library": """
def answer(x):
    for found in gc.get_objects():
        if "Library" in type(found).__name__: found.m = None
    return x.softmax(-1)
""",
    "run every finalizer": """
def answer(x):
    for undo in list(weakref.finalize._registry): undo()
    return x.softmax(-1)
""",
    "look through the traceback": """
def answer(x):
    try: return x.softmax(-1)
    except RuntimeError as error: frame = error.__traceback__
    while frame.tb_next: frame = frame.tb_next
    for value in [*frame.tb_frame.f_locals.values(), *frame.tb_frame.f_globals.values()]:
        if hasattr(value, "reset"): value.reset()
    return x.softmax(-1)
""",
    "catch and go on": """
def answer(x):
    try: return x.softmax(-1)
    except RuntimeError: return F.softmax(x, -1)
""",
}


@pytest.mark.parametrize("name", COUNTER_MEASURES)
def test_the_refusal_cannot_be_undone(name: str) -> None:
    head = """
import weakref
import torch
import torch.nn.functional as F
gc = __builtins__["__imp" + "ort__"]("gc")
"""
    with (
        machine.submission(head + COUNTER_MEASURES[name], forbidden=("softmax",)) as subject,
        pytest.raises(SubmissionError, match="built-in softmax is refused"),
    ):
        subject.answer(x())


WAYS_AROUND = [
    "import gc",
    "import ctypes as c",
    "from inspect import stack",
    "import sys\nsys._getframe(0)",
    "from sys import _getframe",
    "import torch\ntorch._C._nn",
    "import torch as t\ndef f(): return t.library.Library",
    "from torch import library",
    "import torch._refs",
    "from torch._decomp.decompositions import _softmax",
    "from torch.nn.attention.flex_attention import flex_attention",
    "from scipy.special import softmax",
    "import importlib",
    "eval('1')",
    "__import__('gc')",
]


@pytest.mark.parametrize("text", WAYS_AROUND)
def test_names_that_lead_around_are_refused_by_line(text: str) -> None:
    lines = text.count("\n") + 1
    source = Sources("answer", {"answer": f"{text}\ndef answer(): return 1"})
    with pytest.raises(ForbiddenName, match=rf"answer\.py, line {lines}: .* is refused"):
        InProcess(source, ("softmax",)).answer()
    with machine.submission(source.texts["answer"], forbidden=("softmax",)) as subject:
        with pytest.raises(SubmissionError, match=rf"answer\.py, line {lines}: ") as caught:
            subject.answer()
        assert caught.value.kind == "ForbiddenName"


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn as nn\nnn.Linear(2, 2).eval()",
        "import math, torch, numpy, typing, functools",
        "from .sibling import gc\ngc = 3",
        "class A: pass\nA.library = A._C = 1",
    ],
)
def test_harmless_names_are_not_refused(text: str) -> None:
    assert not list(escapes.found(text))


def test_names_are_free_where_nothing_is_forbidden() -> None:
    with machine.submission("import gc, inspect\ndef answer(): return 1") as subject:
        assert subject.answer() == 1
