"""What Ctrl-C does to ``python -m skrank``, which is known before all imports.

While Python imports the package in order to run it, an interrupt ends the process as it
ends a shell's own commands: by the signal, without a traceback.
"""

import signal
import sys

# Python's documentation of `sys.argv` has it: "-m" while the module is being located
if sys.argv[:1] == ["-m"] and not {"skrank", "-mskrank"}.isdisjoint(sys.orig_argv):
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_interrupts() -> None:
    """Let interrupts be exceptions from here on, as they are in Python."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
