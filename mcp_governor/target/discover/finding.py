"""Find the projects of a repository, and their probable servers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.files import repository_of
from mcp_governor.target.discover.client_files import client_candidates
from mcp_governor.target.discover.dockerfile import docker_candidates
from mcp_governor.target.discover.manifests import variables_of
from mcp_governor.target.discover.model import Candidate, Found
from mcp_governor.target.discover.node import node_candidates
from mcp_governor.target.discover.own import Repository
from mcp_governor.target.discover.python_projects import PythonProject, python_candidates
from mcp_governor.target.discover.python_source import is_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NESTS = ("src", "packages", "servers", "apps", "services", "python", "typescript", "mcp")
"""Folders that contain projects but are not projects."""
_MAX_FOLDERS = 200
"""Most folders of a repository that are searched for projects; the largest known collections of servers have about 50.
The others are skipped."""
_MAX_PROJECTS = 40
"""Most projects whose files are read; the others are skipped."""


def discover(root: Path) -> Found:
    """Find the probable servers of a repository.

    These are its own servers, or else those of the projects below it, or else the entries of its client configurations
    that run something from it.

    Args:
        root: the folder in which ``init`` runs.
    """
    repository = Repository(repository_of(root))
    own = _in_project(root, root, repository)
    if not own.candidates:
        below = [_in_project(folder, root, repository) for folder in islice(_projects(root), _MAX_PROJECTS)]
        own = Found(
            tuple(candidate for found in below for candidate in found.candidates),
            (*own.others, *(other for found in below for other in found.others)),
            {**own.variables, **{name: file for found in below for name, file in found.variables.items()}},
        )
    clients, others = client_candidates(root, repository)
    return Found((*own.candidates, *clients), (*own.others, *others), own.variables)


def _in_project(folder: Path, root: Path, repository: Repository) -> Found:
    found, others = python_candidates(folder, root)
    found += node_candidates(folder, root)
    found += docker_candidates(PythonProject(folder, root), root)
    kept: list[Candidate] = []
    for candidate in _once(found):
        if ways := tuple(way for way in candidate.ways if repository.may_start(way, folder)):
            kept.append(replace(candidate, ways=ways))
        else:
            others.append(candidate.ways[0])
    return Found(tuple(kept), tuple(others), variables_of(folder) if found else {})


def _once(candidates: list[Candidate]) -> Iterator[Candidate]:
    """The candidates in the order of their stages, each command once."""
    seen: set[str] = set()
    for candidate in sorted(candidates, key=lambda candidate: candidate.stage):
        shown = candidate.ways[0].shown
        if shown not in seen:
            seen.add(shown)
            yield candidate


def _projects(root: Path) -> Iterator[Path]:
    """Project folders below the root: one level down, and one level below folders that collect projects."""
    seen: set[Path] = set()
    looked = 0
    for pattern in ("*", *(f"{nest}/*" for nest in _NESTS)):
        for folder in sorted(root.glob(pattern)):
            looked += 1
            if looked > _MAX_FOLDERS:
                return
            inside = folder.is_dir() and folder.resolve().is_relative_to(root.resolve())
            if inside and folder not in seen and is_project(folder):
                seen.add(folder)
                yield folder
