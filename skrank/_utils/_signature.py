"""Signatures of results."""

import inspect
from collections.abc import Callable
from typing import TypeVar

Kind = TypeVar("Kind", bound=type)


def signature_of(*names: str) -> Callable[[Kind], Kind]:
    """Show these fields of a dataclass in its signature; by default the public ones."""

    def shown(kind: Kind) -> Kind:
        every = inspect.signature(kind).parameters
        public = names or [one for one in every if not one.startswith("_")]
        fields = inspect.Signature([every[one] for one in public])
        kind.__signature__ = fields  # type: ignore[attr-defined]
        return kind

    return shown
