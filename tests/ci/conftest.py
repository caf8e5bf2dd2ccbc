from __future__ import annotations

import sys

from support import REPO

sys.path.insert(0, str(REPO / "tests" / "integration"))
