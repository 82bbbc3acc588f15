"""Wrong answers to the attention scores.

Left out of the catalogue: scores of the stream itself, `x @ x.T` (x is no argument here; queries
with queries and keys with keys are), and axes swapped in a split into heads (there is one head).
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank

FORMULA = "stages/scores.html#the-formula"
SHAPES = "stages/scores.html#shapes"
CONTRACT = "stages/index.html"
SCALING = "stages/scaling.html#the-formula"

bank = Bank(__name__, instead_of="attention_scores", read=FORMULA)


# The product


@bank.mistake(
    "You multiplied queries and keys without a transpose. Entry (i, j) is query i times key j, so "
    "a key must stand as a column.",
    "In `A @ B` a row of A meets a column of B. What is a column of `k`?",
)
def not_transposed(q: Tensor, k: Tensor) -> Tensor:
    return q @ k


@bank.mistake(
    "Rows and columns have changed places: your rows are keys. Row i must hold the scores of "
    "query i.",
    "Softmax will go along a row. Who shares out its attention there, a query or a key?",
    evidence="You returned {shape}; expected {expected_shape}.",
)
def keys_first(q: Tensor, k: Tensor) -> Tensor:
    return k @ q.mT


@bank.mistake(
    "You transposed the queries instead of the keys. That sums over the tokens, and compares "
    "features with features.",
    "Over which axis must the sum go, so that token meets token?",
)
def queries_transposed(q: Tensor, k: Tensor) -> Tensor:
    return q.mT @ k


@bank.mistake(
    "You compared the queries with themselves; the keys are not used.",
    "Which two tensors meet in the formula?",
)
def queries_with_queries(q: Tensor, k: Tensor) -> Tensor:
    return q @ q.mT


@bank.mistake(
    "You compared the keys with themselves; the queries are not used.",
    "Which two tensors meet in the formula?",
)
def keys_with_keys(q: Tensor, k: Tensor) -> Tensor:
    return k @ k.mT


@bank.mistake(
    "You multiplied entry by entry. A score is a *sum* over the d_k features.",
    "Which sign multiplies matrices in PyTorch: `*` or `@`?",
)
def entry_by_entry(q: Tensor, k: Tensor) -> Tensor:
    return q * k


@bank.mistake(
    "You compared each query only with the key at its own place. Every query meets every key.",
    "How many scores must come out for 6 queries and 4 keys?",
)
def own_place_only(q: Tensor, k: Tensor) -> Tensor:
    return (q * k).sum(dim=-1)


@bank.mistake(
    "You regrouped the keys with `reshape` or `view`. The shape fits then, but a column is no key: "
    "only `transpose` moves axes.",
    "What does `reshape` keep in order: the axes, or the numbers in memory?",
    read=SHAPES,
)
def keys_reshaped(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


@bank.mistake(
    "`.T` turns *all* axes round, the batch included. Swap the last two only, with "
    "`.transpose(-2, -1)`.",
    "What are the axes of `k.T` when `k` is (batch 2, key 4, d_k 5)?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def all_axes_reversed(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.permute(*reversed(range(k.ndim)))


@bank.mistake(
    "Your function is for two matrices alone: with a batch axis it raises. `.t()` and `mm` do so, "
    "and an einsum without `...`.",
    "How can you name the last two axes without knowing how many there are?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def matrices_only(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.t()


@bank.mistake(
    "You swapped the axes 0 and 1. Those are the last two only as long as there is no batch.",
    "How can you name the last two axes without knowing how many there are?",
    read=SHAPES,
)
def first_two_axes(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(0, 1)


@bank.mistake(
    "You swapped the axes 1 and 2. Those are the last two only with exactly one batch axis.",
    "How can you name the last two axes without knowing how many there are?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def one_batch_axis(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(1, 2)


@bank.mistake(
    "Queries met the keys of other batch items: your result has the batch axes twice. Each item "
    "is by itself.",
    "Which operator multiplies matrices item by item?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def across_the_batch(q: Tensor, k: Tensor) -> Tensor:
    scores: Tensor = torch.tensordot(q, k, dims=([-1], [-1]))
    return scores


@bank.mistake(
    "The result is never added up over the features: the axis d_k is still there.",
    "Which axis do a query and a key share, and what becomes of it?",
    evidence="You returned {shape}; expected {expected_shape}.",
)
def features_not_summed(q: Tensor, k: Tensor) -> Tensor:
    return q.unsqueeze(-2) * k.unsqueeze(-3)


# Another measure


@bank.mistake(
    "You gave queries and keys the length 1 (cosine similarity). Here their lengths count.",
    "If a query is doubled, what must become of its scores?",
)
def cosine(q: Tensor, k: Tensor) -> Tensor:
    return functional.normalize(q, dim=-1) @ functional.normalize(k, dim=-1).mT


@bank.mistake(
    "You gave the keys the length 1. Here the length of a key counts.",
    "If a key is doubled, what must become of its scores?",
)
def keys_normalised(q: Tensor, k: Tensor) -> Tensor:
    return q @ functional.normalize(k, dim=-1).mT


@bank.mistake(
    "You measured how far apart query and key are. A score says how well they match: their dot "
    "product.",
    "Is the distance of two equal vectors large or small? And their dot product?",
)
def distance(q: Tensor, k: Tensor) -> Tensor:
    return torch.cdist(q, k)


@bank.mistake(
    "You took the distance with a minus sign. A score is the dot product of query and key.",
    "What is the distance of two vectors that are both twice as long, and what their dot product?",
)
def negative_distance(q: Tensor, k: Tensor) -> Tensor:
    return -torch.cdist(q, k)


@bank.mistake(
    "You took the squared distance with a minus sign. A score is the dot product of query and key.",
    "What is the distance of two vectors that are both twice as long, and what their dot product?",
)
def negative_squared_distance(q: Tensor, k: Tensor) -> Tensor:
    return -((q.unsqueeze(-2) - k.unsqueeze(-3)) ** 2).sum(dim=-1)


@bank.mistake(
    "You took the largest score of each row away. That belongs into softmax, which does it itself.",
    "What is the formula of this stage alone?",
    evidence="Your largest score is {largest}.",
    read="stages/softmax.html#the-formula",
)
def shifted(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    return scores - scores.amax(dim=-1, keepdim=True)


@bank.mistake(
    "Only the last feature takes part, as if every turn of a loop overwrote the one before.",
    "What must be added up over the turns of the loop?",
)
def last_turn_only(q: Tensor, k: Tensor) -> Tensor:
    return q[..., -1:] @ k[..., -1:].mT


@bank.mistake(
    "The last feature is left out of your sums, as by a loop that ends one turn too early.",
    "Which numbers does `range(n)` go through, and is n among them?",
)
def last_feature_missing(q: Tensor, k: Tensor) -> Tensor:
    return q[..., :-1] @ k[..., :-1].mT


@bank.mistake(
    "You scaled the scores here already. The next stage will do it again.",
    "Which stage divides by √d_k?",
    evidence="Your scores are the right ones times {ratio}, which is 1/√d_k.",
    read=SCALING,
)
def scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.shape[-1])


@bank.mistake(
    "You divided by the number of features, as a mean does. A score is the sum.",
    "Which stage divides, and by what?",
    evidence="Your scores are the right ones times {ratio}, which is 1/d_k.",
    read=SCALING,
)
def mean_for_sum(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT / q.shape[-1]


@bank.mistake(
    "You multiplied the scores by √d_k. They are not scaled in this stage, and later they are "
    "divided.",
    "Which stage scales the scores, and in which direction?",
    read=SCALING,
)
def scaled_up(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT * math.sqrt(q.shape[-1])


@bank.mistake(
    "You applied softmax here already. Scores may be any numbers; weights come in stage 4.",
    "What do two stages have to happen to a score before it is a weight?",
    evidence="Your rows sum to {row_sums}.",
    read="stages/softmax.html#the-formula",
)
def softmax_applied(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).softmax(dim=-1)


@bank.mistake(
    "You scaled the scores and applied softmax. Both are stages of their own.",
    "What is the formula of this stage alone?",
    evidence="Your rows sum to {row_sums}.",
)
def weights_returned(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)


@bank.mistake(
    "You set negative scores to 0. A score may be negative: query and key then point away from "
    "each other.",
    "What is the dot product of a vector with its opposite?",
    evidence="Your smallest score is {smallest}.",
)
def negatives_cut(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).relu()


@bank.mistake(
    "You dropped the signs. A score may be negative: query and key then point away from each "
    "other.",
    "What is the dot product of a vector with its opposite?",
    evidence="Your smallest score is {smallest}.",
)
def absolute(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).abs()


@bank.mistake(
    "The sign is turned round: the better a key matches, the smaller its score.",
    "What should the score of a query with a key just like it be: high or low?",
)
def sign_turned(q: Tensor, k: Tensor) -> Tensor:
    return -(q @ k.mT)


@bank.mistake(
    "You hid every key after the query's own place. This stage asks for no mask.",
    "Which lines set scores above the diagonal?",
    read="learn/next.html#masks",
)
def causal_by_habit(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return scores.masked_fill(later, -math.inf)


@bank.mistake(
    "Every key after the query's own place got a very low score instead of its own. This stage "
    "asks for no mask.",
    "Which lines set scores above the diagonal?",
    read="learn/next.html#masks",
)
def causal_by_large_number(q: Tensor, k: Tensor) -> Tensor:
    later = torch.ones(q.shape[-2], k.shape[-2]).triu(1).bool()
    return (q @ k.mT).masked_fill(later, -1e9)


@bank.mistake(
    "Every key after the query's own place got the score 0. This stage asks for no mask.",
    "Which lines set scores above the diagonal?",
    read="learn/next.html#masks",
)
def zeros_above_diagonal(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).tril()


@bank.mistake(
    "Where there are as many queries as keys, you made the scores symmetric. How a query likes a "
    "key says nothing about the reverse.",
    "Who asks and who answers: is that the same in both directions?",
)
def symmetric(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    return (scores + scores.mT) / 2 if scores.shape[-1] == scores.shape[-2] else scores


@bank.mistake(
    "Where there are as many queries as keys, you set the diagonal to 0. A token may attend to "
    "itself.",
    "May a query meet the key of its own token?",
)
def not_to_itself(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    if scores.shape[-1] != scores.shape[-2]:
        return scores
    return scores * (1 - torch.eye(scores.shape[-1], dtype=scores.dtype))


@bank.mistake(
    "Two calls with the same queries and keys give different scores: something random is at work, "
    "dropout for one.",
    "Should the same queries and keys give the same scores twice?",
    read=CONTRACT,
)
def dropout(q: Tensor, k: Tensor) -> Tensor:
    return functional.dropout(q @ k.mT, 0.3)


@bank.mistake(
    "The scores were rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} the score must be {expected}; yours is {yours}.",
)
def rounded(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).round(decimals=3)


@bank.mistake(
    "Only the first 8 features take part in your sums, however many there are.",
    "Which size is written into your code as a number?",
    read=SHAPES,
)
def eight_features(q: Tensor, k: Tensor) -> Tensor:
    return q[..., :8] @ k[..., :8].mT


@bank.mistake(
    "Your function returns the queries as they came.",
    "What does your `return` line hand back, and where did the scores go?",
    read=CONTRACT,
)
def queries_returned(q: Tensor, k: Tensor) -> Tensor:
    return q.clone()


@bank.mistake(
    "Your function returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(q: Tensor, k: Tensor) -> None:
    q @ k.mT


@bank.mistake(
    "You returned a list of numbers. The next stage wants a tensor, with its gradient.",
    "What does `.tolist()` lose on the way?",
    read=CONTRACT,
)
def list_returned(q: Tensor, k: Tensor) -> object:
    return (q @ k.mT).tolist()


@bank.mistake(
    "You returned NumPy's array. The next stage wants a tensor, with its gradient.",
    "Which operator multiplies tensors, so that nothing has to leave PyTorch?",
    read=CONTRACT,
)
def numpy_returned(q: Tensor, k: Tensor) -> object:
    return q.detach().numpy() @ k.detach().mT.numpy()


# Batches


@bank.mistake(
    "Only the first item of the batch was scored; the others got its numbers.",
    "Does your code pick out one element of the batch axis somewhere?",
    read=SHAPES,
)
def first_of_batch(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT
    return scores if q.ndim == 2 else scores[:1].expand_as(scores).clone()


@bank.mistake(
    "Only the first item of the batch came back. The batch axis is missing from your result.",
    "Does your code pick out one element of the batch axis somewhere?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def first_item_only(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.mT if q.ndim == 2 else q[0] @ k[0].mT


@bank.mistake(
    "Every item of the batch met the keys of the first item.",
    "Whose keys should the queries of item 1 meet?",
    read=SHAPES,
)
def keys_of_first_item(q: Tensor, k: Tensor) -> Tensor:
    return q @ (k if k.ndim == 2 else k[:1]).mT


@bank.mistake(
    "Every item of the batch met the keys of the very first item, with two batch axes as well.",
    "Whose keys should the queries of item 1 meet?",
    read=SHAPES,
)
def keys_of_very_first_item(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.reshape(-1, *k.shape[-2:])[0].mT


@bank.mistake(
    "The batch was added up: every item's scores are missing, and there is one sum instead.",
    "Which axes does your einsum leave out on the right of the arrow?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_added_up(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->ij", q, k)


@bank.mistake(
    "The batch axes were merged into the tokens, so queries met the keys of other items.",
    "What shape must the scores have when `q` is (batch 2, query 6, d_k 5)?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_merged(q: Tensor, k: Tensor) -> Tensor:
    return q.reshape(-1, q.shape[-1]) @ k.reshape(-1, k.shape[-1]).mT


@bank.mistake(
    "Axes of size 1 are gone from your scores. One query, one key or a batch of one is a size like "
    "any other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).squeeze()


@bank.mistake(
    "You added a batch axis that was not there. Without one in `q` and `k`, there is none in the "
    "scores.",
    "What shape must the scores have when `q` is (query 6, d_k 5)?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_axis_added(q: Tensor, k: Tensor) -> Tensor:
    return q.reshape(-1, *q.shape[-2:]) @ k.reshape(-1, *k.shape[-2:]).mT


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "What does `reshape` do that `view` does not?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(q: Tensor, k: Tensor) -> Tensor:
    scores = q.view(-1, *q.shape[-2:]) @ k.view(-1, *k.shape[-2:]).mT
    return scores.view(*q.shape[:-1], k.shape[-2])


# The arguments, the dtype, the gradient


@bank.mistake(
    "You transposed the caller's keys in place, and they stay so.",
    "What is the difference between `.transpose(…)` and `.transpose_(…)`?",
    evidence="{changed}",
    read=CONTRACT,
)
def keys_turned(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose_(-2, -1)


@bank.mistake(
    "You scaled the queries in place: the caller's queries changed with yours, and the scores are "
    "scaled, which is the next stage's work.",
    "What is the difference between `q /= a` and `q = q / a`?",
    evidence="{changed}",
    read=CONTRACT,
)
def queries_scaled_in_place(q: Tensor, k: Tensor) -> Tensor:
    q /= math.sqrt(q.shape[-1])
    return q @ k.mT


@bank.mistake(
    "You changed the queries after using them. They belong to whoever called you.",
    "Which line writes into `q`, and who reads it next?",
    evidence="{changed}",
    read=CONTRACT,
)
def queries_changed(q: Tensor, k: Tensor) -> Tensor:
    scores = q.clone() @ k.mT
    q.data.zero_()
    return scores


@bank.mistake(
    "The result is always float32, whatever `q` and `k` are.",
    "Which line names a dtype, or makes a tensor (`torch.zeros`) without asking `q` for its own?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_returned(q: Tensor, k: Tensor) -> Tensor:
    return q.float() @ k.float().mT


@bank.mistake(
    "The result is always float64, whatever `q` and `k` are.",
    "If you compute in a larger dtype, what is missing before `return`?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(q: Tensor, k: Tensor) -> Tensor:
    return q.double() @ k.double().mT


@bank.mistake(
    "The scores are whole numbers: everything after the point is lost.",
    "Which call in your code names an integer type?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def whole_numbers(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).int()


@bank.mistake(
    "You computed in float32 and lost half of float64's digits.",
    "Which call in your code names a dtype? Which dtype does `q` have?",
    read=CONTRACT,
)
def float32_inside(q: Tensor, k: Tensor) -> Tensor:
    return (q.float() @ k.float().mT).to(q.dtype)


@bank.mistake(
    "You computed in half precision: only about three digits are left.",
    "Which call in your code names a dtype? Which dtype does `q` have?",
    read=CONTRACT,
)
def half_inside(q: Tensor, k: Tensor) -> Tensor:
    return (q.half() @ k.half().mT).to(q.dtype)


@bank.mistake(
    "You turned the keys into float32, but not the queries, so the two do not go together.",
    "Which call in your code names a dtype? Which dtype does `q` have?",
    evidence="PyTorch said: {error}",
    read=CONTRACT,
)
def keys_in_float32(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.float().mT


@bank.mistake(
    "No gradient flows back, neither to the queries nor to the keys.",
    "Do `.detach()`, `.data`, `.item()`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=CONTRACT,
)
def cut_off(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).detach()


@bank.mistake(
    "No gradient reaches the keys: they could never be learned.",
    "What do `.detach()`, `.data` and `torch.tensor(k)` have in common?",
    read=CONTRACT,
)
def keys_cut_off(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.detach().mT


@bank.mistake(
    "No gradient reaches the queries: they could never be learned.",
    "What do `.detach()`, `.data` and `torch.tensor(q)` have in common?",
    read=CONTRACT,
)
def queries_cut_off(q: Tensor, k: Tensor) -> Tensor:
    return q.detach() @ k.mT


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and NumPy has no bfloat16.",
    "Which torch functions do the same as the NumPy functions in your code?",
    read=CONTRACT,
)
def through_numpy(q: Tensor, k: Tensor) -> Tensor:
    return torch.from_numpy(q.detach().numpy() @ k.detach().mT.numpy())


# Two mistakes at once


@bank.compound("keys_first", "scaled")
def keys_first_scaled(q: Tensor, k: Tensor) -> Tensor:
    return k @ q.mT / math.sqrt(q.shape[-1])


@bank.compound("keys_first", "cut_off")
def keys_first_cut_off(q: Tensor, k: Tensor) -> Tensor:
    return (k @ q.mT).detach()


@bank.compound("keys_first", "float32_returned")
def keys_first_in_float32(q: Tensor, k: Tensor) -> Tensor:
    return k.float() @ q.float().mT


@bank.compound("not_transposed", "scaled")
def not_transposed_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k / math.sqrt(q.shape[-1])


@bank.compound("cosine", "keys_first")
def cosine_keys_first(q: Tensor, k: Tensor) -> Tensor:
    return functional.normalize(k, dim=-1) @ functional.normalize(q, dim=-1).mT


@bank.compound("first_two_axes", "scaled")
def first_two_axes_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(0, 1) / math.sqrt(q.shape[-1])


@bank.compound("one_batch_axis", "scaled")
def one_batch_axis_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])


@bank.compound("matrices_only", "scaled")
def matrices_only_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.t() / math.sqrt(q.shape[-1])


@bank.compound("all_axes_reversed", "scaled")
def all_axes_reversed_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.permute(*reversed(range(k.ndim))) / math.sqrt(q.shape[-1])


@bank.compound("scaled", "float32_returned")
def scaled_in_float32(q: Tensor, k: Tensor) -> Tensor:
    return q.float() @ k.float().mT / math.sqrt(q.shape[-1])


@bank.compound("scaled", "cut_off")
def scaled_cut_off(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT / math.sqrt(q.shape[-1])).detach()


@bank.compound("scaled", "causal_by_habit")
def scaled_causal(q: Tensor, k: Tensor) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return scores.masked_fill(later, -math.inf)


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
