"""Wrong answers to the projections.

Left out of the catalogue: the heads that are split with `reshape` (there is one head; the slip
itself is here as `reshaped` and `tokens_reshaped`).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.projection import project

FORMULA = "stages/projection.html#the-formula"
SHAPES = "stages/projection.html#shapes"
CONTRACT = "stages/index.html"
PARAMETERS = "learn/parameters.html"
ROLES = "learn/projections.html"
THREE = "project_qkv"

bank = Bank(__name__, instead_of="project", read=FORMULA)


# The product


@bank.mistake(
    "You multiplied by the transposed weights. Here `weight` has the shape (d_model, d), so it "
    "stands as it is. (`nn.Linear` stores its own the other way round.)",
    "Which axis of `weight` is as long as a row of `x`?",
)
def weight_transposed(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight.mT


@bank.mistake(
    "The weights are on the left of your product. Tokens are the rows of `x`, so `x` comes first.",
    "In a product of matrices, whose rows become the rows of the result?",
)
def weight_first(x: Tensor, weight: Tensor) -> Tensor:
    return weight @ x


@bank.mistake(
    "The weights are on the left of your product, and transposed. Tokens are the rows of `x`, so "
    "`x` comes first.",
    "In a product of matrices, whose rows become the rows of the result?",
)
def transposed_weight_first(x: Tensor, weight: Tensor) -> Tensor:
    return weight.mT @ x


@bank.mistake(
    "Your numbers are right, but each token is a column. It must stay a row, as it is in `x`.",
    "After a product of transposed matrices, what is still to be turned back?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def tokens_in_columns(x: Tensor, weight: Tensor) -> Tensor:
    return weight.mT @ x.mT


@bank.mistake(
    "You multiplied the transpose of `x`. Its rows are features then, not tokens.",
    "What is one row of `x`, and what is one column?",
    read=SHAPES,
)
def x_transposed(x: Tensor, weight: Tensor) -> Tensor:
    return x.mT @ weight


@bank.mistake(
    "You multiplied entry by entry. A projected feature is a *sum* over the d_model features of "
    "the token.",
    "Which sign multiplies matrices in PyTorch: `*` or `@`?",
)
def entry_by_entry(x: Tensor, weight: Tensor) -> Tensor:
    return x * weight


@bank.mistake(
    "You added something to the product: with x = 0 your result is not 0. These projections have "
    "no bias.",
    "What must come out when every feature of a token is 0?",
    evidence="Every number is 1 too large.",
)
def bias_of_ones(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight + torch.ones(weight.shape[-1], dtype=x.dtype)


@bank.mistake(
    "Random numbers are added to the product, a bias perhaps that a layer of your own drew. "
    "These projections have no bias.",
    "What does `nn.Linear` add if it is not told `bias=False`?",
)
def random_bias(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight + torch.rand(weight.shape[-1], dtype=x.dtype)


@bank.mistake(
    "You drew weights of your own, so two calls with the same input differ and the weights that "
    "you were given are never used.",
    "Where do the numbers of `weight` come from, and who learns them?",
    read=PARAMETERS,
)
def fresh_weights(x: Tensor, weight: Tensor) -> Tensor:
    return x @ torch.randn(weight.shape, dtype=x.dtype)


@bank.mistake(
    "You made an `nn.Linear` and used the weights that it drew for itself. The weights that you "
    "were given are never used.",
    "Where do the numbers of `weight` come from, and who learns them?",
    evidence="PyTorch said: {error}",
    read=PARAMETERS,
)
def own_layer(x: Tensor, weight: Tensor) -> Tensor:
    output: Tensor = nn.Linear(weight.shape[0], weight.shape[1], bias=False)(x)
    return output


@bank.mistake(
    "Your function returns x as it came; nothing is projected.",
    "What does your `return` line hand back?",
)
def x_returned(x: Tensor, weight: Tensor) -> Tensor:
    return x.clone()


@bank.mistake(
    "Your function returns the weights, not the projected tokens.",
    "Which of your two arguments changes from sentence to sentence?",
    read=PARAMETERS,
)
def weight_returned(x: Tensor, weight: Tensor) -> Tensor:
    return weight.clone()


@bank.mistake(
    "Your function returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(x: Tensor, weight: Tensor) -> None:
    x @ weight


@bank.mistake(
    "You added x to its own projection. Adding back to the stream is the work of stage 6.",
    "Which formula of this stage has a plus sign in it?",
)
def residual_added(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return projected + x if projected.shape == x.shape else projected


@bank.mistake(
    "You divided by a square root. The projections are not scaled; the scores will be, in stage 3.",
    "Does the formula of this stage divide by anything?",
    evidence="Every number is the right one times {ratio}, which is 1/√d_model.",
)
def scaled_by_d_model(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight / math.sqrt(x.shape[-1])


@bank.mistake(
    "You divided by the square root of the number of columns. The projections are not scaled; the "
    "scores will be, in stage 3.",
    "Does the formula of this stage divide by anything?",
)
def scaled_by_d(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight / math.sqrt(weight.shape[-1])


@bank.mistake(
    "You set negative numbers to 0. A projection is linear, and has no activation function.",
    "If `x` becomes `-x`, what must become of the result?",
    evidence="Your smallest number is {smallest}.",
)
def relu(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).relu()


@bank.mistake(
    "You squeezed the result between -1 and 1 (`tanh`). A projection is linear, and has no "
    "activation function.",
    "If `x` is doubled, what must become of the result?",
    evidence="Your numbers reach from {smallest} to {largest}.",
)
def tanh(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).tanh()


@bank.mistake(
    "You turned the result into weights with a softmax. A projection is linear; softmax comes in "
    "stage 4.",
    "If `x` is doubled, what must become of the result?",
)
def softmax_applied(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).softmax(dim=-1)


@bank.mistake(
    "You gave every token the length 1 before the product. Here tokens are taken as they are.",
    "If `x` is doubled, what must become of the result?",
)
def tokens_normalised(x: Tensor, weight: Tensor) -> Tensor:
    return functional.normalize(x, dim=-1) @ weight


@bank.mistake(
    "You shifted and scaled every token (a layer norm) before the product. Here tokens are taken "
    "as they are.",
    "If `x` is doubled, what must become of the result?",
)
def layer_norm(x: Tensor, weight: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:]) @ weight


@bank.mistake(
    "You gave every column of the weights the length 1. The weights are taken as they are.",
    "Whose task is it to choose the weights: yours, or the training's?",
    read=PARAMETERS,
)
def weight_normalised(x: Tensor, weight: Tensor) -> Tensor:
    return x @ functional.normalize(weight, dim=0)


@bank.mistake(
    "Two calls with the same tokens and weights give different numbers: something random is at "
    "work, dropout for one.",
    "Should the same tokens give the same projection twice?",
    read=CONTRACT,
)
def dropout(x: Tensor, weight: Tensor) -> Tensor:
    return functional.dropout(x @ weight, 0.3)


@bank.mistake(
    "The result was rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def rounded(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).round(decimals=3)


@bank.mistake(
    "Only the first 8 features of a token take part in your sums, however many there are.",
    "Which size is written into your code as a number?",
    read=SHAPES,
)
def eight_features(x: Tensor, weight: Tensor) -> Tensor:
    return x[..., :8] @ weight[:8]


@bank.mistake(
    "Only the last feature of a token takes part, as if every turn of a loop overwrote the one "
    "before.",
    "What must be added up over the turns of the loop?",
)
def last_turn_only(x: Tensor, weight: Tensor) -> Tensor:
    return x[..., -1:] * weight[-1]


@bank.mistake(
    "The last feature of a token is left out of your sums, as by a loop that ends one turn too "
    "early.",
    "Which numbers does `range(n)` go through, and is n among them?",
)
def last_feature_missing(x: Tensor, weight: Tensor) -> Tensor:
    return x[..., :-1] @ weight[:-1]


# Batches and axes


@bank.mistake(
    "Your function multiplies two matrices and no more: it raises as soon as `x` has a batch axis.",
    "Which operator multiplies matrices and lets batch axes through?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def matrices_only(x: Tensor, weight: Tensor) -> Tensor:
    return torch.mm(x, weight)


@bank.mistake(
    "Your function needs exactly one batch axis. There may be none, or several.",
    "Which operator multiplies the last two axes, whatever comes before them?",
    read=SHAPES,
)
def one_batch_axis(x: Tensor, weight: Tensor) -> Tensor:
    return torch.einsum("bnm,md->bnd", x, weight)


@bank.mistake(
    "The batch axes were merged into the tokens and not separated again.",
    "What shape must the result have when `x` is (batch 2, token 6, d_model 7)?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_merged(x: Tensor, weight: Tensor) -> Tensor:
    return x.reshape(-1, x.shape[-1]) @ weight


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "What does `reshape` do that `view` does not?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(x: Tensor, weight: Tensor) -> Tensor:
    return (x.view(-1, x.shape[-1]) @ weight).view(*x.shape[:-1], weight.shape[-1])


@bank.mistake(
    "Only the first item of the batch was projected; the others got its numbers.",
    "Does your code pick out one element of the batch axis somewhere?",
    read=SHAPES,
)
def first_of_batch(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return projected if x.ndim == 2 else projected[:1].expand_as(projected).clone()


@bank.mistake(
    "Only the first item of the batch came back. The batch axis is missing from your result.",
    "Does your code pick out one element of the batch axis somewhere?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def first_item_only(x: Tensor, weight: Tensor) -> Tensor:
    return (x if x.ndim == 2 else x[0]) @ weight


@bank.mistake(
    "The batch was added up: every item's result is missing, and there is one sum instead.",
    "Which of your calls reduces the batch axis?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_added_up(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return projected if x.ndim == 2 else projected.sum(dim=0)


@bank.mistake(
    "Axes of size 1 are gone from your result. One token, one feature or a batch of one is a size "
    "like any other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).squeeze()


@bank.mistake(
    "You added a batch axis that was not there. Without one in `x`, there is none in the result.",
    "What shape must the result have when `x` is (token 6, d_model 7)?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_axis_added(x: Tensor, weight: Tensor) -> Tensor:
    return (x if x.ndim > 2 else x.unsqueeze(0)) @ weight


@bank.mistake(
    "Batch and tokens were exchanged with `reshape`, which keeps the order in memory. Tokens of "
    "one item ended up in another.",
    "What does `transpose` do to (batch, token, d_model) that `reshape` does not?",
    read=SHAPES,
)
def batch_and_tokens_reshaped(x: Tensor, weight: Tensor) -> Tensor:
    if x.ndim < 3:
        return x @ weight
    turned = x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3], x.shape[-1])
    return (turned @ weight).transpose(-3, -2)


@bank.mistake(
    "Batch and tokens have changed places in your result. The batch comes first.",
    "In which order are the axes of `x`?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def tokens_before_batch(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return projected if x.ndim == 2 else projected.transpose(-3, -2)


@bank.mistake(
    "Your numbers are the right ones in a scrambled order. `reshape` keeps the order in memory; "
    "only `transpose` moves axes.",
    "You had tokens in columns. What turns columns into rows?",
    read=SHAPES,
)
def reshaped(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return projected.mT.reshape(projected.shape)


@bank.mistake(
    "You regrouped the numbers of `x` before the product, so a row holds parts of several tokens.",
    "What does `reshape` keep in order: the axes, or the numbers in memory?",
    read=SHAPES,
)
def tokens_reshaped(x: Tensor, weight: Tensor) -> Tensor:
    return x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2]).mT @ weight


# Which of the three


@bank.mistake(
    "Your keys were made with W_Q. Each of the three has weights of its own.",
    "Which weights does each of your three lines use?",
    read=ROLES,
    instead_of=THREE,
)
def keys_by_w_q(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_q), project(x, w_v)


@bank.mistake(
    "Your queries were made with W_K. Each of the three has weights of its own.",
    "Which weights does each of your three lines use?",
    read=ROLES,
    instead_of=THREE,
)
def queries_by_w_k(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_k), project(x, w_k), project(x, w_v)


@bank.mistake(
    "Your values were made with W_K. Each of the three has weights of its own.",
    "Which weights does each of your three lines use?",
    read=ROLES,
    instead_of=THREE,
)
def values_by_w_k(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k), project(x, w_k)


@bank.mistake(
    "Your values were made with W_Q. Each of the three has weights of its own.",
    "Which weights does each of your three lines use?",
    read=ROLES,
    instead_of=THREE,
)
def values_by_w_q(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k), project(x, w_q)


@bank.mistake(
    "Queries, keys and values were all made with W_Q. Each of the three has weights of its own.",
    "Why would a token need three different vectors?",
    read=ROLES,
    instead_of=THREE,
)
def all_by_w_q(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_q), project(x, w_q)


@bank.mistake(
    "Your values are x itself. They are projected as well, with W_V.",
    "What does a token hand over: itself, or what W_V makes of it?",
    read=ROLES,
    instead_of=THREE,
)
def values_not_projected(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k), x.clone()


@bank.mistake(
    "Your keys are x itself. They are projected as well, with W_K.",
    "How long must a key be, so that a query can be compared with it?",
    read=ROLES,
    instead_of=THREE,
)
def keys_not_projected(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), x.clone(), project(x, w_v)


@bank.mistake(
    "You projected the keys once more to get the values. All three are made from `x`.",
    "What stands on the left of each of your three products?",
    instead_of=THREE,
)
def values_from_keys(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q, k = project(x, w_q), project(x, w_k)
    return q, k, project(k, w_v)


@bank.mistake(
    "You projected the queries once more to get the values. All three are made from `x`.",
    "What stands on the left of each of your three products?",
    instead_of=THREE,
)
def values_from_queries(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q, k = project(x, w_q), project(x, w_k)
    return q, k, project(q, w_v)


@bank.mistake(
    "You projected the queries once more to get the keys. All three are made from `x`.",
    "What stands on the left of each of your three products?",
    instead_of=THREE,
)
def keys_from_queries(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = project(x, w_q)
    return q, project(q, w_k), project(x, w_v)


@bank.mistake(
    "You returned keys and queries in each other's place. The order is (q, k, v).",
    "In which order will the next stage unpack your three tensors?",
    instead_of=THREE,
)
def order_kqv(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_k), project(x, w_q), project(x, w_v)


@bank.mistake(
    "You returned keys and values in each other's place. The order is (q, k, v).",
    "In which order will the next stage unpack your three tensors?",
    instead_of=THREE,
)
def order_qvk(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_v), project(x, w_k)


@bank.mistake(
    "You returned values and queries in each other's place. The order is (q, k, v).",
    "In which order will the next stage unpack your three tensors?",
    instead_of=THREE,
)
def order_vkq(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_v), project(x, w_k), project(x, w_q)


@bank.mistake(
    "You returned the values first. The order is (q, k, v).",
    "In which order will the next stage unpack your three tensors?",
    instead_of=THREE,
)
def order_vqk(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_v), project(x, w_q), project(x, w_k)


@bank.mistake(
    "You returned the queries last. The order is (q, k, v).",
    "In which order will the next stage unpack your three tensors?",
    instead_of=THREE,
)
def order_kvq(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_k), project(x, w_v), project(x, w_q)


@bank.mistake(
    "Your keys come back transposed. Turning them is the next stage's work; here every token is a "
    "row of all three.",
    "What shape must `k` have when `x` is (token 6, d_model 7) and d_k is 5?",
    read=SHAPES,
    instead_of=THREE,
)
def keys_transposed(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k).mT, project(x, w_v)


@bank.mistake(
    "Your queries are divided by √d_k. Here nothing is scaled; that is stage 3, and it would be "
    "done twice.",
    "Does the formula of this stage divide by anything?",
    instead_of=THREE,
)
def queries_scaled(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q) / w_q.shape[-1] ** 0.5, project(x, w_k), project(x, w_v)


@bank.mistake(
    "You cut the joint projection into three parts of equal width. Values may be wider or narrower "
    "than queries and keys.",
    "How many columns does each of the three weight matrices have?",
    read=SHAPES,
    instead_of=THREE,
)
def equal_thirds(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, ...]:
    return project(x, torch.cat([w_q, w_k, w_v], dim=-1)).chunk(3, dim=-1)


@bank.mistake(
    "You returned one tensor that holds all three side by side. Return three: (q, k, v).",
    "How will the next stage get its queries out of what you return?",
    instead_of=THREE,
)
def side_by_side(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    return project(x, torch.cat([w_q, w_k, w_v], dim=-1))


@bank.mistake(
    "You stacked the three in one tensor. Values may be wider or narrower than queries and keys, "
    "and then they do not fit. Return a tuple.",
    "What holds three tensors of different shapes?",
    instead_of=THREE,
)
def stacked(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    return torch.stack([project(x, w_q), project(x, w_k), project(x, w_v)])


@bank.mistake(
    "You returned a dictionary. Return the three tensors in order: (q, k, v).",
    "How will the next stage unpack what you return?",
    instead_of=THREE,
)
def dictionary(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> dict[str, Tensor]:
    return {"q": project(x, w_q), "k": project(x, w_k), "v": project(x, w_v)}


@bank.mistake(
    "You returned a generator, which can be read only once. Return the three tensors: (q, k, v).",
    "What do round brackets around a `for` make? And square ones?",
    instead_of=THREE,
)
def generator(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> object:
    return (project(x, weight) for weight in (w_q, w_k, w_v))


@bank.mistake(
    "You returned the queries only. Keys and values belong to the result as well.",
    "How many tensors does your `return` line name?",
    instead_of=THREE,
)
def queries_only(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    return project(x, w_q)


@bank.mistake(
    "You returned a tuple that holds one tensor only. Does your `return` stand inside the loop?",
    "How often is a `return` reached that stands inside a loop?",
    instead_of=THREE,
)
def returned_in_the_loop(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, ...]:
    return (project(x, w_q),)


@bank.mistake(
    "`project_qkv` returns nothing: three tensors are expected, (q, k, v).",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
    instead_of=THREE,
)
def three_not_returned(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> None:
    project(x, w_q)


@bank.mistake(
    "No gradient reaches W_K: your keys are cut off from it.",
    "Which of your three lines has a `.detach()`, `.data` or `no_grad` around it?",
    read=CONTRACT,
    instead_of=THREE,
)
def keys_cut_off(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k).detach(), project(x, w_v)


@bank.mistake(
    "No gradient reaches W_V: your values are cut off from it.",
    "Which of your three lines has a `.detach()`, `.data` or `no_grad` around it?",
    read=CONTRACT,
    instead_of=THREE,
)
def values_cut_off(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_k), project(x, w_v).detach()


@bank.mistake(
    "Your three products were computed in float32, and half of float64's digits are lost.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    read=CONTRACT,
    instead_of=THREE,
)
def three_in_float32(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, ...]:
    return tuple((x.float() @ w.float()).to(x.dtype) for w in (w_q, w_k, w_v))


@bank.mistake(
    "You cleared `x` after your three products. It is the stream, and whoever called you still "
    "needs it.",
    "Whose tensor is `x`, and who reads it next?",
    evidence="{changed}",
    read=CONTRACT,
    instead_of=THREE,
)
def x_cleared(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, ...]:
    tokens = x.clone()
    x.data.zero_()
    return project(tokens, w_q), project(tokens, w_k), project(tokens, w_v)


# The arguments, the dtype, the gradient


@bank.mistake(
    "You changed `x` in place. It is the stream, and whoever called you still needs it.",
    "What is the difference between `x *= a` and `x = x * a`?",
    evidence="{changed}",
    read=CONTRACT,
)
def x_changed(x: Tensor, weight: Tensor) -> Tensor:
    projected = x.clone() @ weight
    x.data.zero_()
    return projected


@bank.mistake(
    "You wrote the projection into `x`. The caller's tokens are gone.",
    "Which methods end in an underscore, and whose tensor do they write to?",
    read=CONTRACT,
)
def written_into_x(x: Tensor, weight: Tensor) -> Tensor:
    projected = x @ weight
    return x.copy_(projected) if projected.shape == x.shape else projected


@bank.mistake(
    "You transposed the caller's weights in place, and they stay so.",
    "What is the difference between `.t()` and `.t_()`?",
    evidence="{changed}",
    read=CONTRACT,
)
def weight_turned(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight.t_().mT


@bank.mistake(
    "The result is always float32, whatever `x` is.",
    "Which line names a dtype, or makes a tensor without asking `x` for its own?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_returned(x: Tensor, weight: Tensor) -> Tensor:
    return x.float() @ weight.float()


@bank.mistake(
    "You turned the weights into float32, but not `x`, so the two do not go together.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    evidence="PyTorch said: {error}",
    read=CONTRACT,
)
def weight_in_float32(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight.float()


@bank.mistake(
    "The result is always float64, whatever `x` is.",
    "If you compute in a larger dtype, what is missing before `return`?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(x: Tensor, weight: Tensor) -> Tensor:
    return x.double() @ weight.double()


@bank.mistake(
    "The result is made of whole numbers: everything after the point is lost.",
    "Which call in your code names an integer type?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def whole_numbers(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).int()


@bank.mistake(
    "You computed in float32 and lost half of float64's digits.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    read=CONTRACT,
)
def float32_inside(x: Tensor, weight: Tensor) -> Tensor:
    return (x.float() @ weight.float()).to(x.dtype)


@bank.mistake(
    "You computed in half precision: only about three digits are left.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    read=CONTRACT,
)
def half_inside(x: Tensor, weight: Tensor) -> Tensor:
    return (x.half() @ weight.half()).to(x.dtype)


@bank.mistake(
    "No gradient flows back, neither to `x` nor to the weights. They could never be learned.",
    "Do `.detach()`, `.data`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=PARAMETERS,
)
def cut_off(x: Tensor, weight: Tensor) -> Tensor:
    return (x @ weight).detach()


@bank.mistake(
    "No gradient reaches the weights, so they could never be learned.",
    "What do `.detach()`, `.data` and `torch.tensor(weight)` have in common?",
    read=PARAMETERS,
)
def weight_cut_off(x: Tensor, weight: Tensor) -> Tensor:
    return x @ weight.detach()


@bank.mistake(
    "No gradient reaches `x`, so nothing before this stage could learn.",
    "What do `.detach()`, `.data` and `torch.tensor(x)` have in common?",
    read=CONTRACT,
)
def x_cut_off(x: Tensor, weight: Tensor) -> Tensor:
    return x.detach() @ weight


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and NumPy has no bfloat16.",
    "Which torch functions do the same as the NumPy functions in your code?",
    read=CONTRACT,
)
def through_numpy(x: Tensor, weight: Tensor) -> Tensor:
    return torch.from_numpy(x.detach().numpy() @ weight.detach().numpy())


@bank.mistake(
    "You returned NumPy's array. The next stage wants a tensor, with its gradient.",
    "Which operator multiplies tensors, so that nothing has to leave PyTorch?",
    read=CONTRACT,
)
def numpy_returned(x: Tensor, weight: Tensor) -> object:
    return x.detach().numpy() @ weight.detach().numpy()


# Two mistakes at once


@bank.compound("tokens_in_columns", "weight_cut_off")
def tokens_in_columns_weight_cut_off(x: Tensor, weight: Tensor) -> Tensor:
    return weight.detach().mT @ x.mT


@bank.compound("order_kqv", "queries_scaled", instead_of=THREE)
def keys_first_queries_scaled(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_k), project(x, w_q) / w_q.shape[-1] ** 0.5, project(x, w_v)


@bank.compound("keys_from_queries", "values_from_keys", instead_of=THREE)
def one_after_the_other(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = project(x, w_q)
    k = project(q, w_k)
    return q, k, project(k, w_v)


@bank.compound("keys_from_queries", "values_from_queries", instead_of=THREE)
def all_from_queries(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    q = project(x, w_q)
    return q, project(q, w_k), project(q, w_v)


@bank.compound("keys_by_w_q", "values_not_projected", instead_of=THREE)
def keys_by_w_q_values_not_projected(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q), project(x, w_q), x.clone()


@bank.compound("keys_transposed", "queries_scaled", instead_of=THREE)
def keys_transposed_queries_scaled(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    return project(x, w_q) / w_q.shape[-1] ** 0.5, project(x, w_k).mT, project(x, w_v)


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
