"""Wrong answers to the residual add and to the attention block.

What is wrong inside `attention` has its sentences in `mixing`; here are the mistakes that the block
itself can make. Left out of the catalogue: an add in place that breaks autograd (whoever adds in
place is told so, and PyTorch's error is translated).
"""

import torch
from torch import Tensor
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.mixing import attention
from solutions.projection import project, project_qkv
from solutions.residual import add_residual

FORMULA = "stages/residual.html#the-formula"
SHAPES = "stages/residual.html#shapes"
CONTRACT = "stages/index.html"
STREAM = "learn/stream.html"
PROJECTIONS = "stages/projection.html#the-formula"
MIXING = "stages/mixing.html#the-formula"
BLOCK = "attention_block"

bank = Bank(__name__, instead_of="add_residual", read=FORMULA)


def _equal(x: Tensor, update: Tensor) -> None:
    if x.shape != update.shape:
        raise ValueError(f"x is {tuple(x.shape)}, the update is {tuple(update.shape)}")


# The sum


@bank.mistake(
    "The stream is lost: you returned the update alone. Whatever is not added back is gone for all "
    "later blocks.",
    "If the update is 0, what must come out?",
    read=STREAM,
)
def update_only(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return update.clone()


@bank.mistake(
    "The update is lost: you returned the stream as it was.",
    "If the update is 0, what must come out, and if it is not?",
)
def stream_only(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x.clone()


@bank.mistake(
    "You added the update to itself: the old x was overwritten before the sum.",
    "Which name holds the stream, and which the update, at the moment of your `+`?",
)
def update_twice(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return update + update


@bank.mistake(
    "You added the stream to itself; the update is not used.",
    "Which name holds the stream, and which the update, at the moment of your `+`?",
)
def stream_twice(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + x


@bank.mistake(
    "The stream is counted twice: your sum is 2 x + update.",
    "If the update is 0, what must come out?",
)
def stream_added_again(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + update + x


@bank.mistake(
    "The update is counted twice: your sum is x + 2 update.",
    "In how many places of your code is the update added?",
)
def update_added_again(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + 2 * update


@bank.mistake(
    "You took the average of stream and update. It is their sum.",
    "If the update is 0, what must come out?",
)
def average(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update) / 2


@bank.mistake(
    "You divided the sum by √2. Some papers do that; here the stream passes as it is.",
    "If the update is 0, what must come out?",
)
def by_root_of_two(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update) / 2**0.5


@bank.mistake(
    "You subtracted the update. It is added.",
    "Which sign is in the formula?",
)
def subtracted(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x - update


@bank.mistake(
    "You subtracted the stream from the update. They are added.",
    "Which sign is in the formula?",
)
def stream_subtracted(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return update - x


@bank.mistake(
    "You multiplied stream and update. They are added.",
    "If the update is 0, what must come out?",
)
def multiplied(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x * update


@bank.mistake(
    "You joined stream and update side by side. The stream keeps its width: they are added.",
    "How many features must a token have after the block?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=STREAM,
)
def side_by_side(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return torch.cat([x, update], dim=-1)


@bank.mistake(
    "You normalised the sum (a layer norm). This stage only adds.",
    "If the update is 0, what must come out?",
    read="learn/next.html#the-rest-of-the-block",
)
def normalised_after(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return functional.layer_norm(x + update, x.shape[-1:])


@bank.mistake(
    "You normalised the stream before adding. What passes on must be x itself.",
    "If the update is 0, what must come out?",
    read=STREAM,
)
def normalised_stream(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return functional.layer_norm(x, x.shape[-1:]) + update


@bank.mistake(
    "You set negative numbers to 0 after adding. The stream may hold any numbers.",
    "If the update is 0, what must come out, and is it so for a negative x?",
    evidence="Your smallest number is {smallest}.",
)
def relu(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update).relu()


@bank.mistake(
    "Two calls with the same arguments give different streams: something random is at work, "
    "dropout for one.",
    "Should the same stream and update give the same sum twice?",
    read=CONTRACT,
)
def dropout(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + functional.dropout(update, 0.3)


@bank.mistake(
    "The sum was rounded. A display may round; a computation must not.",
    "Where in your code does a number lose its digits?",
    evidence="At {place} it must be {expected}; yours is {yours}.",
)
def rounded(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update).round(decimals=3)


@bank.mistake(
    "Your `add_residual` returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
def nothing_returned(x: Tensor, update: Tensor) -> None:
    _equal(x, update)


@bank.mistake(
    "Axes of size 1 are gone from your result. One token, one feature or a batch of one is a size "
    "like any other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
def squeezed(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update).squeeze()


# The shapes


@bank.mistake(
    "Nothing refuses two different shapes, so PyTorch stretches the smaller tensor without a word.",
    "What does PyTorch do with (6, 7) + (1, 7)? Which line of yours raises a `ValueError` then?",
    read=SHAPES,
)
def shapes_not_compared(x: Tensor, update: Tensor) -> Tensor:
    return x + update


@bank.mistake(
    "You refuse unequal shapes with an `assert`. A `ValueError` is asked for; an `assert` is a "
    "note to yourself, and vanishes with `python -O`.",
    "Which exception says that an argument has a wrong value?",
    read=SHAPES,
)
def asserted(x: Tensor, update: Tensor) -> Tensor:
    assert x.shape == update.shape
    return x + update


@bank.mistake(
    "You refuse unequal shapes with a `TypeError`. Here the type is right and the value is not: "
    "raise `ValueError`.",
    "Which exception says that an argument has a wrong value?",
    read=SHAPES,
)
def type_error(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise TypeError("x and update have different shapes")
    return x + update


@bank.mistake(
    'You raise something that is no exception, a text perhaps. Raise `ValueError("…")`.',
    'What does Python say about `raise "text"`?',
    read=SHAPES,
)
def text_raised(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise "x and update have different shapes"  # type: ignore[misc]  # noqa: B016
    return x + update


@bank.mistake(
    "You refuse unequal shapes with a `RuntimeError`. `ValueError` is asked for.",
    "Which exception says that an argument has a wrong value?",
    read=SHAPES,
)
def runtime_error(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise RuntimeError("x and update have different shapes")
    return x + update


@bank.mistake(
    "You refuse unequal shapes with a plain `Exception`. `ValueError` is asked for.",
    "Which exception says that an argument has a wrong value?",
    read=SHAPES,
)
def plain_exception(x: Tensor, update: Tensor) -> Tensor:
    if x.shape != update.shape:
        raise Exception("x and update have different shapes")
    return x + update


@bank.mistake(
    "You compare only the last axis. Every axis must be the same.",
    "What does your code do with a stream of 6 tokens and an update of 1?",
    read=SHAPES,
)
def last_axis_compared(x: Tensor, update: Tensor) -> Tensor:
    if x.shape[-1:] != update.shape[-1:]:
        raise ValueError("x and update have different widths")
    return x + update


@bank.mistake(
    "You compare the size of the last axis only. Every axis must be the same, and a tensor that "
    "is one number has none.",
    "What does your code do with a stream of 6 tokens and an update of 1?",
    read=SHAPES,
)
def last_size_compared(x: Tensor, update: Tensor) -> Tensor:
    if x.shape[-1] != update.shape[-1]:
        raise ValueError("x and update have different widths")
    return x + update


@bank.mistake(
    "You refuse only what PyTorch cannot add. What it would stretch must be refused as well.",
    "What does PyTorch do with (6, 7) + (1, 7)? What should happen here?",
    read=SHAPES,
)
def misfits_refused(x: Tensor, update: Tensor) -> Tensor:
    try:
        return x + update
    except RuntimeError as error:
        raise ValueError("x and update have different shapes") from error


@bank.mistake(
    "You refuse every call, whether the shapes are the same or not.",
    "What are the two things that your `if` compares? Print them: are they shapes?",
    evidence="Your code said: {error}",
    read=SHAPES,
)
def always_refused(x: Tensor, update: Tensor) -> Tensor:
    if x.size != update.size:
        raise ValueError("shapes differ")
    return x + update


@bank.mistake(
    "You compare the last two axes. Batch axes must be the same as well.",
    "What does your code do with a batch of 2 and an update without a batch?",
    read=SHAPES,
)
def last_two_axes_compared(x: Tensor, update: Tensor) -> Tensor:
    if x.shape[-2:] != update.shape[-2:]:
        raise ValueError("x and update have different shapes")
    return x + update


@bank.mistake(
    "You compare how many axes there are. Their sizes must be the same as well.",
    "What does your code do with a stream of 6 tokens and an update of 1?",
    read=SHAPES,
)
def axes_counted(x: Tensor, update: Tensor) -> Tensor:
    if x.ndim != update.ndim:
        raise ValueError("x and update have different numbers of axes")
    return x + update


@bank.mistake(
    "You compare how many numbers there are. (6, 7) and (7, 6) have equally many.",
    "What does your code do with an update that is transposed?",
    read=SHAPES,
)
def numbers_counted(x: Tensor, update: Tensor) -> Tensor:
    if x.numel() != update.numel():
        raise ValueError("x and update have different sizes")
    return x + update


@bank.mistake(
    "You refuse only shapes that differ in several axes. One axis that differs is enough.",
    "In which cases is `a and b` true, and in which `a or b`?",
    read=SHAPES,
)
def both_must_differ(x: Tensor, update: Tensor) -> Tensor:
    if x.shape[-1] != update.shape[-1] and x.shape[-2] != update.shape[-2]:
        raise ValueError("x and update have different shapes")
    return x + update


@bank.mistake(
    "You let shapes pass that hold the same count of numbers, and regroup them. What was a token's "
    "feature then meets another one.",
    "Which shapes have as many numbers as (6, 7)?",
    read=SHAPES,
)
def count_compared(x: Tensor, update: Tensor) -> Tensor:
    if x.numel() != update.numel():
        raise ValueError("x and update have different sizes")
    return x + update.reshape(x.shape)


@bank.mistake(
    "You compare the length of the first axis alone. Every axis must be the same.",
    "What does `len(x)` say about the tokens and features of a batch?",
    read=SHAPES,
)
def length_compared(x: Tensor, update: Tensor) -> Tensor:
    if x.shape[0] != update.shape[0]:
        raise ValueError("x and update have different lengths")
    return x + update


@bank.mistake(
    "You compare the shape of the *sum*. By then PyTorch has stretched the update.",
    "When must unequal shapes be found: before adding, or after?",
    read=SHAPES,
)
def sum_compared(x: Tensor, update: Tensor) -> Tensor:
    stream = x + update
    if stream.shape != x.shape:
        raise ValueError("the update is larger than x")
    return stream


@bank.mistake(
    "You stretch the update to x's shape. Unequal shapes must raise `ValueError`.",
    "What is an update of one token doing in a stream of six?",
    read=SHAPES,
)
def stretched(x: Tensor, update: Tensor) -> Tensor:
    return x + update.expand_as(x)


@bank.mistake(
    "You return a tensor where the shapes differ, x perhaps. They must raise `ValueError`, so "
    "that whoever made the mistake hears of it.",
    "Who will notice that an update was skipped?",
    read=SHAPES,
)
def unequal_skipped(x: Tensor, update: Tensor) -> Tensor:
    return x + update if x.shape == update.shape else x.clone()


@bank.mistake(
    "You return nothing where the shapes differ. They must raise `ValueError`: a message that "
    "is printed stops nobody.",
    "How does a function tell its caller that an argument cannot be right?",
    read=SHAPES,
)
def unequal_printed(x: Tensor, update: Tensor) -> Tensor | None:
    return x + update if x.shape == update.shape else None


@bank.mistake(
    "You *return* the error instead of raising it.",
    "Which keyword lets an exception out?",
    read=SHAPES,
)
def error_returned(x: Tensor, update: Tensor) -> object:
    return x + update if x.shape == update.shape else ValueError("different shapes")


@bank.mistake(
    "Your comparison is the wrong way round: equal shapes are refused.",
    "In which case should your `if` be true?",
    evidence="PyTorch or your code said: {error}",
    read=SHAPES,
)
def equal_refused(x: Tensor, update: Tensor) -> Tensor:
    if x.shape == update.shape:
        raise ValueError("shapes differ")
    return x + update


# The arguments, the dtype, the gradient


@bank.mistake(
    "Where there is nothing to add you return x itself, and not a new tensor: whoever changes one "
    "changes the other.",
    "Does a stream that is added to 0 need a way of its own?",
    read=CONTRACT,
)
def x_for_no_update(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + update if update.any() else x


@bank.mistake(
    "You added in place, so the caller's x changed. A block's input must survive: others read it, "
    "too.",
    "What is the difference between `x += update` and `x = x + update`?",
    evidence="{changed}",
    read=STREAM,
)
def in_place(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    x += update
    return x


@bank.mistake(
    "You added x into the update, which belongs to the caller as well.",
    "What is the difference between `update += x` and `update + x`?",
    evidence="{changed}",
    read=CONTRACT,
)
def into_the_update(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return update.add_(x)


@bank.mistake(
    "You wrote the sum into the update behind autograd's back. It belongs to the caller.",
    "What is `.data` for, and whose tensor is written to here?",
    evidence="{changed}",
    read=CONTRACT,
)
def update_changed(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    stream = x + update
    update.data.copy_(stream.detach())
    return stream


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "function raises.",
    "Is `view` needed at all, to add two tensors of the same shape?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
def viewed(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x.view(-1) + update.view(-1)).view(x.shape)


@bank.mistake(
    "You wrote the sum into x behind autograd's back.",
    "What is `.data` for, and whose tensor is written to here?",
    evidence="{changed}",
    read=CONTRACT,
)
def behind_autograd(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    stream = x + update
    x.data.copy_(stream.detach())
    return stream


@bank.mistake(
    "No gradient passes along the stream: x is cut off. That way around the blocks is what the "
    "stream is for.",
    "Do `.detach()`, `.data` or `no_grad` stand around x?",
    read=STREAM,
)
def stream_cut_off(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x.detach() + update


@bank.mistake(
    "No gradient reaches the update, so the block could never learn.",
    "Do `.detach()`, `.data` or `no_grad` stand around the update?",
    read=CONTRACT,
)
def update_cut_off(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x + update.detach()


@bank.mistake(
    "No gradient flows back, neither to the stream nor to the update.",
    "Do `.detach()`, `.data`, `torch.tensor(…)` or `no_grad` appear in your code?",
    read=CONTRACT,
)
def cut_off(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x + update).detach()


@bank.mistake(
    "The result is always float32, whatever the stream is.",
    "Which line names a dtype, or makes a tensor (`torch.zeros`) without asking `x` for its own?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float32_returned(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x.float() + update.float()


@bank.mistake(
    "The result is always float64, whatever the stream is.",
    "If you compute in a larger dtype, what is missing before `return`?",
    evidence="{dtypes}",
    read=CONTRACT,
)
def float64_returned(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return x.double() + update.double()


@bank.mistake(
    "You computed in float32 and lost half of float64's digits.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    read=CONTRACT,
)
def float32_inside(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x.float() + update.float()).to(x.dtype)


@bank.mistake(
    "You computed in half precision: only about three digits are left.",
    "Which call in your code names a dtype? Which dtype does `x` have?",
    read=CONTRACT,
)
def half_inside(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return (x.half() + update.half()).to(x.dtype)


@bank.mistake(
    "You went through NumPy. No gradient can follow there, and NumPy has no bfloat16.",
    "Which operator adds tensors, so that nothing has to leave PyTorch?",
    read=CONTRACT,
)
def through_numpy(x: Tensor, update: Tensor) -> Tensor:
    _equal(x, update)
    return torch.from_numpy(x.detach().numpy() + update.detach().numpy())


# The block


@bank.mistake(
    "Your block returns the update alone: the stream is not added back.",
    "If w_o is 0, what must come out?",
    read=STREAM,
    instead_of=BLOCK,
)
def block_without_residual(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return project(attention(q, k, v), w_o)


@bank.mistake(
    "Your block adds what attention mixed without W_O. That is d_v features wide, not d_model.",
    "Which matrix turns d_v features into d_model?",
    instead_of=BLOCK,
)
def w_o_missing(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, attention(q, k, v))


@bank.mistake(
    "Your block adds what attention mixed without W_O, by a plain `+`. That is d_v features wide, "
    "not d_model.",
    "Which matrix turns d_v features into d_model?",
    evidence="PyTorch said: {error}",
    instead_of=BLOCK,
)
def w_o_missing_plain_sum(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return x + attention(q, k, v)


@bank.mistake(
    "Your block mixes the queries: no values are made, and W_V is not used.",
    "Which of the three does a token hand over?",
    read=MIXING,
    instead_of=BLOCK,
)
def queries_as_values(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, _ = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, q), w_o))


@bank.mistake(
    "Your block multiplies by W_O transposed. w_o has the shape (d_v, d_model), so it stands as it "
    "is.",
    "Which axis of w_o is as long as a mixed value?",
    read=PROJECTIONS,
    instead_of=BLOCK,
)
def w_o_transposed(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, attention(q, k, v) @ w_o.mT)


@bank.mistake(
    "W_O is on the left of your product. Tokens are the rows, so what attention mixed comes first.",
    "In a product of matrices, whose rows become the rows of the result?",
    read=PROJECTIONS,
    instead_of=BLOCK,
)
def w_o_first(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, w_o @ attention(q, k, v))


@bank.mistake(
    "Your block projects the *sum* with W_O. Only the update goes through W_O; the stream passes "
    "as it is.",
    "If w_o is 0, what must come out?",
    read=STREAM,
    instead_of=BLOCK,
)
def w_o_after_the_sum(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return project(add_residual(x, attention(q, k, v)), w_o)


@bank.mistake(
    "Your block adds the queries back instead of the stream.",
    "Which tensor came in, and has to go on?",
    read=STREAM,
    instead_of=BLOCK,
)
def queries_added(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(q, project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block adds the values back instead of the stream.",
    "Which tensor came in, and has to go on?",
    read=STREAM,
    instead_of=BLOCK,
)
def values_added(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(v, project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block adds the values as well, projected back with W_O. Only what attention mixed is "
    "added.",
    "Which tensors stand on the right of the arrow in x ← x + f(x)?",
    read=STREAM,
    instead_of=BLOCK,
)
def own_values_added(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, v) + v, w_o))


@bank.mistake(
    "Your block returns 2 times its update: x was overwritten before the sum.",
    "Which value does the name `x` have at the moment of your `+`?",
    read=STREAM,
    instead_of=BLOCK,
)
def stream_overwritten(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    update = project(attention(q, k, v), w_o)
    return update + update


@bank.mistake(
    "Your block adds the stream twice.",
    "In how many places of your code is x added?",
    read=STREAM,
    instead_of=BLOCK,
)
def stream_added_twice(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return x + add_residual(x, project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block subtracts its update.",
    "Which sign is in the formula?",
    instead_of=BLOCK,
)
def update_subtracted(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, -project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block scales again: `attention` has divided by √d_k already.",
    "Which stage divides by √d_k, and who calls it?",
    read=MIXING,
    instead_of=BLOCK,
)
def scaled_again(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q / w_q.shape[-1] ** 0.5, k, v), w_o))


@bank.mistake(
    "Your block hands queries and keys to `attention` in each other's place.",
    "In which order does `attention` take its arguments?",
    read=MIXING,
    instead_of=BLOCK,
)
def queries_and_keys_swapped(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(k, q, v), w_o))


@bank.mistake(
    "Your block hands keys and values to `attention` in each other's place.",
    "In which order does `attention` take its arguments?",
    read=MIXING,
    instead_of=BLOCK,
)
def keys_and_values_swapped(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, v, k), w_o))


@bank.mistake(
    "Your block mixes the keys: no values are made, and W_V is not used.",
    "Which of the three does a token hand over?",
    read=MIXING,
    instead_of=BLOCK,
)
def keys_as_values(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, _ = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, k), w_o))


@bank.mistake(
    "Your block mixes the stream itself: W_V is not used.",
    "Which of the three does a token hand over?",
    read=PROJECTIONS,
    instead_of=BLOCK,
)
def values_not_projected(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, _ = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, x), w_o))


@bank.mistake(
    "Your block uses only the first d_model features of the values. d_v may be larger than "
    "d_model.",
    "Which slices of `v` and `w_o` does your code take?",
    read=SHAPES,
    instead_of=BLOCK,
)
def values_cropped(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    width = x.shape[-1]
    return add_residual(x, project(attention(q, k, v[..., :width]), w_o[:width]))


@bank.mistake(
    "Your block makes the keys with W_Q: queries and keys are the same.",
    "Which weights does each of your projections use?",
    read=PROJECTIONS,
    instead_of=BLOCK,
)
def keys_by_w_q(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_q, w_v)
    return add_residual(x, project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block does not attend: every token gets its own value back.",
    "Which stage moves something from one token to another?",
    read=MIXING,
    instead_of=BLOCK,
)
def attention_missing(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    return add_residual(x, project(project(x, w_v), w_o))


@bank.mistake(
    "Your block normalises the stream first (a layer norm). This block has none.",
    "What does the formula project: x, or something made of x?",
    read="learn/next.html#the-rest-of-the-block",
    instead_of=BLOCK,
)
def normalised_first(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(functional.layer_norm(x, x.shape[-1:]), w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, v), w_o))


@bank.mistake(
    "Your block normalises its result (a layer norm). This block has none.",
    "If w_o is 0, what must come out?",
    read="learn/next.html#the-rest-of-the-block",
    instead_of=BLOCK,
)
def normalised_last(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    stream = add_residual(x, project(attention(q, k, v), w_o))
    return functional.layer_norm(stream, x.shape[-1:])


@bank.mistake(
    "Your block returns the stream as it came: the update is computed and never added.",
    "What does your `return` line hand back, and where did the sum go?",
    read=CONTRACT,
    instead_of=BLOCK,
)
def update_forgotten(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    return x.clone()


@bank.mistake(
    "Your block returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
    instead_of=BLOCK,
)
def block_returns_nothing(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> None:
    project_qkv(x, w_q, w_k, w_v)


@bank.mistake(
    "Your block adds its update into the caller's x.",
    "What is the difference between `x += update` and `x = x + update`?",
    evidence="{changed}",
    read=STREAM,
    instead_of=BLOCK,
)
def block_in_place(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    x += project(attention(q, k, v), w_o)
    return x


@bank.mistake(
    "No gradient passes along the stream through your block.",
    "Do `.detach()`, `.data` or `no_grad` stand around x in the sum?",
    read=STREAM,
    instead_of=BLOCK,
)
def block_stream_cut_off(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x.detach(), project(attention(q, k, v), w_o))


@bank.mistake(
    "No gradient reaches the weights of your block: the update is cut off.",
    "Do `.detach()`, `.data` or `no_grad` stand around the update?",
    read=CONTRACT,
    instead_of=BLOCK,
)
def block_update_cut_off(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, v), w_o).detach())


@bank.mistake(
    "No gradient reaches W_O, so it could never be learned.",
    "Does `.detach()`, `.data` or `torch.tensor(…)` stand around w_o?",
    read=CONTRACT,
    instead_of=BLOCK,
)
def w_o_cut_off(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, project(attention(q, k, v), w_o.detach()))


# Two mistakes at once


@bank.compound("shapes_not_compared", "in_place")
def not_compared_in_place(x: Tensor, update: Tensor) -> Tensor:
    x += update
    return x


@bank.compound("shapes_not_compared", "subtracted")
def not_compared_subtracted(x: Tensor, update: Tensor) -> Tensor:
    return x - update


@bank.compound("shapes_not_compared", "average")
def not_compared_average(x: Tensor, update: Tensor) -> Tensor:
    return (x + update) / 2


@bank.compound("shapes_not_compared", "stream_cut_off")
def not_compared_stream_cut_off(x: Tensor, update: Tensor) -> Tensor:
    return x.detach() + update


@bank.compound("shapes_not_compared", "update_only")
def not_compared_update_only(x: Tensor, update: Tensor) -> Tensor:
    return update.clone()


@bank.compound("shapes_not_compared", "float32_returned")
def not_compared_float32(x: Tensor, update: Tensor) -> Tensor:
    return x.float() + update.float()


@bank.compound("shapes_not_compared", "normalised_after")
def not_compared_normalised(x: Tensor, update: Tensor) -> Tensor:
    return functional.layer_norm(x + update, (x + update).shape[-1:])


@bank.compound("block_without_residual", "queries_and_keys_swapped", instead_of=BLOCK)
def swapped_without_residual(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return project(attention(k, q, v), w_o)


@bank.compound("block_without_residual", "keys_as_values", instead_of=BLOCK)
def keys_without_residual(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, _ = project_qkv(x, w_q, w_k, w_v)
    return project(attention(q, k, k), w_o)


@bank.compound("block_without_residual", "w_o_missing", instead_of=BLOCK)
def attention_alone(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    return attention(*project_qkv(x, w_q, w_k, w_v))


@bank.compound("block_without_residual", "w_o_transposed", instead_of=BLOCK)
def w_o_transposed_without_residual(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return attention(q, k, v) @ w_o.mT


@bank.compound("w_o_transposed", "queries_and_keys_swapped", instead_of=BLOCK)
def w_o_transposed_swapped(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_k, w_v)
    return add_residual(x, attention(k, q, v) @ w_o.mT)


@bank.compound("keys_by_w_q", "normalised_last", instead_of=BLOCK)
def keys_by_w_q_normalised_last(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> Tensor:
    q, k, v = project_qkv(x, w_q, w_q, w_v)
    stream = add_residual(x, project(attention(q, k, v), w_o))
    return functional.layer_norm(stream, x.shape[-1:])


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
