"""Built-in operations that a stage asks the learner to build, found at PyTorch's dispatcher.

Whatever alias is called (`F.softmax`, `x.softmax`, `nn.Softmax`, `torch.ops.aten…`), it arrives
here under its operation's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .errors import ForbiddenOperation

GROUPS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "softmax": frozenset(
            {
                "softmax",
                "_softmax",
                "_safe_softmax",
                "_masked_softmax",
                "_sparse_softmax",
                "log_softmax",
                "_log_softmax",
                "_sparse_log_softmax",
                "_transform_bias_rescale_qkv",
            }
        ),
        "fused attention": frozenset(
            {
                "scaled_dot_product_attention",
                "_scaled_dot_product_attention_math",
                "_safe_softmax",  # all that is seen of that one: it comes apart on the way
                "_scaled_dot_product_flash_attention",
                "_scaled_dot_product_flash_attention_for_cpu",
                "_scaled_dot_product_efficient_attention",
                "_scaled_dot_product_cudnn_attention",
                "_scaled_dot_product_fused_attention_overrideable",
                "_native_multi_head_attention",
                "_transformer_encoder_layer_fwd",
                "_triton_scaled_dot_attention",
                "_triton_multi_head_attention",
            }
        ),
    }
)
"""Group, as course.toml names it, to the base names of its operations."""


def operations(groups: Iterable[str]) -> dict[str, str]:
    """Operation name to the group that it belongs to, for these groups."""
    return {operation: group for group in groups for operation in GROUPS[group]}


def shown(operation: str) -> str:
    """An operation's name as a learner may know it: `_softmax` is softmax."""
    return operation.lstrip("_")


@contextmanager
def refusing(groups: Iterable[str]) -> Iterator[None]:
    """While active, an operation of the given groups raises `ForbiddenOperation`.

    It sees the calls of its own thread. A confined run adds what threads cannot get around.
    """
    refused = operations(groups)
    with _Operations(refused), _Functions(refused):
        yield


class _Functions(TorchFunctionMode):
    """Sees what Python calls, before PyTorch takes it apart.

    Fused attention may be taken apart into operations that a stage allows.
    """

    def __init__(self, refused: Mapping[str, str]) -> None:
        super().__init__()
        self._refused = refused

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Let a call through, or refuse it."""
        name = getattr(func, "__name__", "")
        if name in self._refused:
            raise ForbiddenOperation(self._refused[name], shown(name))
        return func(*args, **(kwargs or {}))


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Sees what arrives at PyTorch's dispatcher, whatever it was called by."""

    def __init__(self, refused: Mapping[str, str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._refused = refused

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler, which costs a second, at the first call."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Let an operation through, or refuse it."""
        name = func._schema.name.partition("::")[2]
        if name in self._refused:
            raise ForbiddenOperation(self._refused[name], shown(name))
        return func(*args, **(kwargs or {}))
