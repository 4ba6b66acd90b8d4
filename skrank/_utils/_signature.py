"""Signatures of results and of entrances."""

import inspect
import re
from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar

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


def leave_out(entrance: Any, names: Collection[str]) -> Any:
    """Leave parameters out of the signature and the docstring of an entrance.

    If they are given all the same, the error tells why they are not used.
    """
    every = inspect.signature(entrance).parameters
    kept = [one for name, one in every.items() if name not in names]
    entrance.__signature__ = inspect.Signature(kept)
    for name in names:
        entry = rf"^( *){name} : .*\n(?:\1 +\S.*\n)*"
        entrance.__doc__ = re.sub(entry, "", entrance.__doc__ or "", flags=re.MULTILINE)
    return entrance


def without(entrance: Any, names: Collection[str]) -> Any:
    """Return an entrance of a base class that leaves parameters out."""

    @wraps(entrance)
    def shown(self: Any, /, *args: Any, **data: Any) -> Any:
        return entrance(self, *args, **data)

    return leave_out(shown, names)
