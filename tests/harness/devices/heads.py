"""Stage 7 in many ways: each a piece of text that replaces one of the solution's."""

from pathlib import Path
from types import MappingProxyType

SOLUTION = (Path(__file__).parents[3] / "solutions/gpu.py").read_text(encoding="utf-8")

FORWARD = SOLUTION[SOLUTION.index("        q, k, v = self.W_Q(x)") : SOLUTION.index("def time_")]
TIMER = SOLUTION[SOLUTION.index("    for _ in range(warmup):") :]
PICK = SOLUTION[SOLUTION.index("    if torch.accelerator.is_av") : SOLUTION.index("class Single")]
INIT = "        self.W_Q = nn.Linear(d_model, d_k, bias=False)\n"


def with_forward(text: str) -> str:
    """The solution with another body of `forward`, after q, k and v."""
    body = f"        q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)\n{_indented(text, 8)}\n"
    return SOLUTION.replace(FORWARD, body)


def with_init(text: str) -> str:
    """The solution with more in `__init__`."""
    return SOLUTION.replace(INIT, f"{INIT}{_indented(text, 8)}")


def with_timer(text: str) -> str:
    """The solution with another body of `time_forward`."""
    return SOLUTION.replace(TIMER, _indented(text, 4))


def with_pick(text: str) -> str:
    """The solution with another body of `pick_device`."""
    return SOLUTION.replace(PICK, f"{_indented(text, 4)}\n\n")


def _indented(text: str, by: int) -> str:
    return "".join(" " * by + line + "\n" for line in text.strip().splitlines())


LOOP = """
for _ in range(warmup):
    module(x)
times = []
for _ in range(repeats):
    {before}
    start = time.perf_counter()
    {run}
    {after}
    times.append(time.perf_counter() - start)
return statistics.median(times)
"""


def loop(run: str = "module(x)", before: str = "", after: str = "") -> str:
    """The usual stopwatch."""
    return LOOP.format(run=run, before=before or after or "pass", after=after or "pass")


EVENTS = """
for _ in range(warmup):
    module(x)
times = []
for _ in range(repeats):
    start, end = {event}, {event}
    start.record()
    module(x)
    end.record()
    {wait}
    times.append(start.elapsed_time(end) / 1000)
return sorted(times)[len(times) // 2]
"""

RIGHT_TIMERS = MappingProxyType(
    {
        "cuda, if x is there": loop(after="torch.cuda.synchronize() if x.is_cuda else None"),
        "cuda, by device type": loop(
            after="torch.cuda.synchronize(x.device) if x.device.type == 'cuda' else None"
        ),
        "cuda, if available": loop(
            after="torch.cuda.synchronize() if torch.cuda.is_available() else None"
        ),
        "accelerator": loop(
            after="torch.accelerator.synchronize() if torch.accelerator.is_available() else None"
        ),
        "device's own module": loop(after="getattr(torch, x.device.type).synchronize()"),
        "stream": loop(after="torch.cuda.current_stream().synchronize() if x.is_cuda else None"),
        "module.forward": loop(
            run="module.forward(x)", after="torch.cuda.synchronize() if x.is_cuda else None"
        ),
        "lower median": loop(after="torch.cuda.synchronize() if x.is_cuda else None").replace(
            "statistics.median(times)", "torch.tensor(times).median().item()"
        ),
        "numpy median": "import numpy as np\n"
        + loop(after="torch.cuda.synchronize() if x.is_cuda else None").replace(
            "statistics.median(times)", "np.median(times)"
        ),
        "inference mode": "with torch.inference_mode():"
        + loop(after="torch.cuda.synchronize() if x.is_cuda else None").replace("\n", "\n    "),
        "nanoseconds": loop(after="torch.cuda.synchronize() if x.is_cuda else None")
        .replace("perf_counter()", "perf_counter_ns()")
        .replace("median(times)", "median(times) / 1e9"),
        "time.time": loop(after="torch.cuda.synchronize() if x.is_cuda else None").replace(
            "perf_counter()", "time()"
        ),
        "warm-up readings thrown away": """
times = []
wait = torch.cuda.synchronize if x.is_cuda else lambda: None
for _ in range(warmup + repeats):
    wait()
    start = time.monotonic()
    module(x)
    wait()
    times.append(time.monotonic() - start)
return statistics.median(times[warmup:])
""",
        "eval and back": "mode = module.training\nmodule.eval()\n"
        + loop(after="torch.cuda.synchronize() if x.is_cuda else None").replace(
            "return", "module.train(mode)\nreturn"
        ),
        "cuda events": "if x.is_cuda:"
        + EVENTS.format(
            event="torch.cuda.Event(enable_timing=True)", wait="torch.cuda.synchronize()"
        ).replace("\n", "\n    ")
        + "\n"
        + loop(),
        "an event's wait": "if x.is_cuda:"
        + EVENTS.format(
            event="torch.Event(device=x.device, enable_timing=True)", wait="end.synchronize()"
        ).replace("\n", "\n    ")
        + "\n"
        + loop(),
        "all events, one wait": """
if not x.is_cuda:
    return min(1.0, 1e-3)
for _ in range(warmup):
    module(x)
pairs = [[torch.cuda.Event(enable_timing=True) for _ in "ab"] for _ in range(repeats)]
for start, end in pairs:
    start.record()
    module(x)
    end.record()
torch.cuda.synchronize()
return statistics.median(start.elapsed_time(end) for start, end in pairs) / 1000
""",
        "timeit": """
import timeit
def run():
    module(x)
    if x.is_cuda:
        torch.cuda.synchronize()
for _ in range(warmup):
    run()
return statistics.median(timeit.repeat(run, number=1, repeat=repeats))
""",
        "benchmark, timeit": """
from torch.utils.benchmark import Timer
for _ in range(warmup):
    module(x)
return Timer("module(x)", globals={"module": module, "x": x}).timeit(repeats).median
""",
        "benchmark, autorange": """
import torch.utils.benchmark as benchmark
timer = benchmark.Timer("module(x)", globals={"module": module, "x": x})
return timer.blocked_autorange(min_run_time=0.01).median
""",
        "moved where it is already": "module = module.to(x.device)\nx = x.to(x.device)\n"
        + loop(after="torch.cuda.synchronize() if x.is_cuda else None"),
    }
)
"""Bodies of `time_forward` that are right."""

