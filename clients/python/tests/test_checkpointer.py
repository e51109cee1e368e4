import contextlib
import hashlib
import io
import time
import unittest

from muster._agent import Agent
from muster._checkpointer import Checkpointer, RestoreRefused
from muster._shard import encode

from tests.fake_agent import FakeAgent

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
            self.assertFalse(checkpointer.save(200, {"x": b""}))
        self.assertLess(time.monotonic() - began, 2.0)
        self.assertEqual(said.getvalue().count("the agent is away ("), 1)

    def test_an_agent_that_hangs_blocks_no_longer_than_the_limit(self):
        fake = FakeAgent(lambda header, payload: time.sleep(30) if header["op"] == "save" else (greeting(), b""))
        self.addCleanup(fake.close)
        checkpointer = Checkpointer(Agent(fake.environment(), timeout_seconds=0.3))
        began = time.monotonic()
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertFalse(checkpointer.save(1, {"x": b"y"}))
        self.assertLess(time.monotonic() - began, 5.0)

    def test_refusals_skip_the_save_and_training_goes_on(self):
        for code in ("BUSY", "FENCED", "DISABLED", "TOO_LARGE"):
            _, checkpointer = self.agent(
                {"hello": greeting(), "save": {"ok": False, "error": code, "message": f"{code} because of 2 slots"}}
            )
            said = io.StringIO()
            with self.subTest(code=code), contextlib.redirect_stderr(said):
                self.assertFalse(checkpointer.save(10, {"x": b"y"}))
                self.assertIn(f"{code} because of 2 slots", said.getvalue())

    def test_the_agent_gets_the_very_bytes(self):
        fake, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True, "staged": True}})
        self.assertTrue(checkpointer.save(10, {"x": b"y" * 3_000_000}))
        header, payload = fake.requests[-1]
        self.assertEqual((header["op"], header["step"], header["rank"]), ("save", 10, 0))
        self.assertEqual(payload, b"".join(encode(10, {"x": b"y" * 3_000_000})))

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

    def test_a_new_agent_process_is_found_again(self):
        fake, checkpointer = self.agent({"hello": greeting(), "save": {"ok": True}})
        self.assertTrue(checkpointer.save(1, {"x": b"y"}))
        for connection in fake._connections:
            connection.close()
        agent = checkpointer._agent
        with contextlib.redirect_stderr(io.StringIO()):
            first = checkpointer.save(2, {"x": b"y"})
            agent._next_try = 0.0
            self.assertTrue(first or checkpointer.save(3, {"x": b"y"}))


if __name__ == "__main__":
    unittest.main()
