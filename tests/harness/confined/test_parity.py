"""A suite cannot tell whether a submission runs in its own process or in a worker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.gradcheck import GradcheckError

from grader.diagnosis import attempted
from grader.subject import Subject, SubmissionDied, errors
from grader.subject.confined.link import Link
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from grader.subject.values import Opaque
from harness.confined import machine

TEXT = """
import collections

import numpy as np
import torch
from torch import nn

Pair = collections.namedtuple("Pair", "first second")


def double(x): return x * 2
def same(x): return x
def turned(x): return x.transpose(0, 1)
def part(x): return x[1:]
def pair(x): return x + 1, x - 1
def named(x): return Pair(x + 1, x - 1)
def listed(x): return [x, None, {"k": x * 3, "n": 2.5}]
def halves(x):
    whole = x * 1
    return whole[0], whole[1]
def nothing(x): return None
def infinite(x): return float("inf"), float("-inf"), 3, True, "text", x.shape, x.dtype, x.device
def array(x): return x.detach().numpy()
def number(x): return np.float64(1.5)
def generator(x): return (row for row in x)
class Own(torch.Tensor): pass
def own(x): return x.as_subclass(Own)
def sparse(x): return x.to_sparse()
def zero(x): x.zero_(); return x + 1
def behind(x): x.numpy()[...] = 7; return None
def flip(x): x.t_(); return None
def fill(x, y): x[0] = 5; return y.sum()
def detached(x): return x.detach()
def counted(x): return x.sum(), x.argmax()
def viewed(x): return x.view(-1)
def strict(x): return x.requires_grad, torch.is_grad_enabled(), x.is_contiguous(), x.stride()
def cube(x): return x ** 3
def through(layer, x): layer.train(); return layer(x)
def sibling(x, *, times=2): return x * times
def wrong(x): raise ValueError(f"no good: {x.ndim}")
def key(x): return {}["absent"]
def own_error(x):
    class Own(Exception): pass
    raise Own("mine")
def own_value_error(x):
    class ShapeError(ValueError): pass
    raise ShapeError("mine")
def leave(x): raise SystemExit(3)
def absorbed(x, y): return y.add_(x)
def assertion(x): assert x is None, "must be None"


