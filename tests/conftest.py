"""Makes ``tests/support.py`` and the tools importable from every test folder, and holds outputs to reviewed files."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mcp_governor.cli.repeating import CI_VARIABLES
from mcp_governor.secrets import forget

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parents[1] / "tools"))

pytest_plugins = ["tiers"]

# Some machines forbid bytecode. Then each pytest that a test starts rewrites all of our modules again, which costs more
# than what it is started for.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that runs the tests in the background has SIGINT ignored, and whatever the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Three workers and the fuzzing share two cores, so the time that an example takes says nothing about the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


# What CI systems and people set, and no test is about: a build of a tag, a report that ends with the command that
# repeats it, color that is forced or forbidden.
_SET_BY_OTHERS = ("GITHUB_REF_TYPE", "GITHUB_REF_NAME", "CI_COMMIT_TAG", *CI_VARIABLES)
_SET_BY_OTHERS += ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE")


@pytest.fixture(autouse=True, scope="session")
def environment_without_what_others_set() -> Iterator[None]:
    """Once for all tests; ``support.missing`` still knows where it runs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _SET_BY_OTHERS:
            patch.delenv(name, raising=False)
        yield


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A process knows the secrets of all its runs; those of one test are none of the next one's."""
    forget()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew; then read the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Holds a text to the reviewed one in ``tests/golden/NAME``; ``--update-golden`` writes it instead."""

    def hold(name: str, text: str) -> None:
        file = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8")

    return hold
