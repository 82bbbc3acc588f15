import json

import torch
from torch import Tensor, nn

from grader.devices import benches


def on_bench(function: nn.Module, x: Tensor, direction: object) -> tuple[Tensor, dict[str, object]]:
    bench = benches.make("gradients", {"direction": direction})
    with bench:
        result = bench.call(function, [x], {})
    return result, bench.report()


class Half(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.used = nn.Linear(3, 2, bias=False)
        self.unused = nn.Linear(3, 2, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.used(x)
        return result


class Detached(Half):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x).detach()


def test_gradients_are_those_of_the_weighted_sum() -> None:
    module, x = Half(), torch.tensor([[1.0, 2.0, 3.0]])
    result, seen = on_bench(module, x, [[1.0, 10.0]])
    assert not result.requires_grad
    assert json.loads(json.dumps(seen)) == seen
    parameters = seen["parameters"]
    assert parameters == {"used.weight": [[1, 2, 3], [10, 20, 30]], "unused.weight": None}
    wanted = torch.tensor([[1.0, 10.0]]) @ module.used.weight
    assert torch.allclose(torch.tensor(seen["arguments"]), wanted.unsqueeze(0))


def test_nothing_arrives_through_a_detached_result() -> None:
    _, seen = on_bench(Detached(), torch.ones(1, 3), [[1.0, 1.0]])
    assert seen == {
        "arguments": [None],
        "parameters": {"used.weight": None, "unused.weight": None},
    }


def test_the_module_s_own_gradients_stay_as_they_are() -> None:
    module = Half()
    on_bench(module, torch.ones(1, 3), [[1.0, 1.0]])
    assert all(parameter.grad is None for parameter in module.parameters())
    with torch.no_grad():
        _, seen = on_bench(module, torch.ones(1, 3), [[1.0, 1.0]])
    assert seen["arguments"] != [None]
