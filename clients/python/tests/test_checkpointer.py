import array
import contextlib
import hashlib
import io
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

from muster import _agent
from muster._agent import Agent
from muster._checkpointer import Checkpointer, RestoreRefused
from muster._shard import decode, encode

from tests.fake_agent import DrippingAgent, FakeAgent

CLIENT = pathlib.Path(__file__).resolve().parents[1]

PLAN = {"enabled": True, "everySteps": 10, "everySeconds": 0}


def greeting(restore=None, plan=PLAN):
    return {"ok": True, "protocol": 1, "restore": restore or {"verdict": "FRESH"}, "checkpoint": plan}


class CheckpointerTest(unittest.TestCase):
    def agent(self, answers):
        """An agent with these answers by op; a value may be a function of (header, payload)."""

        def handler(header, payload):
            answer = answers.get(header["op"], {"ok": False, "error": "UNKNOWN_OP", "message": header["op"]})
            return answer(header, payload) if callable(answer) else (answer, b"")

        fake = FakeAgent(handler)
        self.addCleanup(fake.close)
        return fake, Checkpointer(Agent(fake.environment()))

    def test_restore_gives_the_state_and_its_step(self):
        shard = b"".join(encode(30, {"x": b"abc"}))
        digest = hashlib.sha256(shard).hexdigest()
        _, checkpointer = self.agent(
            {
                "hello": greeting({"verdict": "RESTORED", "step": 30, "checkpointId": "chk_a"}),
                "restore": lambda header, payload: ({"ok": True, "step": 30, "sha256": digest}, shard),
            }
        )
        restored = checkpointer.restore()
        self.assertEqual((restored.step, restored.checkpoint_id, restored.state), (30, "chk_a", {"x": b"abc"}))

    def test_a_flipped_byte_is_refused_wherever_it_is(self):
        shard = bytearray(b"".join(encode(30, {"x": b"abc"})))
        digest = hashlib.sha256(shard).hexdigest()
        for place in range(len(shard)):
            damaged = bytearray(shard)
            damaged[place] ^= 1
            _, checkpointer = self.agent(
                {
                    "hello": greeting({"verdict": "RESTORED", "step": 30, "checkpointId": "chk_a"}),
                    "restore": lambda header, payload, d=bytes(damaged): ({"ok": True, "step": 30, "sha256": digest}, d),
                }
            )
            with self.subTest(place=place), self.assertRaises(RestoreRefused):
                checkpointer.restore()

    def test_fresh_only_when_the_agent_says_so(self):
        _, checkpointer = self.agent({"hello": greeting({"verdict": "FRESH"})})
        self.assertIsNone(checkpointer.restore())
        for verdict in ("REFUSED", "UNKNOWN", None):
            _, checkpointer = self.agent({"hello": greeting({"verdict": verdict})})
            with self.subTest(verdict=verdict), self.assertRaises(RestoreRefused):
                checkpointer.restore()

    def test_an_agent_that_is_away_refuses_a_restore(self):
        with self.assertRaises(RestoreRefused):
            Checkpointer(Agent({"MUSTER_AGENT_SOCKET": "/nonexistent/agent.sock"})).restore()

    def test_without_muster_everything_is_a_fresh_start_and_silent(self):
        checkpointer = Checkpointer(Agent({}))
        self.assertIsNone(checkpointer.restore())
        self.assertFalse(checkpointer.due(10))

    def test_training_goes_on_without_the_agent_and_says_so_once(self):
        agent = Agent({"MUSTER_AGENT_SOCKET": "/nonexistent/agent.sock"})
        checkpointer = Checkpointer(agent)
        said = io.StringIO()
        began = time.monotonic()
        with contextlib.redirect_stderr(said):
            for step in range(1, 200):
                agent.ask({"op": "progress", "rank": 0, "step": step, "metrics": {}})
            for step in range(200, 220):
                self.assertFalse(checkpointer.save(step, {"x": b""}, wait=True))
        self.assertLess(time.monotonic() - began, 2.0)
        self.assertEqual(said.getvalue().count("skipped"), 1)
        self.assertLessEqual(said.getvalue().count("the agent is away ("), 2, "once for each connection")

    def test_an_agent_that_hangs_blocks_no_longer_than_the_limit(self):
        for hangs in ("hello", "save"):
            fake = FakeAgent(lambda header, payload, op=hangs: time.sleep(30) if header["op"] == op else (greeting(), b""))
            self.addCleanup(fake.close)
            checkpointer = Checkpointer(Agent(fake.environment()), save_seconds=0.5)
            began = time.monotonic()
            with self.subTest(hangs=hangs), contextlib.redirect_stderr(io.StringIO()):
                self.assertFalse(checkpointer.save(1, {"x": b"y"}, wait=True))
                self.assertFalse(checkpointer.save(2, {"x": b"y" * 9_000_000}, wait=True))
                self.assertLess(time.monotonic() - began, 3.0)

    def test_an_agent_that_answers_a_byte_at_a_time_is_given_up_within_the_limit(self):
        fake = DrippingAgent()
        self.addCleanup(fake.close)
        agent = Agent(fake.environment(), timeout_seconds=0.5)
        began = time.monotonic()
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertIsNone(agent.ask({"op": "progress", "rank": 0, "step": 1, "metrics": {}}))
        self.assertLess(time.monotonic() - began, 2.0)

    def test_a_save_does_not_wait_for_the_agent(self):
        fake = FakeAgent(lambda header, payload: time.sleep(30) if header["op"] == "save" else (greeting(), b""))
        self.addCleanup(fake.close)
        checkpointer = Checkpointer(Agent(fake.environment()), save_seconds=1.0)
        said = io.StringIO()
        began = time.monotonic()
        with contextlib.redirect_stderr(said):
            self.assertTrue(checkpointer.save(1, {"x": b"y" * 5_000_000}))
            self.assertFalse(checkpointer.save(2, {"x": b"y"}), "the one before is still on its way")
            self.assertLess(time.monotonic() - began, 0.9)
            checkpointer._sending.join(5.0)
        self.assertIn("still on its way", said.getvalue())

    def test_what_is_saved_is_what_was_there_when_save_was_called(self):
        held = threading.Event()
        fake = FakeAgent(lambda header, payload: (held.wait(5) if header["op"] == "save" else None, (greeting(), b""))[1])
        self.addCleanup(fake.close)
        checkpointer = Checkpointer(Agent(fake.environment()))
        weights = array.array("d", [1.0] * 100_000)
        self.assertTrue(checkpointer.save(7, {"weights": weights}))
        for place in range(len(weights)):
            weights[place] = 2.0
        held.set()
        checkpointer._sending.join(5.0)
        saved = [payload for header, payload in fake.requests if header["op"] == "save"]
        self.assertEqual(set(decode(7, saved[0])["weights"]), {1.0})

    def test_nothing_that_training_hands_over_raises(self):
        _, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True}})
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for state in ({"x": object()}, {"a/b": b""}, {"muster.rng": 1}, None, 7):
                self.assertFalse(checkpointer.save(1, state, wait=True), state)
            self.assertFalse(checkpointer.save("one", {}, wait=True))
            self.assertFalse(checkpointer.save(1, {}, data=object(), wait=True))
        self.assertIn("skipped", said.getvalue())
        self.assertTrue(checkpointer.save(1, {"x": b"y"}, wait=True))

    def test_answers_that_make_no_sense_do_not_raise(self):
        for hello in ({"ok": True, "checkpoint": {"enabled": True, "everySteps": "x"}}, {"ok": True, "checkpoint": 7}, 5):
            _, checkpointer = self.agent({"hello": hello, "save": 7, "next-save": {"ok": True}})
            with self.subTest(hello=hello), contextlib.redirect_stderr(io.StringIO()):
                self.assertFalse(checkpointer.due(10))
                self.assertFalse(checkpointer.save(1, {"x": b"y"}, wait=True))

    def test_the_stall_of_every_save_is_added_up_and_reported(self):
        fake, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True}, "progress": {"ok": True}})
        before = _agent.stall.total
        self.assertTrue(checkpointer.save(1, {"x": b"y" * 1_000_000}, wait=True))
        first = checkpointer.last_stall_seconds
        self.assertTrue(checkpointer.save(2, {"x": b"y"}, wait=True))
        self.assertGreater(first, 0.0)
        self.assertAlmostEqual(_agent.stall.total - before, first + checkpointer.last_stall_seconds, places=6)
        with unittest.mock.patch.object(_agent, "_shared", checkpointer._agent):
            _agent.progress(2, loss=1.5)
        metrics = fake.requests[-1][0]["metrics"]
        self.assertEqual(metrics["loss"], 1.5)
        self.assertEqual(metrics["muster_checkpoint_stall_seconds"], _agent.stall.total)

    def test_generators_data_and_log_position_come_back(self):
        store = {}

        def save(header, payload):
            store["shard"] = payload
            return {"ok": True}, b""

        def restore(header, payload):
            return {"ok": True, "step": 3, "sha256": hashlib.sha256(store["shard"]).hexdigest()}, store["shard"]

        _, checkpointer = self.agent(
            {
                "hello": greeting({"verdict": "RESTORED", "step": 3, "checkpointId": "chk_a"}),
                "save": save,
                "restore": restore,
            }
        )
        random.seed(5)
        modules = {"torch": FakeTorch()}
        draw = [random.random]
        try:
            import numpy

            numpy.random.seed(6)
            draw.append(lambda: float(numpy.random.random()))
        except ImportError:
            print("numpy is not here: its generator is not tested")
        with unittest.mock.patch.dict(sys.modules, modules):
            self.assertTrue(checkpointer.save(3, {"w": b"1"}, data={"epoch": 2, "file": 7}, log=1234, wait=True))
            expected = [next_value() for next_value in draw]
            modules["torch"].state = [0]
            random.seed(99)
            restored = checkpointer.restore()
            self.assertEqual([next_value() for next_value in draw], expected)
            self.assertEqual(modules["torch"].state, [1, 2, 255])
            restored.set_generators()
            self.assertEqual(draw[0](), expected[0])
        self.assertEqual(restored.state, {"w": b"1"})
        self.assertEqual((restored.data_position, restored.log_position), ({"epoch": 2, "file": 7}, 1234))

    def test_refusals_skip_the_save_and_training_goes_on(self):
        for code in ("BUSY", "FENCED", "DISABLED", "TOO_LARGE", "NO_SPACE"):
            _, checkpointer = self.agent(
                {"hello": greeting(), "save": {"ok": False, "error": code, "message": f"{code} because of 2 slots"}}
            )
            said = io.StringIO()
            with self.subTest(code=code), contextlib.redirect_stderr(said):
                self.assertFalse(checkpointer.save(10, {"x": b"y"}, wait=True))
                self.assertIn(f"{code} because of 2 slots", said.getvalue())

    def test_a_last_save_is_offered_to_a_busy_agent_again(self):
        asked = []

        def busy_twice(header, payload):
            asked.append(header["step"])
            busy = {"ok": False, "error": "BUSY", "message": "both slots are full"}
            return (busy if len(asked) < 3 else {"ok": True, "staged": True}, b"")

        _, checkpointer = self.agent({"hello": greeting(), "save": busy_twice})
        self.assertTrue(checkpointer.save(40, {"x": b"y"}, wait=True))
        self.assertEqual(asked, [40, 40, 40])

    def test_the_agent_gets_the_very_bytes(self):
        fake, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True, "staged": True}})
        self.assertTrue(checkpointer.save(10, {"x": b"y" * 3_000_000}, wait=True))
        header, payload = fake.requests[-1]
        self.assertEqual((header["op"], header["step"], header["rank"]), ("save", 10, 0))
        self.assertEqual(decode(10, payload)["x"], b"y" * 3_000_000)

    def test_due_by_steps(self):
        _, checkpointer = self.agent({"hello": greeting(), "restore": {"ok": True}})
        checkpointer.restore()
        self.assertEqual([step for step in range(1, 41) if checkpointer.due(step)], [10, 20, 30, 40])

    def test_due_asks_for_the_plan_itself_when_nothing_was_asked_before(self):
        _, checkpointer = self.agent({"hello": greeting()})
        self.assertTrue(checkpointer.due(10))

    def test_due_by_time_follows_the_plan_of_the_service(self):
        plan = {"enabled": True, "everySteps": 0, "everySeconds": 5}
        _, checkpointer = self.agent(
            {
                "hello": greeting(plan=plan),
                "next-save": lambda header, payload: ({"ok": True, "nextStep": (header["step"] // 7 + 1) * 7}, b""),
            }
        )
        checkpointer.restore()
        self.assertEqual([step for step in range(1, 30) if checkpointer.due(step)], [7, 14, 21, 28])

    def test_a_new_agent_process_is_found_again_and_said(self):
        fake, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True}})
        self.assertTrue(checkpointer.save(1, {"x": b"y"}, wait=True))
        fake.drop_connections()
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertFalse(checkpointer.save(2, {"x": b"y"}, wait=True))
            checkpointer._sender._next_try = 0.0
            self.assertTrue(checkpointer.save(3, {"x": b"y"}, wait=True))
        self.assertIn("checkpoint after step 2 skipped", said.getvalue())
        self.assertIn("the agent is back", said.getvalue())
        self.assertIn("saving again, with step 3", said.getvalue())

    def test_a_save_on_its_way_at_the_end_of_the_process_still_arrives(self):
        fake = FakeAgent(lambda header, payload: (time.sleep(0.5), ({"ok": True}, b""))[1])
        self.addCleanup(fake.close)
        script = "import muster; muster.Checkpointer().save(9, {'x': b'y' * 2_000_000})"
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CLIENT), **fake.environment()}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=60)
        self.assertEqual([header["op"] for header, _ in fake.requests], ["hello", "save"])


class FakeTorch:
    """As much of PyTorch as the client asks."""

    uint8 = "uint8"

    class Tensor(list):
        def tolist(self):
            return list(self)

    class cuda:
        @staticmethod
        def is_available():
            return False

    def __init__(self):
        self.state = [1, 2, 255]

    def get_rng_state(self):
        return self.Tensor(self.state)

    def set_rng_state(self, state):
        self.state = list(state)

    def tensor(self, values, dtype):
        assert dtype == self.uint8
        return self.Tensor(values)


if __name__ == "__main__":
    unittest.main()
