"""Right answers to the attention scores that look different."""

import torch
from torch import Tensor

from grader.diagnosis import Bank

bank = Bank(__name__, instead_of="attention_scores")


@bank.variant("An einsum names the axis that is summed over.")
def einsum(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", q, k)


@bank.variant("A transposed product of transposes: (K Qᵀ)ᵀ = Q Kᵀ.")
def transposed_twice(q: Tensor, k: Tensor) -> Tensor:
    return (k @ q.mT).mT


@bank.variant("Entry by entry and then a sum over d_k: that is what a dot product is.")
def broadcast_and_sum(q: Tensor, k: Tensor) -> Tensor:
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(dim=-1)


@bank.variant("Axes counted from the front, however many there are.")
def counted_axes(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.swapaxes(k.dim() - 1, k.dim() - 2))


@bank.variant("A buffer that is filled score by score, made with the queries' dtype and device.")
def filled_buffer(q: Tensor, k: Tensor) -> Tensor:
    scores = q.new_empty(*q.shape[:-1], k.shape[-2])
    for i in range(q.shape[-2]):
        for j in range(k.shape[-2]):
            scores[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(dim=-1)
    return scores


@bank.variant("A sum that goes through the features from the last to the first.")
def backwards(q: Tensor, k: Tensor) -> Tensor:
    scores = q.new_zeros(*q.shape[:-1], k.shape[-2])
    for c in reversed(range(q.shape[-1])):
        scores = scores + q[..., :, None, c] * k[..., None, :, c]
    return scores


@bank.variant("Batch items one by one, in a recursion: slow, and the same numbers.")
def item_by_item(q: Tensor, k: Tensor) -> Tensor:
    def scores(a: Tensor, b: Tensor) -> Tensor:
        if a.ndim > 2:
            return torch.stack([scores(*pair) for pair in zip(a, b, strict=True)])
        return torch.inner(a, b)

    return scores(q, k)


@bank.variant("`bmm` wants one batch axis: merged for it, and separated again.")
def one_batch_axis_made(q: Tensor, k: Tensor) -> Tensor:
    rows, columns = q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:])
    return torch.bmm(rows, columns.transpose(1, 2)).reshape(*q.shape[:-1], k.shape[-2])


@bank.variant("More digits inside do no harm, as long as the result has the queries' dtype.")
def float64_inside(q: Tensor, k: Tensor) -> Tensor:
    return (q.double() @ k.double().mT).to(q.dtype)


@bank.variant("A layout of memory that is not the usual one; the numbers are where they must be.")
def not_contiguous(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).mT.contiguous().mT


VARIANTS = bank.variants
