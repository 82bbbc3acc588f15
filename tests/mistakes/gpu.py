"""Wrong answers to running on an accelerator.

Left out of the catalogue: thresholds, exact equality and TF32 (they are mistakes of a test, not of
an answer), results that are kept from call to call (told by the check of speed, on an accelerator),
and patched timers (the grader's own clock is out of reach).
"""

import math
import statistics
import time

import torch
from torch import Tensor, nn
from torch.nn import functional

from grader.diagnosis import Bank
from solutions.gpu import SingleHeadAttention

BUILD = "stages/gpu.html#what-to-build"
SHAPES = "stages/gpu.html#shapes"
FORMULA = "stages/gpu.html#the-formula"
MEASURING = "stages/gpu.html#measuring"
CONTRACT = "stages/index.html"
SCALE = "stages/scaling.html#the-formula"
SCORES = "stages/scores.html#the-formula"
SOFTMAX = "stages/softmax.html#the-formula"
PICK, TIMER = "pick_device", "time_forward"

bank = Bank(__name__, instead_of="SingleHeadAttention", read=FORMULA)


def _scores(head: SingleHeadAttention, x: Tensor) -> Tensor:
    """Scaled scores."""
    q, k = head.W_Q(x), head.W_K(x)
    scores: Tensor = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return scores


def _mixed(head: SingleHeadAttention, scores: Tensor, x: Tensor) -> Tensor:
    """Softmax of scaled scores, and the mix of values."""
    output: Tensor = scores.softmax(dim=-1) @ head.W_V(x)
    return output


def _wait(x: Tensor) -> None:
    """Wait for x's device."""
    if x.is_cuda:
        torch.cuda.synchronize()


def _times(module: nn.Module, x: Tensor, repeats: int, warmup: int) -> list[float]:
    """Seconds of each pass after the warm-up."""
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.perf_counter()
        module(x)
        _wait(x)
        seconds.append(time.perf_counter() - start)
    return seconds


# Picking a device


@bank.mistake(
    'You always pick "cuda". On a machine without it, the first tensor that is moved there raises.',
    "What does your code run on, on a laptop?",
    read=BUILD,
    instead_of=PICK,
)
def always_cuda() -> torch.device:
    return torch.device("cuda")


@bank.mistake(
    "On a machine with CUDA you pick the CPU, and the accelerator lies idle.",
    "Which function of PyTorch tells whether there is an accelerator?",
    read=BUILD,
    instead_of=PICK,
)
def always_cpu() -> torch.device:
    return torch.device("cpu")


@bank.mistake(
    "You returned a device's name. A `torch.device` is asked for.",
    "What has a `.type`: a string, or a `torch.device`?",
    read=BUILD,
    instead_of=PICK,
)
def name_returned() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


@bank.mistake(
    "You returned whether there is an accelerator. The device itself is asked for.",
    "What do you hand to `.to(…)`?",
    read=BUILD,
    instead_of=PICK,
)
def truth_returned() -> bool:
    return torch.cuda.is_available()


@bank.mistake(
    'Any accelerator makes you pick "cuda". It may be of another kind.',
    "Which function tells the *kind* of accelerator?",
    read=BUILD,
    instead_of=PICK,
)
def any_means_cuda() -> torch.device:
    return torch.device("cuda" if torch.accelerator.is_available() else "cpu")


@bank.mistake(
    "Without an accelerator you return None. The CPU is a device, too.",
    "What does `current_accelerator()` return where there is none?",
    read=BUILD,
    instead_of=PICK,
)
def none_without() -> torch.device | None:
    return torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None


@bank.mistake(
    "Without an accelerator your function raises. The CPU is a device, too.",
    "What should a laptop without a GPU do with your code?",
    read=BUILD,
    instead_of=PICK,
)
def raises_without() -> torch.device:
    if not torch.accelerator.is_available():
        raise RuntimeError("no accelerator")
    return torch.accelerator.current_accelerator() or torch.device("cpu")


@bank.mistake(
    "Your choice is the wrong way round: the CPU where there is an accelerator.",
    "In which case should your `if` be true?",
    read=BUILD,
    instead_of=PICK,
)
def wrong_way_round() -> torch.device:
    return torch.device("cpu" if torch.cuda.is_available() else "cuda")


@bank.mistake(
    'You asked for CUDA, and picked "mps" where there is none.',
    "What do you pick on a machine without any accelerator?",
    read=BUILD,
    instead_of=PICK,
)
def mps_without_asking() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "mps")


@bank.mistake(
    "`pick_device` returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
    instead_of=PICK,
)
def device_not_returned() -> None:
    torch.device("cuda" if torch.cuda.is_available() else "cpu")


# The parameters


@bank.mistake(
    "Your layers have a bias. These projections are a product, and nothing is added.",
    "What does `nn.Linear` add if it is not told otherwise?",
    read=BUILD,
)
class bias_left_on(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_k) for _ in range(3))


