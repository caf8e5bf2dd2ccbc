"""A server that needs a port for itself: one_port.py PORT FILE.

One that has the port answers when FILE is there; one that finds it taken writes FILE and fails, as servers do.
"""

from __future__ import annotations

import runpy
import socket
import sys
import time
from pathlib import Path

port, file = int(sys.argv[1]), Path(sys.argv[2])
held = socket.socket()
try:
    held.bind(("127.0.0.1", port))
except OSError:
    file.touch()
    raise
for _ in range(1_200):
    if file.exists():
        break
    time.sleep(0.05)
sys.argv = ["plain.py", '{"info": {"name": "port", "version": "1.0.0"}, "tools": [{"name": "a", "inputSchema": {}}]}']
runpy.run_path(str(Path(__file__).with_name("plain.py")), None, "__main__")
