"""Submissions by the hundred: right, wrong, hostile, broken and mixed ones, from a seed.

They are solutions in which something was replaced, each with a remark of its own, so that no two
are equal. Used by tests, measurements and whatever else needs a class.
"""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from grader.course import Course
from grader.stubs import pristine

Texts = dict[str, str]


@dataclass(frozen=True)
class Class:
    """What submissions are made from.

    Attributes:
        course: gives solutions and stubs.
        wrong: for each stage, whole modules that are wrong.
        right: for each stage, whole modules that are right in another way than the solution.
    """

    course: Course
    wrong: Mapping[str, Sequence[str]]
    right: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def solutions(self) -> Texts:
        """Every module, solved."""
        folder = self.course.root / "solutions"
        return {n: (folder / f"{n}.py").read_text(encoding="utf-8") for n in self.course.names}


def right(class_: Class, texts: Texts, dice: random.Random) -> None:
    """Everything as it should be; every second stage in a way of one's own."""
    for stage in texts:
        others = class_.right.get(stage)
        if others and dice.random() < 0.5:
            texts[stage] = dice.choice(others)


def wrong(class_: Class, texts: Texts, dice: random.Random) -> None:
    """One to three stages with a known mistake, the others right."""
    right(class_, texts, dice)
    stages = [name for name in texts if class_.wrong.get(name)]
    for stage in dice.sample(stages, min(len(stages), dice.randint(1, 3))):
        texts[stage] = dice.choice(class_.wrong[stage])


def broken(class_: Class, texts: Texts, dice: random.Random) -> None:
    """Two stages that cannot be read, are missing, or were not begun."""
    for stage in dice.sample(sorted(texts), min(2, len(texts))):
        kind = dice.choice(("syntax", "empty", "stub", "missing", "deep"))
        if kind == "missing":
            del texts[stage]
            continue
        texts[stage] = {
            "syntax": texts[stage] + "\ndef f(:\n",
            "empty": "",
            "stub": pristine(class_.course, stage),
            "deep": f"x = {'(' * 500}{')' * 500}\n",
        }[kind]


HOSTILE: Mapping[str, str] = MappingProxyType(
    {
        "leaves": "import os; os._exit(0)",
        "exits": "raise SystemExit(0)",
        "skips": "import pytest; pytest.skip('not today')",
        "crashes": "import ctypes; ctypes.string_at(0)",
        "bombs": "hoard = [bytearray(1 << 28) for _ in range(64)]",
        "forks": "import os\nwhile True: os.fork()",
        "floods": "print('x' * 4_000_000)",
        "kills": "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
        "reads": "print(open('/etc/passwd').read())",
        "writes": "open('/tmp/escaped', 'w').write('x')",
        "calls": "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
        "stays": "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()",
        "tampers": "import torch; torch.equal = torch.allclose = lambda *a, **k: True",
    }
)
"""What a module may do when it is imported, by name."""


def hostile(_: Class, texts: Texts, dice: random.Random) -> None:
    """One stage that does something at its import that it should not."""
    stage = dice.choice(sorted(texts))
    future, rest = "from __future__ import annotations\n", texts[stage]
    texts[stage] = f"{future}{HOSTILE[dice.choice(sorted(HOSTILE))]}\n{rest.replace(future, '')}"


def mixed(class_: Class, texts: Texts, dice: random.Random) -> None:
    """A bit of everything."""
    wrong(class_, texts, dice)
    hostile(class_, texts, dice)
    broken(class_, texts, dice)


Kind = Callable[[Class, Texts, random.Random], None]
KINDS: Sequence[tuple[Kind, int]] = (
    (right, 35),
    (wrong, 40),
    (broken, 10),
    (hostile, 10),
    (mixed, 5),
)
"""How common each kind is."""


def submissions(
    class_: Class, count: int, seed: int, kinds: Sequence[tuple[Kind, int]] = KINDS
) -> Iterator[tuple[str, Texts]]:
    """Names and module texts; the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    makers, weights = zip(*kinds, strict=True)
    for number in range(count):
        [kind] = dice.choices(makers, weights)
        texts = class_.solutions()
        kind(class_, texts, dice)
        for stage, text in texts.items():
            texts[stage] = f"{text}\n# student {number:05}\n" if text else text
        yield f"{kind.__name__}-{number:05}", texts


def write(folder: Path, handed_in: Iterable[tuple[str, Texts]], *, zips: bool = True) -> None:
    """Hand submissions in: as folders, and every fourth as a zip."""
    for number, (name, texts) in enumerate(handed_in):
        if zips and number % 4 == 3:
            folder.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
                for stage, text in texts.items():
                    archive.writestr(f"{stage}.py", text)
        else:
            (folder / name).mkdir(parents=True)
            for stage, text in texts.items():
                (folder / name / f"{stage}.py").write_text(text, encoding="utf-8")


def of_course(course: Course) -> Class:
    """What the known mistakes and variants of a course are good for."""
    return Class(course, _known(course, "mistakes"), _known(course, "variants"))


def _known(course: Course, kind: str) -> dict[str, list[str]]:
    """Whole modules with each known answer of a kind, for the stages that have a bank."""
    from grader.diagnosis.bank import sources, stage_module

    return {
        stage.name: [
            sources(course, stage, answer).texts[stage.name]
            for answer in getattr(stage_module(course, kind, stage), kind.upper())
        ]
        for stage in course.stages
        if (course.root / f"tests/{kind}/{stage.name}.py").is_file()
    }
