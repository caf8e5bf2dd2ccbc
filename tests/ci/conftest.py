"""What the tests of jobs share: GitHub on the loopback, and a repository there."""

from __future__ import annotations

import shutil
import sys

import pytest
from support import REPO

sys.path.insert(0, str(REPO / "tests" / "integration"))


@pytest.fixture
def github():
    from github_stub import GitHub

    with GitHub() as running:
        yield running


@pytest.fixture(scope="session")
def governed(tmp_path_factory):
    from shops import governed_repository

    return governed_repository(tmp_path_factory.mktemp("origin"))


@pytest.fixture
def shop(governed, tmp_path, github):
    from shops import Shop

    shutil.copytree(governed, tmp_path / "origin")
    return Shop(tmp_path, github)


@pytest.fixture(scope="session")
def gated_repository(tmp_path_factory):
    from gating import BOTH, CONFIG, SURFACE
    from projects import repository

    return repository(tmp_path_factory.mktemp("gate") / "shop", {SURFACE: BOTH, CONFIG: ""})


@pytest.fixture
def gated(gated_repository, tmp_path):
    """A repository with a recorded surface, copied for each test."""
    return shutil.copytree(gated_repository, tmp_path / "gated")
