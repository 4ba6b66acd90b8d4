"""``python -m skrank``."""

import sys

from skrank._command_line import main

sys.exit(main())
