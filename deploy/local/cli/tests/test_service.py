"""What happens to services, with real processes and no system."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from muster_cli import processes, service, system
from muster_cli.failure import Failure
from muster_cli.layout import PORTS, Home, is_alive, process_started_at


def entry(pid):
    return {"pid": pid, "startTicks": process_started_at(pid)}


class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Home(folder.name)
        self.said = []
        # a parent with a child, as the database's server has
        self.job, self.database = self.start("sleep 60"), self.start("sleep 60 & echo up; wait")
        self.database.stdout.readline()
        self.write({"job": entry(self.job.pid), "postgresql": entry(self.database.pid), "health": entry(os.getpid())})

    def start(self, script):
        process = subprocess.Popen(["sh", "-c", script], start_new_session=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(self.kill_group, process)
        return process

    @staticmethod
    def kill_group(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def write(self, parts):
        self.parts = parts
        self.home.system_file.write_text(json.dumps(dict(entry(os.getpid()), parts=parts, gateway="http://127.0.0.1:1", ready=True, startedAt="t")))

    def family(self, process):
        return [process.pid, *(one.pid for one in processes.table() if one.parent == process.pid)]

    def await_all(self, condition):
        """Signals are taken in a moment later than they are sent."""
        deadline = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def refused(self, action, pattern):
        with self.assertRaisesRegex(Failure, pattern) as caught:
            action()
        self.assertNotIn("\n", str(caught.exception))

    def test_a_kill_ends_all_that_are_named_with_their_children_and_nothing_else(self):
        family = self.family(self.database)
        self.assertGreaterEqual(len(family), 2)
        service.kill(self.home, ["postgresql", "postgresql"], say=self.said.append)
        self.database.wait()
        self.await_all(lambda: not any(processes.read(pid) for pid in family))
        self.assertTrue(is_alive(self.parts["job"]))
        self.assertEqual(len(self.said), 1)
        self.refused(lambda: service.kill(self.home, ["postgresql"]), "postgresql is dead.*service start postgresql")

    def test_one_that_is_dead_keeps_all_from_being_killed(self):
        self.database.kill()
        self.database.wait()
        for action in (service.kill, service.pause):
            self.refused(lambda action=action: action(self.home, ["job", "postgresql"]), "postgresql is dead")
            self.assertTrue(is_alive(self.parts["job"]))
            self.assertFalse(processes.is_stopped(self.job.pid))

    def test_pause_stops_the_children_too_and_start_lets_all_go_on(self):
        family = self.family(self.database)
        service.pause(self.home, ["postgresql"], say=self.said.append)
        self.await_all(lambda: all(processes.is_stopped(pid) for pid in family))
        self.refused(lambda: service.pause(self.home, ["postgresql"]), "paused already")
        service.start(self.home, ["postgresql", "job"], say=self.said.append)
        self.await_all(lambda: not any(processes.is_stopped(pid) for pid in family))
        self.assertIn("goes on", self.said[1])
        self.assertIn("runs already", self.said[2])

    def test_down_lets_paused_ones_go_on_so_that_they_can_end(self):
        service.pause(self.home, ["job"], say=self.said.append)
        self.await_all(lambda: processes.is_stopped(self.job.pid))
        system.resume_paused(self.home.running())
        self.await_all(lambda: not processes.is_stopped(self.job.pid))

    def test_what_stays_down_is_marked_until_it_is_started(self):
        service.kill(self.home, ["job"], stay_down=True, say=self.said.append)
        self.job.wait()
        mark = self.home.path / "kept-down" / "job"
        self.assertTrue(mark.exists())
        self.refused(lambda: service.kill(self.home, ["job"]), "job is kept down")
        successor = self.start("sleep 60")
        threading.Timer(0.3, lambda: self.write(dict(self.parts, job=entry(successor.pid)))).start()
        service.start(self.home, ["job"], say=self.said.append)
        self.assertFalse(mark.exists())
        self.assertIn(f"started (pid {successor.pid})", self.said[-1])

    def test_a_service_that_shares_the_systems_process_is_left_alone(self):
        for action in (service.kill, service.pause, service.start):
            self.refused(lambda action=action: action(self.home, ["health"]), "--processes")
            self.refused(lambda action=action: action(self.home, ["gateway"]), "--processes")

    def test_its_names_are_those_of_what_has_a_port(self):
        self.assertEqual(set(service.NAMES), set(PORTS) - {"gateway-management", "kafka-controller"})


if __name__ == "__main__":
    unittest.main()
