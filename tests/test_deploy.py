"""Files for running the service elsewhere: linted and rendered with the real tools."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmground.config.settings import Settings

DEPLOY = Path("deploy").absolute()
CHART = DEPLOY / "helm" / "firmground"


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


def test_the_dockerfile_passes_its_linter_and_runs_without_root() -> None:
    done = run(tool("hadolint"), str(DEPLOY / "Dockerfile"))
    assert (done.returncode, done.stdout) == (0, "")
    text = (DEPLOY / "Dockerfile").read_text()
    assert "USER 10001:10001" in text
    assert "HEALTHCHECK" in text


def test_the_compose_file_is_valid_and_hardened(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["firmground"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    shutil.copytree(DEPLOY, tmp_path / "deploy", ignore=shutil.ignore_patterns("secrets"))
    (tmp_path / "deploy" / "secrets").mkdir()
    for name in ("database_password", "pgpass", "upstream_key"):
        (tmp_path / "deploy" / "secrets" / name).touch()
    done = run(
        tool("docker-compose"), "-f", str(tmp_path / "deploy" / "compose.yaml"), "config", "-q"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_is_valid_and_contained(tmp_path: Path) -> None:
    unit = tmp_path / "firmground.service"
    text = (DEPLOY / "firmground.service").read_text()
    unit.write_text(text.replace("/opt/firmground/bin/firmground", sys.executable))
    done = run(tool("systemd-analyze"), "verify", str(unit))
    assert (done.returncode, done.stderr) == (0, "")
    security = run(tool("systemd-analyze"), "security", "--offline=true", str(unit)).stdout
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", security)
    assert exposure is not None
    assert float(exposure[1]) < 5


def rendered(*options: str) -> list[Any]:
    yaml = pytest.importorskip("yaml")
    done = run(tool("helm"), "template", "here", str(CHART), *options)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def test_the_chart_lints_and_renders() -> None:
    assert run(tool("helm"), "lint", "--strict", str(CHART)).returncode == 0
    by_kind = {document["kind"]: document for document in rendered()}
    assert set(by_kind) == {"ConfigMap", "Service", "StatefulSet"}
    pod = by_kind["StatefulSet"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert "--ledger" not in container["args"]
    selector = by_kind["Service"]["spec"]["selector"]
    labels = by_kind["StatefulSet"]["spec"]["template"]["metadata"]["labels"]
    assert selector.items() <= labels.items()


def test_the_chart_takes_a_postgresql_ledger_and_refuses_replicas_without_one() -> None:
    documents = rendered(
        "--set", "replicas=3,databaseSecret=db,upstreamSecret=up,ledger=postgresql://writer@db/audit"
    )  # fmt: skip
    pod = next(d for d in documents if d["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    assert pod["containers"][0]["args"][-2:] == ["--ledger", "postgresql://writer@db/audit"]
    assert pod["containers"][0]["env"][0]["name"] == "PGPASSWORD"
    refused = run(tool("helm"), "template", "here", str(CHART), "--set", "replicas=2")
    assert refused.returncode != 0
    assert "several replicas need a ledger" in refused.stderr


def test_the_settings_of_the_container_are_read(tmp_path: Path) -> None:
    text = (DEPLOY / "firmground.toml").read_text().replace("/run/secrets", str(tmp_path))
    (tmp_path / "upstream_key").write_text("k")
    (tmp_path / "firmground.toml").write_text(text)
    settings = Settings.load(tmp_path / "firmground.toml")
    assert settings.proxy is not None
    assert settings.proxy.upstreams[0].name == "upstream"
