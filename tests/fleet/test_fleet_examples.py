"""The Compose file and the Kubernetes Jobs of examples/fleet: their commands are ours, their password is nowhere."""

from __future__ import annotations

import re
from typing import Any

import click
import pytest
import yaml
from support import REPO

from mcp_governor.cli import app
from mcp_governor.config import load_config
from mcp_governor.store.address import address_of

FOLDER = REPO / "examples" / "fleet"


def parsed(words: list[str]) -> tuple[str, dict[str, Any]]:
    """The command that our command line finds, and its parameters; raises what a user would see."""
    command: click.Command = app
    names = []
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(click.Context(command), words)
        assert found is not None
        names.append(str(name))
        command = found
    return " ".join(names), command.make_context(names[-1], list(words)).params


def compose() -> dict[str, Any]:
    found = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    assert set(found) == {"services", "volumes"}
    return found


def jobs() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text("utf-8")))


def test_the_compose_file_starts_what_its_commands_need() -> None:
    found = compose()
    services = found["services"]
    for name, service in services.items():
        assert ("image" in service) != ("build" in service), name
        for needed in service.get("depends_on", ()):
            assert "healthcheck" in services[needed]
        for mount in service["volumes"]:
            source = mount.split(":")[0]
            assert source in found["volumes"] or (FOLDER / source).is_dir()
    assert {name: parsed(one["command"])[0] for name, one in services.items() if "command" in one} == {
        "worker": "fleet worker",
        "check": "fleet check",
    }
    for name in ("worker", "check"):
        build = services[name]["build"]
        assert (FOLDER / build["context"] / "Dockerfile").is_file()
        assert "fleet" in build["args"]["EXTRAS"].split(",")


def test_the_jobs_have_what_kubernetes_requires() -> None:
    found = jobs()
    assert [job["metadata"]["name"] for job in found] == ["fleet-check", "fleet-worker"]
    for job in found:
        assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
        pod = job["spec"]["template"]["spec"]
        assert pod["restartPolicy"] in ("Never", "OnFailure"), "a Job takes no other"
        (container,) = pod["containers"]
        assert re.fullmatch(r"[a-z-]+:\w+", container["image"])
        assert "memory" in container["resources"]["limits"]
    check, worker = (job["spec"]["template"]["spec"]["containers"][0]["args"] for job in found)
    assert parsed(check)[0] == "fleet check"
    assert parsed(worker)[0] == "fleet worker"
    assert "completions" not in found[1]["spec"], "a queue of work has none"
    assert parsed(worker)[1]["idle"] is not None, "or the Job never ends"


def commands() -> list[tuple[list[str], dict[str, Any]]]:
    """The words of each command, and the environment by name."""
    found = [(one["command"], one["environment"]) for one in compose()["services"].values() if "command" in one]
    for job in jobs():
        for one in job["spec"]["template"]["spec"]["containers"]:
            found.append((one["args"], {entry["name"]: entry for entry in one["env"]}))
    assert len(found) == 4
    return found


@pytest.mark.parametrize(("words", "environment"), commands())
def test_all_reach_one_store_whose_password_is_not_written(words: list[str], environment: dict[str, Any]) -> None:
    _, params = parsed(words)
    address = address_of(params["store"])
    assert address.is_shared
    assert address.url.password is None
    given = environment["PGPASSWORD"]
    assert given.startswith("${FLEET_PASSWORD:?") if isinstance(given, str) else "secretKeyRef" in given["valueFrom"]
    if "fleet" in params:
        assert params["engine"] == "queue"
        assert load_config(FOLDER / params["fleet"]).servers


def test_the_image_takes_the_extras() -> None:
    text = (REPO / "Dockerfile").read_text("utf-8")
    assert "\nARG EXTRAS=run,serve\n" in text
    assert "[${EXTRAS}]" in text
