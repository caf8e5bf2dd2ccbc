"""One era per process, and the same one whether the server starts at once or after a long while."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import SERVERS, Leash

from mcp_governor.errors import UnreachableError
from mcp_governor.wire import Era, Limits, StdioEndpoint, read
from mcp_governor.wire.pulse import Vigil

SCALE = 1 / 30
"""The delays of these tests are those of the real thing, 0 to 40 seconds of a budget of 60, scaled."""

SCALED = Limits(connect_timeout=60 * SCALE * 2, probe_timeout=3 * SCALE * 2, close_timeout=0.3)
"""Twice as much time as scaled, because the start of Python itself does not scale."""

ERAS = {
    "modern": Era.MODERN,
    "both": Era.MODERN,
    "legacy": Era.LEGACY,
    "ignores": Era.LEGACY,
    "dies": Era.LEGACY,
}
METHODS = {
    Era.MODERN: ["server/discover", "tools/list"],
    Era.LEGACY: ["initialize", "notifications/initialized", "tools/list"],
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def server(leash: Leash, log: Path, kind: str, delay: float = 0.0, place: str = "start", **env: str) -> StdioEndpoint:
    return leash.endpoint(sys.executable, str(SERVERS / "eras.py"), kind, str(delay), place, LOG=str(log), **env)


def asked(log: Path) -> list[list[str]]:
    """What each process was sent, in the order of their starts."""
    return [words.split() for words in log.read_text(encoding="utf-8").split("start")[1:]]


@pytest.mark.parametrize("delay", [0, 3, 7, 12, 40])
@pytest.mark.parametrize("kind", ERAS)
def test_the_era_does_not_depend_on_how_fast_a_server_starts(leash: Leash, log: Path, kind: str, delay: float) -> None:
    recording = read(server(leash, log, kind, delay * SCALE), limits=SCALED)
    assert recording.era is ERAS[kind]
    assert [tool["name"] for tool in recording.raw["tools"]] == ["t"]
    *earlier, last = asked(log)
    discover, hello = ["server/discover"], ["initialize"]
    assert earlier == {"ignores": [discover, [*hello, "notifications/initialized"], discover], "dies": [discover]}.get(
        kind, []
    )
    assert last == ([*discover, *METHODS[Era.LEGACY]] if kind == "legacy" else METHODS[recording.era])


@pytest.mark.parametrize("kind", ["modern", "both"])
def test_a_server_that_reads_at_once_and_answers_late_is_taken_for_what_it_is(
    leash: Leash, log: Path, kind: str
) -> None:
    """It passes for one that ignores the question until the same process is known to answer."""
    recording = read(server(leash, log, kind, 1.0, "answer"), limits=SCALED)
    assert recording.era is Era.MODERN
    assert asked(log)[-1] == METHODS[Era.MODERN]


@pytest.mark.parametrize("place", ["work", "log"])
def test_a_server_that_shows_life_is_waited_for(leash: Leash, log: Path, place: str) -> None:
    if place == "work" and sys.platform != "linux":
        pytest.skip("only Linux tells how long another process has worked")
    assert read(server(leash, log, "both", 1.2, place), limits=SCALED).era is Era.MODERN
    assert asked(log) == [METHODS[Era.MODERN]]


class Watched:
    """Life signs as a test wants them."""

    received = 0
    worked = 0.0
    http = False

    def __init__(self, unread: int | None) -> None:
        self.left = unread

    def unread(self) -> int | None:
        return self.left

    def seconds_worked(self) -> float:
        return self.worked

    def says_http(self) -> bool:
        return self.http


def test_only_silence_after_reading_is_counted() -> None:
    pulse = Watched(5)
    vigil = Vigil(pulse, 3, 10)
    assert not any(vigil.is_over(second) for second in range(100))
    assert vigil.unread_until(0) == 99
    pulse.left = 0
    assert [vigil.is_over(second) for second in (100, 102.9)] == [False, False]
    pulse.received = 1
    assert [vigil.is_over(second) for second in (103.1, 106)] == [False, False]
    pulse.worked = 0.5
    assert [vigil.is_over(second) for second in (106.2, 109.1)] == [False, False]
    assert vigil.is_over(109.3)


def test_life_counts_only_so_long() -> None:
    pulse = Watched(0)
    vigil = Vigil(pulse, 3, 10)
    over = []
    for second in range(12):
        pulse.received += 1
        over.append(vigil.is_over(second))
    assert over == [False] * 10 + [True] * 2


def test_where_reading_cannot_be_seen_the_longest_time_is_given() -> None:
    vigil = Vigil(Watched(None), 3, 10)
    assert [vigil.is_over(second) for second in (0, 9.9, 10)] == [False, False, True]


def test_a_server_that_serves_http_and_does_not_read_is_not_waited_for() -> None:
    pulse = Watched(5)
    vigil = Vigil(pulse, 3, 10)
    assert not any(vigil.is_http(second) for second in range(100)), "it says nothing: it may be being installed"
    pulse.http = True
    assert [vigil.is_http(second) for second in (100, 104.9, 105)] == [False, False, True]
    pulse.left = 0
    assert not vigil.is_http(106), "it reads stdin as well"
    pulse.left = None
    assert not vigil.is_http(200), "where reading cannot be seen, nothing is known"
    pulse.left = 5
    assert [vigil.is_http(second) for second in (300, 304.9, 305)] == [False, False, True]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whether another process has read its input")
def test_the_error_names_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.wire.pulse.HTTP_PATIENCE", 0.0)
    script = tmp_path / "server.py"
    script.write_text("import time\nprint('Listening on http://127.0.0.1:3999/mcp', flush=True)\ntime.sleep(60)\n")
    with pytest.raises(UnreachableError, match="it serves HTTP, and does not read stdin") as caught:
        read(StdioEndpoint((sys.executable, str(script))))
    assert "use that address as the TARGET" in caught.value.hint
    assert "http://127.0.0.1:3999/mcp" in caught.value.hint
    assert "It was started" not in caught.value.hint, "one start is enough to know it"


@pytest.mark.parametrize("place", ["start", "answer"])
@pytest.mark.parametrize("kind", ERAS)
def test_cold_as_warm(leash: Leash, log: Path, tmp_path: Path, kind: str, place: str) -> None:
    endpoint = server(leash, log, kind, 1.0, place, STAMP=str(tmp_path / "stamp"))
    cold, warm = (read(endpoint, limits=SCALED) for _ in range(2))
    assert cold == warm
    assert cold.era is ERAS[kind]


def test_a_program_that_never_reads_is_started_once(leash: Leash) -> None:
    script = "import time; print('ready when you are', flush=True); time.sleep(600)"
    with pytest.raises(UnreachableError) as caught:
        read(leash.endpoint(sys.executable, "-c", script), limits=Limits(connect_timeout=1.5, close_timeout=0.3))
    assert "The server has not read the request" in caught.value.message
    assert "ready when you are" in caught.value.hint


def test_a_program_that_ends_without_reading_is_started_once(leash: Leash, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    script = f"print('usage: x --database PATH'); open({str(starts)!r}, 'a').write('x'); raise SystemExit(2)"
    with pytest.raises(UnreachableError) as caught:
        read(leash.endpoint(sys.executable, "-c", script))
    assert starts.read_text() == "x"
    assert "exited with status 2" in caught.value.message
    assert "usage: x --database PATH" in caught.value.hint


def test_a_program_that_dies_of_every_question_is_started_twice_and_that_is_said(leash: Leash, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    script = f"open({str(starts)!r}, 'a').write('x'); input(); raise SystemExit(4)"
    with pytest.raises(UnreachableError) as caught:
        read(leash.endpoint(sys.executable, "-c", script))
    assert starts.read_text() == "xx"
    assert "exited with status 4" in caught.value.message
    assert "started twice" in caught.value.hint


@pytest.mark.live
@pytest.mark.waits
def test_forty_real_seconds(leash: Leash, tmp_path: Path) -> None:
    # At the same time, because all of them wait.
    with ThreadPoolExecutor(len(ERAS)) as pool:
        found = pool.map(lambda kind: read(server(leash, tmp_path / kind, kind, 40)).era, ERAS)
        assert dict(zip(ERAS, found, strict=True)) == ERAS
