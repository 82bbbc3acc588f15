"""Wrong answers to the scaling.

Left out of the catalogue: √d_model and √d_v, which this stage cannot know (they are in `mixing`,
where the tensors are); here they show as a number written into the code.
"""

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank

FORMULA = "stages/scaling.html#the-formula"
SHAPES = "stages/scaling.html#shapes"
CONTRACT = "stages/index.html"
WHY = "learn/scaling.html#how-wide-is-a-dot-product"
SATURATION = "learn/saturation.html#the-gradient"

bank = Bank(__name__, instead_of="scale_scores", read=FORMULA)


# The wrong divisor


@bank.mistake(
    "The scores are not scaled at all.",
    "With d_k = 64, how wide do dot products spread, and what does softmax make of them?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
    read=WHY,
)
def not_scaled(scores: Tensor, d_k: int) -> Tensor:
    return scores.clone()


@bank.mistake(
    "You returned the scores themselves: not scaled, and still the caller's own tensor.",
    "With d_k = 64, how wide do dot products spread, and what does softmax make of them?",
    read=WHY,
)
def scores_returned(scores: Tensor, d_k: int) -> Tensor:
    return scores


@bank.mistake(
    "You divided by d_k, or twice by its root. The *variance* of a dot product is d_k; its width "
    "is the square root of that.",
    "If the variance is d_k, what is the standard deviation?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
    read=WHY,
)
def by_d_k(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k


@bank.mistake(
    "`d_k ** 1/2` is (d_k ** 1) / 2: powers come before divisions, so you divided by d_k and by 2.",
    "What does Python make of `9 ** 1/2`, and of `9 ** (1/2)`?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def power_before_division(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k / 2


@bank.mistake(
    "You divided by half of d_k. `d_k ** 1/2` is (d_k ** 1) / 2: powers come before divisions.",
    "What does Python make of `9 ** 1/2`, and of `9 ** (1/2)`?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def by_half_of_d_k(scores: Tensor, d_k: int) -> Tensor:
    return scores / (d_k / 2)


@bank.mistake(
    "You multiplied by √d_k instead of dividing, so the scores spread even wider. (`d_k ** -0.5` "
    "is the reciprocal already.)",
    "Should the scores get larger or smaller when d_k grows?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def multiplied(scores: Tensor, d_k: int) -> Tensor:
    return scores * math.sqrt(d_k)


@bank.mistake(
    "You multiplied by d_k. The scores are to be divided, and by its square root.",
    "Should the scores get larger or smaller when d_k grows?",
)
def multiplied_by_d_k(scores: Tensor, d_k: int) -> Tensor:
    return scores * d_k


@bank.mistake(
    "You divided by d_k². The square *root* is meant: `math.sqrt(d_k)`, or `d_k ** 0.5`.",
    "What is 5 ** 2, and what is 5 ** 0.5?",
)
def by_square(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k**2


@bank.mistake(
    "You divided by d_k's fourth root. That is right for queries and keys, one each; the scores "
    "take the square root.",
    "How often is the scale applied to a score?",
)
def by_fourth_root(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(math.sqrt(d_k))


@bank.mistake(
    "You divided by d_k's cube root.",
    "Which power of d_k is its square root?",
)
def by_cube_root(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.exp(math.log(d_k) / 3)


@bank.mistake(
    "The root was rounded down to a whole number.",
    "What is √5, and what does `int`, `isqrt` or `//` make of it?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def root_rounded_down(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.isqrt(d_k)


@bank.mistake(
    "The root was rounded to the nearest whole number.",
    "What is √5, and what does `round` make of it?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def root_rounded(scores: Tensor, d_k: int) -> Tensor:
    return scores / round(math.sqrt(d_k))


@bank.mistake(
    "The root was rounded up to a whole number.",
    "What is √5, and what does `ceil` make of it?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def root_rounded_up(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.ceil(math.sqrt(d_k))


@bank.mistake(
    "`//` throws away what comes after the point: your scaled scores are whole numbers.",
    "What is 7 / 2, and what is 7 // 2?",
    evidence="At {place} you have {yours}; divided by √d_k it is {expected}.",
)
def whole_division(scores: Tensor, d_k: int) -> Tensor:
    return scores // math.sqrt(d_k)


@bank.mistake(
    "You divided by the square root of the number of keys. What counts is how long a query and a "
    "key are: d_k.",
    "A score is a sum. Of how many products?",
    evidence="Here there are {key} keys, and d_k is {d_k}.",
    read=WHY,
)
def by_root_of_keys(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.shape[-1])


@bank.mistake(
    "You divided by the square root of the number of queries. What counts is how long a query and "
    "a key are: d_k.",
    "A score is a sum. Of how many products?",
    evidence="Here there are {query} queries, and d_k is {d_k}.",
    read=WHY,
)
def by_root_of_queries(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.shape[-2])


@bank.mistake(
    "You divided by the square root of `len(scores)`: the size of the first axis, which is the "
    "batch if there is one.",
    "A score is a sum. Of how many products?",
    read=WHY,
)
def by_root_of_length(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(len(scores))


@bank.mistake(
    "You divided by 8, whatever d_k is. That is right for d_k = 64 alone.",
    "Which number in your code should have been made from `d_k`?",
    read=WHY,
)
def by_eight(scores: Tensor, d_k: int) -> Tensor:
    return scores / 8


@bank.mistake(
    "You divided by √512, the d_model of a well-known paper. What counts is d_k, which is handed "
    "to you.",
    "Which number in your code should have been made from `d_k`?",
    read=WHY,
)
def by_root_of_512(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(512)


@bank.mistake(
    "Your square root is not exact: for large d_k its steps end too early.",
    "Which function of `math` gives the root to all digits?",
)
def root_by_hand(scores: Tensor, d_k: int) -> Tensor:
    root = d_k / 2
    for _ in range(5):
        root = (root + d_k / root) / 2
    return scores / root


@bank.mistake(
    "You took a logarithm where a square root belongs.",
    "What does `math.log` give for 1, and what does `math.sqrt`?",
)
def by_logarithm(scores: Tensor, d_k: int) -> Tensor:
    scale = math.log(d_k + 1)
    return scores / scale


@bank.mistake(
    "You added 1 to d_k under the root.",
    "How many products does a score sum up, for d_k = 5?",
)
def one_more(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(d_k + 1)


@bank.mistake(
    "You subtracted 1 from d_k under the root. That is for the variance of a sample; here d_k is "
    "a plain count.",
    "How many products does a score sum up, for d_k = 5?",
)
def one_less(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(max(d_k - 1, 1))


@bank.mistake(
    "You added a small number to d_k under the root. d_k is at least 1, so the root is never 0.",
    "What is the smallest root that can occur here?",
)
def epsilon_under_the_root(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(d_k + 1e-3)


@bank.mistake(
    "You subtracted 1 from d_k under the root, so for d_k = 1 the root is 0. Here d_k is a plain "
    "count.",
    "How many products does a score sum up, for d_k = 5?",
)
def one_less_down_to_none(scores: Tensor, d_k: int) -> Tensor:
    return scores / torch.tensor(float(d_k - 1), dtype=scores.dtype).sqrt()


@bank.mistake(
    "You added a small number to the root. d_k is at least 1, so the root is never 0.",
    "What is the smallest root that can occur here?",
)
def epsilon(scores: Tensor, d_k: int) -> Tensor:
    return scores / (math.sqrt(d_k) + 1e-3)


@bank.mistake(
    "The scores were multiplied by 0, so every weight will be the same.",
    "What is 1 // 2 in Python? Is there a default of 0 somewhere?",
)
def by_zero(scores: Tensor, d_k: int) -> Tensor:
    return scores * 0


@bank.mistake(
    "You turned the sign round: the best match has the lowest score now.",
    "Which sign has a square root?",
)
def sign_turned(scores: Tensor, d_k: int) -> Tensor:
    return scores / -math.sqrt(d_k)


@bank.mistake(
    "You *subtracted* the root. Scaling is a division.",
    "Does subtracting the same number from a whole row change its softmax?",
)
def subtracted(scores: Tensor, d_k: int) -> Tensor:
    return scores - math.sqrt(d_k)


@bank.mistake(
    "You took the square root of the scores as well. Only d_k stands under the root.",
    "Where in the formula does the root sign end?",
    read=FORMULA,
)
def root_of_all(scores: Tensor, d_k: int) -> Tensor:
    return (scores / d_k).sqrt()


@bank.mistake(
    "The scores stand under the root as well, and `math.sqrt` takes the root of one number only. "
    "Only d_k stands under the root.",
    "Where does the bracket of your `sqrt` close?",
    evidence="PyTorch said: {error}",
)
def math_root_of_all(scores: Tensor, d_k: int) -> Tensor:
    return math.sqrt(scores / d_k)  # type: ignore[return-value]


@bank.mistake(
    "`torch.sqrt` wants a tensor, and d_k is a Python number.",
    "Which module takes roots of plain numbers?",
    evidence="PyTorch said: {error}",
)
def root_of_a_number(scores: Tensor, d_k: int) -> Tensor:
    return scores / torch.sqrt(d_k)  # type: ignore[arg-type]


# Something else than a division


@bank.mistake(
    "You divided by the scores' own spread. It is different for every input; the scale must depend "
    "on d_k alone.",
    "What must not change when one token of the sentence changes?",
    read=WHY,
)
def by_own_spread(scores: Tensor, d_k: int) -> Tensor:
    return scores / scores.std() if scores.numel() > 1 else scores.clone()


@bank.mistake(
    "You shifted and scaled the scores to mean 0 and variance 1. The scale must depend on d_k "
    "alone.",
    "What must not change when one token of the sentence changes?",
    read=WHY,
)
def standardised(scores: Tensor, d_k: int) -> Tensor:
    return functional.layer_norm(scores, scores.shape[-1:])


@bank.mistake(
    "You divided each row by its length. The scale must depend on d_k alone.",
    "Which number is the same for every row?",
    read=WHY,
)
def rows_normalised(scores: Tensor, d_k: int) -> Tensor:
    return functional.normalize(scores, dim=-1)


@bank.mistake(
    "You divided by the largest score. The scale must depend on d_k alone.",
    "What must not change when one token of the sentence changes?",
    read=WHY,
)
def by_largest(scores: Tensor, d_k: int) -> Tensor:
    return scores / scores.abs().max().clamp(min=1e-12)


@bank.mistake(
    "You took each row's largest score away. That belongs into softmax; here is only a division.",
    "What is the formula of this stage alone?",
    evidence="Your largest score is {largest}.",
)
def shifted(scores: Tensor, d_k: int) -> Tensor:
    scaled = scores / math.sqrt(d_k)
    return scaled - scaled.amax(dim=-1, keepdim=True)


@bank.mistake(
    "You divided by the root of `scores.shape[1]`. What counts is how long a query and a key are: "
    "d_k, which is handed to you.",
    "A score is a sum. Of how many products?",
    read=WHY,
)
def by_root_of_second_axis(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.shape[1])


@bank.mistake(
    "You clipped the scaled scores. Large scores are kept apart by the scale, not cut off.",
    "Which scores become equal in your code although they were not?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def clipped(scores: Tensor, d_k: int) -> Tensor:
    return (scores / math.sqrt(d_k)).clamp(-50, 50)


@bank.mistake(
    "You applied softmax after scaling. It comes in the next stage, and would be applied twice.",
    "What is the formula of this stage alone?",
    evidence="Your rows sum to {row_sums}.",
)
def softmax_applied(scores: Tensor, d_k: int) -> Tensor:
    return (scores / math.sqrt(d_k)).softmax(dim=-1)


@bank.mistake(
    "You applied softmax first and scaled its weights. The scale must come before: afterwards the "
    "saturation has happened, and rows no longer add up to 1.",
    "What does dividing by √d_k do to a row that adds up to 1?",
    evidence="Your rows sum to {row_sums}.",
    read=SATURATION,
)
def softmax_first(scores: Tensor, d_k: int) -> Tensor:
    return scores.softmax(dim=-1) / math.sqrt(d_k)


@bank.mistake(
    "Only the first item along the first axis was scaled; the others are as they came.",
    "Does your code pick out one element of an axis somewhere?",
    read=SHAPES,
)
def first_item_only(scores: Tensor, d_k: int) -> Tensor:
    return torch.cat([scores[:1] / math.sqrt(d_k), scores[1:]])


@bank.mistake(
    "The scaled scores were rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def rounded(scores: Tensor, d_k: int) -> Tensor:
    return (scores / math.sqrt(d_k)).round(decimals=3)


@bank.mistake(
    "The root was rounded to two digits after the point.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def root_to_two_digits(scores: Tensor, d_k: int) -> Tensor:
    return scores / round(math.sqrt(d_k), 2)


@bank.mistake(
    "Two calls with the same scores give different results: something random is at work, dropout "
    "for one.",
    "Should the same scores give the same result twice?",
    read=CONTRACT,
)
def dropout(scores: Tensor, d_k: int) -> Tensor:
    return functional.dropout(scores / math.sqrt(d_k), 0.3)


@bank.mistake(
    "Your result is transposed: queries and keys have changed places.",
    "Does scaling move any number to another place?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def transposed(scores: Tensor, d_k: int) -> Tensor:
    return scores.mT / math.sqrt(d_k)


@bank.mistake(
    "Axes of size 1 are gone from your result. Scaling keeps the shape.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(scores: Tensor, d_k: int) -> Tensor:
    return scores.squeeze() / math.sqrt(d_k)


@bank.mistake(
    "You returned the scale, not the scaled scores.",
    "What does your `return` line hand back?",
    read=CONTRACT,
)
def scale_returned(scores: Tensor, d_k: int) -> Tensor:
    return torch.tensor(math.sqrt(d_k), dtype=scores.dtype)


@bank.mistake(
    "Your function returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(scores: Tensor, d_k: int) -> None:
    scores / math.sqrt(d_k)


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "Is `view` needed at all, to divide every number?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(scores: Tensor, d_k: int) -> Tensor:
    return (scores.view(-1) / math.sqrt(d_k)).view(scores.shape)


# The argument, the dtype, the gradient


@bank.mistake(
    "You scaled in place: the scores that you were given changed as well.",
    "What is the difference between `scores /= s` and `scores / s`?",
    evidence="{changed}",
    read=CONTRACT,
)
def in_place(scores: Tensor, d_k: int) -> Tensor:
    scores /= math.sqrt(d_k)
    return scores


@bank.mistake(
    "You scaled the caller's scores behind autograd's back, and the gradient misses the scale.",
    "What is `.data` for, and whose tensor is written to here?",
    evidence="{changed}",
    read=CONTRACT,
)
def behind_autograd(scores: Tensor, d_k: int) -> Tensor:
    scores.data /= math.sqrt(d_k)
    return scores.clone()


@bank.mistake(
    "For d_k = 1 you hand back the caller's own tensor. Whoever changes one then changes the "
    "other.",
    "Is a special case for d_k = 1 needed?",
    read=CONTRACT,
)
def same_for_one(scores: Tensor, d_k: int) -> Tensor:
    return scores if d_k == 1 else scores / math.sqrt(d_k)


@bank.mistake(
    "The result is always float64, whatever the scores are. NumPy's `np.sqrt` gives a float64, and "
    "NumPy lets it spread.",
    "Which function takes the root of a plain Python number?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(scores: Tensor, d_k: int) -> Tensor:
    return scores.double() / math.sqrt(d_k)


@bank.mistake(
    "The result is always float32, whatever the scores are.",
    "Which call in your code names a dtype? Which dtype do the scores have?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_returned(scores: Tensor, d_k: int) -> Tensor:
    return scores.float() / math.sqrt(d_k)


@bank.mistake(
    "The result is made of whole numbers: everything after the point is lost.",
    "Which call in your code names an integer type?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def whole_numbers(scores: Tensor, d_k: int) -> Tensor:
    return (scores / math.sqrt(d_k)).int()


@bank.mistake(
    "You computed in half precision: only about three digits are left.",
    "Which call in your code names a dtype? Which dtype do the scores have?",
    read=CONTRACT,
)
def half_inside(scores: Tensor, d_k: int) -> Tensor:
    return (scores.half() / math.sqrt(d_k)).to(scores.dtype)


@bank.mistake(
    "No gradient flows back to the scores: the result is cut off from them.",
    "Do `.detach()`, `.data`, `.item()`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=CONTRACT,
)
def cut_off(scores: Tensor, d_k: int) -> Tensor:
    return scores.detach() / math.sqrt(d_k)


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and `np.sqrt` turns everything into "
    "float64.",
    "Is there anything in this formula that PyTorch and `math` cannot do?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def through_numpy(scores: Tensor, d_k: int) -> Tensor:
    return torch.from_numpy(scores.detach().numpy() / np.sqrt(d_k))


@bank.mistake(
    "You returned NumPy's array. The next stage wants a tensor, with its gradient.",
    "Is there anything in this formula that PyTorch and `math` cannot do?",
    read=CONTRACT,
)
def numpy_returned(scores: Tensor, d_k: int) -> object:
    return scores.detach().numpy() / np.sqrt(d_k)


# Two mistakes at once


WAYS = {
    "scale": {
        "": "s / math.sqrt(d_k)",
        "by_d_k": "s / d_k",
        "multiplied": "s * math.sqrt(d_k)",
        "root_rounded_down": "s / math.isqrt(d_k)",
        "by_root_of_keys": "s / math.sqrt(scores.shape[-1])",
        "by_eight": "s / 8",
    },
    "scores": {
        "": "scores",
        "cut_off": "scores.detach()",
        "float64_returned": "scores.double()",
        "float32_returned": "scores.float()",
        "transposed": "scores.mT",
    },
}
bank.pairs(
    """
    def scale_scores(scores, d_k):
        s = {scores}
        return {scale}
    """,
    WAYS,
)


@bank.compound("by_d_k", "in_place")
def by_d_k_in_place(scores: Tensor, d_k: int) -> Tensor:
    scores /= d_k
    return scores


@bank.compound("multiplied", "in_place")
def multiplied_in_place(scores: Tensor, d_k: int) -> Tensor:
    scores *= math.sqrt(d_k)
    return scores


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