WAIT = "torch.cuda.synchronize() if x.is_cuda else None"
WRONG_TIMERS = MappingProxyType(
    {
        "no wait": (loop(), "waits"),
        "wait only after": (loop(before="pass", after=WAIT), "waits"),
        "wait only before": (loop(before=WAIT), "waits"),
        "a copy for a wait": (loop(after="module(x).cpu()"), "waits"),
        "a number for a wait": (loop(run="module(x).sum().item()"), "waits"),
        "input copied inside": (loop(run="module(x.cpu().to(x.device))", after=WAIT), "waits"),
        "no warm-up": (loop(after=WAIT).replace("range(warmup)", "range(0)"), "median"),
        "warm-up in the median": (
            loop(after=WAIT).replace("range(warmup)", "[]").replace("(repeats)", "(11)"),
            "median",
        ),
        "mean": (loop(after=WAIT).replace("median(times)", "mean(times)"), "median"),
        "least": (loop(after=WAIT).replace("statistics.median(times)", "min(times)"), "median"),
        "greatest": (loop(after=WAIT).replace("statistics.median(times)", "max(times)"), "median"),
        "last": (loop(after=WAIT).replace("statistics.median(times)", "times[-1]"), "median"),
        "first": (loop(after=WAIT).replace("statistics.median(times)", "times[0]"), "median"),
        "total": (loop(after=WAIT).replace("statistics.median(times)", "sum(times)"), "median"),
        "unsorted middle": (
            loop(after=WAIT).replace("statistics.median(times)", "times[len(times) // 2]"),
            "median",
        ),
        "milliseconds": (loop(after=WAIT).replace("(times)", "(times) * 1000"), "median"),
        "one pass": (loop(after=WAIT).replace("range(repeats)", "range(1)"), "median"),
        "a tensor": (
            loop(after=WAIT).replace("statistics.median(times)", "torch.tensor(times).median()"),
            "median",
        ),
        "left in eval": (f"module.eval()\n{loop(after=WAIT)}", "leaves_no_trace"),
        "left in train": (f"module.train()\n{loop(after=WAIT)}", "leaves_no_trace"),
        "input changed": (f"x.mul_(0)\n{loop(after=WAIT)}", "leaves_no_trace"),
        "only on a GPU": (loop(after="torch.cuda.synchronize()"), "leaves_no_trace"),
    }
)
"""Bodies of `time_forward` that are wrong, and the check that says so."""

