"""Right answers to the projections that look different."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.projection import project

THREE = "project_qkv"

bank = Bank(__name__, instead_of="project")


@bank.variant("An einsum names the axis that is summed over.")
def einsum(x: Tensor, weight: Tensor) -> Tensor:
    return torch.einsum("...nm,md->...nd", x, weight)


@bank.variant("`linear` multiplies by the transpose, so it is given the transpose.")
def linear(x: Tensor, weight: Tensor) -> Tensor:
    return functional.linear(x, weight.T)


@bank.variant("A transposed product of transposes: (Wᵀ Xᵀ)ᵀ = X W.")
def transposed_twice(x: Tensor, weight: Tensor) -> Tensor:
    return (weight.mT @ x.mT).mT


@bank.variant("Entry by entry and then a sum over d_model: that is what a product of matrices is.")
def broadcast_and_sum(x: Tensor, weight: Tensor) -> Tensor:
    return (x.unsqueeze(-1) * weight).sum(dim=-2)


@bank.variant("A sum over the last axis of one and the first of the other.")
def tensordot(x: Tensor, weight: Tensor) -> Tensor:
    projected: Tensor = torch.tensordot(x, weight, dims=1)
    return projected


@bank.variant("Batch axes merged into the tokens, and separated again.")
def merged_and_split(x: Tensor, weight: Tensor) -> Tensor:
    return (x.reshape(-1, x.shape[-1]) @ weight).reshape(*x.shape[:-1], weight.shape[-1])


@bank.variant("A buffer that is filled number by number, made with x's own dtype and device.")
def filled_buffer(x: Tensor, weight: Tensor) -> Tensor:
    projected = x.new_empty(*x.shape[:-1], weight.shape[-1])
    for column in range(weight.shape[-1]):
        projected[..., column] = (x * weight[:, column]).sum(dim=-1)
    return projected


@bank.variant("More digits inside do no harm, as long as the result has x's dtype.")
def float64_inside(x: Tensor, weight: Tensor) -> Tensor:
    return (x.double() @ weight.double()).to(x.dtype)


@bank.variant("A layout of memory that is not the usual one; the numbers are where they must be.")
def not_contiguous(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).mT.contiguous().mT


@bank.variant("A list of three tensors unpacks like a tuple.", instead_of=THREE)
def list_for_tuple(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> list[Tensor]:
    return [project(x, weight) for weight in (w_q, w_k, w_v)]


class Projections(NamedTuple):
    q: Tensor
    k: Tensor
    v: Tensor


@bank.variant("A named tuple is a tuple.", instead_of=THREE)
def named(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Projections:
    return Projections(x @ w_q, x @ w_k, x @ w_v)


@bank.variant("One joint projection, cut where each of the three ends.", instead_of=THREE)
def joint(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, ...]:
    widths = [weight.shape[-1] for weight in (w_q, w_k, w_v)]
    return torch.split(project(x, torch.cat([w_q, w_k, w_v], dim=-1)), widths, dim=-1)


VARIANTS = bank.variants
