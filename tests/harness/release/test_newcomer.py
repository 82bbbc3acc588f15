"""A student unzips the bundle into an empty folder and runs the README's command: a verdict."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest

from grader import course as courses
from grader.release.bundle import Files
from grader.release.writing import write
from harness.cli import ROOT

OURS = ("PIP_", "SSL_", "REQUESTS_", "LANG")
"""What comes along of the environment: how pip reaches its registry."""


@pytest.fixture
def student(files: Files, tmp_path: Path) -> Path:
    """An empty folder but for the unzipped bundle and a bare Python."""
    _, archive = write(files, tmp_path / "dist", "course")
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(tmp_path / "home")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "home" / "python"], check=True)
    return tmp_path / "home"


def lent(folder: Path) -> Path:
    """PyTorch as it is installed here, and nothing else: most of the time would go into that."""
    owners = {o for owned in packages_distributions().values() for o in owned}
    large = [o for o in owners if o == "torch" or o.startswith(("nvidia", "triton"))]
    folder.mkdir()
    for name in large:
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or () if file.parts[0] != ".."}:
            there = folder / top
            if not there.exists():
                there.symlink_to(Path(str(found.locate_file(top))))
    return folder


def run(student: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a line in the bundle's folder as a shell of the student's would."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
    programs = os.pathsep.join([str(student / "python" / "bin"), "/usr/bin", "/bin"])
    bare = {"HOME": str(student), "PATH": programs, "PYTHONPATH": str(student / "lent")}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=student / "course",
        env=kept | bare,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.mark.exhaustive  # another Python with this machine's packages runs the bundle, too
@pytest.mark.no_cover  # the bundle's own grader runs, not this one
def test_the_readmes_command_gives_a_verdict(student: Path) -> None:
    lent(student / "lent")
    readme = (student / "course" / "README.md").read_text("utf-8")
    commands = re.findall(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    assert len(commands) == 1
    done = run(student, commands[0])
    said = done.stdout + done.stderr
    if re.search("No matching distribution|Failed to establish|ConnectionError", said):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(said[-1000:])
    assert done.stdout.count("not started") == len(courses.load(ROOT).names), said
    assert "Begin with projection.py" in done.stdout
    assert "Traceback" not in said
    # A stub is not judged, so whatever judging needs is seen only now.
    shutil.copy(ROOT / "solutions" / "projection.py", student / "course" / "exercises")
    assert "`nox -s check -- projection`" in readme
    done = run(student, "nox -s check -- projection")
    assert "1 of 1 named stages passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
