"""What is looked at in stage 7 besides numbers: devices, parameters, cost, and the stopwatch.

Each experiment does something with a submission and says in words what it saw; a mistake is known
by what was seen of it.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from statistics import mean, median
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis import Experiment
from grader.subject import Subject, SubmissionDied, SubmissionTimeout
from grader.suite import Probe, expect
from stages.oracle import gpu as oracle
from stages.probes import gpu as probes

HEAD, TIMER, PICK = "SingleHeadAttention", "time_forward", "pick_device"
PICKS: Mapping[str, tuple[str, ...]] = {
    "cuda": ("cuda",),
    "none": ("cpu",),
    "mps": ("mps", "cpu"),
    "xpu": ("xpu", "cpu"),
}
"""A machine's accelerator, and what may be picked there: the CPU for one that was forgotten."""
UNEXPECTED = "something else"


def experiments() -> list[Experiment]:
    """All of them."""
    return [
        *(_picking(kind, allowed) for kind, allowed in PICKS.items()),
        *(_parameters(d_model, d_k) for d_model, d_k in probes.SIZES),
        Experiment(HEAD, "the same head twice", _twice, TWICE),
        *(_placement(kind) for kind in ("cuda", "xpu", "mtia")),
        Experiment(HEAD, "with x on the CPU beside an accelerator", _on_the_cpu, UNMOVED),
        Experiment(HEAD, "ten times as much to do", _growth, GROWTH),
        Experiment(TIMER, "on a stand-in for an accelerator", _timed, TIMED),
        Experiment(TIMER, "with a module in eval mode", _timed_in_eval, IN_EVAL),
        Experiment(TIMER, "on the CPU", _timed_on_cpu, {"the result is": "seconds"}),
    ]


def _picking(kind: str, allowed: Sequence[str]) -> Experiment:
    def facts(student: Subject) -> dict[str, str]:
        with student.on("machine", kind=kind):
            got = student.pick_device()
        chosen = got.type if isinstance(got, torch.device) else _no_device(got)
        return {"the choice is": allowed[0] if chosen in allowed else chosen}

    note = "on a machine " + ("without an accelerator" if kind == "none" else f"with {kind}")
    return Experiment(PICK, note, facts, {"the choice is": allowed[0]})


def _no_device(got: object) -> str:
    return "a string" if isinstance(got, str) else expect.kind_of(got)


def _parameters(d_model: int, d_k: int) -> Experiment:
    def facts(student: Subject) -> dict[str, str]:
        head = student.SingleHeadAttention(d_model, d_k)
        return {"the parameters are": _listed(head.parameters())}

    wanted = {f"{name}.weight": torch.empty(d_k, d_model) for name in probes.WEIGHTS}
    note = f"d_model = {d_model}, d_k = {d_k}"
    return Experiment(HEAD, note, facts, {"the parameters are": _listed(wanted)})


def _listed(parameters: Mapping[str, Tensor]) -> str:
    shown = (f"{name} {tuple(value.shape)}" for name, value in sorted(parameters.items()))
    return ", ".join(shown) or "none"


TWICE = {
    "a second call gives": "the same",
    "eval mode gives": "the same",
    "two calls in eval mode give": "the same",
    "another x gives": "others",
}


def _twice(student: Subject) -> dict[str, str]:
    x, head = _ready(student, _ordinary())
    first, second, other = head(x), head(x), head(1 - x)
    head.train(False)
    pairs = ((first, second), (first, head(x)), (head(x), head(x)), (first, other))
    return dict(zip(TWICE, (_compared(a, b) for a, b in pairs), strict=True))


def _compared(a: object, b: object) -> str:
    both = isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape == b.shape
    same = both and torch.allclose(a, b, atol=1e-6)  # type: ignore[arg-type]
    return "the same" if same else "others"


def _placement(kind: str) -> Experiment:
    def facts(student: Subject) -> dict[str, str]:
        failed, seen = _passed(student, kind=kind)
        where = ", ".join(device.partition(":")[0] for device in seen["results"])
        return {
            "the result is on": failed or where,
            "copies are made": _kinds(seen["copies"]),
            "tensors made on the CPU": "some" if seen["host_tensors"] else "none",
        }

    none = dict.fromkeys(("copies are made", "tensors made on the CPU"), "none")
    right = {"the result is on": kind, **none}
    return Experiment(HEAD, f"with x on {kind}", facts, right)


UNMOVED = {"tensors are moved to": "nowhere"}


def _on_the_cpu(student: Subject) -> dict[str, str]:
    failed, seen = _passed(student, unused=True)
    if failed and not seen["copies"]:
        return {}
    moved = seen["copies"] or seen["results"] != ["cpu"]
    return {"tensors are moved to": "the accelerator" if moved else "nowhere"}


def _passed(student: Subject, **settings: Any) -> tuple[str, Mapping[str, Any]]:
    """One forward pass on the stand-in: what it raised, if it did, and what was seen."""
    x, head = _ready(student, _ordinary())
    failed = ""
    with student.on("stand-in", **settings) as seen:
        try:
            head(x)
        except (SubmissionDied, SubmissionTimeout):
            raise
        except Exception as error:  # noqa: BLE001 - what was seen until then tells more
            failed = f"no device: it raises {getattr(error, 'kind', type(error).__name__)}"
    return failed, seen


