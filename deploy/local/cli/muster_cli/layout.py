"""Where things are and which ports they have; the same as io.muster.local.Layout."""

import json
import os
import pathlib

from muster_cli.failure import Failure

ROOT = pathlib.Path(__file__).resolve().parents[4]
PORTS = {
    "gateway": 8080,
    "job": 8081,
    "quota": 8082,
    "scheduler": 8083,
    "health": 8084,
    "checkpoint": 8085,
    "gateway-management": 8090,
    "postgresql": 15432,
    "kafka": 19092,
    "kafka-controller": 19093,
}
MAX_NODES_PER_RACK = 250


class Home:
    """The folder of one local system (default .muster)."""

    def __init__(self, folder=None):
        self.path = pathlib.Path(folder or os.environ.get("MUSTER_HOME") or ROOT / ".muster").absolute()

    @property
    def system_file(self):
        return self.path / "system.json"

    @property
    def log_folder(self):
        return self.path / "log"

    @property
    def system_log(self):
        return self.log_folder / "system.log"

    @property
    def progress_file(self):
        return self.log_folder / "progress.jsonl"

    def secret(self, name):
        return self.path / "secrets" / name

    def running(self):
        """What `up` wrote about the system that runs from this folder, or None if none does."""
        try:
            system = json.loads(self.system_file.read_text())
        except (FileNotFoundError, ValueError):
            return None
        return system if process_started_at(system.get("pid", 0)) == system.get("startTicks") else None

    def require_running(self):
        system = self.running()
        if system is None:
            raise Failure(f"no system runs from {self.path}; start one with: ./muster up --detach")
        return system


def process_started_at(pid):
    """Clock ticks since boot at which a process started (field 22 of its stat); None if there is no such process."""
    try:
        stat = pathlib.Path(f"/proc/{int(pid)}/stat").read_text()
    except (OSError, ValueError):
        return None
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] == "Z" else int(fields[19])


def node_names(nodes, racks):
    """[(name, rack number, position)] of N nodes dealt over R racks: r1-n1 … as full racks in order."""
    per_rack = -(-nodes // racks)
    return [(f"r{i // per_rack + 1}-n{i % per_rack + 1}", i // per_rack + 1, i % per_rack + 1) for i in range(nodes)]
