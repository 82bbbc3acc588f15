"""Wrong answers to row softmax.

Left out of the catalogue: integer scores (the contract does not judge them), and the built-in
softmax, which is refused whatever the numbers are and has a sentence of its own.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank

FORMULA = "stages/softmax.html#the-formula"
SHAPES = "stages/softmax.html#shapes"
CONTRACT = "stages/index.html"

bank = Bank(__name__, instead_of="row_softmax", read=FORMULA)


def _along(scores: Tensor, dim: int | tuple[int, ...]) -> Tensor:
    """A stable softmax over any axes."""
    exponentials = (scores - scores.amax(dim=dim, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


# Over the wrong axis


@bank.mistake(
    "Every column of your weights adds up to 1; every row must.",
    "A row belongs to one query. Over which axis does one query share out its attention?",
    evidence="Your columns sum to {column_sums}, your rows to {row_sums}.",
)
def columns(scores: Tensor) -> Tensor:
    return _along(scores, -2)


@bank.mistake(
    "Your maximum is each row's, but your sum is each column's. Both must go along the row.",
    "Which axis is in your `sum`, and which in your maximum?",
    evidence="Your columns sum to {column_sums}, your rows to {row_sums}.",
)
def sum_of_columns(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-2, keepdim=True)


@bank.mistake(
    "Your maximum is each row's, but your sum is everything's. Both must go along the row.",
    "What does `sum` add up when no axis is named?",
    evidence="All your weights together sum to {total}; your rows sum to {row_sums}.",
)
def sum_of_everything(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum()


@bank.mistake(
    "You normalised over the first axis. With a batch that is the batch axis, so one sequence's "
    "weights depend on another sequence.",
    "Which axis stays in the same place, counted from the end, whether there is a batch or not?",
    read=SHAPES,
)
def first_axis(scores: Tensor) -> Tensor:
    return _along(scores, 0)


@bank.mistake(
    "You normalised over axis 1. That is the row only as long as there is no batch.",
    "How can you name the last axis without knowing how many axes there are?",
    read=SHAPES,
)
def second_axis(scores: Tensor) -> Tensor:
    return _along(scores, 1)


@bank.mistake(
    "The axis of your softmax depends on how many axes the scores have: axis 0 for three, axis 1 "
    "otherwise. Old versions of PyTorch chose so when no axis was given.",
    "Which axis is the row, always?",
    read=SHAPES,
)
def axis_not_named(scores: Tensor) -> Tensor:
    return _along(scores, 0 if scores.ndim in {0, 1, 3} else 1)


@bank.mistake(
    "All your weights together add up to 1; each row must do so by itself.",
    "How much attention may one query give away, and does it matter what other queries do?",
    evidence="All together they sum to {total}; your rows sum to {row_sums}.",
)
def whole(scores: Tensor) -> Tensor:
    return _along(scores, tuple(range(scores.ndim)))


@bank.mistake(
    "Each sequence's whole matrix of weights adds up to 1; each of its rows must.",
    "How much attention may one query give away, and does it matter what other queries do?",
    evidence="Your rows sum to {row_sums}.",
)
def whole_sequence(scores: Tensor) -> Tensor:
    return _along(scores, (-2, -1))


@bank.mistake(
    "Your loop over `scores[i]` takes rows only if there is no batch. With a batch, `scores[i]` is "
    "a whole sequence, and you normalised over all of it.",
    "What does `scores[i]` hold when scores has the axes (batch, query, key)?",
    read=SHAPES,
)
def loop_over_first_axis(scores: Tensor) -> Tensor:
    return torch.stack([_along(row, tuple(range(row.ndim))) for row in scores])


# The shift that keeps exp finite


@bank.mistake(
    "The exponential overflows: take each row's maximum away before `exp`.",
    "Adding the same number to a whole row changes no weight. Which number makes the largest "
    "exponent 0?",
    evidence="Your largest score here was {largest_input}; its exponential is inf, and inf / inf "
    "is nan.",
)
def no_shift(scores: Tensor) -> Tensor:
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took away the place of each row's largest score (0, 1, 2 …), not the score itself, and "
    "the exponential still overflows.",
    "What does `argmax` return, and what does `amax`?",
    evidence="Your largest score here was {largest_input}.",
)
def place_subtracted(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.argmax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took one maximum for several rows. A row far below it becomes all zeros, and 0 / 0 is "
    "nan.",
    "What is exp(-20000)? Whose maximum would keep every row in range?",
    evidence="Your scores here reach from {smallest_input} to {largest_input}, and {bad_place} is "
    "nan.",
)
def global_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took one maximum for all rows of a sequence. A row far below it becomes all zeros, and "
    "0 / 0 is nan.",
    "Adding the same number to a whole row changes no weight. Which number makes each row's "
    "largest exponent 0?",
    evidence="Your scores here reach from {smallest_input} to {largest_input}, and {bad_place} is "
    "nan.",
)
def maximum_of_sequence(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=(-2, -1), keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took away each column's maximum, but normalised each row. Softmax allows one shift for a "
    "row, the same for all its entries.",
    "Which shifts of a row leave its ratios as they are?",
)
def column_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-2, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took away each row's minimum. The largest exponent is then still large, and overflows.",
    "After the shift, which entry of the row should become 0 so that no exponential passes 1?",
    evidence="Your scores here reach from {smallest_input} to {largest_input}.",
)
def minimum_shift(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amin(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took away each row's mean. A score far above the mean still overflows.",
    "After the shift, which entry of the row should become 0 so that no exponential passes 1?",
    evidence="Your scores here reach from {smallest_input} to {largest_input}.",
)
def mean_shift(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took away the largest *absolute* score. In a row of large negative scores every "
    "exponential is then 0, and 0 / 0 is nan.",
    "What is the maximum of the row [-10000, -10001], with its sign?",
    evidence="Your scores here reach from {smallest_input} to {largest_input}.",
)
def absolute_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.abs().amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You *added* the row's maximum instead of taking it away, so large scores overflow sooner.",
    "Which sign makes the largest exponent 0?",
    evidence="Your largest score here was {largest_input}.",
)
def shift_added(scores: Tensor) -> Tensor:
    exponentials = (scores + scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You divided by the row's maximum instead of taking it away. That changes the weights.",
    "Softmax keeps its value when a row is shifted. Does it, when a row is stretched?",
)
def divided_by_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores / scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You clipped the scores before `exp`. That stops the overflow, but flattens every score above "
    "the limit to the same weight.",
    "Which change of a row keeps the differences between its scores, and makes them small enough?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def clipped(scores: Tensor) -> Tensor:
    exponentials = scores.clamp(max=80).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "The nan that came from an overflow was replaced by a number. The weight is gone, not right.",
    "Where did the nan come from? What would keep it from arising?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def nan_replaced(scores: Tensor) -> Tensor:
    exponentials = scores.exp()
    return (exponentials / exponentials.sum(dim=-1, keepdim=True)).nan_to_num()


@bank.mistake(
    "You added a small number to the row's sum. Rows then add up to a little less than 1.",
    "After the shift by the maximum, how small can the sum of a row be?",
)
def epsilon(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-8)


@bank.mistake(
    "You treat -inf as if it were some low number. In a row whose scores are all about as low, "
    "what was to be hidden gets a weight.",
    "Which number is smaller than every score that a row may hold?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def low_for_infinity(scores: Tensor) -> Tensor:
    return _along(scores.masked_fill(scores == -torch.inf, -1e4), -1)


@bank.mistake(
    "You cut the scores off at both ends before `exp`. That stops the overflow, but all scores "
    "beyond a limit get the same weight.",
    "Which change of a row keeps the differences between its scores, and makes them small enough?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def clipped_at_both_ends(scores: Tensor) -> Tensor:
    exponentials = scores.clamp(-80, 80).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


# Shapes that fit by luck


@bank.mistake(
    "`logsumexp` gave one number for each row, and these lost their axis: they were matched with "
    "the columns, and each row was normalised by other rows' numbers, or nothing fitted at all.",
    "What is the shape of `x.logsumexp(dim=-1)`, and what does `keepdim=True` change?",
    read=SHAPES,
)
def logsumexp_without_keepdim(scores: Tensor) -> Tensor:
    return (scores - scores.logsumexp(dim=-1)).exp()


@bank.mistake(
    "The row sums lost their axis, so they were matched with the columns: every row was divided by "
    "other rows' sums, or nothing fitted at all.",
    "What is the shape of `x.sum(dim=-1)`, and what does `keepdim=True` change?",
    read=SHAPES,
)
def sum_without_keepdim(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1)


@bank.mistake(
    "The row maxima lost their axis, so they were matched with the columns: each row was shifted "
    "by other rows' maxima, or nothing fitted at all.",
    "What is the shape of `x.amax(dim=-1)`, and what does `keepdim=True` change?",
    read=SHAPES,
)
def maximum_without_keepdim(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@bank.mistake(
    "The batch axes were merged into the queries and not separated again.",
    "What shape must the weights have when the scores are (batch 2, query 6, key 5)?",
    evidence="Your weights are {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def batch_merged(scores: Tensor) -> Tensor:
    return _along(scores.reshape(-1, scores.shape[-1]), -1)


@bank.mistake(
    "Your weights are right, but transposed: queries and keys have changed places.",
    "Who does a row of the weights belong to?",
    evidence="Your weights are {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def transposed(scores: Tensor) -> Tensor:
    return _along(scores, -1).transpose(-2, -1)


@bank.mistake(
    "Axes of size 1 are gone from your weights. One query, one key or a batch of one is a size "
    "like any other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="Your weights are {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(scores: Tensor) -> Tensor:
    return _along(scores, -1).squeeze()


@bank.mistake(
    "Only the first sequence of the batch was computed; the others got its weights.",
    "Does your code pick out one element of the batch axis somewhere?",
    read=SHAPES,
)
def first_of_batch(scores: Tensor) -> Tensor:
    weights = _along(scores, -1)
    return weights if scores.ndim == 2 else weights[:1].expand_as(scores).clone()


# The wrong formula


@bank.mistake(
    "You divided the scores by their sum without taking the exponential first, so a negative score "
    "gives a negative weight.",
    "Which function makes every number positive and keeps their order?",
    evidence="Your smallest weight here is {smallest}.",
)
def no_exponential(scores: Tensor) -> Tensor:
    return scores / scores.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You took each row's maximum away and divided by the sum, without an exponential between them.",
    "Which function makes every number positive and keeps their order?",
)
def shifted_without_exponential(scores: Tensor) -> Tensor:
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    return shifted / shifted.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You divided the exponentials by the sum of the scores. Their own sum is meant.",
    "Which numbers must add up to 1 in the end, and by what must they be divided for that?",
    evidence="Your rows sum to {row_sums}.",
)
def sum_of_scores(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / scores.sum(dim=-1, keepdim=True)


@bank.mistake(
    "You divided the exponentials by the sum of the shifted scores. The sum of the *exponentials* "
    "is meant.",
    "Which numbers must add up to 1 in the end, and by what must they be divided for that?",
    evidence="Your rows sum to {row_sums}.",
)
def sum_of_shifted(scores: Tensor) -> Tensor:
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    return shifted.exp() / shifted.sum(dim=-1, keepdim=True)


@bank.mistake(
    "Negative scores became 0 (a relu) where the exponential belongs. A low score gets little "
    "attention, not none.",
    "What is exp(-1), and what does `relu` make of -1?",
)
def relu_for_exponential(scores: Tensor) -> Tensor:
    return scores.relu() / scores.relu().sum(dim=-1, keepdim=True)


@bank.mistake(
    "You squared the scores where the exponential belongs, so -3 gets as much as 3.",
    "Which of the scores -3 and 3 should get more attention?",
)
def squares_for_exponential(scores: Tensor) -> Tensor:
    return scores.square() / scores.square().sum(dim=-1, keepdim=True)


@bank.mistake(
    "You dropped the scores' signs where the exponential belongs, so -3 gets as much as 3.",
    "Which of the scores -3 and 3 should get more attention?",
)
def sizes_for_exponential(scores: Tensor) -> Tensor:
    return scores.abs() / scores.abs().sum(dim=-1, keepdim=True)


@bank.mistake(
    "You gave each row of exponentials the length 1, as a vector: its *squares* add up to 1. Its "
    "numbers must.",
    "What does `normalize` divide by, if it is not told otherwise?",
    evidence="Your rows sum to {row_sums}.",
)
def length_one(scores: Tensor) -> Tensor:
    return functional.normalize((scores - scores.amax(dim=-1, keepdim=True)).exp(), dim=-1)


@bank.mistake(
    "You spread each row out from 0 to 1 by its smallest and largest score. A row of weights adds "
    "up to 1.",
    "What do your rows add up to, and what must they add up to?",
    evidence="Your rows sum to {row_sums}.",
)
def from_zero_to_one(scores: Tensor) -> Tensor:
    low, high = scores.amin(dim=-1, keepdim=True), scores.amax(dim=-1, keepdim=True)
    return (scores - low) / (high - low)


@bank.mistake(
    "You added 1 to each row's sum, so a row adds up to less than 1.",
    "Which number in your code is in the formula nowhere?",
    evidence="Your rows sum to {row_sums}.",
)
def one_more(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / (1 + exponentials.sum(dim=-1, keepdim=True))


@bank.mistake(
    "A small constant is added to each row's sum, large enough to be seen: rows add up to less "
    "than 1. After the shift the sum is at least 1, so it is never 0.",
    "How small can a sum of exponentials be if the largest of them is exp(0)?",
)
def large_epsilon(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 1e-6)


@bank.mistake(
    "Every key after the query's own place gets the weight 0, and the row is not shared out anew. "
    "This stage asks for no mask.",
    "Which lines treat what is above the diagonal in a special way?",
    evidence="Your rows sum to {row_sums}.",
)
def causal_after_softmax(scores: Tensor) -> Tensor:
    return _along(scores, -1).tril()


@bank.mistake(
    "Every key after the query's own place got a very low score instead of its own. This stage "
    "asks for no mask; a mask arrives as scores of -inf.",
    "Which lines set scores above the diagonal?",
)
def causal_by_large_number(scores: Tensor) -> Tensor:
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return _along(scores.masked_fill(later, -1e9), -1)


@bank.mistake(
    "You returned the exponentials. They are not divided by their row's sum yet.",
    "What must a row of weights add up to?",
    evidence="Your rows sum to {row_sums}.",
)
def not_normalised(scores: Tensor) -> Tensor:
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()


@bank.mistake(
    "The division is inside the exponential: exp(s / sum) where exp(s) / sum is meant.",
    "In which order do `exp` and the division come in the formula?",
    evidence="Your rows sum to {row_sums}.",
)
def division_inside(scores: Tensor) -> Tensor:
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    return (shifted / shifted.exp().sum(dim=-1, keepdim=True)).exp()


@bank.mistake(
    "You divided by the row's mean instead of its sum, so every row adds up to the number of keys.",
    "What must a row of weights add up to?",
    evidence="Your rows sum to {row_sums}.",
)
def mean_for_sum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.mean(dim=-1, keepdim=True)


@bank.mistake(
    "You applied softmax twice, so the weights are too flat.",
    "Is there a second softmax, in a helper perhaps?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def twice(scores: Tensor) -> Tensor:
    return _along(_along(scores, -1), -1)


@bank.mistake(
    "The sign is turned round: the smallest score got the largest weight.",
    "Should a key that matches better get more attention, or less?",
)
def sign_turned(scores: Tensor) -> Tensor:
    return _along(-scores, -1)


@bank.mistake(
    "You used powers of 2 instead of powers of e.",
    "Which base does `exp` have? Is `exp2` or `2 **` in your code?",
)
def base_two(scores: Tensor) -> Tensor:
    return _along(scores * math.log(2), -1)


@bank.mistake(
    "You divided the scores by a square root once more. They arrive here scaled already.",
    "Which stage divides by a square root?",
    evidence="Your weights are those of the scores divided by √{key}, the root of the number of "
    "keys.",
    read="stages/scaling.html#the-formula",
)
def scaled_again(scores: Tensor) -> Tensor:
    return _along(scores / math.sqrt(scores.shape[-1]), -1)


@bank.mistake(
    "You gave all the weight to the largest score. Softmax is soft: smaller scores get their "
    "share, and the gradient needs it.",
    "With scores [1, 2], what are the two weights?",
)
def hard_maximum(scores: Tensor) -> Tensor:
    return functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).to(scores.dtype)


@bank.mistake(
    "You returned the logarithms of the weights: none of them is positive.",
    "What does a row of weights add up to, and what do yours?",
    evidence="They reach from {smallest} to {largest}.",
)
def logarithms(scores: Tensor) -> Tensor:
    return scores - scores.logsumexp(dim=-1, keepdim=True)


@bank.mistake(
    "You used the sigmoid, which looks at each score by itself. In softmax the scores of a row "
    "share one budget.",
    "If one score of a row grows, what happens to the weights of the others?",
    evidence="Your rows sum to {row_sums}.",
)
def sigmoid(scores: Tensor) -> Tensor:
    return scores.sigmoid()


@bank.mistake(
    "You hid every key after the query's own place. This stage asks for no mask; a mask arrives as "
    "scores of -inf.",
    "Which lines set weights or scores above the diagonal?",
    read="stages/softmax.html#where-it-sits-in-the-stream",
)
def causal_by_habit(scores: Tensor) -> Tensor:
    visible = torch.ones(scores.shape[-2:]).tril().bool()
    return _along(scores.masked_fill(~visible, -math.inf), -1)


@bank.mistake(
    "A score of -inf must get the weight 0; yours got a share.",
    "What is exp(-inf)? Does your code replace it by something else first?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def mask_forgotten(scores: Tensor) -> Tensor:
    return _along(scores.nan_to_num(neginf=0.0), -1)


@bank.mistake(
    "Two calls with the same scores give different weights: something random is at work, dropout "
    "for one.",
    "Should the same scores give the same weights twice?",
    read=CONTRACT,
)
def dropout(scores: Tensor) -> Tensor:
    return functional.dropout(_along(scores, -1), 0.3)


@bank.mistake(
    "The weights were rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} the weight must be {expected}; yours is {yours}.",
)
def rounded(scores: Tensor) -> Tensor:
    return _along(scores, -1).round(decimals=3)


@bank.mistake(
    "Your function returns the scores as they came.",
    "What does your `return` line hand back, and where did the weights go?",
    read=CONTRACT,
)
def scores_returned(scores: Tensor) -> Tensor:
    _along(scores, -1)
    return scores.clone()


@bank.mistake(
    "Your function returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(scores: Tensor) -> None:
    _along(scores, -1)


# The argument, the dtype, the gradient


@bank.mistake(
    "You shifted the scores in place, so the caller's tensor changed with yours.",
    "What is the difference between `scores -= m` and `scores = scores - m`?",
    evidence="{changed}",
    read=CONTRACT,
)
def shifted_in_place(scores: Tensor) -> Tensor:
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@bank.mistake(
    "You wrote the weights into the scores you were given. The caller's scores are gone.",
    "Which methods end in an underscore, and whose tensor do they write to?",
    evidence="{changed}",
    read=CONTRACT,
)
def written_over(scores: Tensor) -> Tensor:
    scores.sub_(scores.amax(dim=-1, keepdim=True)).exp_()
    return scores.div_(scores.sum(dim=-1, keepdim=True))


@bank.mistake(
    "You changed the scores behind autograd's back. The gradient is right, but the caller's scores "
    "are gone.",
    "What are `.data` and `no_grad` for, and whose tensor is written to here?",
    evidence="{changed}",
    read=CONTRACT,
)
def changed_behind_autograd(scores: Tensor) -> Tensor:
    scores.data.sub_(scores.data.amax(dim=-1, keepdim=True))
    return _along(scores, -1)


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "What does `reshape` do that `view` does not?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(scores: Tensor) -> Tensor:
    return _along(scores.view(-1, scores.shape[-1]), -1).view(scores.shape)


@bank.mistake(
    "The result always has the same dtype, float32, whatever the scores have.",
    "Which dtype does a new tensor get if you name none?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_buffer(scores: Tensor) -> Tensor:
    weights = torch.zeros(scores.shape)
    weights.copy_(_along(scores, -1))
    return weights


@bank.mistake(
    "The result is always float64, whatever the scores are.",
    "If you compute in a larger dtype, what is missing before `return`?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(scores: Tensor) -> Tensor:
    return _along(scores.double(), -1)


@bank.mistake(
    "You computed in float32 and lost half of float64's digits.",
    "Which call in your code names a dtype? Which dtype do the scores have?",
    read=CONTRACT,
)
def float32_inside(scores: Tensor) -> Tensor:
    return _along(scores.float(), -1).to(scores.dtype)


@bank.mistake(
    "You computed in half precision: only about three digits are left, and 65504 is the largest "
    "number.",
    "Which call in your code names a dtype? Which dtype do the scores have?",
    read=CONTRACT,
)
def half_inside(scores: Tensor) -> Tensor:
    return _along(scores.half(), -1).to(scores.dtype)


@bank.mistake(
    "No gradient flows back to the scores: the weights are cut off from them.",
    "Do `.detach()`, `.data`, `.numpy()`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=CONTRACT,
)
def cut_off(scores: Tensor) -> Tensor:
    return _along(scores.detach(), -1)


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and NumPy has no bfloat16.",
    "Which torch functions do the same as the NumPy functions in your code?",
    read=CONTRACT,
)
def through_numpy(scores: Tensor) -> Tensor:
    return torch.from_numpy(_along(scores.detach(), -1).numpy())


@bank.mistake(
    "The row's sum was detached. The weights are right, but their gradient treats the sum as a "
    "constant.",
    "If one score of a row grows, does the sum stay as it is?",
)
def sum_detached(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True).detach()


# Two mistakes at once

bank.pairs(
    """
    def row_softmax(scores):
        exponentials = (scores - {shift}).exp()
        return exponentials / {total}
    """,
    {
        "shift": {
            "": "scores.amax(dim=-1, keepdim=True)",
            "no_shift": "0",
            "global_maximum": "scores.max()",
        },
        "total": {
            "": "exponentials.sum(dim=-1, keepdim=True)",
            "columns": "exponentials.sum(dim=-2, keepdim=True)",
            "first_axis": "exponentials.sum(dim=0, keepdim=True)",
            "second_axis": "exponentials.sum(dim=1, keepdim=True)",
            "whole": "exponentials.sum()",
            "sum_without_keepdim": "exponentials.sum(dim=-1)",
            "mean_for_sum": "exponentials.mean(dim=-1, keepdim=True)",
            "epsilon": "(exponentials.sum(dim=-1, keepdim=True) + 1e-8)",
            "not_normalised": "1",
        },
    },
    without=[frozenset({"global_maximum", "whole"})],  # of a whole, that is the right maximum
)
bank.pairs(
    """
    def row_softmax(scores):
        exponentials = (scores - {shift}).exp()
        weights = exponentials / exponentials.sum(dim={axis}, keepdim=True)
        return {result}
    """,
    {
        "shift": {
            "": "scores.amax(dim=-1, keepdim=True)",
            "no_shift": "0",
        },
        "axis": {"": "-1", "sum_of_columns": "-2"},
        "result": {
            "": "weights",
            "transposed": "weights.transpose(-2, -1)",
            "logarithms": "weights.log()",
            "cut_off": "weights.detach()",
            "rounded": "weights.round(decimals=3)",
        },
    },
    without=[frozenset({"no_shift", "sum_of_columns"})],  # that is columns, not shifted
)


@bank.compound("columns", "twice")
def columns_twice(scores: Tensor) -> Tensor:
    return _along(_along(scores, -2), -2)


@bank.compound("division_inside", "no_shift")
def division_inside_no_shift(scores: Tensor) -> Tensor:
    return (scores / scores.exp().sum(dim=-1, keepdim=True)).exp()


@bank.compound("sum_without_keepdim", "maximum_without_keepdim")
def both_without_keepdim(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(dim=-1)).exp()
    return exponentials / exponentials.sum(dim=-1)


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
