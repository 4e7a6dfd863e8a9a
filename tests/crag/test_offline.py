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
