"""``python -m skrank``."""

import sys

from skrank.report._command_line import main

sys.exit(main())
