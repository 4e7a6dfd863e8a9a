"""``python -m tests.bench.corrective [--out FILE] [--home FOLDER]``."""

import sys

from tests.bench.corrective import main

main(sys.argv[1:])
