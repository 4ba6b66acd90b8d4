"""Texts of parameters that several public functions share, written once.

The texts are in ``parameters.txt``. A docstring names a text by a line in braces, such
as ``{pos_label}``. The decorator `documented` replaces the line when the module is
imported.
"""

import inspect
import re
from importlib.resources import files
from typing import Any, TypeVar

Documented = TypeVar("Documented")

TEXTS = dict(
    re.findall(
        r"^\[(\w+)\]\n(.*?)(?=\n\n\[|\n*\Z)",
        files("skrank._utils").joinpath("parameters.txt").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


def documented(thing: Documented) -> Documented:
    """Fill the texts of a function, or of a class and its own methods.

    The signature of a frozen dataclass then shows the fields that are documented.
    """
    own = [getattr(one, "__func__", one) for one in vars(thing).values()]
    for one in (thing, *filter(inspect.isfunction, own)):
        if one.__doc__ is not None:
            one.__doc__ = re.sub(r"^( *)\{(\w+)\}$", _text, one.__doc__, flags=re.M)
    params = getattr(thing, "__dataclass_params__", None)
    if params is not None and params.frozen:
        shown = re.findall(r"^ +(\w[\w, ]*) : ", thing.__doc__ or "", re.MULTILINE)
        every = inspect.signature(thing).parameters.items()  # type: ignore[arg-type]
        kept = [one for name, one in every if name in ", ".join(shown).split(", ")]
        thing.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
    return thing


def _text(found: Any) -> str:
    """Return the text of a name, indented like the line that names it."""
    indent, name = found.groups()
    lines = TEXTS[name].splitlines()
    return "\n".join(indent + line for line in lines)
