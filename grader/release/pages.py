"""The pages that students get: theory, stages and figures as a site that opens from its folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ..course import Course, CourseError

FOLDER = "pages"
"""Where they lie in a bundle."""


def pages(course: Course) -> dict[str, bytes]:
    """Build the site without what is for others: guides, reference, proof, the whole head.

    Raises:
        CourseError: it cannot be built.
    """
    with TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        options = ["-W", "-q", "-E", "-t", "students", "-d", f"{folder}/doctrees"]
        command = [sys.executable, "-m", "sphinx", *options, "docs", str(site)]
        done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CourseError(f"The pages for students cannot be built.\n{done.stderr.strip()}")
        return {
            f"{FOLDER}/{file.relative_to(site).as_posix()}": file.read_bytes()
            for file in sorted(site.rglob("*"))
            if file.is_file()
        }
