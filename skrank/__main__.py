"""``python -m skrank``."""

import signal
import sys

from skrank.report._command_line import main

if hasattr(signal, "SIGPIPE"):  # end quietly where the reader of a pipe has gone
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
sys.exit(main())
