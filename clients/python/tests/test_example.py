"""The example trainer on real processes: its loss falls, and a resumed run is bit-identical to an unbroken one."""

import hashlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

from tests.fake_agent import FakeAgent

ROOT = pathlib.Path(__file__).resolve().parents[3]
TRAINER = ROOT / "examples" / "ngram" / "train.py"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Store:
    """What four agents would hold: the shard of each rank and step."""

    def __init__(self, restore_step=0, shards=None):
        self.restore_step = restore_step
        self.shards = shards or {}
        self.result = None

    def handle(self, header, payload):
        if header["op"] == "hello":
            restore = {"verdict": "RESTORED", "step": self.restore_step, "checkpointId": "chk_test"}
            return {
                "ok": True,
                "restore": restore if self.restore_step else {"verdict": "FRESH"},
                "checkpoint": {"enabled": True, "everySteps": 5, "everySeconds": 0},
            }, b""
        if header["op"] == "save":
            self.shards[header["rank"], header["step"]] = payload
        if header["op"] == "restore":
            shard = self.shards[header["rank"], self.restore_step]
            return {"ok": True, "step": self.restore_step, "sha256": hashlib.sha256(shard).hexdigest()}, shard
        if header["op"] == "result":
            self.result = header["result"]
        return {"ok": True}, b""


class ExampleTest(unittest.TestCase):
    def run_trainer(self, steps, store, *arguments, world_size=2):
        agent = FakeAgent(store.handle)
        self.addCleanup(agent.close)
        port = str(free_port())
        processes = [
            subprocess.Popen(
                [sys.executable, str(TRAINER), "--steps", str(steps), "--batch", "16", "--step-seconds", "0", *arguments],
                stdout=subprocess.PIPE,
                text=True,
                env={
                    "PATH": os.environ["PATH"],
                    "PYTHONPATH": str(ROOT / "clients" / "python"),
                    "WORLD_SIZE": str(world_size),
                    "MASTER_ADDR": "127.0.0.1",
                    "MASTER_PORT": port,
                    **agent.environment(rank),
                },
            )
            for rank in range(world_size)
        ]
        outputs = [process.communicate(timeout=60)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0] * world_size)
        return re.findall(r"step (\d+) loss (\S+)", outputs[0])

    def test_resumed_losses_are_bit_identical(self):
        unbroken = Store()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        metrics = os.path.join(folder.name, "metrics.jsonl")
        whole = self.run_trainer(20, unbroken, "--metrics", metrics)
        self.assertEqual([int(step) for step, _ in whole], list(range(1, 21)))
        self.assertLess(float(whole[-1][1]), float(whole[0][1]) - 1.0)
        resumed = self.run_trainer(20, Store(10, unbroken.shards), "--metrics", metrics)
        self.assertEqual(resumed, whole[10:])
        with open(metrics, encoding="utf-8") as file:
            logged = [json.loads(line) for line in file]
        self.assertEqual([(str(line["step"]), repr(line["loss"])) for line in logged], whole)
        changed = self.run_trainer(20, Store(10, unbroken.shards), "--flip-bit-after-restore")
        self.assertNotEqual(changed, whole[10:], "the negative control must not pass")
        self.assertEqual(unbroken.result["steps"], 20)


if __name__ == "__main__":
    unittest.main()