@bank.mistake(
    "Your layer W_Q has a bias. These projections are a product, and nothing is added.",
    "What does `nn.Linear` add if it is not told otherwise?",
    read=BUILD,
)
class bias_of_queries(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_Q = nn.Linear(d_model, d_k)


@bank.mistake(
    "Your layer W_K has a bias. These projections are a product, and nothing is added.",
    "What does `nn.Linear` add if it is not told otherwise?",
    read=BUILD,
)
class bias_of_keys(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_K = nn.Linear(d_model, d_k)


@bank.mistake(
    "Your layer W_V has a bias. These projections are a product, and nothing is added.",
    "What does `nn.Linear` add if it is not told otherwise?",
    read=BUILD,
)
class bias_of_values(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_V = nn.Linear(d_model, d_k)


@bank.mistake(
    "Your layers are called w_q, w_k and w_v. The names asked for are W_Q, W_K and W_V: whoever "
    "loads weights finds them by name.",
    "Does Python tell `w_q` from `W_Q`?",
    read=BUILD,
)
class lower_case_names(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_k, bias=False)
        self.w_k = nn.Linear(d_model, d_k, bias=False)
        self.w_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x))


@bank.mistake(
    "Your layers are called query, key and value. The names asked for are W_Q, W_K and W_V: "
    "whoever loads weights finds them by name.",
    "Are `W_Q` and the queries the same thing?",
    read="learn/parameters.html",
)
class other_names(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d_k, bias=False)
        self.key = nn.Linear(d_model, d_k, bias=False)
        self.value = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(self.query(x), self.key(x), self.value(x))


@bank.mistake(
    "You have one layer more than asked for, W_O. This head returns what it mixed, d_k wide.",
    "Which three parameters does the page list?",
    read=BUILD,
)
class output_layer(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_O = nn.Linear(d_k, d_k, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.W_O(_mixed(self, _scores(self, x), x))
        return output


@bank.mistake(
    "You have one parameter more than asked for, a scale that is learned. Here it is 1/√d_k.",
    "Which three parameters does the page list?",
    read=BUILD,
)
class learned_scale(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x) * self.temperature.to(x.dtype), x)


@bank.mistake(
    "W_Q, W_K and W_V are one and the same layer. Each needs parameters of its own.",
    "What does `self.W_Q = self.W_K = nn.Linear(…)` make: two layers, or one with two names?",
    read=BUILD,
)
class one_layer_for_all(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_Q = self.W_K = self.W_V


@bank.mistake(
    "Queries and keys share one layer. Each needs parameters of its own, or every score is "
    "symmetric.",
    "What does `self.W_Q = self.W_K = nn.Linear(…)` make: two layers, or one with two names?",
    read=BUILD,
)
class queries_and_keys_share(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_K = self.W_Q


@bank.mistake(
    "Keys and values share one layer. Each needs parameters of its own, or a token hands over what "
    "it is found by.",
    "What does `self.W_K = self.W_V = nn.Linear(…)` make: two layers, or one with two names?",
    read=BUILD,
)
class keys_and_values_share(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.W_K = self.W_V


@bank.mistake(
    "You have one joint layer for queries, keys and values. Three are asked for, by name.",
    "Which three parameters does the page list?",
    read=BUILD,
)
class joint_layer(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.W_QKV = nn.Linear(d_model, 3 * d_k, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_QKV(x).chunk(3, dim=-1)
        return functional.scaled_dot_product_attention(q, k, v)


@bank.mistake(
    "Your weights are bare parameters, W_Q and so on. Layers are asked for: their parameters are "
    "called W_Q.weight, and have the shape (d_k, d_model).",
    "What does `nn.Linear` call its parameter, and which shape has it?",
    read=BUILD,
)
class bare_parameters(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.W_Q = nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = nn.Parameter(torch.randn(d_model, d_k))

    def forward(self, x: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(x @ self.W_Q, x @ self.W_K, x @ self.W_V)


@bank.mistake(
    "Your layers lead from d_k to d_model; they must lead from d_model to d_k.",
    "In which order does `nn.Linear` take its two sizes: in, out, or out, in?",
    read=BUILD,
)
class sizes_swapped(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_k, d_model)


@bank.mistake(
    "Your layers keep the width: they lead from d_model to d_model. The head works in d_k.",
    "How wide are queries, keys and values?",
    read=SHAPES,
)
class square_layers(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_model)


@bank.mistake(
    "Your module knows of no parameters, so moving it moves nothing. Layers in a plain list "
    "are unknown to it, and so are weights that are plain tensors.",
    "What must an attribute be for the module to find its parameters?",
    read=BUILD,
)
class layers_in_a_list(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.layers = [nn.Linear(d_model, d_k, bias=False) for _ in range(3)]

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x) for layer in self.layers)
        return functional.scaled_dot_product_attention(q, k, v)


@bank.mistake(
    "Your layers are made in `forward`, with new random weights for every call. They belong in "
    "`__init__`.",
    "Where must a weight be made so that training can change it?",
    read="learn/parameters.html",
)
class layers_made_in_forward(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.sizes = d_model, d_k

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (nn.Linear(*self.sizes, bias=False, dtype=x.dtype)(x) for _ in range(3))
        return functional.scaled_dot_product_attention(q, k, v)


@bank.mistake(
    "Your `__init__` does not call `super().__init__()`, so the module cannot take any layer.",
    "Who makes the place where a module keeps its layers?",
    evidence="PyTorch said: {error}",
    read=BUILD,
)
class super_not_called(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        self.W_Q = nn.Linear(d_model, d_k, bias=False)


@bank.mistake(
    "Your module has no method called `forward`. That is the one that a call of the module runs.",
    "How is the method of your class spelled, and is it inside the class?",
    read=BUILD,
)
class forward_missing(nn.Module):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_k, bias=False)


@bank.mistake(
    "Your head is no `nn.Module`, so it has no parameters that a device or optimiser could find.",
    "What stands in the brackets after the name of your class?",
    read=BUILD,
)
class no_module:
    def __init__(self, d_model: int, d_k: int) -> None:
        self.W_Q = nn.Linear(d_model, d_k, bias=False)


# The formula


@bank.mistake(
    "Your head does not scale its scores.",
    "What is missing between the scores and the softmax?",
    read=SCALE,
)
class not_scaled(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT, x)


@bank.mistake(
    "Your head divides by √d_model. Queries and keys are d_k long, and that is what counts.",
    "A score is a sum. Of how many products?",
    evidence="Here d_model is {d_model} and d_k is {d_k}.",
    read=SCALE,
)
class by_root_of_d_model(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT / math.sqrt(x.shape[-1]), x)


@bank.mistake(
    "Your head divides by d_k, not by its square root. Or does it divide by the root twice?",
    "In how many places of your code is something divided, and by what?",
    read=SCALE,
)
class by_d_k(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x).mT / q.shape[-1], x)


@bank.mistake(
    "Your head multiplies by √d_k instead of dividing.",
    "Should the scores get larger or smaller when d_k grows?",
    read=SCALE,
)
class multiplied(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x).mT * math.sqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head divides by the root of the number of tokens. What counts is d_k.",
    "A score is a sum. Of how many products?",
    read=SCALE,
)
class by_root_of_tokens(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT / math.sqrt(x.shape[-2]), x)


@bank.mistake(
    "Your head divides by the root of the size of axis 0: that is the batch if there is one, and "
    "the tokens otherwise. What counts is d_k.",
    "Which axis of the keys is d_k, counted from the end?",
    read=SCALE,
)
class by_root_of_first_axis(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT / math.sqrt(len(x)), x)


@bank.mistake(
    "Your head divides by the root of the size of axis 1. That is the tokens with one batch axis, "
    "and d_k only without any.",
    "Which axis of the keys is d_k, counted from the end?",
    read=SCALE,
)
class by_root_of_second_axis(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        k = self.W_K(x)
        return _mixed(self, self.W_Q(x) @ k.mT / math.sqrt(k.shape[1]), x)


@bank.mistake(
    "The root in your head was rounded down to a whole number.",
    "What is √5, and what does `int`, `isqrt` or `//` make of it?",
    read=SCALE,
)
class root_rounded_down(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x).mT / math.isqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head divides by 8, whatever d_k is.",
    "Which number in your code should have been made from d_k?",
    read=SCALE,
)
class by_eight(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT / 8, x)


@bank.mistake(
    "Your head scales after the softmax. The scale belongs to the scores.",
    "In which order do scale and softmax come in the formula?",
    read=SCALE,
)
class scaled_after_softmax(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        weights = (q @ self.W_K(x).mT).softmax(dim=-1) / math.sqrt(q.shape[-1])
        output: Tensor = weights @ self.W_V(x)
        return output


@bank.mistake(
    "Your softmax goes over the queries. Each query's row must add up to 1, over the keys.",
    "Which axis of the scores counts the keys?",
    read=SOFTMAX,
)
class over_queries(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=-2) @ self.W_V(x)
        return output


@bank.mistake(
    "Your softmax goes over axis 0, which is the batch if there is one.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
)
class over_first_axis(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=0) @ self.W_V(x)
        return output


@bank.mistake(
    "Your softmax goes over axis 1. That is the row only as long as there is no batch.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
)
class over_second_axis(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=1) @ self.W_V(x)
        return output


@bank.mistake(
    "Your softmax goes over axis 2. That is the row only with exactly one batch axis.",
    "Which axis is the row, with and without a batch?",
    read=SOFTMAX,
)
class over_third_axis(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=2) @ self.W_V(x)
        return output


@bank.mistake(
    "Your head has no softmax: the scaled scores themselves are the weights.",
    "What must a row of weights add up to?",
    read=SOFTMAX,
)
class no_softmax(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x) @ self.W_V(x)
        return output


@bank.mistake(
    "In your head queries and keys have changed places: the rows of the scores are keys.",
    "Who asks, and so stands on the left of the product?",
    read=SCORES,
)
class keys_first(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x).mT, x)


@bank.mistake(
    "Your head multiplies queries and keys without a transpose.",
    "In `A @ B` a row of A meets a column of B. What is a column of the keys?",
    read=SCORES,
)
class keys_not_transposed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x) / math.sqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head swaps the axes 1 and 2 of the keys. Those are the last two only with exactly one "
    "batch axis.",
    "How can you name the last two axes without knowing how many there are?",
    evidence="PyTorch said: {error}",
    read="stages/scores.html#shapes",
)
class axes_one_and_two(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x).transpose(1, 2) / math.sqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head swaps the axes 0 and 1 of the keys (or uses `.t()` or `.T`). Those are the last two "
    "only as long as there is no batch.",
    "How can you name the last two axes without knowing how many there are?",
    read="stages/scores.html#shapes",
)
class axes_zero_and_one(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ self.W_K(x).transpose(0, 1) / math.sqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head uses the weights transposed: a token receives what the others owed to it.",
    "Row i of the weights is how query i shares out its attention. Which row makes output i?",
    read="stages/mixing.html#the-formula",
)
class weights_transposed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=-1).mT @ self.W_V(x)
        return output


@bank.mistake(
    "Your head mixes the keys; W_V is not used.",
    "Which of the three does a token hand over?",
    read="stages/mixing.html#the-formula",
)
class keys_mixed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = _scores(self, x).softmax(dim=-1) @ self.W_K(x)
        return output


@bank.mistake(
    "Your head mixes x itself; W_V is not used.",
    "Which of the three does a token hand over?",
    read="stages/mixing.html#the-formula",
)
class stream_mixed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _scores(self, x).softmax(dim=-1) @ x


@bank.mistake(
    "Your head makes its keys with W_Q; W_K is not used.",
    "Which layer does each of your three lines call?",
    read="stages/projection.html#the-formula",
)
class keys_by_w_q(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        return _mixed(self, q @ q.mT / math.sqrt(q.shape[-1]), x)


@bank.mistake(
    "Your head hides every token after the query's own place. This head has no mask.",
    "Is `is_causal` or a triangle somewhere in your code?",
    read="learn/next.html#masks",
)
class causal_by_habit(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


@bank.mistake(
    "Something random is at work in your head in train mode, dropout for one. This head has none.",
    "Should the same tokens give the same output twice?",
    read=CONTRACT,
)
class dropout(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        weights = functional.dropout(_scores(self, x).softmax(dim=-1), 0.5, self.training)
        output: Tensor = weights @ self.W_V(x)
        return output


@bank.mistake(
    "Something random is at work in your head, in eval mode as well: dropout for one. This "
    "head has none.",
    "Should the same tokens give the same output twice?",
    read=CONTRACT,
)
class dropout_always(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        weights = functional.dropout(_scores(self, x).softmax(dim=-1), 0.5)
        output: Tensor = weights @ self.W_V(x)
        return output


@bank.mistake(
    "Your head adds x to its output where the widths agree. The residual add is another stage.",
    "What shape has the output, and what shape has x?",
    read=FORMULA,
)
class residual_added(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output = _mixed(self, _scores(self, x), x)
        return output + x if output.shape == x.shape else output


@bank.mistake(
    "Your head returns output and weights. Only the output is asked for.",
    "What will the next layer do with a pair?",
    read=SHAPES,
)
class pair_returned(SingleHeadAttention):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        weights = _scores(self, x).softmax(dim=-1)
        return weights @ self.W_V(x), weights


@bank.mistake(
    "Your head returns its weights. They still have to be applied to the values.",
    "Which step of the formula is missing?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=FORMULA,
)
class weights_returned(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _scores(self, x).softmax(dim=-1)


@bank.mistake(
    "Your `forward` returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
)
class nothing_returned(SingleHeadAttention):
    def forward(self, x: Tensor) -> None:  # type: ignore[override]
        _mixed(self, _scores(self, x), x)


@bank.mistake(
    "Your head keeps its first output and returns it again, whatever x is.",
    "What does your module remember between two calls?",
    read=CONTRACT,
)
class output_kept(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        if not hasattr(self, "kept"):
            self.kept = _mixed(self, _scores(self, x), x)
        return self.kept


@bank.mistake(
    "Only the first item of the batch was computed; the others got its output.",
    "Does your code pick out one element of the batch axis somewhere?",
    read=SHAPES,
)
class first_of_batch(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output = _mixed(self, _scores(self, x), x)
        return output if x.ndim == 2 else output[:1].expand_as(output).clone()


@bank.mistake(
    "The batch axes were merged into the tokens, so tokens of one item attended to another's.",
    "Which axes does `view(-1, …)` merge?",
    read=SHAPES,
)
class batch_merged(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        return _mixed(self, _scores(self, flat), flat).reshape(*x.shape[:-1], -1)


@bank.mistake(
    "Axes of size 1 are gone from your output. One token or a batch of one is a size like any "
    "other.",
    "Which call removes axes of size 1, and is it needed?",
    evidence="You returned {shape}; expected {expected_shape}.",
    read=SHAPES,
)
class squeezed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x), x).squeeze()


@bank.mistake(
    "No gradient flows back through your head: nothing in it could learn.",
    "Do `.detach()`, `.data` or `no_grad` appear in your code?",
    read=CONTRACT,
)
class cut_off(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x), x).detach()


@bank.mistake(
    "No gradient reaches W_Q and W_K: the scores are cut off.",
    "Around which part of the formula are `.detach()`, `.data` or `no_grad`?",
    read=CONTRACT,
)
class scores_cut_off(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x).detach(), x)


@bank.mistake(
    "The output is always float32, whatever x and the weights are.",
    "Which call in your code names a dtype?",
    evidence="{dtypes}",
    read=CONTRACT,
)
class float32_returned(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x), x).float()


@bank.mistake(
    "You changed x in place. It belongs to whoever called you.",
    "Which of your methods end in an underscore, or which line has `-=` or `*=`?",
    evidence="{changed}",
    read=CONTRACT,
)
class stream_changed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output = _mixed(self, _scores(self, x.clone()), x.clone())
        x.data.zero_()
        return output


@bank.mistake(
    "`view` needs numbers that lie side by side in memory. A transposed tensor's do not, and your "
    "`forward` raises.",
    "What does `reshape` do that `view` does not?",
    evidence="PyTorch said: {error}",
    read=SHAPES,
)
class viewed(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        flat = x.view(-1, x.shape[-1])
        return _mixed(self, _scores(self, x), flat.view(x.shape))


# The device


@bank.mistake(
    "Your `forward` makes a tensor on the CPU, which then meets tensors of the accelerator.",
    "Which line makes a new tensor, and does it say `device=x.device`?",
    read=BUILD,
)
class tensor_on_the_cpu(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        mask = torch.zeros(x.shape[-2], x.shape[-2], dtype=x.dtype)
        return _mixed(self, _scores(self, x) + mask, x)


@bank.mistake(
    "Your `forward` makes a tensor without saying where or of which dtype: it is float32, on the "
    "CPU, and meets tensors of x's device and dtype.",
    "Which line makes a new tensor, and does it say `device=x.device, dtype=x.dtype`?",
    read=BUILD,
)
class tensor_by_default(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x) + torch.zeros(x.shape[-2], x.shape[-2]), x)


@bank.mistake(
    "Your `forward` moves x to the accelerator, if there is one. Whoever calls it has chosen the "
    "device, and may have chosen the CPU.",
    "Who decides where a result is computed: your head, or whoever made x and moved the module?",
    read=BUILD,
)
class moved_to_the_accelerator(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        if torch.accelerator.is_available():
            device = torch.accelerator.current_accelerator()
            self.to(device)
            x = x.to(device)
        return super().forward(x)


@bank.mistake(
    "Your `forward` moves x to CUDA if there is any, and to the CPU if not. Whoever calls it has "
    "chosen the device, and may have chosen another.",
    "Who decides where a result is computed: your head, or whoever made x and moved the module?",
    read=BUILD,
)
class moved_to_cuda_or_cpu(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.to("cuda" if torch.cuda.is_available() else "cpu"))


@bank.mistake(
    "Your `forward` brings x to the CPU, where it meets weights that are on the accelerator.",
    "Who decides where a result is computed: your head, or whoever made x and moved the module?",
    read=BUILD,
)
class stream_to_the_cpu(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.cpu())


@bank.mistake(
    "Your `forward` makes a tensor on the CPU and copies it to the accelerator, in every call.",
    "How can a tensor be made where it is needed?",
    read=BUILD,
)
class made_and_moved(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        mask = torch.zeros(x.shape[-2], x.shape[-2]).to(x.device, x.dtype)
        return _mixed(self, _scores(self, x) + mask, x)


@bank.mistake(
    "Your module holds a plain tensor, which stays on the CPU when the module moves.",
    "What does `register_buffer` do that an attribute does not?",
    read=BUILD,
)
class tensor_as_attribute(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.scale = torch.full((1,), d_k**-0.5, dtype=torch.float64)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.W_Q(x) @ self.W_K(x).mT * self.scale.to(x.dtype)
        return _mixed(self, scores, x)


@bank.mistake(
    "Your `forward` brings the scores to the CPU and back.",
    "Which operation in between could not be done on the accelerator?",
    read=BUILD,
)
class round_trip(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x).cpu().to(x.device), x)


@bank.mistake(
    "Your output is on the CPU, wherever x was.",
    "Who decides where a result is needed: your head, or whoever calls it?",
    read=BUILD,
)
class result_on_the_cpu(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, _scores(self, x), x).cpu()


@bank.mistake(
    "Your `forward` goes through NumPy, which only knows the CPU, and no gradients.",
    "Which torch functions do the same as the NumPy functions in your code?",
    read=BUILD,
)
class through_numpy(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        scores = torch.from_numpy(_scores(self, x).detach().cpu().numpy()).to(x.device)
        return _mixed(self, scores, x)


@bank.mistake(
    "Your `forward` asks the accelerator for a number (`.item()`, `float(…)`, or an `if` on a "
    "tensor), and Python waits for it.",
    "Which line needs a Python number, and could a tensor do?",
    read=BUILD,
)
class number_asked(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        scores = _scores(self, x)
        return _mixed(self, scores - scores.max().item(), x)


@bank.mistake(
    'Your `forward` names "cuda". On an accelerator of another kind it fails.',
    "Which device do you know without naming one?",
    read=BUILD,
)
class cuda_by_name(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        where = "cpu" if x.device.type == "cpu" else "cuda"
        mask = torch.zeros(x.shape[-2], x.shape[-2], device=where, dtype=x.dtype)
        return _mixed(self, _scores(self, x) + mask, x)


@bank.mistake(
    "Your `forward` knows some accelerators by name, and takes the CPU for any other device.",
    "Which device do you know without naming one?",
    read=BUILD,
)
class some_by_name(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        where = x.device if x.device.type in ("cuda", "mps", "xpu") else "cpu"
        mask = torch.zeros(x.shape[-2], x.shape[-2], device=where, dtype=x.dtype)
        return _mixed(self, _scores(self, x) + mask, x)


@bank.mistake(
    "Your `forward` moves x with `.cuda()`. On a machine without CUDA it raises, and where x is "
    "is not for the head to decide.",
    "Which device do you know without naming one?",
    evidence="PyTorch said: {error}",
    read=BUILD,
)
class moved_to_cuda(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.cuda())


@bank.mistake(
    "Your `forward` loops over the tokens. Every turn queues its own operations, and the "
    "accelerator waits for Python.",
    "Which product does all queries at once?",
    read=FORMULA,
)
class loop_over_tokens(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)
        rows = []
        for i in range(x.shape[-2]):
            scores = q[..., i : i + 1, :] @ k.mT / math.sqrt(q.shape[-1])
            rows.append(scores.softmax(dim=-1) @ v)
        return torch.cat(rows, dim=-2)


@bank.mistake(
    "Your `forward` loops over the items of the batch. Every turn queues its own operations, and "
    "the accelerator waits for Python.",
    "Which operator works on all items of a batch at once?",
    read=FORMULA,
)
class loop_over_the_batch(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        if x.ndim > 2:
            return torch.stack([self.forward(item) for item in x])
        return _mixed(self, _scores(self, x), x)


# The stopwatch


@bank.mistake(
    "You do not wait for the device. A call returns as soon as its work is queued, so you timed "
    "the queueing.",
    "What has the accelerator done at the moment when the clock is read?",
    read=MEASURING,
    instead_of=TIMER,
)
def no_wait(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        module(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You wait before the first reading of the clock, but not before the second.",
    "What has the accelerator done at the moment when the second reading is taken?",
    read=MEASURING,
    instead_of=TIMER,
)
def wait_only_before(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.perf_counter()
        module(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You wait before the second reading of the clock, but not before the first: what was queued "
    "earlier is timed as well.",
    "Is the warm-up over at the moment when the first reading is taken?",
    read=MEASURING,
    instead_of=TIMER,
)
def wait_only_after(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        module(x)
        _wait(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "Your clock counts the processor's own work (`process_time`, `thread_time`). What the device "
    "does meanwhile, and the wait for it, need not be in it.",
    "Which clock of `time` goes on while a program waits?",
    read=MEASURING,
    instead_of=TIMER,
)
def processor_clock(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.process_time()
        module(x)
        _wait(x)
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


@bank.mistake(
    "Your times are negative: the later reading is taken from the earlier one.",
    "Which of the two readings of a clock is the larger?",
    read=MEASURING,
    instead_of=TIMER,
)
def start_less_end(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return -statistics.median(_times(module, x, repeats, warmup))


@bank.mistake(
    "Your times add up: each goes from one common start to the end of its pass, so it holds all "
    "passes before it.",
    "How often must the clock be read at the beginning of a pass?",
    read=MEASURING,
    instead_of=TIMER,
)
def start_read_once(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    _wait(x)
    start = time.perf_counter()
    seconds = []
    for _ in range(repeats):
        module(x)
        _wait(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You copy the output to the CPU while the clock runs. That waits, and times the copy as well.",
    "Which call waits for the device and copies nothing?",
    read=MEASURING,
    instead_of=TIMER,
)
def copy_for_a_wait(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.perf_counter()
        module(x).cpu()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You ask for a number of the output while the clock runs. That waits, and times more than the "
    "pass.",
    "Which call waits for the device and fetches nothing?",
    read=MEASURING,
    instead_of=TIMER,
)
def number_for_a_wait(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.perf_counter()
        module(x).sum().item()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You copy the input to the device while the clock runs. x is there already, and a copy takes "
    "longer than a pass.",
    "Which lines between the two readings are part of the forward pass?",
    read=MEASURING,
    instead_of=TIMER,
)
def input_copied_inside(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        _wait(x)
        start = time.perf_counter()
        module(x.cpu().to(x.device))
        _wait(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.mistake(
    "You leave out the warm-up. The first passes load kernels and reserve memory, and are slower.",
    "How often must the module run before the first pass is timed?",
    read=MEASURING,
    instead_of=TIMER,
)
def no_warm_up(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats, 0))


@bank.mistake(
    "The warm-up's passes are among those that you take the median of.",
    "Which of your readings belong to the warm-up?",
    read=MEASURING,
    instead_of=TIMER,
)
def warm_up_timed(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats + warmup, 0))


@bank.mistake(
    "The warm-up's passes are among those that you take the mean of, and it should be a median.",
    "Which of your readings belong to the warm-up?",
    read=MEASURING,
    instead_of=TIMER,
)
def warm_up_in_the_mean(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.mean(_times(module, x, repeats + warmup, 0))


@bank.mistake(
    "You warm up once, whatever `warmup` says.",
    "Which argument of yours is never used?",
    read=MEASURING,
    instead_of=TIMER,
)
def one_warm_up(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats, 1))


@bank.mistake(
    "You returned the mean. One slow pass, for whatever reason, drags it along; the median stays.",
    "What do the mean and the median of [1, 1, 1, 97] tell?",
    read=MEASURING,
    instead_of=TIMER,
)
def mean_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.mean(_times(module, x, repeats, warmup))


@bank.mistake(
    "You returned the fastest pass. The median is asked for.",
    "How often is a pass as fast as the fastest?",
    read=MEASURING,
    instead_of=TIMER,
)
def fastest_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return min(_times(module, x, repeats, warmup))


@bank.mistake(
    "You returned the slowest pass. The median is asked for.",
    "How often is a pass as slow as the slowest?",
    read=MEASURING,
    instead_of=TIMER,
)
def slowest_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return max(_times(module, x, repeats, warmup))


@bank.mistake(
    "You returned the last pass alone. The median of all of them is asked for.",
    "What becomes of the other readings?",
    read=MEASURING,
    instead_of=TIMER,
)
def last_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return _times(module, x, repeats, warmup)[-1]


@bank.mistake(
    "You returned the first pass alone. The median of all of them is asked for.",
    "What becomes of the other readings?",
    read=MEASURING,
    instead_of=TIMER,
)
def first_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return _times(module, x, repeats, warmup)[0]


@bank.mistake(
    "You took the reading in the middle without sorting them first.",
    "What must be done to a list before its middle is the median?",
    read=MEASURING,
    instead_of=TIMER,
)
def middle_unsorted(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return _times(module, x, repeats, warmup)[repeats // 2]


@bank.mistake(
    "You returned the time of all passes together. The median of one pass is asked for.",
    "By what does the result grow if `repeats` is doubled, and should it?",
    read=MEASURING,
    instead_of=TIMER,
)
def total_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return sum(_times(module, x, repeats, warmup))


@bank.mistake(
    "You timed all passes in one go and returned what they took together. The median of one pass "
    "is asked for, so each pass needs readings of its own.",
    "By what does the result grow if `repeats` is doubled, and should it?",
    read=MEASURING,
    instead_of=TIMER,
)
def total_in_one_go(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    _wait(x)
    start = time.perf_counter()
    for _ in range(repeats):
        module(x)
    _wait(x)
    return time.perf_counter() - start


@bank.mistake(
    "You took one reading for all passes and divided it. That is their mean; for a median each "
    "pass needs a reading of its own.",
    "What does one slow pass do to your result?",
    read=MEASURING,
    instead_of=TIMER,
)
def divided_total(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    _wait(x)
    start = time.perf_counter()
    for _ in range(repeats):
        module(x)
    _wait(x)
    return (time.perf_counter() - start) / repeats


@bank.mistake(
    "You returned milliseconds. Seconds are asked for.",
    "Which factor is in your `return` line?",
    read=BUILD,
    instead_of=TIMER,
)
def milliseconds(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return 1000 * statistics.median(_times(module, x, repeats, warmup))


@bank.mistake(
    "You returned the median divided by the number of passes. It is the time of one pass already.",
    "By what does the median grow if `repeats` is doubled?",
    read=MEASURING,
    instead_of=TIMER,
)
def median_divided(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats, warmup)) / repeats


@bank.mistake(
    "You time one pass, whatever `repeats` says.",
    "Which argument of yours is never used?",
    read=MEASURING,
    instead_of=TIMER,
)
def one_pass(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return _times(module, x, 1, warmup)[0]


@bank.mistake(
    "The passes that you time are more than `repeats` says, or later ones.",
    "Which number in your code should have been `repeats`?",
    read=MEASURING,
    instead_of=TIMER,
)
def repeats_by_habit(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, 20, warmup))


@bank.mistake(
    "You warm up with three passes, whatever `warmup` says.",
    "Which argument of yours is never used?",
    read=MEASURING,
    instead_of=TIMER,
)
def warmup_by_habit(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats, 3))


@bank.mistake(
    "You time other passes than those after the warm-up. Did `repeats` and `warmup` change places?",
    "Which of the two counts the passes whose times are thrown away?",
    read=MEASURING,
    instead_of=TIMER,
)
def counts_exchanged(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats=warmup, warmup=repeats))


@bank.mistake(
    "Your median is that of one pass more than `repeats` says, or of one less.",
    "How many readings are in your list, and are all of them in the median?",
    read=MEASURING,
    instead_of=TIMER,
)
def one_reading_dropped(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.median(_times(module, x, repeats, warmup)[1:])


@bank.mistake(
    "You returned a tensor. A Python float is asked for: `.item()` makes one.",
    "What does `torch.median` return?",
    read=BUILD,
    instead_of=TIMER,
)
def tensor_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> Tensor:
    return torch.tensor(_times(module, x, repeats, warmup)).median()


@bank.mistake(
    "You returned the list of all times. Their median is asked for.",
    "Which function of `statistics` makes one number of a list?",
    read=BUILD,
    instead_of=TIMER,
)
def list_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> list[float]:
    return _times(module, x, repeats, warmup)


@bank.mistake(
    "`time_forward` returns nothing.",
    "Is there a `return` on every way through it?",
    read=CONTRACT,
    instead_of=TIMER,
)
def time_not_returned(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> None:
    _times(module, x, repeats, warmup)


@bank.mistake(
    "You leave the module in eval mode. Whoever trains it afterwards trains it without noticing.",
    "Which mode was the module in before, and who puts it back?",
    read=BUILD,
    instead_of=TIMER,
)
def left_in_eval(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    module.eval()
    return statistics.median(_times(module, x, repeats, warmup))


@bank.mistake(
    "You leave the module in train mode. Whoever uses it afterwards may have had it in eval mode.",
    "Which mode was the module in before, and who puts it back?",
    read=BUILD,
    instead_of=TIMER,
)
def left_in_train(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    module.train()
    return statistics.median(_times(module, x, repeats, warmup))


@bank.mistake(
    "You changed the input. It belongs to whoever called you.",
    "Which line writes into `x`?",
    read=CONTRACT,
    instead_of=TIMER,
)
def input_changed(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    x.mul_(0)
    return statistics.median(_times(module, x, repeats, warmup))


@bank.mistake(
    "You wait with `torch.cuda.synchronize()` whatever the device is. On a machine without CUDA "
    "that raises.",
    "On which devices is there something to wait for?",
    read=MEASURING,
    instead_of=TIMER,
)
def only_on_cuda(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        module(x)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


# Two mistakes at once


@bank.compound("not_scaled", "over_queries")
class not_scaled_over_queries(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = (self.W_Q(x) @ self.W_K(x).mT).softmax(dim=-2) @ self.W_V(x)
        return output


@bank.compound("by_root_of_d_model", "over_queries")
class d_model_over_queries(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        scores = self.W_Q(x) @ self.W_K(x).mT / math.sqrt(x.shape[-1])
        output: Tensor = scores.softmax(dim=-2) @ self.W_V(x)
        return output


@bank.compound("not_scaled", "keys_first")
class not_scaled_keys_first(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_K(x) @ self.W_Q(x).mT, x)


@bank.compound("not_scaled", "no_softmax")
class products_only(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.W_Q(x) @ self.W_K(x).mT @ self.W_V(x)
        return output


@bank.compound("not_scaled", "cut_off")
class not_scaled_cut_off(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return _mixed(self, self.W_Q(x) @ self.W_K(x).mT, x).detach()


@bank.compound("not_scaled", "loop_over_tokens")
class not_scaled_loop(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)
        rows = [(q[..., i, None, :] @ k.mT).softmax(dim=-1) @ v for i in range(x.shape[-2])]
        return torch.cat(rows, dim=-2)


@bank.compound("no_wait", "mean_returned", instead_of=TIMER)
def mean_without_wait(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    start = time.perf_counter()
    for _ in range(repeats):
        module(x)
    return (time.perf_counter() - start) / repeats


@bank.compound("no_warm_up", "mean_returned", instead_of=TIMER)
def mean_without_warm_up(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return statistics.mean(_times(module, x, repeats, 0))


@bank.compound("no_wait", "no_warm_up", instead_of=TIMER)
def no_wait_no_warm_up(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        module(x)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@bank.compound("no_warm_up", "one_pass", instead_of=TIMER)
def one_cold_pass(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    return _times(module, x, 1, 0)[0]


MISTAKES = bank.mistakes
COMPOUNDS = bank.compounds
