"""Right answers to mixing and attention that look different."""

import math

import torch
from torch import Tensor

from grader.diagnosis import Bank
from solutions.mixing import mix_values
from solutions.softmax import row_softmax

WHOLE = "attention"

bank = Bank(__name__, instead_of="mix_values")


@bank.variant("An einsum names the axis that is summed over.")
def einsum(weights: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", weights, v)


@bank.variant("Every value times its weight, and a sum over the keys.")
def broadcast_and_sum(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)


@bank.variant("A transposed product of transposes: (Vᵀ Aᵀ)ᵀ = A V.")
def transposed_twice(weights: Tensor, v: Tensor) -> Tensor:
    return (v.mT @ weights.mT).mT


@bank.variant("Key by key: what each token hands over is added to what is there.")
def key_by_key(weights: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(weights[..., :1] * v[..., :1, :])
    for j in range(v.shape[-2]):
        mixed = mixed + weights[..., j, None] * v[..., j, None, :]
    return mixed


@bank.variant(
    "The queries are scaled instead of the scores: the product is linear in them.", instead_of=WHOLE
)
def queries_scaled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return mix_values(row_softmax((q / math.sqrt(q.shape[-1])) @ k.mT), v)


@bank.variant(
    "Queries and keys take a fourth root each; together that is the square root.", instead_of=WHOLE
)
def fourth_root_each(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    root: float = k.shape[-1] ** 0.25
    return mix_values(row_softmax((q / root) @ (k / root).mT), v)


@bank.variant(
    "The weights are normalised after the mix: a row's sum is one number.", instead_of=WHOLE
)
def late_normalisation(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials @ v / exponentials.sum(dim=-1, keepdim=True)


@bank.variant("logsumexp takes the maximum away inside.", instead_of=WHOLE)
def logsumexp(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return (scores - scores.logsumexp(dim=-1, keepdim=True)).exp() @ v


@bank.variant("The built-in softmax is refused in stage 4 only.", instead_of=WHOLE)
def built_in_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT / torch.sqrt(torch.tensor(q.shape[-1])), dim=-1) @ v


@bank.variant("Query by query in a loop: slow, and the same numbers.", instead_of=WHOLE)
def query_by_query(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    outputs = []
    for i in range(q.shape[-2]):
        scores = q[..., i : i + 1, :] @ k.mT / math.sqrt(q.shape[-1])
        outputs.append(row_softmax(scores) @ v)
    return torch.cat(outputs, dim=-2)


@bank.variant(
    "More digits inside do no harm, as long as the result has the values' dtype.", instead_of=WHOLE
)
def float64_inside(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q.double() @ k.double().mT / math.sqrt(q.shape[-1])
    return (row_softmax(scores) @ v.double()).to(v.dtype)


@bank.variant("A parameter more, with a default, is nobody's loss.", instead_of=WHOLE)
def more_parameters(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    return row_softmax(scores) @ v


VARIANTS = bank.variants
