"""Wrong answers to mixing, and to attention as a whole.

What is wrong with the mix inside `attention` shows in its output just as it does when `mix_values`
is wrong, so those mistakes stand here once. Left out of the catalogue: weights that are normalised
once more (rows that add up to 1 stay as they are), heads merged without a `permute` (there is one
head), and √d_model (x is no argument of this stage).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.mixing import mix_values
from solutions.scores import attention_scores
from solutions.softmax import row_softmax

FORMULA = "stages/mixing.html#the-formula"
SHAPES = "stages/mixing.html#shapes"
CONTRACT = "stages/index.html"
STEPS = "learn/steps.html#all-at-once"
SCALE = "stages/scaling.html#the-formula"
SCORES = "stages/scores.html#the-formula"
SOFTMAX = "stages/softmax.html#the-formula"
WHOLE = "attention"

bank = Bank(__name__, instead_of="mix_values", read=FORMULA)


# The mix


@bank.mistake(
    "You used the weights transposed: a token then receives what the others owed to it.",
    "Row i of the weights is how query i shares out its attention. Which row makes output i?",
)
def weights_transposed(weights: Tensor, v: Tensor) -> Tensor:
    return weights.mT @ v


@bank.mistake(
    "The values are on the left of your product. A row of weights must meet a column of values, so "
    "the weights come first.",
    "In a product of matrices, whose rows become the rows of the result?",
)
def values_first(weights: Tensor, v: Tensor) -> Tensor:
    return v @ weights


@bank.mistake(
    "You multiplied entry by entry. An output is a *sum* of values, each times its weight.",
    "Which sign multiplies matrices in PyTorch: `*` or `@`?",
)
def entry_by_entry(weights: Tensor, v: Tensor) -> Tensor:
    return weights * v


@bank.mistake(
    "You summed over the queries. Each query gets a sum over the *keys*.",
    "Which axis do weights and values share?",
    evidence="You returned {shape}; expected {expected_shape}.",
)
def summed_over_queries(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-3)


@bank.mistake(
    "You averaged the weighted values. The weights are the average already: their sum is meant.",
    "A row of weights adds up to 1. What is divided once more?",
    evidence="Every number is the right one times {ratio}.",
)
def mean_for_sum(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


@bank.mistake(
    "The weighted values are not added up: the axis of the keys is still there.",
    "How many vectors does one query get in the end?",
    evidence="You returned {shape}; expected {expected_shape}.",
)
def not_summed(weights: Tensor, v: Tensor) -> Tensor:
    return weights.unsqueeze(-1) * v.unsqueeze(-3)


@bank.mistake(
    "Every query got the plain average of the values; the weights are not used.",
    "If a query puts all its weight on one token, what must it receive?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def plain_average(weights: Tensor, v: Tensor) -> Tensor:
    return torch.full_like(weights, 1 / weights.shape[-1]) @ v


@bank.mistake(
    "Every query got the sum of the values; the weights are not used.",
    "If a query puts all its weight on one token, what must it receive?",
)
def plain_sum(weights: Tensor, v: Tensor) -> Tensor:
    return torch.ones_like(weights) @ v


@bank.mistake(
    "Each query got the value of its favourite token alone. The others have their share as well.",
    "With the weights [0.6, 0.4], what does the second token hand over?",
)
def favourite_only(weights: Tensor, v: Tensor) -> Tensor:
    return functional.one_hot(weights.argmax(dim=-1), weights.shape[-1]).to(v.dtype) @ v


@bank.mistake(
    "Only the last token hands something over, as if every turn of a loop overwrote the one "
    "before.",
    "What must be added up over the turns of the loop?",
)
def last_turn_only(weights: Tensor, v: Tensor) -> Tensor:
    return weights[..., -1:] @ v[..., -1:, :]


@bank.mistake(
    "The last token is left out of your sums, as by a loop that ends one turn too early.",
    "Which numbers does `range(n)` go through, and is n among them?",
)
def last_token_missing(weights: Tensor, v: Tensor) -> Tensor:
    return weights[..., :-1] @ v[..., :-1, :]


@bank.mistake(
    "You applied softmax to the weights once more, so they are too flat.",
    "What has happened to the weights before they arrive here?",
    read=SOFTMAX,
)
def softmax_again(weights: Tensor, v: Tensor) -> Tensor:
    return row_softmax(weights) @ v


@bank.mistake(
    "You applied softmax to the mixed values. A mix is an average, and may be negative.",
    "Where in the formula does softmax stand?",
    read=STEPS,
)
def mix_through_softmax(weights: Tensor, v: Tensor) -> Tensor:
    return row_softmax(weights @ v)


@bank.mistake(
    "You gave the values the length 1. They are mixed as they are.",
    "If a value is doubled, what must become of what it hands over?",
)
def values_normalised(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ functional.normalize(v, dim=-1)


@bank.mistake(
    "You added the values to their mix. Adding back is the next stage's work, and it adds to the "
    "stream.",
    "Which formula of this stage has a plus sign in it?",
)
def values_added(weights: Tensor, v: Tensor) -> Tensor:
    mixed = weights @ v
    return mixed + v if mixed.shape == v.shape else mixed


@bank.mistake(
    "You regrouped the values with `reshape`, so a row holds parts of several values.",
    "What does `reshape` keep in order: the axes, or the numbers in memory?",
    read=SHAPES,
)
def values_reshaped(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v.reshape(*v.shape[:-2], v.shape[-1], v.shape[-2]).mT


@bank.mistake(
    "Your numbers are right, but each query is a column. Every query is a row of the result.",
    "What shape must come out for 6 queries and values of 3 features?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def queries_in_columns(weights: Tensor, v: Tensor) -> Tensor:
    return (weights @ v).mT


@bank.mistake(
    "Two calls with the same weights and values give different mixes: something random is at work, "
    "dropout for one.",
    "Should the same weights and values give the same mix twice?",
    read=CONTRACT,
)
def dropout(weights: Tensor, v: Tensor) -> Tensor:
    return functional.dropout(weights, 0.3) @ v


@bank.mistake(
    "The mix was rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def rounded(weights: Tensor, v: Tensor) -> Tensor:
    return (weights @ v).round(decimals=3)


@bank.mistake(
    "Your function returns the weights, not the mixed values.",
    "What does your `return` line hand back?",
    read=CONTRACT,
)
def weights_returned(weights: Tensor, v: Tensor) -> Tensor:
    return weights.clone()


@bank.mistake(
    "Your function returns the values as they came; nothing is mixed.",
    "What does your `return` line hand back, and where did the mix go?",
    read=CONTRACT,
)
def values_returned(weights: Tensor, v: Tensor) -> Tensor:
    return v.clone()


@bank.mistake(
    "Your function returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(weights: Tensor, v: Tensor) -> None:
    weights @ v


# The mix and the batch


@bank.mistake(
    "Your function multiplies two matrices and no more: it raises as soon as there is a batch "
    "axis.",
    "Which operator multiplies matrices and lets batch axes through?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def matrices_only(weights: Tensor, v: Tensor) -> Tensor:
    return torch.mm(weights, v)


@bank.mistake(
    "Your function needs exactly one batch axis. There may be none, or several.",
    "Which operator multiplies the last two axes, whatever comes before them?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def one_batch_axis(weights: Tensor, v: Tensor) -> Tensor:
    return torch.bmm(weights, v)


@bank.mistake(
    "Only the first item of the batch was mixed; the others got its numbers.",
    "Does your code pick out one element of the batch axis somewhere?",
    read=SHAPES,
)
def first_of_batch(weights: Tensor, v: Tensor) -> Tensor:
    mixed = weights @ v
    return mixed if v.ndim == 2 else mixed[:1].expand_as(mixed).clone()


@bank.mistake(
    "Every item of the batch got the values of the first item.",
    "Whose values should the queries of item 1 receive?",
    read=SHAPES,
)
def values_of_first_item(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ (v if v.ndim == 2 else v[:1])


@bank.mistake(
    "Only the first item of the batch came back. The batch axis is missing from your result.",
    "Does your code pick out one element of the batch axis somewhere?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def first_item_only(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v if v.ndim == 2 else weights[0] @ v[0]


@bank.mistake(
    "The batch was added up: every item's result is missing, and there is one sum instead.",
    "Which axes does your einsum leave out on the right of the arrow?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_added_up(weights: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->qd", weights, v)


@bank.mistake(
    "Axes of size 1 are gone from your result. One query, one feature or a batch of one is a size "
    "like any other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(weights: Tensor, v: Tensor) -> Tensor:
    return (weights @ v).squeeze()


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "What does `reshape` do that `view` does not?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(weights: Tensor, v: Tensor) -> Tensor:
    mixed = weights.view(-1, *weights.shape[-2:]) @ v.view(-1, *v.shape[-2:])
    return mixed.view(*weights.shape[:-1], v.shape[-1])


# The mix: arguments, dtype, gradient


@bank.mistake(
    "You changed the weights that you were given. They belong to whoever called you.",
    "What is the difference between `weights *= a` and `weights = weights * a`?",
    evidence="{changed}",
    read=CONTRACT,
)
def weights_changed(weights: Tensor, v: Tensor) -> Tensor:
    mixed = weights.clone() @ v
    weights.data.zero_()
    return mixed


@bank.mistake(
    "The result is always float32, whatever the values are.",
    "Which line names a dtype, or makes a tensor (`torch.zeros`) without asking `v` for its own?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_returned(weights: Tensor, v: Tensor) -> Tensor:
    return weights.float() @ v.float()


@bank.mistake(
    "The result is always float64, whatever the values are.",
    "If you compute in a larger dtype, what is missing before `return`?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(weights: Tensor, v: Tensor) -> Tensor:
    return weights.double() @ v.double()


@bank.mistake(
    "You computed in float32 and lost half of float64's digits.",
    "Which call in your code names a dtype? Which dtype do the values have?",
    read=CONTRACT,
)
def float32_inside(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.float() @ v.float()).to(v.dtype)


@bank.mistake(
    "You computed in half precision: only about three digits are left.",
    "Which call in your code names a dtype? Which dtype do the values have?",
    read=CONTRACT,
)
def half_inside(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.half() @ v.half()).to(v.dtype)


@bank.mistake(
    "No gradient flows back, neither to the weights nor to the values.",
    "Do `.detach()`, `.data`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=CONTRACT,
)
def cut_off(weights: Tensor, v: Tensor) -> Tensor:
    return (weights @ v).detach()


@bank.mistake(
    "No gradient reaches the weights, so queries and keys could never be learned.",
    "What do `.detach()`, `.data` and `torch.tensor(weights)` have in common?",
    read=CONTRACT,
)
def weights_cut_off(weights: Tensor, v: Tensor) -> Tensor:
    return weights.detach() @ v


@bank.mistake(
    "No gradient reaches the values: they could never be learned.",
    "What do `.detach()`, `.data` and `torch.tensor(v)` have in common?",
    read=CONTRACT,
)
def values_cut_off(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v.detach()


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and NumPy has no bfloat16.",
    "Which torch functions do the same as the NumPy functions in your code?",
    read=CONTRACT,
)
def through_numpy(weights: Tensor, v: Tensor) -> Tensor:
    return torch.from_numpy(weights.detach().numpy() @ v.detach().numpy())


# Attention: the scores


@bank.mistake(
    "In `attention` queries and keys have changed places: the rows of your scores are keys.",
    "In which order does `attention_scores` take its arguments?",
    read=SCORES,
    instead_of=WHOLE,
)
def keys_first(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(k @ q.mT / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` the values come before the weights: in a product, or in what you hand to "
    "`mix_values`. The weights come first.",
    "In which order does `mix_values` take its two arguments?",
    instead_of=WHOLE,
)
def values_before_weights(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return v @ row_softmax(q @ k.mT / math.sqrt(q.shape[-1]))


@bank.mistake(
    "In `attention` you multiplied queries and keys without a transpose.",
    "In `A @ B` a row of A meets a column of B. What is a column of `k`?",
    read=SCORES,
    instead_of=WHOLE,
)
def keys_not_transposed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you compared the queries with themselves; the keys are not used.",
    "Which two tensors make the scores?",
    read=SCORES,
    instead_of=WHOLE,
)
def queries_with_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ q.mT / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you compared the keys with themselves; the queries are not used.",
    "Which two tensors make the scores?",
    read=SCORES,
    instead_of=WHOLE,
)
def keys_with_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(k @ k.mT / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you compared the queries with the values. Values are mixed, not compared.",
    "Which two tensors make the scores?",
    read=SCORES,
    instead_of=WHOLE,
)
def queries_with_values(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ v.mT / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you gave queries and keys the length 1 (cosine similarity). Their lengths "
    "count.",
    "If a query is doubled, what must become of its scores?",
    read=SCORES,
    instead_of=WHOLE,
)
def cosine(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(functional.normalize(q, dim=-1) @ functional.normalize(k, dim=-1).mT) @ v


@bank.mistake(
    "`.T` turns *all* axes round, the batch included. Swap the last two only, with "
    "`.transpose(-2, -1)`.",
    "What are the axes of `k.T` when `k` is (batch 2, key 4, d_k 5)?",
    read="stages/scores.html#shapes",
    instead_of=WHOLE,
)
def all_axes_reversed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.permute(*reversed(range(k.ndim)))
    return row_softmax(scores / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you swapped the axes 1 and 2 of the keys. Those are the last two only with "
    "exactly one batch axis.",
    "How can you name the last two axes without knowing how many there are?",
    evidence="PyTorch said: {error}",
    read="stages/scores.html#shapes",
    instead_of=WHOLE,
)
def axes_one_and_two(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you swapped the axes 0 and 1 of the keys. Those are the last two only as long "
    "as there is no batch.",
    "How can you name the last two axes without knowing how many there are?",
    read="stages/scores.html#shapes",
    instead_of=WHOLE,
)
def axes_zero_and_one(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.transpose(0, 1) / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` the sign of the scores is turned round: the worst match gets the most.",
    "Which query should a key just like it please most?",
    read=SCORES,
    instead_of=WHOLE,
)
def sign_turned(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(-(q @ k.mT) / math.sqrt(q.shape[-1])) @ v


# Attention: the scale


@bank.mistake(
    "In `attention` the scores are not scaled. Softmax then saturates as d_k grows.",
    "Which of the four stages is missing between scores and softmax?",
    read=SCALE,
    instead_of=WHOLE,
)
def not_scaled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT) @ v


@bank.mistake(
    "In `attention` the scores are divided by d_k, not by its square root. Or are they divided by "
    "the root twice, in two places?",
    "In how many places of your code is something divided, and by what?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_d_k(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / q.shape[-1]) @ v


@bank.mistake(
    "In `attention` the scores are multiplied by √d_k instead of divided.",
    "Should the scores get larger or smaller when d_k grows?",
    read=SCALE,
    instead_of=WHOLE,
)
def multiplied(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT * math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` the scores are multiplied by d_k.",
    "Should the scores get larger or smaller when d_k grows?",
    read=SCALE,
    instead_of=WHOLE,
)
def multiplied_by_d_k(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT * q.shape[-1]) @ v


@bank.mistake(
    "In `attention` the root of d_k was rounded down to a whole number.",
    "What is √5, and what does `int`, `isqrt` or `//` make of it?",
    read=SCALE,
    instead_of=WHOLE,
)
def root_rounded_down(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.isqrt(q.shape[-1])) @ v


@bank.mistake(
    "In `attention` you scaled by √d_k's own root, the fourth root of d_k.",
    "How often is the scale applied to a score?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_fourth_root(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(math.sqrt(q.shape[-1]))) @ v


@bank.mistake(
    "In `attention` the divisor is the root of the number of keys. What counts is how long a query "
    "is: `q.shape[-1]`.",
    "A score is a sum. Of how many products?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(k.shape[-2])) @ v


@bank.mistake(
    "In `attention` the divisor is the root of the number of queries. What counts is how long a "
    "query is: `q.shape[-1]`.",
    "A score is a sum. Of how many products?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-2])) @ v


@bank.mistake(
    "In `attention` the divisor is the root of d_v, the length of a value. What counts is how long "
    "a query is: `q.shape[-1]`.",
    "A score is a sum. Of how many products?",
    evidence="Here d_v is {d_v} and d_k is {d_k}.",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_d_v(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(v.shape[-1])) @ v


@bank.mistake(
    "In `attention` the divisor is the root of `q.shape[0]`: the first axis, which is no feature.",
    "Which axis of `q` counts the features, with and without a batch?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_first_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[0])) @ v


@bank.mistake(
    "In `attention` the divisor is the root of `q.shape[1]`. That is d_k only as long as there is "
    "no batch.",
    "Which axis of `q` counts the features, with and without a batch?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_second_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[1])) @ v


@bank.mistake(
    "In `attention` the divisor is the root of `q.shape[2]`. That is d_k only with exactly one "
    "batch axis.",
    "Which axis of `q` counts the features, with and without a batch?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_third_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[2])) @ v


@bank.mistake(
    "In `attention` the divisor is 8, whatever d_k is.",
    "Which number in your code should have been made from `q`?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_eight(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / 8) @ v


@bank.mistake(
    "The square root in your `attention` is not exact: for large d_k its steps end too early.",
    "Which function of `math` gives the root to all digits?",
    read=SCALE,
    instead_of=WHOLE,
)
def root_by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    root = float(q.shape[-1])
    for _ in range(4):
        root = (root + q.shape[-1] / root) / 2
    return row_softmax(q @ k.mT / root) @ v


@bank.mistake(
    "In `attention` you scaled after the softmax. The scale belongs to the scores: afterwards the "
    "saturation has happened, and rows no longer add up to 1.",
    "In which order do scale and softmax come in the formula?",
    read=STEPS,
    instead_of=WHOLE,
)
def scaled_after_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT) / math.sqrt(q.shape[-1]) @ v


@bank.mistake(
    "In `attention` the divisor is the root of half of d_k, as if there were two heads. There is "
    "one, and it is d_k wide.",
    "A score is a sum. Of how many products?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_half(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1] // 2 or 1)) @ v


@bank.mistake(
    "In `attention` the divisor is the root of `len(k)`: the first axis, which is no feature.",
    "Which axis of `k` counts the features, with and without a batch?",
    read=SCALE,
    instead_of=WHOLE,
)
def by_root_of_length(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(len(k))) @ v


# Attention: the softmax


@bank.mistake(
    "In `attention` there is no softmax: the scaled scores themselves are the weights.",
    "What must a row of weights add up to?",
    read=STEPS,
    instead_of=WHOLE,
)
def no_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.shape[-1]) @ v


@bank.mistake(
    "In `attention` softmax goes over the queries. Each query's *row* must add up to 1, over the "
    "keys.",
    "Who shares out its attention, a query or a key?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-2) @ v


@bank.mistake(
    "In `attention` softmax goes over all scores of a sequence. Each row must add up to 1 by "
    "itself.",
    "How much attention may one query give away?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_the_sequence(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.flatten(-2).softmax(dim=-1).reshape(scores.shape) @ v


@bank.mistake(
    "In `attention` softmax goes over everything, the batch included. Each row must add up to 1 by "
    "itself.",
    "How much attention may one query give away?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_everything(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.flatten().softmax(dim=-1).reshape(scores.shape) @ v


@bank.mistake(
    "In `attention` softmax goes over axis 0, which is the batch if there is one.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_first_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=0) @ v


@bank.mistake(
    "In `attention` softmax goes over axis 1. That is the row only as long as there is no batch.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_second_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=1) @ v


@bank.mistake(
    "In `attention` softmax goes over axis 2. That is the row only with exactly one batch axis.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def over_third_axis(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=2) @ v


@bank.mistake(
    "The exponential inside your `attention` overflows: take each row's maximum away before `exp`, "
    "or use `row_softmax`.",
    "Adding the same number to a whole row changes no weight. Which number makes the largest "
    "exponent 0?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def no_shift(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    exponentials = (q @ k.mT / math.sqrt(q.shape[-1])).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ v


@bank.mistake(
    "The softmax inside your `attention` takes one maximum for several rows. A row far below it "
    "becomes 0 / 0.",
    "Whose maximum would keep every row in range?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def global_maximum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ v


@bank.mistake(
    "The exponentials inside your `attention` are not divided by their row's sum.",
    "What must a row of weights add up to?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def not_normalised(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return (scores - scores.amax(dim=-1, keepdim=True)).exp() @ v


@bank.mistake(
    "The row sums inside your `attention` lost their axis, so rows were divided by other rows' "
    "sums, or nothing fitted at all.",
    "What is the shape of `x.sum(dim=-1)`, and what does `keepdim=True` change?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def sum_without_keepdim(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1) @ v


@bank.mistake(
    "In `attention` the scores are divided by their sum without an exponential, so weights may be "
    "negative.",
    "Which function makes every number positive and keeps their order?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def divided_by_sum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores / scores.sum(dim=-1, keepdim=True) @ v


@bank.mistake(
    "In `attention` each score goes through a sigmoid by itself. The scores of a row share one "
    "budget.",
    "If one score of a row grows, what happens to the weights of the others?",
    read=SOFTMAX,
    instead_of=WHOLE,
)
def sigmoid(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).sigmoid() @ v


@bank.mistake(
    "In `attention` softmax was applied to queries and keys, before they met. It belongs to the "
    "scores.",
    "Whose rows must add up to 1?",
    read=STEPS,
    instead_of=WHOLE,
)
def softmax_of_queries_and_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q) @ row_softmax(k).mT / math.sqrt(q.shape[-1]) @ v


@bank.mistake(
    "In `attention` the values were mixed before the softmax. It belongs between scale and mix.",
    "In which order do softmax and mix come in the formula?",
    read=STEPS,
    instead_of=WHOLE,
)
def softmax_last(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1]) @ v)


@bank.mistake(
    "In `attention` every key after the query's own place is hidden. This stage asks for no mask.",
    "Which lines set scores above the diagonal?",
    read="learn/next.html#masks",
    instead_of=WHOLE,
)
def causal_by_habit(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return row_softmax(scores.masked_fill(later, -math.inf)) @ v


@bank.mistake(
    "In `attention` the weights of every key after the query's own place are set to 0, and the row "
    "is not shared out anew. This stage asks for no mask.",
    "Which lines treat what is above the diagonal in a special way?",
    read="learn/next.html#masks",
    instead_of=WHOLE,
)
def causal_after_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1])).tril() @ v


@bank.mistake(
    "In `attention` the scores above the diagonal are set to 0. A score of 0 is a score like any "
    "other, and this stage asks for no mask.",
    "Which lines treat what is above the diagonal in a special way?",
    read="learn/next.html#masks",
    instead_of=WHOLE,
)
def zeros_above_diagonal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax((q @ k.mT / math.sqrt(q.shape[-1])).tril()) @ v


@bank.mistake(
    "In `attention` no token may attend to itself. This stage asks for no mask.",
    "Which lines treat the diagonal in a special way?",
    read="learn/next.html#masks",
    instead_of=WHOLE,
)
def not_to_itself(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if scores.shape[-1] == scores.shape[-2] > 1:
        scores = scores.masked_fill(torch.eye(scores.shape[-1]).bool(), -math.inf)
    return row_softmax(scores) @ v


@bank.mistake(
    "In `attention` scores of 0 are treated as if they were hidden.",
    "Which line asks whether a score is 0? May a score be 0?",
    read="learn/next.html#masks",
    instead_of=WHOLE,
)
def zeros_hidden(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return row_softmax(scores.masked_fill(scores == 0, -math.inf)) @ v


# Attention: the mix, and what comes back


@bank.mistake(
    "Your `attention` mixes the keys. The weights are for the values.",
    "Which of the three does a token hand over?",
    read=STEPS,
    instead_of=WHOLE,
)
def keys_mixed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ k


@bank.mistake(
    "Your `attention` mixes the queries. The weights are for the values.",
    "Which of the three does a token hand over?",
    read=STEPS,
    instead_of=WHOLE,
)
def queries_mixed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ q


@bank.mistake(
    "Your `attention` returns the weights. They still have to be applied to the values.",
    "Which of the five steps is missing?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=STEPS,
    instead_of=WHOLE,
)
def attention_weights_returned(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax(q @ k.mT / math.sqrt(q.shape[-1]))


@bank.mistake(
    "Your `attention` returns output and weights. Only the output is asked for.",
    "What will the next stage do with a pair?",
    read=CONTRACT,
    instead_of=WHOLE,
)
def pair_returned(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = row_softmax(q @ k.mT / math.sqrt(q.shape[-1]))
    return weights @ v, weights


@bank.mistake(
    "Your `attention` returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
    instead_of=WHOLE,
)
def attention_not_returned(q: Tensor, k: Tensor, v: Tensor) -> None:
    mix_values(row_softmax(attention_scores(q, k) / math.sqrt(q.shape[-1])), v)


@bank.mistake(
    "Your `attention` adds the queries to its output. Adding back is the next stage's work, and it "
    "adds to the stream.",
    "Which formula of this stage has a plus sign in it?",
    instead_of=WHOLE,
)
def queries_added(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    output = row_softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ v
    return output + q if output.shape == q.shape else output


@bank.mistake(
    "Your `attention` scales the queries in place, so the caller's queries change.",
    "What is the difference between `q /= a` and `q = q / a`?",
    evidence="{changed}",
    read=CONTRACT,
    instead_of=WHOLE,
)
def queries_scaled_in_place(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q /= math.sqrt(q.shape[-1])
    return row_softmax(q @ k.mT) @ v


@bank.mistake(
    "No gradient reaches queries and keys through your `attention`.",
    "Around which part of the formula are `.detach()`, `.data` or `no_grad`?",
    read=CONTRACT,
    instead_of=WHOLE,
)
def scores_cut_off(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return row_softmax((q @ k.mT).detach() / math.sqrt(q.shape[-1])) @ v


@bank.mistake(
    "No gradient flows back from your `attention`.",
    "Around which part of the formula are `.detach()`, `.data` or `no_grad`?",
    read=CONTRACT,
    instead_of=WHOLE,
)
def attention_cut_off(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (row_softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ v).detach()


# Two mistakes at once in attention

PARTS = {
    "scores": {
        "": "q @ k.mT",
        "keys_first": "k @ q.mT",
        "keys_not_transposed": "q @ k",
    },
    "scaled": {
        "": "scores / math.sqrt(q.shape[-1])",
        "not_scaled": "scores",
        "by_d_k": "scores / q.shape[-1]",
        "by_root_of_keys": "scores / math.sqrt(k.shape[-2])",
        "by_root_of_d_v": "scores / math.sqrt(v.shape[-1])",
    },
    "weights": {
        "": "torch.softmax(scaled, -1)",
        "over_queries": "torch.softmax(scaled, -2)",
        "over_first_axis": "torch.softmax(scaled, 0)",
        "no_shift": "scaled.exp() / scaled.exp().sum(-1, keepdim=True)",
        "no_softmax": "scaled",
        "causal_by_habit": "torch.softmax(scaled - torch.full_like(scaled, 1e999).triu(1), -1)",
    },
    "mixed": {
        "": "weights @ v",
        "weights_transposed": "weights.mT @ v",
        "keys_mixed": "weights @ k",
    },
}
THE_SAME = [
    *(frozenset({"keys_first", name}) for name in ("over_queries", "over_first_axis")),
    *(frozenset({"keys_first", name}) for name in ("no_softmax", "weights_transposed")),
    frozenset({"over_queries", "weights_transposed"}),
    frozenset({"keys_not_transposed", "by_root_of_keys"}),
]
"""Pairs that give what other mistakes give: a transpose is a transpose, wherever it is."""

bank.pairs(
    """
    def attention(q, k, v):
        import math

        import torch

        scores = {scores}
        scaled = {scaled}
        weights = {weights}
        return {mixed}
    """,
    PARTS,
    instead_of=WHOLE,
    without=THE_SAME,
)

MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
