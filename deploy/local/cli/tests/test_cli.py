"""The command line without a system: every failure is one line that says what to do."""

import contextlib
import http.server
import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

from muster_cli import __main__ as cli
from muster_cli import jobs, preconditions
from muster_cli.api import Api, describe
from muster_cli.failure import Failure
from muster_cli.layout import AGENT_ADDRESS, AGENT_PORT, PORTS, Home, process_started_at
from muster_cli.system import Screen, check_size, end_orphans


def run(*arguments):
    """Exit code, stdout, stderr of one command."""
    out, err = io.StringIO(), io.StringIO()
    with mock.patch.object(sys, "argv", ["muster", *arguments]), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main()
    return code, out.getvalue(), err.getvalue()


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
        patched = mock.patch.dict(os.environ, environment, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def test_without_a_system_each_command_says_how_to_start_one(self):
        for command in (["jobs"], ["job", "job_1"], ["nodes"], ["quota"], ["logs", "job_1"], ["down"], ["cancel", "job_1"]):
            with self.subTest(command=command):
                code, out, err = run("--home", self.home, *command)
                self.assertEqual((code, out), (1, ""))
                self.assertEqual(err.count("\n"), 1)
                self.assertIn("./muster up", err)

    def test_status_without_a_system_is_not_an_error_line(self):
        code, out, err = run("--home", self.home, "status")
        self.assertEqual((code, err), (1, ""))
        self.assertIn("no system runs", out)

    def test_a_system_file_of_a_dead_process_is_no_system(self):
        pathlib.Path(self.home, "system.json").write_text(json.dumps({"pid": os.getpid(), "startTicks": 1}))
        self.assertIsNone(Home(self.home).running())
        own = {"pid": os.getpid(), "startTicks": process_started_at(os.getpid())}
        pathlib.Path(self.home, "system.json").write_text(json.dumps(own))
        self.assertEqual(Home(self.home).running(), own)

    def test_a_job_file_that_cannot_be_read_is_named(self):
        for text, said in ((None, "cannot read"), ("{", "is not JSON")):
            path = pathlib.Path(self.home, "spec.json")
            if text:
                path.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(Failure, f"{said}|{path}"):
                jobs.read_spec(str(path))

    def test_a_relative_working_folder_is_taken_from_the_file(self):
        path = pathlib.Path(self.home, "spec.json")
        path.write_text(json.dumps({"runtime": {"workingDir": "."}}))
        self.assertEqual(jobs.read_spec(str(path))["runtime"]["workingDir"], str(pathlib.Path(self.home).resolve()))

    def test_sizes_that_cannot_be(self):
        for nodes, racks in ((0, 1), (1, 0), (2, 3), (251, 1), (-1, 1), (300, 251)):
            with self.subTest(nodes=nodes, racks=racks), self.assertRaises(Failure):
                check_size(nodes, racks)
        check_size(8, 2)
        check_size(1, 1)

    def test_every_command_that_names_a_job_prints_what_the_gateway_says_of_it(self):
        answers = {
            "/jobs/job_1/cancel": {"id": "job_1", "state": "STOPPING"},
            "/jobs/job_1": {"id": "job_1", "name": "n", "state": "FAILED", "reason": "USER_ERROR", "message": "exit code 3"},
            "/jobs/job_1/timeline": {"items": [{"since": "t", "state": "FAILED", "reason": "USER_ERROR", "message": "m"}]},
            "/jobs/job_1/cost": {"gpuSeconds": 1.5, "intervals": [{}], "heldGpus": 0},
            "/jobs": {"items": [{"id": "job_1", "name": "n", "state": "FAILED"}], "nextPageToken": None},
        }
        with mock.patch.object(Api, "__init__", lambda api, home: None), mock.patch.object(
            Api, "_call", lambda api, method, path, query, body=None: answers[path]
        ):
            for command in (["cancel", "job_1"], ["job", "job_1"], ["jobs"]):
                with self.subTest(command=command):
                    code, out, err = run("--home", self.home, *command)
                    self.assertEqual((code, err), (0, ""))
                    self.assertIn("job_1", out)

    def test_what_a_killed_system_left_is_ended_and_nothing_else(self):
        orphan, other = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
        for process in (orphan, other):
            self.addCleanup(process.kill)
        parts = {
            "job": {"pid": orphan.pid, "startTicks": process_started_at(orphan.pid)},
            "kafka": {"pid": other.pid, "startTicks": process_started_at(other.pid) + 1},
        }
        pathlib.Path(self.home, "system.json").write_text(json.dumps({"pid": 0, "startTicks": 0, "parts": parts}))
        threading.Thread(target=orphan.wait, daemon=True).start()
        with contextlib.redirect_stdout(io.StringIO()):
            end_orphans(Home(self.home), Screen())
        self.assertIsNotNone(orphan.wait(5))
        self.assertIsNone(other.poll())


class PreconditionsTest(unittest.TestCase):
    def test_a_taken_port_is_named_with_what_it_is_for(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            offset = listener.getsockname()[1] - PORTS["gateway"]
            with self.assertRaisesRegex(Failure, rf"{listener.getsockname()[1]} \(gateway\).*--port-offset"):
                preconditions.check_ports(offset)

    def test_a_taken_agent_port_is_named_too(self):
        with socket.create_server((AGENT_ADDRESS, 0)) as listener:
            offset = listener.getsockname()[1] - AGENT_PORT
            with self.assertRaisesRegex(Failure, rf"{listener.getsockname()[1]} on {AGENT_ADDRESS} \(agents\)"):
                preconditions.check_ports(offset)

    def test_every_missing_tool_is_named_at_once(self):
        with mock.patch.object(preconditions, "find_jdk", return_value=None), mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(Failure, "JDK 25.*mvn.*setsid"):
                preconditions.check_tools(need_maven=True)

    def test_too_little_disk_and_memory_are_said_with_numbers(self):
        usage = mock.Mock(free=1 << 20)
        with mock.patch("shutil.disk_usage", return_value=usage), mock.patch.object(preconditions, "memory_available", return_value=1 << 30):
            with self.assertRaisesRegex(Failure, r"0\.0 GB free.*1\.1 GB of memory"):
                preconditions.check_room(Home("/tmp/muster-nowhere"), False)

    def test_the_jdk_is_recognised_by_its_release_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "release").write_text('JAVA_VERSION="25.0.3"\n')
            self.assertEqual(preconditions.jdk_version(folder), 25)


class ApiTest(unittest.TestCase):
    def serve(self, status, body, *later):
        """Each question gets the next status, the last one for ever."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.server.seen.append((self.path, self.headers["Authorization"]))
                self.send_response(([status, *later][: len(self.server.seen)])[-1])
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        environment = {"MUSTER_URL": f"http://127.0.0.1:{server.server_port}", "MUSTER_API_KEY": "mk_test"}
        patched = mock.patch.dict(os.environ, environment)
        patched.start()
        self.addCleanup(patched.stop)
        return server

    def test_the_key_and_the_query_are_sent(self):
        server = self.serve(200, b'{"items": []}')
        self.assertEqual(Api(Home("/nowhere")).get("/jobs", pageToken=None, pageSize=2), {"items": []})
        self.assertEqual(server.seen, [("/api/v1/jobs?pageSize=2", "Bearer mk_test")])

    def test_a_problem_becomes_one_line_with_every_violation(self):
        problem = {
            "title": "The job cannot be accepted",
            "detail": "2 fields are wrong",
            "violations": [
                {"pointer": "/resources/nodes", "message": "0 is below 1", "allowed": "1 to 100000"},
                {"pointer": "/name", "message": "is missing"},
            ],
            "hint": "see docs/job-spec.md",
        }
        self.serve(400, json.dumps(problem).encode())
        with self.assertRaises(Failure) as caught:
            Api(Home("/nowhere")).get("/jobs")
        self.assertNotIn("\n", str(caught.exception))
        for part in ("/resources/nodes: 0 is below 1 (allowed: 1 to 100000)", "/name: is missing", "see docs/job-spec.md"):
            self.assertIn(part, str(caught.exception))

    def test_an_answer_without_a_reason_is_said_with_its_status(self):
        self.assertIn("502", describe(502, b"<html>"))

    def test_who_watches_asks_again_while_a_part_is_away_and_nobody_else_does(self):
        for away in (429, 502, 503, 504):
            with mock.patch("muster_cli.api.ASK_AGAIN_SECONDS", 0):
                server = self.serve(away, b'{"items": []}', away, 200)
                self.assertEqual(Api(Home("/nowhere"), patience=60).get("/jobs"), {"items": []})
                self.assertEqual(len(server.seen), 3)
                server = self.serve(away, b"{}", 200)
                with self.assertRaises(Failure):
                    Api(Home("/nowhere")).get("/jobs")
                self.serve(away, b"{}")
                with self.assertRaises(Failure):
                    Api(Home("/nowhere"), patience=0.2).get("/jobs")
                server = self.serve(away, b"{}", 200)
                with self.assertRaises(Failure):
                    Api(Home("/nowhere"), patience=60).post("/jobs", {})
                self.assertEqual(len(server.seen), 1)
        server = self.serve(400, b"{}", 200)
        with self.assertRaises(Failure):
            Api(Home("/nowhere"), patience=60).get("/jobs")

    def test_nobody_there_is_one_line(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        with mock.patch.dict(os.environ, {"MUSTER_URL": f"http://127.0.0.1:{port}", "MUSTER_API_KEY": "mk_test"}):
            with self.assertRaisesRegex(Failure, "does not answer.*status"):
                Api(Home("/nowhere")).get("/jobs")


if __name__ == "__main__":
    unittest.main()
