"""Everything works where there is no network at all: in a namespace of its own with nothing but loopback."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crag.cli import ROOT, SAMPLES, child_environment

SCRIPT = Path(__file__).with_name("offline_journey.py")


def _namespaces() -> bool:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _namespaces(), reason="network namespaces are not permitted here")
def test_ingest_ask_serve_chat_and_eval_without_a_network(tmp_path: Path) -> None:
    journey = f'ip link set lo up && exec "{sys.executable}" "{SCRIPT}" "{SAMPLES}" "{tmp_path}"'
    ran = subprocess.run(
        ["unshare", "-rn", "sh", "-c", journey],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=child_environment(),
        timeout=400,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["no-network", "ingested", "asked", "chatted", "evaluated"]


@pytest.mark.parametrize("package", ["chunking", "retrieval.embedders.local", "crag.app"])
def test_no_usage_events_are_collected(package: str, tmp_path: Path) -> None:
    """onnxruntime keeps what it will send in the user's own folders, from its import on."""
    env = {name: value for name, value in child_environment().items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    folders = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    script = f"import {package}, onnxruntime; print(onnxruntime.__version__)"
    ran = subprocess.run(
        [sys.executable, "-c", script], env={**env, **folders}, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout
    assert list(tmp_path.rglob("*")) == []
