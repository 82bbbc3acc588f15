"""Right answers to the residual add and the attention block that look different."""

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.mixing import attention
from solutions.projection import project_qkv
from solutions.residual import add_residual

BLOCK = "attention_block"

bank = Bank(__name__, instead_of="add_residual")


class ShapeError(ValueError):
    """A subclass of ValueError is a ValueError."""


@bank.variant("An exception of one's own that is a ValueError.")
def own_exception(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise ShapeError
    return torch.add(x, update)


@bank.variant("Shapes compared as lists, and the sum the other way round.")
def other_way_round(x: Tensor, update: Tensor) -> Tensor:
    if list(x.size()) != list(update.size()):
        raise ValueError("shapes differ")
    return update + x


@bank.variant("A copy first, and then work in place on it.")
def own_copy_in_place(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise ValueError("shapes differ")
    stream = x.clone()
    stream += update
    return stream


@bank.variant("Axis by axis, with the number of axes first.")
def axis_by_axis(x: Tensor, update: Tensor) -> Tensor:
    if x.dim() != update.dim() or any(a != b for a, b in zip(x.shape, update.shape, strict=True)):
        raise ValueError("shapes differ")
    return x + update


@bank.variant("Stacked and summed over the new axis.")
def stacked(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise ValueError("shapes differ")
    return torch.stack([x, update]).sum(dim=0)


@bank.variant("More digits inside do no harm, as long as the result has x's dtype.")
def float64_inside(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise ValueError("shapes differ")
    return (x.double() + update.double()).to(x.dtype)


@bank.variant("Fused attention is refused in stage 5 only.", instead_of=BLOCK)
def fused(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    return x + functional.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v) @ w_o


@bank.variant("W_V and W_O joined in one matrix: the mix is linear.", instead_of=BLOCK)
def joined(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    return add_residual(x, attention(x @ w_q, x @ w_k, x @ (w_v @ w_o)))


@bank.variant("Everything by hand in einsums.", instead_of=BLOCK)
def einsums(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    scores = torch.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    mixed = torch.einsum("...ij,...jd->...id", scores.softmax(dim=-1), v)
    return x + torch.einsum("...nd,dm->...nm", mixed, w_o)


VARIANTS = bank.variants