class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=False)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.W(x)
"""


@pytest.fixture(scope="module")
def confined() -> Iterator[Subject]:
    with machine.submission(TEXT, seconds=120) as subject:
        yield subject


@pytest.fixture
def local() -> Iterator[Subject]:
    subject = InProcess(Sources("answer", {"answer": TEXT}))
    yield subject
    subject.close()


def described(value: Any) -> Any:
    """A value so that two of them can be compared: tensors by all that a suite may look at."""
    if isinstance(value, Tensor):
        facts = (value.dtype, value.device, value.shape, value.requires_grad, value.is_contiguous())
        return (*facts, value.tolist() if value.device.type == "cpu" else None)
    if isinstance(value, list | tuple):
        return (type(value).__name__, *map(described, value))
    if isinstance(value, dict):
        return {key: described(item) for key, item in value.items()}
    if isinstance(value, Opaque):
        return re.sub(r"submission_\d+", "submission", value.type_name)
    return value


def matrix(grad: bool = False, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.arange(12.0, dtype=dtype).reshape(3, 4).requires_grad_(grad)


VALUES = [
    *("double", "same", "turned", "part", "pair", "named", "listed", "halves", "nothing"),
    *("infinite", "array", "number", "generator", "own", "zero", "behind", "flip", "detached"),
    *("counted", "viewed", "strict"),
]


@pytest.mark.parametrize("name", VALUES)
def test_results_and_arguments_are_the_same(name: str, confined: Subject, local: Subject) -> None:
    here, there = matrix(), matrix()
    assert described(getattr(confined, name)(there)) == described(getattr(local, name)(here))
    assert described(there) == described(here)


@pytest.mark.parametrize("name", ["double", "pair", "wrong", "leave", "own_error"])
def test_many_calls_at_once_give_what_each_gives(
    name: str, confined: Subject, local: Subject
) -> None:
    expected = [described(attempted(getattr(local, name), matrix() + n)) for n in range(3)]
    for subject in (confined, local):
        found = subject.at_once(name, [[matrix() + n] for n in range(3)])
        assert [described(value) for value in found] == expected


@pytest.mark.parametrize("answer", [None, [], [1], [1, 2, 3]])
def test_too_few_or_too_many_answers_end_the_worker(
    answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine.submission(TEXT) as subject:
        monkeypatch.setattr(Link, "ask", lambda *_: answer)
        with pytest.raises(SubmissionDied, match="makes no sense"):
            subject.at_once("double", [[matrix()], [matrix()]])


@pytest.mark.parametrize(
    "dtype",
    [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.int8],
)
def test_every_dtype_crosses(dtype: torch.dtype, confined: Subject, local: Subject) -> None:
    x = matrix().to(dtype)
    assert described(confined.double(x)) == described(local.double(x))


def test_booleans_and_special_numbers_cross(confined: Subject) -> None:
    x = torch.tensor([True, False, True])
    assert confined.same(x) is x
    odd = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0])
    [back, _, _] = confined.listed(odd)
    assert back is odd
    assert confined.double(odd)[1:].tolist() == [float("inf"), float("-inf"), -0.0]


def test_meta_tensors_cross_by_shape(confined: Subject, local: Subject) -> None:
    x = torch.empty(2, 3, device="meta", dtype=torch.bfloat16)
    assert described(confined.double(x)) == described(local.double(x))


@pytest.mark.parametrize("x", [torch.empty(0, 4), torch.tensor(3.0), torch.ones(1, 1, 1, 1, 1)])
def test_unusual_shapes_cross(x: Tensor, confined: Subject, local: Subject) -> None:
    assert described(confined.double(x)) == described(local.double(x))


def test_layouts_of_arguments_are_kept(confined: Subject, local: Subject) -> None:
    base = torch.arange(24.0).reshape(4, 6)
    for x in (base.t(), base[:, ::2], base[1:3], torch.ones(3, 1).expand(3, 4)):
        assert confined.strict(x) == local.strict(x)
    with pytest.raises(RuntimeError, match="view"):
        confined.viewed(base.t())


def test_arguments_that_overlap_still_do(confined: Subject) -> None:
    base = torch.zeros(2, 3)
    assert confined.fill(base, base).item() == 15
    assert confined.fill(base.zero_(), base[0]).item() == 15
    assert base.tolist() == [[5, 5, 5], [0, 0, 0]]


def test_results_share_memory_as_they_do_here(confined: Subject) -> None:
    x = matrix()
    assert confined.same(x) is x
    for result in (confined.turned(x), confined.part(x), confined.viewed(x)):
        assert result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    first, second = confined.halves(x)
    assert first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    assert confined.double(x).untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


@pytest.mark.parametrize("name", ["double", "turned", "pair", "listed", "cube", "same", "part"])
def test_gradients_are_the_same(name: str, confined: Subject, local: Subject) -> None:
    def gradient(subject: Subject) -> Tensor:
        x = matrix(grad=True)
        result = getattr(subject, name)(x)
        outputs = [t for t in _tensors(result) if t.requires_grad]
        torch.autograd.backward([(t * t).sum() for t in outputs])
        assert x.grad is not None
        return x.grad

    assert torch.equal(gradient(confined), gradient(local))


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [
        t
        for item in items or ()
        if isinstance(item, list | tuple | dict | Tensor)
        for t in _tensors(item)
    ]


def test_gradients_flow_through_a_chain_of_calls(confined: Subject) -> None:
    x = matrix(grad=True)
    confined.cube(confined.double(x)).sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, 24 * x.detach() ** 2)


def test_gradcheck_passes_through(confined: Subject) -> None:
    x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(confined.cube, (x,))
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda t: confined.cube(t) + confined.detached(t), (x,))


def test_gradients_flow_through_an_argument_that_took_another_in(
    confined: Subject, local: Subject
) -> None:
    for subject in (confined, local):
        x, y = matrix(grad=True), torch.ones_like(matrix())
        (3 * subject.absorbed(x, y)).sum().backward()
        assert torch.equal(y.detach(), 1 + x.detach())
        assert x.grad is not None
        assert torch.equal(x.grad, torch.full_like(x, 3))


def test_what_does_not_require_grad_does_not(confined: Subject, local: Subject) -> None:
    for subject in (confined, local):
        assert not subject.detached(matrix(grad=True)).requires_grad
        total, where = subject.counted(matrix(grad=True))
        assert total.requires_grad
        assert not where.requires_grad
        with torch.no_grad():
            assert not subject.double(matrix(grad=True)).requires_grad


def test_graphs_are_forgotten() -> None:
    with machine.submission(TEXT, memory=256) as subject:
        for _ in range(40):  # 40 × 8 MiB would not fit
            subject.cube(torch.ones(1 << 21, requires_grad=True)).sum()


ERRORS: dict[str, type[BaseException]] = {
    "wrong": ValueError,
    "key": KeyError,
    "assertion": AssertionError,
    "own_error": errors.SubmissionError,
    "own_value_error": ValueError,
    "leave": errors.SubmissionError,
}


@pytest.mark.parametrize("name", ERRORS)
def test_exceptions_are_the_builtins_that_they_were(name: str, confined: Subject) -> None:
    with pytest.raises(ERRORS[name]) as caught:
        getattr(confined, name)(matrix())
    error = caught.value
    assert isinstance(error, errors.SubmissionError)
    assert error.frames[-1].file == "answer.py"
    assert error.frames[-1].text == TEXT.splitlines()[error.frames[-1].line - 1].strip()


def test_the_text_of_an_exception_crosses(confined: Subject, local: Subject) -> None:
    for subject in (confined, local):
        with pytest.raises(ValueError, match="no good: 2"):
            subject.wrong(matrix())


def test_a_missing_name_reads_the_same(confined: Subject, local: Subject) -> None:
    def said(subject: Subject) -> str:
        with pytest.raises(Exception, match="does not define") as caught:
            subject.absent()
        return str(caught.value)

    assert said(confined) == said(local)


def test_keyword_arguments_cross(confined: Subject) -> None:
    assert torch.equal(confined.sibling(matrix(), times=4), matrix() * 4)


def test_modules_stay_where_they_are(confined: Subject, local: Subject) -> None:
    for subject in (confined, local):
        head = subject.Head(4, 2)
        assert head.parameters().keys() == {"W.weight"}
        weight = torch.arange(8.0).reshape(2, 4)
        head.load({"W.weight": weight})
        x = matrix(grad=True)
        assert torch.equal(head(x), matrix() @ weight.T)
        head(x).sum().backward()
        assert x.grad is not None
        assert torch.equal(x.grad, weight.sum(0).expand(3, 4))
        assert head(matrix()).requires_grad  # by the module's own parameters
        head.train(False)
        assert not head.training()


def test_a_module_may_go_in_again(confined: Subject, local: Subject) -> None:
    for subject in (confined, local):
        head = subject.Head(4, 2)
        head.train(False)
        assert subject.through(head, matrix()).shape == (3, 2)
        assert head.training()


@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_layer_of_the_suite_may_go_in(
    bias: bool, confined: Subject, local: Subject
) -> None:
    for subject in (confined, local):
        layer = nn.Linear(4, 2, bias=bias).eval()
        result = subject.through(layer, matrix())
        assert torch.allclose(result, layer(matrix()))
        assert layer.training
        result.sum().backward()
        assert torch.allclose(layer.weight.grad, matrix().sum(0).expand(2, 4))  # type: ignore[arg-type]


def test_other_objects_cannot_go_in(confined: Subject) -> None:
    with pytest.raises(TypeError, match="cannot be given to a submission"):
        confined.double(object())


@pytest.mark.parametrize("bench", ["meta", "cost"])
def test_benches_see_the_same(bench: str, confined: Subject, local: Subject) -> None:
    def seen(subject: Subject) -> tuple[Any, Any]:
        with subject.on(bench) as report:
            result = subject.double(matrix())
            assert not report
        return described(result), report

    assert seen(confined) == seen(local)


def test_a_bench_is_left_after_an_exception(confined: Subject) -> None:
    with pytest.raises(ValueError, match="no good"), confined.on("meta"):
        confined.wrong(matrix())
    assert confined.double(matrix()).device.type == "cpu"


def test_prints_are_kept_and_never_fail() -> None:
    text = "def answer(n):\n    for i in range(n): print('line', i)\n    return n"
    with machine.submission(text) as subject:
        assert subject.output() == ""
        assert subject.answer(3) == 3
        assert subject.output() == "line 0\nline 1\nline 2\n"
        assert subject.answer(200_000) == 200_000
        assert subject.output().endswith("line 199999\n")
    assert subject.output().endswith("line 199999\n")
