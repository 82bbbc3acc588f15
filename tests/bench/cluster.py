"""What a cluster costs over the embedded run, and a large class on one. Smaller: SUBMISSIONS=500.

Meant: 15 % more CPU time a submission at most, with 1, 2 and 4 workers; a client whose memory does
not grow with the class. The large class takes half an hour on two processors. What hostile ones
cost is seen in `bench thousand`.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from pathlib import Path

from rich.console import Console

from bench import cpu, paired
from grader import course as courses
from grader.batch.cluster.opening import opened
from grader.batch.judges import Judges
from grader.batch.local import Judging
from grader.batch.talk import Orders
from grader.submission import Submission
from harness import generated

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
COUNT = int(os.environ.get("SUBMISSIONS", "10000"))
WORKERS = (1, 2, 4)
KINDS = ((generated.right, 1), (generated.wrong, 1))
"""Solutions and right answers in other ways, and known mistakes."""
ROUNDS, EACH = 6, 8
"""Rounds of the comparison, and submissions a round."""


def main() -> None:
    """Print the overhead of each number of workers, then the large class."""
    class_ = generated.of_course(COURSE)
    works = [texts for _, texts in generated.submissions(class_, EACH, 1, KINDS)]
    for workers in WORKERS:
        print(f"{workers} workers: {compared(workers, works)}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        generated.write(folder / "class", generated.submissions(class_, COUNT, 9, KINDS))
        print(f"{COUNT} submissions on local:2: {measured(folder / 'class', folder / 'out')}")


def compared(workers: int, works: Sequence[generated.Texts]) -> str:
    """CPU time of a cluster over that of as many processes without one, in turn."""
    orders = Orders(str(ROOT), COURSE.names, "a seed of the bench")
    with ExitStack() as stack:
        say = Console(stderr=True).print
        sides: dict[str, Judging] = {
            "embedded": stack.enter_context(Judges(orders, workers)),
            "cluster": opened(f"local:{workers}", COURSE, COURSE.stages, orders, say, stack),
        }
        for side in sides.values():
            judged(side, [*works] * workers)  # every process draws its probes
        taken: dict[str, list[float]] = {name: [] for name in sides}
        for number in range(ROUNDS):
            for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
                taken[name].append(judged(sides[name], works))
    each = {name: paired.spread([v / EACH for v in values]) for name, values in taken.items()}
    ratio = paired.ratios(taken, to="embedded")["cluster"]
    total = sum(taken["cluster"]) / sum(taken["embedded"])
    return f"{ratio} times the CPU time, {total:.3f} in all; CPU s a submission: " + ", ".join(
        f"{name} {value}" for name, value in each.items()
    )


def judged(side: Judging, works: Sequence[generated.Texts]) -> float:
    """CPU seconds of everything here while a side judges."""
    before = cpu.of_tree(os.getpid())
    wait([side.submit(Submission("", "", texts)) for texts in works])
    return cpu.of_tree(os.getpid()) - before


def measured(submissions: Path, out: Path) -> str:
    """What the command costs on a cluster of two workers, looked at while it runs."""
    command = [sys.executable, "-m", "grader", "grade", str(submissions), "--out", str(out)]
    began = time.perf_counter()
    run = subprocess.Popen(
        [*command, "--scheduler", "local:2"], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    spent, memory = 0.0, [0.0]
    while run.poll() is None:
        with suppress(FileNotFoundError, ProcessLookupError):
            spent = max(spent, cpu.of_tree(run.pid))
            memory.append(cpu.private_mib(run.pid))
        time.sleep(0.5)
    took, half = time.perf_counter() - began, len(memory) // 2
    return (
        f"exit code {run.returncode}, {COUNT / took:.2f} a second, "
        f"{spent / COUNT:.3f} CPU s each with start-up, the client at most "
        f"{max(memory[:half]):.0f} MiB in the first half and {max(memory[half:]):.0f} in the second"
    )
