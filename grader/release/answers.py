"""The right answers to the public probes, and what known mistakes give on them, as numbers.

They are found by judging the solutions once: what a right answer is compared with on the way is
what a bundle must hold, and nothing else.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from ..chain import load
from ..course import Course, Stage
from ..diagnosis.bank import StageBank, diagnostics, run_bank, save, stage_module
from ..diagnosis.designs import Diagnostics
from ..diagnosis.observe import observe
from ..own import alone, reference
from ..subject.protocol import Sources
from ..suite import kept
from ..suite.probe import Probe
from ..suite.session import Suites, with_suites
from .slices import cut

PUBLIC = ("public",)
_MODULE = '''"""The probes of this stage as data: what goes in, and what must come out."""

from pathlib import Path

from grader.suite import kept
{own}
_DESIGNS = kept.read(Path(__file__))
{designs}
'''
_CHAIN = '''"""The course's chain as data: what goes into each step, and what must come out."""

from pathlib import Path

import numpy as np

from grader.chain import Link
from grader.suite import kept

STAGES = {stages!r}
LINKS = tuple(map(Link, STAGES, kept.read(Path(__file__))["links"](np.random.default_rng())))
'''


@dataclass
class Answers:
    """What a bundle holds in place of the oracle and of the bank.

    Attributes:
        files: their paths in the bundle, and their contents.
        worth: what each stage's public checks add up to.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    worth: dict[str, float] = field(default_factory=dict)


def of(course: Course) -> Answers:
    """Judge the solutions by the public checks, and keep what they were compared with."""
    found = Answers()

    def work(suites: Suites) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for stage in course.stages:
                found.worth[stage.name] = suites.worth(stage.name)
                _keep(course, stage, suites, Path(folder))
            _keep_chain(course, Path(folder) / "tests/stages")
            found.files.update(
                (file.relative_to(folder).as_posix(), file.read_bytes())
                for file in sorted(Path(folder).rglob("*"))
                if file.is_file()
            )

    with_suites(course, course.stages, "release", work, PUBLIC)
    return found


def _keep(course: Course, stage: Stage, suites: Suites, folder: Path) -> None:
    probes, bank = folder / "tests/stages/probes", folder / "tests/mistakes"
    for needed in (probes, bank):
        needed.mkdir(parents=True, exist_ok=True)
    designs = dict(_judged(course, stage, suites))
    plain = _of_probes_alone(diagnostics(course, stage))
    if (course.root / f"tests/mistakes/{stage.name}.py").is_file():
        known = run_bank(course, stage, plain)
        seen = tuple(mistake for mistake in known.known if mistake.cells)
        save(StageBank(seen, known.lessons), bank, stage)
    designs["diagnostic"] = _answered(course, stage, plain)
    kept.write(probes / stage.name, designs)
    (probes / f"{stage.name}.py").write_text(_module(course, stage, designs), encoding="utf-8")


def _keep_chain(course: Course, folder: Path) -> None:
    links = load(course)
    if not links:
        return
    for link in links:
        link.probe.expected(torch.float32), link.probe.error(torch.float32)
    kept.write(folder / "chain", {"links": [link.probe for link in links]})
    text = _CHAIN.format(stages=tuple(link.stage for link in links))
    (folder / "chain.py").write_text(text, encoding="utf-8")


def _judged(course: Course, stage: Stage, suites: Suites) -> Mapping[str, Sequence[Probe]]:
    """The probes of the public checks, after a right answer to all of them."""
    subject = alone(_sources(course, stage), stage)
    try:
        suites.run(stage.name, subject)
    finally:
        subject.close()
    return suites.drawn(stage.name)


def _of_probes_alone(all_: Diagnostics) -> Diagnostics:
    """Calls only: an experiment is a program that knows what is right."""
    return replace(all_, designs=tuple(d for d in all_.designs if isinstance(d, Probe)))


def _answered(course: Course, stage: Stage, plain: Diagnostics) -> list[Probe]:
    subject = alone(_sources(course, stage), stage)
    try:
        observe(subject, plain)
    finally:
        subject.close()
    return [design for design in plain.designs if isinstance(design, Probe)]


def _sources(course: Course, stage: Stage) -> Sources:
    texts = reference(course)
    names = (*course.before(stage.name), stage.name)
    return Sources(stage.name, {name: texts[name] for name in names})


def _module(course: Course, stage: Stage, designs: Mapping[str, object]) -> str:
    """The stage's file of probes: designs as data, and what else the public suite uses of it."""
    file = course.root / f"tests/stages/probes/{stage.name}.py"
    suite = (course.root / f"tests/stages/public/{stage.name}.py").read_text(encoding="utf-8")
    used = set(re.findall(r"\bprobes\.(\w+)", suite)) - set(designs)
    if hasattr(stage_module(course, "stages.probes", stage), "as_function"):
        used.add("as_function")
    own = cut(file.read_text(encoding="utf-8"), used, "stages.oracle") if used else ""
    if "oracle." in own:
        own = own.replace("\n\n\n", "\n\noracle = kept.Nothing()\n\n\n", 1)
    rows = "\n".join(f'{name} = _DESIGNS["{name}"]' for name in designs)
    return _MODULE.format(own=own, designs=rows)
