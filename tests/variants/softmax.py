"""Right answers to row softmax that look different."""

import math

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis import Bank

bank = Bank(__name__, instead_of="row_softmax")


@bank.variant(
    "exp(s - log Σ exp(s)) is exp(s) / Σ exp(s); logsumexp takes the maximum away inside."
)
def logsumexp(scores: Tensor) -> Tensor:
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()


@bank.variant(
    "The maximum cancels from the weights, so its gradient does too: detaching it is right."
)
def detached_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.detach().amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.variant("More digits inside do no harm, as long as the result has the scores' dtype.")
def float64_inside(scores: Tensor) -> Tensor:
    wide = scores.double()
    exponentials = (wide - wide.amax(dim=-1, keepdim=True)).exp()
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).to(scores.dtype)


@bank.variant("Transposed there and back: the columns of the transpose are the rows.")
def transposed_twice(scores: Tensor) -> Tensor:
    turned = scores.transpose(-2, -1)
    exponentials = (turned - turned.amax(dim=-2, keepdim=True)).exp()
    return (exponentials / exponentials.sum(dim=-2, keepdim=True)).transpose(-2, -1)


@bank.variant("Row by row in a loop: slow, and the same numbers.")
def loop(scores: Tensor) -> Tensor:
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]):
        exponentials = (row - row.max()).exp()
        rows.append(exponentials / exponentials.sum())
    return torch.stack(rows).reshape(scores.shape)


@bank.variant("Multiplying by the reciprocal is dividing, to within rounding.")
def reciprocal(scores: Tensor) -> Tensor:
    exponentials = torch.exp(scores - torch.max(scores, dim=-1, keepdim=True).values)
    return exponentials * exponentials.sum(dim=-1, keepdim=True).reciprocal()


@bank.variant("`unsqueeze` gives back the axis that the reduction removed, as keepdim does.")
def unsqueezed(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max(dim=-1).values.unsqueeze(-1)).exp()
    return exponentials / exponentials.sum(dim=-1)[..., None]


@bank.variant("Any shift near the maximum will do; the maximum plus 1 keeps exp below 1 as well.")
def other_shift(scores: Tensor) -> Tensor:
    exponentials = (scores - (scores.amax(dim=-1, keepdim=True) + 1)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.variant("Work in place is fine on a tensor of one's own.")
def own_copy_in_place(scores: Tensor) -> Tensor:
    weights = scores - scores.amax(dim=-1, keepdim=True)
    weights.exp_()
    return weights / weights.sum(dim=-1, keepdim=True)


@bank.variant("exp(s) is 2 to the power of s / ln 2.")
def powers_of_two(scores: Tensor) -> Tensor:
    exponentials = torch.exp2((scores - scores.amax(dim=-1, keepdim=True)) / math.log(2))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.variant("A sum over an axis is an einsum, too.")
def einsum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / torch.einsum("...k->...", exponentials).unsqueeze(-1)


@bank.variant("A buffer that is filled row by row, made with the scores' own dtype and device.")
def filled_buffer(scores: Tensor) -> Tensor:
    weights = torch.empty_like(scores)
    for index in np.ndindex(*scores.shape[:-1]):
        exponentials = (scores[index] - scores[index].max()).exp()
        weights[index] = exponentials / exponentials.sum()
    return weights


@bank.variant("A layout of memory that is not the usual one; the numbers are where they must be.")
def not_contiguous(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return weights.transpose(-2, -1).contiguous().transpose(-2, -1)


VARIANTS = bank.variants
