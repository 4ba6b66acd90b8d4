"""Write text to a file."""

import errno
import os
import shutil
from pathlib import Path
from secrets import token_hex
from typing import Any


def check_folder(path: Any) -> None:
    """Check that the folder of a file exists, and name it as it was given."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "No such folder", str(folder))


def written(text: str, path: Any) -> str | None:
    """Return a text, or write it to a file, which is left as it was if that fails.

    The target of a link is replaced, and a file keeps its permissions.
    """
    if path is None:
        return text
    check_folder(path)
    place = Path(path).resolve()
    if place.exists() and not place.is_file():  # a device or a pipe
        place.write_bytes(text.encode())
        return None
    beside = place.with_name(f"{place.name[:40]}.{token_hex(4)}.part")
    try:
        beside.touch(exist_ok=False)
        if place.exists():
            shutil.copymode(place, beside)
        beside.write_bytes(text.encode())
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
    return None