def _kinds(events: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(sorted({event["kind"] for event in events})) or "none"


GROWTH = {"ten times the tokens": "no more steps", "ten times the items": "no more steps"}


def _growth(student: Subject) -> dict[str, str]:
    few, *many = (_steps(student, probe) for probe in probes.longer(np.random.default_rng(7)))
    return {
        what: "more steps" if steps > 1.5 * few + 5 else "no more steps"
        for what, steps in zip(GROWTH, many, strict=True)
    }


def _steps(student: Subject, probe: Probe) -> int:
    x, head = _ready(student, probe)
    with student.on("cost") as seen:
        head(x)
    count: int = seen["operations"]
    return count


def _ready(student: Subject, probe: Probe) -> tuple[Tensor, Any]:
    x, *weights = (v for v in probe.tensors(torch.float32) if isinstance(v, Tensor))
    return x, probes.head_of(student, weights)


def _ordinary() -> Probe:
    return probes.random(np.random.default_rng(7), batch=(2,))


TIMED = {
    "the clock counts": "the time that passes",
    "the clock is read": "when the device is done",
    "copies are timed": "none",
    "the module runs": f"{probes.REPEATS + probes.WARMUP} times or more",
    "between two readings it runs": "once",
    "the result is": "the median",
    "x is": "as it was",
    "the mode is": "as it was",
}


def _timed(student: Subject) -> dict[str, str]:
    x = torch.arange(84.0).reshape(2, 6, 7)
    before = x.clone()
    with student.on("stand-in", pace=list(probes.PACE)) as seen:
        layer = probes.layer()
        seconds = student.time_forward(layer, x, probes.REPEATS, probes.WARMUP)
    result = "the median" if seen["benchmark"] else _named(seconds, seen["passes"])
    return {
        "the clock counts": _counted(seen),
        "the clock is read": _reading(seen),
        "copies are timed": _kinds(seen["timed_copies"]),
        "the module runs": _passes(seen),
        "between two readings it runs": "once" if result == "the median" else _at_once(seen),
        "the result is": result,
        "x is": "as it was" if torch.equal(x, before) else "changed",
        "the mode is": "as it was" if all(a == b for a, b in seen["modes"]) else "another",
    }


IN_EVAL = {"the mode is": "as it was"}


def _timed_in_eval(student: Subject) -> dict[str, str]:
    with student.on("stand-in") as seen:
        student.time_forward(probes.layer().eval(), torch.ones(2, 6, 7), 2, 1)
    return {"the mode is": "as it was" if all(a == b for a, b in seen["modes"]) else "another"}


def _counted(seen: Mapping[str, Any]) -> str:
    own = any(name.startswith(("process", "thread")) for name in seen["clocks"])
    return "the processor's own work" if own else TIMED["the clock counts"]


def _reading(seen: Mapping[str, Any]) -> str:
    if not seen["readings"] and not seen["marks"]:
        return "never"
    early = len(seen["early"])
    if not early:
        return TIMED["the clock is read"]
    often = "always" if early == seen["readings"] else "often" if early > 1 else "once"
    return f"{often} while the device still works"


def _at_once(seen: Mapping[str, Any]) -> str:
    return "once" if max(seen["spans"], default=1) == 1 else "several times"


def _passes(seen: Mapping[str, Any]) -> str:
    enough = seen["benchmark"] or seen["passes"] >= probes.REPEATS + probes.WARMUP
    return TIMED["the module runs"] if enough else f"{seen['passes']} times"


def _named(seconds: object, passes: int) -> str:
    """Which figure of the passes a result is."""
    if not isinstance(seconds, float):
        return expect.kind_of(seconds)
    low, high = oracle.median_range(probes.TIMED)
    if 0.98 * low <= seconds <= 1.02 * high:
        return "the median"
    everything = probes.PACE[: probes.WARMUP + probes.REPEATS]
    if passes < len(everything):
        low, high = oracle.median_range(everything[:passes] or probes.TIMED)
        if 0.98 * low <= seconds <= 1.02 * high:
            return "the median of all passes, which are too few"
    for name, value in _figures(probes.TIMED, everything).items():
        if 0.98 * value <= seconds <= 1.02 * value:
            return name
    if seconds < 0:
        return "less than nothing"
    return "almost nothing" if seconds < low / 20 else UNEXPECTED


def _figures(timed: Sequence[float], everything: Sequence[float]) -> dict[str, float]:
    return {
        "the mean": mean(timed),
        "the least": min(timed),
        "the greatest": max(timed),
        "the first": timed[0],
        "the last": timed[-1],
        "the sum": sum(timed),
        "the middle one, unsorted": timed[len(timed) // 2],
        "the median with the warm-up": median(everything),
        "the mean with the warm-up": mean(everything),
        "the very first pass": everything[0],
        "the mean of as many passes, warm-up among them": mean(everything[: len(timed)]),
        "the median in milliseconds": 1e3 * median(timed),
        "the median in microseconds": 1e6 * median(timed),
        "the median in nanoseconds": 1e9 * median(timed),
        "the mean in milliseconds": 1e3 * mean(timed),
        "the median of running totals": median(accumulate(timed)),
        "the median, divided by how many there are": median(timed) / len(timed),
        "the median of one pass less": median(timed[1:]),
        "the median of other passes": median(everything[3 : 3 + len(timed)]),
        "the median of later passes": probes.AFTER,
    }


def _timed_on_cpu(student: Subject) -> dict[str, str]:
    seconds = student.time_forward(probes.layer(), torch.ones(2, 6, 7), 2, 1)
    right = isinstance(seconds, float) and 0 < seconds < float("inf")
    return {"the result is": "seconds" if right else UNEXPECTED}