SCORES = "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\n"
RIGHT_HEADS = MappingProxyType(
    {
        "fused": with_forward("return torch.nn.functional.scaled_dot_product_attention(q, k, v)"),
        "einsum": with_forward(
            "scores = torch.einsum('...id,...jd->...ij', q, k) * q.shape[-1] ** -0.5\n"
            "return torch.einsum('...ij,...jd->...id', torch.softmax(scores, -1), v)"
        ),
        "scaled queries": with_forward(
            "return ((q / k.size(-1) ** 0.5) @ k.mT).softmax(-1).matmul(v)"
        ),
        "by hand": with_forward(
            f"{SCORES}scores = (scores - scores.amax(-1, keepdim=True)).exp()\n"
            "return scores / scores.sum(-1, keepdim=True) @ v"
        ),
        "indexed": with_forward(
            "parts = torch.stack([q, k, v])\n"
            "q, k, v = parts[0], parts[1], parts[2]\n"
            f"{SCORES}return scores.softmax(-1) @ v"
        ),
        "in place on its own": with_forward(
            f"{SCORES}scores -= scores.detach().amax(-1, keepdim=True)\n"
            "return scores.softmax(-1).matmul(v)"
        ),
        "a mask of nothing on x's device": with_forward(
            "mask = torch.zeros(x.shape[-2], x.shape[-2], device=x.device, dtype=x.dtype)\n"
            f"{SCORES}return (scores + mask).softmax(-1) @ v"
        ),
        "made like x": with_forward(
            "out = torch.zeros_like(q)\n"
            f"{SCORES}out += scores.softmax(-1) @ v\n"
            "return out + x.new_zeros(1)"
        ),
        "a number on x's device": with_forward(
            "root = torch.sqrt(torch.tensor(float(q.shape[-1]), device=x.device, dtype=x.dtype))\n"
            "return (q @ k.transpose(-2, -1) / root).softmax(-1) @ v"
        ),
        "a buffer": with_init(
            "self.register_buffer('scale', torch.full((1,), d_k**-0.5))\n"
        ).replace("/ math.sqrt(q.shape[-1])", "* self.scale.to(x.dtype)"),
        "an attribute": with_init("self.scale = d_k**-0.5\n").replace(
            "/ math.sqrt(q.shape[-1])", "* self.scale"
        ),
        "unused dropout": with_init("self.drop = nn.Dropout(0.0)\n").replace(
            "scores.softmax(dim=-1)", "self.drop(scores.softmax(dim=-1))"
        ),
        "where it is already": with_forward(
            f"x = x.to(x.device)\n{SCORES}return scores.softmax(-1).to(q.dtype).to(v.device) @ v"
        ),
    }
)
"""Whole modules whose head is right, without a remark."""

NAMING_HEADS = MappingProxyType(
    {
        "autocast off": with_forward(
            f"with torch.autocast(x.device.type, enabled=False):\n    {SCORES}"
            "    return scores.softmax(-1) @ v"
        ),
    }
)
"""Right, and nothing that meta takes: it asks for what only a real kind of device has."""
REMARKED_HEADS = MappingProxyType(
    {
        "a number on the CPU": with_forward(
            "return (q @ k.mT / torch.sqrt(torch.tensor(q.shape[-1]))).softmax(-1) @ v"
        ),
    }
)
"""Right, but for something that a remark is made about."""

THRICE = with_forward(
    f"""
for _ in range(3):
    q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)
    {SCORES.rstrip()}
    mixed = scores.softmax(-1) @ v
return mixed
"""
)
"""Right, with three times the work."""

