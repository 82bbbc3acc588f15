"""JupyterLab as an instructor or a student starts it, in the folder of the course."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import socket

import psutil

from grader.nbgrader.course_folder import environment
from harness.nbgrader.handing_in import ROOT

_SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@contextmanager
def lab(folder: Path, scratch: Path) -> Iterator[str]:
    """Start it, and give back its address; all that it started ends with it.

    Args:
        folder: where it is started.
        scratch: for its settings and its log.
    """
    for name, values in _SETTINGS.items():
        file = scratch / "settings" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    port = _free_port()
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    options = [f"--port={port}", "--ServerApp.token=", f"--ServerApp.root_dir={folder}"]
    private = {name: str(scratch / name) for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    env = {
        **environment(),
        **private,
        "JUPYTERLAB_SETTINGS_DIR": str(scratch / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "PYTHONPATH": str(ROOT),
    }
    with (scratch / "lab.log").open("w") as log:
        server = subprocess.Popen([*command, *options], cwd=folder, env=env, stdout=log, stderr=log)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            family = psutil.Process(server.pid).children(recursive=True)
            server.terminate()
            server.wait(30)
            _, left = psutil.wait_procs(family, 30)
    assert [process.cmdline() for process in left] == []


def _free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(address, timeout=5):  # noqa: S310 - ours
            return
        time.sleep(0.2)
    raise TimeoutError(f"JupyterLab did not answer at {address}")
