"""Right answers to the scaling that look different."""

import math

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis import Bank

bank = Bank(__name__, instead_of="scale_scores")


@bank.variant("The power -1/2 is one over the root.")
def power(scores: Tensor, d_k: int) -> Tensor:
    scale: float = d_k**-0.5
    return scores * scale


@bank.variant("A root of a tensor; in float32, which is as many digits as are asked for.")
def root_of_a_tensor(scores: Tensor, d_k: int) -> Tensor:
    return scores / torch.sqrt(torch.tensor(d_k))


@bank.variant("The reciprocal root, as a tensor of the scores' own dtype and device.")
def reciprocal_root(scores: Tensor, d_k: int) -> Tensor:
    return scores * torch.rsqrt(torch.tensor(d_k, dtype=scores.dtype, device=scores.device))


@bank.variant("NumPy's root of a plain number is a number that PyTorch takes.")
def numpy_root(scores: Tensor, d_k: int) -> Tensor:
    root: float = np.sqrt(d_k)
    return scores / root


@bank.variant("The fourth root twice is the square root once.")
def fourth_root_twice(scores: Tensor, d_k: int) -> Tensor:
    root: float = d_k**0.25
    return scores / root / root


@bank.variant("Work in place is fine on a tensor of one's own.")
def own_copy_in_place(scores: Tensor, d_k: int) -> Tensor:
    scaled = scores.clone()
    scaled /= math.sqrt(d_k)
    return scaled


@bank.variant("More digits inside do no harm, as long as the result has the scores' dtype.")
def float64_inside(scores: Tensor, d_k: int) -> Tensor:
    return (scores.double() / math.sqrt(d_k)).to(scores.dtype)


@bank.variant("float32 inside loses no digit that is asked for in this stage.")
def float32_inside(scores: Tensor, d_k: int) -> Tensor:
    return (scores.float() / math.sqrt(d_k)).to(scores.dtype)


@bank.variant("The root as exp and log.")
def logarithms(scores: Tensor, d_k: int) -> Tensor:
    return scores * math.exp(-0.5 * math.log(d_k))


@bank.variant("A whole tensor of roots, as large as the scores.")
def full(scores: Tensor, d_k: int) -> Tensor:
    return scores / torch.full_like(scores, d_k).sqrt()


@bank.variant("Row by row in a loop: slow, and the same numbers.")
def loop(scores: Tensor, d_k: int) -> Tensor:
    scaled = torch.empty_like(scores)
    for i in range(scores.shape[-2]):
        scaled[..., i, :] = scores[..., i, :] / math.sqrt(d_k)
    return scaled


VARIANTS = bank.variants