LOOPED = (
    "rows = [((q[..., i : i + 1, :] @ k.mT) / math.sqrt(q.shape[-1])).softmax(-1) @ v "
    "for i in range(x.shape[-2])]\nreturn torch.cat(rows, -2)"
)
WRONG_HEADS = MappingProxyType(
    {
        "a bias": (SOLUTION.replace("bias=False", "bias=True"), "parameters"),
        "another name": (SOLUTION.replace("W_K", "W_k"), "parameters"),
        "an extra layer": (with_init("self.W_O = nn.Linear(d_k, d_k, bias=False)\n"), "parameters"),
        "no scale": (with_forward("return (q @ k.mT).softmax(-1) @ v"), "numbers"),
        "causal": (
            with_forward(
                "return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"
            ),
            "numbers",
        ),
        "dropout": (
            with_forward(
                f"{SCORES}weights = nn.functional.dropout(scores.softmax(-1), 0.5, self.training)\n"
                "return weights @ v"
            ),
            "repeatable",
        ),
        "a view of x, as if it were in one piece": (
            SOLUTION.replace(
                "q, k, v = self.W_Q(x), self.W_K(x), self.W_V(x)",
                "flat = x.view(-1, x.shape[-1])\n        q, k, v = "
                "(w(flat).view(*x.shape[:-1], -1) for w in (self.W_Q, self.W_K, self.W_V))",
            ),
            "repeatable",
        ),
        "its input scaled in place": (
            SOLUTION.replace("q, k, v = self.W_Q(x)", "x *= 1.5\n        q, k, v = self.W_Q(x)"),
            "repeatable",
        ),
        "cut off": (with_forward(f"{SCORES}return (scores.softmax(-1) @ v).detach()"), "gradients"),
        "weights cut off": (
            with_forward("q = q.detach()\n" + SCORES + "return scores.softmax(-1) @ v"),
            "gradients",
        ),
        "a tensor of the CPU": (
            with_forward(
                "mask = torch.zeros(x.shape[-2], x.shape[-2])\n"
                f"{SCORES}return (scores + mask).softmax(-1) @ v"
            ),
            "placement",
        ),
        "a tensor made on the CPU and moved": (
            with_forward(
                "mask = torch.zeros(x.shape[-2], x.shape[-2]).to(x.device)\n"
                f"{SCORES}return (scores + mask).softmax(-1) @ v"
            ),
            "placement",
        ),
        "a round trip": (
            with_forward(f"{SCORES}return scores.cpu().softmax(-1).to(x.device) @ v"),
            "placement",
        ),
        "numpy": (
            with_forward(
                f"{SCORES}return torch.from_numpy(scores.detach().numpy()).softmax(-1) @ v"
            ),
            "placement",
        ),
        "a result on the CPU": (
            with_forward(f"{SCORES}return (scores.softmax(-1) @ v).cpu()"),
            "placement",
        ),
        "a number for Python": (
            with_forward(f"{SCORES}return (scores - scores.max().item()).softmax(-1) @ v"),
            "placement",
        ),
        "a branch on a number": (
            with_forward(
                f"{SCORES}if scores.max() > 80:\n    scores = scores * 1\n"
                "return scores.softmax(-1) @ v"
            ),
            "placement",
        ),
        "cuda by name": (
            with_forward(
                "if torch.cuda.is_available():\n    q = q.cuda()\n"
                "mask = torch.zeros(x.shape[-2], x.shape[-2], "
                "device='cuda' if x.device.type != 'cpu' else 'cpu')\n"
                f"{SCORES}return (scores + mask).softmax(-1) @ v"
            ),
            "placement",
        ),
        "other kinds on the CPU": (
            with_forward(
                "where = x.device if x.device.type in ('cuda', 'mps', 'xpu') else 'cpu'\n"
                "mask = torch.zeros(x.shape[-2], x.shape[-2], device=where)\n"
                f"{SCORES}return (scores + mask).softmax(-1) @ v"
            ),
            "placement",
        ),
        "a plain tensor of the module": (
            with_init("self.scale = torch.full((1,), d_k**-0.5)\n").replace(
                "/ math.sqrt(q.shape[-1])", "* self.scale"
            ),
            "placement",
        ),
        "a loop over tokens": (with_forward(LOOPED), "no_loop"),
        "a loop over the batch": (
            with_forward(
                "if x.dim() < 3:\n"
                f"    {SCORES}    return scores.softmax(-1) @ v\n"
                "return torch.stack([self(item) for item in x])"
            ),
            "no_loop",
        ),
    }
)
"""Whole modules with a mistake in the head, and the check that says so."""

RIGHT_PICKS = MappingProxyType(
    {
        "current accelerator": "return torch.accelerator.current_accelerator(True) "
        "or torch.device('cpu')",
        "each by name": """
if torch.cuda.is_available():
    return torch.device("cuda", torch.cuda.current_device())
if torch.backends.mps.is_available():
    return torch.device("mps")
return torch.device("xpu" if torch.xpu.is_available() else "cpu")
""",
    }
)
CUDA_ONLY = "return torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')"
WRONG_PICKS = MappingProxyType(
    {
        "always cuda": "return torch.device('cuda')",
        "always the CPU": "return torch.device('cpu')",
        "a name": "return 'cuda' if torch.cuda.is_available() else 'cpu'",
        "mps means cuda": "return torch.device("
        "'cuda' if torch.accelerator.is_available() else 'cpu')",
    }
)
