"""Write a file so that what was there is whole until all of the new one is."""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_STREAMS = 1, 2  # descriptors of what is printed


def check_place(path: str) -> None:
    """Check that a file can be written there, which leaves what is there as it is."""
    with _named(path):
        if _is_replaced(path):
            with _beside(os.path.realpath(path)):
                pass


def write_whole(path: str, content: bytes) -> None:
    """Write a file beside, and move it into its place; devices are written to.

    A link leads to what is written, as it does where a file is opened.
    """
    with _named(path):
        if not _is_replaced(path):
            _write_to(path, content)
            return
        target = os.path.realpath(path)
        with _beside(target) as beside:
            Path(beside).write_bytes(content)
            with suppress(FileNotFoundError):  # a new file has the usual rights
                shutil.copymode(target, beside)
            os.replace(beside, target)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Let errors name the file that was asked for."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _is_replaced(path: str) -> bool:
    """Whether another file may take the place; one that is there must be writable."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        return True
    is_device = not (stat.S_ISREG(there.st_mode) or stat.S_ISDIR(there.st_mode))
    if is_device or _stream(there) is not None:
        return False
    open(path, "ab").close()  # a folder is refused here, too
    return True


def _stream(there: os.stat_result) -> int | None:
    """Find the standard stream that goes to a file, which must stay that file."""
    for number in _STREAMS:
        with suppress(OSError):  # of one that is closed
            if os.path.samestat(there, os.fstat(number)):
                return number
    return None


def _write_to(path: str, content: bytes) -> None:
    """Write to a device or a pipe, or on where a standard stream stands."""
    number = _stream(os.stat(path))
    with open(path if number is None else os.dup(number), "wb") as opened:
        opened.write(content)


@contextmanager
def _beside(target: str) -> Iterator[str]:
    """Make a file in the same folder, which is gone afterwards unless it was moved."""
    folder = os.path.dirname(target)
    beside = os.path.join(folder, f".skrank-{secrets.token_hex(8)}")
    try:
        open(beside, "xb").close()
        yield beside
    finally:
        with suppress(OSError):  # where it is not, as after it was moved
            os.remove(beside)
