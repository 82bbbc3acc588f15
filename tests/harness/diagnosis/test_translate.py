"""PyTorch's messages, provoked here and now, are told in the words of the course."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.diagnosis.translate import axis, translated

SIZES = {"batch": 2, "query": 6, "key": 4, "d_k": 5}
Q, K = torch.zeros(2, 6, 5), torch.zeros(2, 4, 5)
ONE: Any = torch.zeros(6, 5)
NUMBER: Any = 5
WORD: Any = "last"
SHAPE: Any = Q.shape


def leaf() -> torch.Tensor:
    return torch.zeros(3, requires_grad=True)


def overwritten() -> None:
    y = leaf().exp()
    z = y.exp()
    z.mul_(2)
    z.sum().backward()  # type: ignore[no-untyped-call]


def undefined() -> Any:
    return scorse  # type: ignore[name-defined] # noqa: F821


def unpack() -> Any:
    n, d = Q.shape
    return n, d


def no_cuda() -> Any:
    raise AssertionError("Torch not compiled with CUDA enabled")  # a machine with CUDA has it


def endless() -> Any:
    return endless()


def one(x: Any) -> Any:
    return x


CALLED: Any = one

PROVOKED: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "matrices": (lambda: ONE @ K[0], ("6 (query) by 5 (d_k)", "4 (key) by 5 (d_k)", "transpose")),
    "merged": (lambda: Q @ torch.zeros(4, 5), ("12 (batch times query)",)),
    "batched": (lambda: Q @ K, ("last axis", ".transpose(-2, -1)", "5 (d_k)")),
    "elementwise": (lambda: ONE - torch.zeros(6), ("5 (d_k)", "6 (query)", "keepdim")),
    "reshape": (lambda: Q.reshape(3, 7), ("60 numbers",)),
    "view": (lambda: Q.transpose(-2, -1).view(60), ("`reshape` copies",)),
    "number": (lambda: torch.sqrt(NUMBER), ("`math.sqrt`", "** 0.5")),
    "leaf": (lambda: leaf().add_(1), ("`x = x + y`",)),
    "overwritten": (overwritten, ("was overwritten",)),
    "no graph": (lambda: ONE.sum().backward(), ("cut off",)),
    "numpy": (lambda: leaf().numpy(), ("cannot follow gradients",)),
    "bfloat16": (lambda: ONE.bfloat16().numpy(), ("no bfloat16",)),
    "dtypes": (lambda: ONE @ torch.zeros(5, 6).double(), ("different dtypes",)),
    "cast": (lambda: torch.zeros(2).long().add_(0.5), ("buffer",)),
    "axis": (lambda: ONE.sum(dim=2), ("no axis 2", "-2 to 1")),
    "einsum axes": (lambda: torch.einsum("bqd->bq", ONE), ("3 axes", "which has 2")),
    "einsum sizes": (lambda: torch.einsum("qd,dk->qk", ONE, ONE), ("one letter",)),
    "einsum output": (lambda: torch.einsum("qd->qz", ONE), ("letter z",)),
    "t": (lambda: Q.t(), ("3 axes", "transpose(-2, -1)")),
    "max": (lambda: ONE - ONE.max(dim=-1), (".values",)),
    "arguments": (lambda: CALLED(1, 2), ("2 arguments", "takes 1")),
    "missing": (lambda: CALLED(), ("without 'x'",)),
    "name": (undefined, ("`scorse`",)),
    "attribute": (lambda: ONE.tranpose, ("no `tranpose`",)),
    "none": (lambda: ONE + None, ("return nothing",)),
    "unpack": (unpack, ("`x.shape[-1]`",)),
    "truth": (lambda: bool(ONE > 0), ("`torch.where`",)),
    "scalar": (lambda: math.exp(ONE), ("one Python number",)),
    "shape called": (lambda: SHAPE(-1), ("square brackets",)),
    "method indexed": (lambda: Q.size[-1], ("round brackets",)),  # type: ignore[index]
    "method not called": (lambda: ONE @ K.t, ("not called",)),
    "tensor called": (lambda: ONE * K[0].T(), ("needs its sign",)),  # type: ignore[operator]
    "root of a number": (lambda: NUMBER.sqrt(), ("`math.sqrt",)),
    "nothing": (lambda: CALLED(None).shape, ("without `return`",)),
    "several": (lambda: (Q, K).shape, ("Take it apart",)),  # type: ignore[attr-defined]
    "permute": (lambda: Q.permute(1, 0), ("has 3, not 2",)),
    "mm": (lambda: torch.mm(Q, Q), ("no batch axis",)),
    "bmm": (lambda: torch.bmm(ONE, ONE), ("exactly one batch axis",)),
    "dot": (lambda: torch.dot(ONE, ONE), ("two vectors",)),
    "cat": (lambda: torch.cat([ONE, K[0]], dim=1), ("6 (query) met 4 (key)",)),
    "stack": (lambda: torch.stack([ONE, K[0]]), ("4 (key), 5 (d_k)",)),
    "expand": (lambda: ONE.expand(6, 4), ("5 (d_k) cannot be stretched to 4 (key)",)),
    "twice": (lambda: CALLED(1, x=2), ("gets `x` twice",)),
    "keyword": (lambda: CALLED(y=2), ("no argument called `y`",)),
    "kind": (lambda: torch.softmax(ONE, dim=WORD), ("`dim` is of the wrong kind",)),
    "forms": (lambda: ONE.sum(dim=WORD), ("cannot be called with (dim=str)",)),
    "cuda": (lambda: no_cuda(), ("names CUDA",)),
    "whole": (lambda: torch.arange(3).mean(), ("Whole numbers",)),
    "zero": (lambda: 1 / (NUMBER - 5), ("division by 0",)),
    "in place": (lambda: torch.zeros(1, 5).add_(ONE), ("(1, 5 (d_k))",)),
    "no power": (lambda: NUMBER ^ 0.5, ("`d_k ** 0.5`",)),
    "no power of a tensor": (lambda: ONE ^ 2, ("`d_k ** 0.5`",)),
    "two kinds": (lambda: NUMBER + WORD, ("of the types int and str",)),
    "recursion": (endless, ("calls itself",)),
}


@pytest.mark.parametrize("name", PROVOKED)
def test_a_message_is_told_in_axes(name: str) -> None:
    provoke, words = PROVOKED[name]
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the message is what is tested
        provoke()
    told = translated(f"{caught.typename}: {caught.value}", SIZES)
    assert told, caught.value
    assert all(word in told for word in words), told


def test_batch_axes_that_do_not_fit_are_told_from_other_axes() -> None:
    with pytest.raises(RuntimeError) as caught:
        Q @ torch.zeros(5, 4, 5).transpose(-2, -1)
    line = "  scores.py, line 3, in attention_scores:\n    return q @ k.T"
    told = translated(f"RuntimeError: {caught.value}\n{line}", SIZES)
    assert "2 (batch) and 5 (d_k)" in told
    assert "`.T` reverses all axes" in told


def test_a_sum_beside_a_product_may_be_either() -> None:
    with pytest.raises(RuntimeError) as caught:
        ONE + torch.zeros(6, 4)
    told = translated(f"RuntimeError: {caught.value}\n  mixing.py:\n    return q + w @ v", SIZES)
    assert "5 (d_k) and 4 (key)" in told
    assert "`+`" in told
    assert "`@`" in told


def test_an_own_check_that_refuses_is_called_so() -> None:
    told = translated("AssertionError\n  scores.py, line 3:\n    assert q.shape == k.shape", SIZES)
    assert "A check of your own" in told


def test_what_is_not_known_is_not_told() -> None:
    assert translated("ValueError: the moon is full", SIZES) == ""


def test_an_ambiguous_size_keeps_its_number() -> None:
    assert axis(12, {"a": 2, "b": 6, "c": 3, "d": 4}) == "12"
    assert axis(7, SIZES) == "7"
    assert axis(6, {"query": 6, "key": 6}) == "6 (query or key)"
