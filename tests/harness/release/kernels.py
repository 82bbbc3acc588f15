"""What an editor starts a notebook's kernel with: a folder, a shell, a module of its own.

An editor is more than that, but nothing else of it reaches the notebook. Colab's module is a
stand-in for what Colab documents; VS Code's variable is what its Jupyter extension defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from harness.tracer import untrace

_COLAB_FILES = """
import shutil
from pathlib import Path

def upload():
    return {shutil.copy(zip_, Path.cwd()): b"" for zip_ in Path(__file__).parent.glob("*.zip")}
"""
_COLAB_SHELL = """
from ipykernel.zmqshell import ZMQInteractiveShell

class Shell(ZMQInteractiveShell):
    pass
"""


@dataclass(frozen=True)
class Editor:
    """A program that shows notebooks.

    Attributes:
        env: what its kernels find in the environment.
        startup: what runs in a kernel before any cell.
        config: settings of its kernels.
        modules: files on the kernels' path.
        zip_at: the folder where the course's zip lies: among the modules, or beside the notebook.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    startup: str = ""
    config: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)
    zip_at: str = "work"


EDITORS: Mapping[str, Editor] = {
    "vscode": Editor(
        env={"VSCODE_PID": "1", "VSCODE_CWD": "/"},
        startup="__vsc_ipynb_file__ = '/elsewhere/My attention (final).ipynb'",
    ),
    "colab": Editor(
        env={"COLAB_RELEASE_TAG": "release", "PIP_NO_INDEX": "1"},
        config="c.IPythonKernel.shell_class = 'google.colab._shell.Shell'",
        modules={
            "google/colab/__init__.py": "",
            "google/colab/files.py": _COLAB_FILES,
            "google/colab/_shell.py": _COLAB_SHELL,
        },
        zip_at="modules/google/colab",
    ),
}


def run(
    editor: Editor, book: nbformat.NotebookNode, folder: Path, patch: pytest.MonkeyPatch
) -> None:
    """Run a notebook's cells in a kernel that is started as by an editor, in `folder/work`."""
    profile = folder / "ipython" / "profile_default"
    _write(profile / "startup" / "editor.py", editor.startup)
    _write(profile / "ipython_kernel_config.py", f"c = get_config()\n{editor.config}\n")
    for name, text in editor.modules.items():
        _write(folder / "modules" / name, text)
    patch.setenv("IPYTHONDIR", str(folder / "ipython"))
    patch.setenv("PYTHONPATH", str(folder / "modules"))  # the course is not on it
    for name, value in editor.env.items():
        patch.setenv(name, value)
    untrace(patch)
    resources = {"metadata": {"path": str(folder / "work")}}
    NotebookClient(book, timeout=240, resources=resources).execute()


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
