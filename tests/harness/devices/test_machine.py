from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.cuda import is_available

from grader.devices import benches

AVAILABLE = is_available


def on(kind: str, function: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    bench = benches.make("machine", {"kind": kind})
    with bench:
        result = bench.call(function, [], {})
    return result, bench.report()


def cuda_only() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def imported_name() -> torch.device:
    return torch.device("cuda" if is_available() else "cpu")


def through_a_default(available: Callable[[], bool] = AVAILABLE) -> torch.device:
    return torch.device("cuda" if available() else "cpu")


def with_index() -> torch.device:
    if torch.cuda.device_count():
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


def by_accelerator() -> torch.device:
    found = torch.accelerator.current_accelerator(check_available=True)
    return found if found is not None else torch.device("cpu")


def by_hand() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    if torch.xpu.is_available():
        return torch.device("xpu")
    return torch.device("cpu")


CUDA_ALONE = [cuda_only, imported_name, through_a_default, with_index]
EVERYTHING = [by_accelerator, by_hand]


@pytest.mark.parametrize("pick", [*CUDA_ALONE, *EVERYTHING])
def test_right_code_finds_cuda_and_falls_back_to_the_cpu(
    pick: Callable[[], torch.device],
) -> None:
    assert on("cuda", pick)[0].type == "cuda"
    assert on("none", pick)[0].type == "cpu"


@pytest.mark.parametrize("pick", EVERYTHING)
@pytest.mark.parametrize("kind", ["mps", "xpu"])
def test_other_accelerators_are_found_by_code_that_asks(
    pick: Callable[[], torch.device], kind: str
) -> None:
    assert on(kind, pick)[0].type == kind


@pytest.mark.parametrize("pick", CUDA_ALONE)
@pytest.mark.parametrize("kind", ["mps", "xpu"])
def test_other_accelerators_are_missed_by_code_that_does_not(
    pick: Callable[[], torch.device], kind: str
) -> None:
    assert on(kind, pick)[0].type == "cpu"


def test_the_report_says_what_was_asked() -> None:
    _, seen = on("none", by_hand)
    assert seen == {
        "kind": "none",
        "asked": [
            "torch.cuda.is_available",
            "torch.backends.mps.is_available",
            "torch.xpu.is_available",
        ],
    }


def test_the_machine_is_itself_again_afterwards() -> None:
    before = (torch.cuda.is_available, torch.accelerator.current_accelerator, is_available)
    with pytest.raises(ZeroDivisionError):
        on("cuda", lambda: 1 // 0)
    on("mps", through_a_default)
    after = (torch.cuda.is_available, torch.accelerator.current_accelerator, is_available)
    assert all(a is b for a, b in zip(before, after, strict=True))
    assert through_a_default.__defaults__ == (AVAILABLE,)


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(ValueError, match="no machine is of kind 'tpu'; there are: cuda, mps"):
        benches.make("machine", {"kind": "tpu"})
