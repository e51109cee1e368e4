import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from muster._checkpointer import Restored
from muster._metrics_log import MetricsLog

CLIENT = pathlib.Path(__file__).resolve().parents[1]


class MetricsLogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "deep", "metrics.jsonl")

    def steps(self):
        with open(self.path, "rb") as file:
            return [json.loads(line)["step"] for line in file]

    def test_a_fresh_start_begins_an_empty_log(self):
        log = MetricsLog(self.path)
        log.append(1, loss=0.5)
        MetricsLog(self.path, None).append(1, loss=0.25)
        self.assertEqual(self.steps(), [1])

    def test_no_step_twice_and_none_missing_after_a_restart(self):
        log = MetricsLog(self.path)
        for step in range(1, 6):
            log.append(step, loss=1.0 / step)
        position = log.position
        for step in range(6, 10):
            log.append(step, loss=1.0 / step)
        self.assertEqual(os.path.getsize(self.path), log.position)
        again = MetricsLog(self.path, Restored(5, "chk", {}, None, position))
        self.assertEqual(self.steps(), [1, 2, 3, 4, 5])
        for step in range(6, 12):
            again.append(step)
        self.assertEqual(self.steps(), list(range(1, 12)))

    def test_wherever_the_process_dies_the_log_goes_on_exactly(self):
        log = MetricsLog(self.path)
        positions = {}
        for step in range(1, 6):
            log.append(step, loss=0.1 * step)
            positions[step] = log.position
        with open(self.path, "rb") as file:
            whole = file.read()
        for cut in range(positions[3], len(whole) + 1):
            with open(self.path, "wb") as file:
                file.write(whole[:cut])
            again = MetricsLog(self.path, Restored(3, "chk", {}, None, positions[3]))
            again.append(4)
            with self.subTest(cut=cut):
                self.assertEqual(self.steps(), [1, 2, 3, 4])

    def test_without_a_position_the_steps_decide(self):
        log = MetricsLog(self.path)
        for step in range(1, 6):
            log.append(step)
        MetricsLog(self.path, Restored(3, "chk", {}, None, None))
        self.assertEqual(self.steps(), [1, 2, 3])

    def test_lines_that_are_missing_are_said(self):
        log = MetricsLog(self.path)
        log.append(1)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            MetricsLog(self.path, Restored(3, "chk", {}, None, 500))
        self.assertIn("500", said.getvalue())
        self.assertEqual(self.steps(), [1])

    def test_a_disk_that_takes_nothing_does_not_stop_training_and_loses_no_line(self):
        folder = os.path.dirname(self.path)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder, "w") as file:
            file.write("a file where a folder should be")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            log = MetricsLog(self.path)
            for step in range(1, 50):
                log.append(step)
            self.assertFalse(log.flush())
        self.assertEqual(said.getvalue().count("\n"), 1)
        os.remove(folder)
        os.makedirs(folder)
        log.append(50)
        self.assertTrue(log.flush())
        self.assertEqual(self.steps(), list(range(1, 51)))

    def test_a_full_disk(self):
        script = (
            "import resource, signal, sys, muster\n"
            "log = muster.MetricsLog(sys.argv[1])\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
            "for step in range(1, 201): log.append(step)\n"
            "assert not log.flush()\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
            "log.append(201)\n"
            "assert log.flush()\n"
        )
        subprocess.run(
            [sys.executable, "-c", script, self.path],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(CLIENT)},
            check=True,
            timeout=60,
            stderr=subprocess.DEVNULL,
        )
        self.assertEqual(self.steps(), list(range(1, 202)))


if __name__ == "__main__":
    unittest.main()
