"""The public names with their signatures, as text.

``python tests/public_api.py`` writes them into the list that a test compares with them.
"""

import inspect
from dataclasses import is_dataclass
from pathlib import Path

import skrank

LIST = Path(__file__).parent / "data" / "public_api.txt"


def signature(called):
    """Return parameters and default values, without types."""
    found = inspect.signature(called)
    bare = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in found.parameters.values()
        if one.name not in ("self", "cls")
    ]
    plain = inspect.Signature.empty
    return str(found.replace(parameters=bare, return_annotation=plain))


def lines_of(name):
    """Return a line for a function, or for a class and each of its members."""
    public = getattr(skrank, name)
    yield name + signature(public)
    if inspect.isclass(public):
        fields = (
            getattr(public, "__dataclass_fields__", {}) if is_dataclass(public) else {}
        )
        for member in sorted({*dir(public), *fields}):
            if member.startswith("_"):
                continue
            value = inspect.getattr_static(public, member, None)
            plain = getattr(value, "__func__", value)  # of a class method
            is_method = inspect.isfunction(plain)
            yield f"    {member}{signature(plain) if is_method else ''}"


def listing():
    """Return the whole list."""
    return "\n".join(line for name in skrank.__all__ for line in lines_of(name)) + "\n"


if __name__ == "__main__":
    LIST.write_text(listing())
