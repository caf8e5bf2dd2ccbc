"""A server that does nothing but answer one method (``python null_server.py FILE``): the yardstick of a measurement.

FILE holds the result as one line of JSON. What a response from here takes is our own time and the
machine's, so that the time of another server can be stated as a multiple of it. Standard library only: it has to start
fast, and its own work has to be next to nothing.
"""

from __future__ import annotations

import json
import sys

_DISCOVER = '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}'


def main() -> None:
    """Answer until the input ends."""
    with open(sys.argv[1], encoding="utf-8", errors="surrogatepass") as file:  # noqa: PTH123  (pathlib is not loaded)
        listed = file.read().strip()
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = _DISCOVER if message["method"] == "server/discover" else listed
        text = f'{{"jsonrpc":"2.0","id":{json.dumps(message["id"])},"result":{result}}}\n'
        out.write(text.encode("utf-8", "surrogatepass"))
        out.flush()


if __name__ == "__main__":
    main()
