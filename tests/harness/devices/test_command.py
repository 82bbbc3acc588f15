"""The command `gpu`: with the CPU in the part of an accelerator, and without one."""

import pytest
import torch
from typer.testing import CliRunner

from grader import cli
from grader.devices import chain
from harness.suite.judging import ROOT


def test_without_an_accelerator_one_sentence_and_exit_code_4(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(chain, "found", lambda _: None)
    done = CliRunner().invoke(cli.app, ["gpu"])
    assert done.exit_code == 4
    assert done.stderr == "PyTorch finds no accelerator on this machine, so nothing was run.\n"
    assert done.stdout == ""


def test_with_one_the_timed_stages_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[object] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(chain, "found", lambda _: torch.device("cpu"))
    monkeypatch.setattr(cli, "check", lambda path, stages, *_: judged.extend([str(path), *stages]))
    done = CliRunner().invoke(cli.app, ["gpu"])
    assert (done.exit_code, judged) == (0, ["solutions", "gpu"])
    assert done.stdout.startswith("On cpu (")
