"""What happens to a node's processes and folders, with real processes and no system."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from muster_cli import node, processes, system
from muster_cli.api import Api
from muster_cli.failure import Failure
from muster_cli.layout import Home, process_started_at


def entry(pid):
    return {"pid": pid, "startTicks": process_started_at(pid)}


class NodeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Home(folder.name)
        self.folder = self.home.path / "nodes" / "r1-n1"
        self.folder.mkdir(parents=True)
        (self.folder / "credential.json").write_text("{}")
        self.agent = self.start("sleep 60")
        self.said = []
        self.write_system()

    def write_system(self):
        parts = {"agent r1-n1": entry(self.agent.pid), "agent r1-n2": {"pid": 0, "startTicks": 0}}
        self.home.system_file.write_text(json.dumps(dict(entry(os.getpid()), parts=parts, gateway="http://127.0.0.1:1", ready=True, startedAt="t")))

    def start(self, script, marked=False):
        environment = dict(os.environ)
        if marked:
            environment["MUSTER_NODES_FILE"] = str(self.folder / "jobs" / "job_1" / "1" / "nodes.json")
        process = subprocess.Popen(["sh", "-c", script], env=environment, start_new_session=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def refused(self, action, pattern):
        with self.assertRaisesRegex(Failure, pattern) as caught:
            action()
        self.assertNotIn("\n", str(caught.exception))

    def kill(self, **how):
        return node.kill(self.home, ["r1-n1"], say=self.said.append, **how)

    def test_a_kill_ends_agent_and_ranks_also_those_that_hid_and_nothing_else(self):
        marked = self.start("setsid sleep 61 & env -i setsid sh -c 'sleep 62 & sleep 63' & echo up; sleep 64", marked=True)
        recorded = self.start("env -i sleep 65")
        stranger = self.start("sleep 66")
        marked.stdout.readline()
        time.sleep(0.3)
        record = self.folder / "control" / "job_1" / "1" / "attempt.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"ranks": [dict(entry(recorded.pid), rank=0), {"pid": 0, "startTicks": 0}]}))
        family = processes.Family([self.folder], {recorded.pid: process_started_at(recorded.pid)}).living()
        self.assertGreaterEqual(len(family), 6)
        self.kill()
        for process in (self.agent, marked, recorded):
            self.assertEqual(process.wait(5), -signal.SIGKILL)
        self.assertEqual([pid for pid in family if processes.read(pid)], [])
        self.assertIsNone(stranger.poll())
        self.assertFalse(self.folder.exists())
        self.assertEqual(len(list((self.home.path / "lost").glob("r1-n1-*/credential.json"))), 1)

    def memory(self, owner):
        memory = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm", prefix="muster-test-"))
        self.addCleanup(shutil.rmtree, memory, True)
        (memory / "slot-0").write_text("bytes")
        (memory / "owner").write_text(str(owner))
        (self.folder / "memory.path").write_text(f"{memory}\n")
        return memory

    def test_memory_is_lost_even_if_the_disk_is_kept(self):
        memory = self.memory(self.folder)
        self.kill(keep_disk=True)
        self.assertFalse(memory.exists())
        self.assertTrue((self.folder / "credential.json").exists())

    def test_memory_of_another_is_not_deleted(self):
        memory = self.memory("/somewhere/nodes/r1-n1")
        self.refused(self.kill, "belongs to /somewhere.*not deleted")
        self.assertTrue(memory.exists())

    def test_agent_only_leaves_the_ranks(self):
        rank = self.start("sleep 61", marked=True)
        self.kill(agent_only=True)
        self.assertEqual(self.agent.wait(5), -signal.SIGKILL)
        self.assertIsNone(rank.poll())
        self.assertTrue(self.folder.exists())

    def test_ranks_that_a_killed_agent_left_are_ended_when_the_system_is_down(self):
        rank = self.start("sleep 61", marked=True)
        self.assertGreaterEqual(node.end_left_ranks(self.home), 1)
        self.assertEqual(rank.wait(5), -signal.SIGKILL)
        self.assertEqual(node.end_left_ranks(self.home), 0)

    def test_pause_and_resume_and_what_they_refuse(self):
        self.refused(lambda: node.resume(self.home, "r1-n1"), "is not paused; it runs with pid")
        node.pause(self.home, "r1-n1", say=self.said.append)
        self.wait_until(lambda: processes.is_stopped(self.agent.pid))
        self.assertIn("paused", system.describe_part(entry(self.agent.pid)))
        self.refused(lambda: node.pause(self.home, "r1-n1"), "is paused already.*node resume r1-n1")
        self.refused(lambda: node.restart(self.home, "r1-n1"), "is paused.*node resume r1-n1")
        node.resume(self.home, "r1-n1", say=self.said.append)
        self.wait_until(lambda: not processes.is_stopped(self.agent.pid))

    def wait_until(self, condition):
        deadline = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_a_dead_node_refuses_all_but_its_restart_and_says_so(self):
        self.kill()
        self.agent.wait()
        for action in (self.kill, lambda: node.pause(self.home, "r1-n1"), lambda: node.resume(self.home, "r1-n1")):
            self.refused(action, "was killed at .*node restart r1-n1")
        self.refused(lambda: node.pause(self.home, "r1-n2"), "ended by itself.*node restart r1-n2")
        self.refused(lambda: node.kill(self.home, ["r1-n1", "r9-n9"]), "there is no node r9-n9.*r1-n1, r1-n2")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            system.status(self.home, False)
        self.assertRegex(out.getvalue(), r"agent r1-n1 +killed at .* with ./muster node kill")
        self.assertRegex(out.getvalue(), r"agent r1-n2 +DEAD")

    def test_a_living_node_is_not_restarted(self):
        self.refused(lambda: node.restart(self.home, "r1-n1"), r"runs \(pid \d+\); kill it first")

    def restart_with_a_system(self):
        """Plays the running system: takes the request away and writes down the new agent."""
        started = []

        def take_request(home, name):
            self.agent = self.start("sleep 67")
            self.write_system()
            started.append(name)

        with mock.patch.object(node, "ask_start", take_request):
            node.restart(self.home, "r1-n1", say=self.said.append)
        self.assertEqual(started, ["r1-n1"])
        self.assertIsNone(node.read_mark(self.home.killed_mark("r1-n1")))

    def test_a_wiped_node_comes_back_with_a_new_token_and_one_with_its_disk_without(self):
        self.home.secret("").mkdir()
        asked = []
        answer = {"token": "mj_new"}
        with mock.patch.object(Api, "__init__", lambda api, home: None), mock.patch.object(
            Api, "_call", lambda api, method, path, query, body=None: asked.append((path, body)) or answer
        ):
            self.kill(keep_disk=True)
            self.agent.wait()
            self.restart_with_a_system()
            self.assertEqual(asked, [])
            self.kill()
            self.agent.wait()
            self.restart_with_a_system()
        self.assertEqual(asked, [("/nodes/join-tokens", {"node": "r1-n1"})])
        token = self.home.secret("join-r1-n1.token")
        self.assertEqual((token.read_text(), token.stat().st_mode & 0o777), ("mj_new\n", 0o600))

    def test_a_request_is_a_file_for_the_running_system(self):
        node.ask_start(self.home, "r1-n1")
        self.assertEqual([file.name for file in (self.home.path / "requests").iterdir()], ["start-r1-n1"])


class FamilyTest(unittest.TestCase):
    def test_it_never_has_the_caller_in_it(self):
        with mock.patch.dict(os.environ, {"MUSTER_NODES_FILE": "/tmp/none/jobs/x"}):
            code = "from muster_cli.processes import Family; print(Family(['/tmp/none'], {}).living())"
            said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1], check=True)
        self.assertEqual(said.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
