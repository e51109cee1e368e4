"""The demo's judgement: right only if every loss is the undisturbed run's and nothing committed is lost."""

import random
import tempfile
import unittest
from unittest import mock

from muster_cli.demo import command, example, kills, losses, report
from muster_cli.demo.story import Story, seconds
from muster_cli.demo.verdict import Attempt, judge
from muster_cli.failure import Failure
from muster_cli.layout import Home

TRUE = {step: f"{3.0 / step!r}" for step in range(1, 101)}


def steps(first, last, **changed):
    return {step: changed.get(f"at{step}", TRUE[step]) for step in range(first, last + 1)}


def recovered(first=None, second=None, restored=40):
    return [
        Attempt(1, "FRESH", 0, first or steps(1, 52)),
        Attempt(2, "RESTORED" if restored else "FRESH", restored, second or steps(restored + 1, 100)),
    ]


COMMITS = [(1, 20), (1, 40), (2, 60), (2, 80), (2, 100)]


class JudgeTest(unittest.TestCase):
    def judge(self, attempts, state="SUCCEEDED", commits=COMMITS):
        return judge(state, "it says so", attempts, commits, TRUE)

    def test_a_recovery_as_it_shall_be(self):
        verdict = self.judge(recovered())
        self.assertEqual((verdict.problems, verdict.committed_steps_lost, verdict.steps_compared, verdict.steps_again), ([], 0, 112, 12))
        self.assertTrue(verdict.right and verdict.losses_identical)

    def test_the_first_differing_step_is_named_with_both_losses(self):
        verdict = self.judge(recovered(second=steps(41, 100, at77="0.5", at60="0.25")))
        self.assertIn("step 60 is the first that differs: attempt 2 printed loss 0.25, the undisturbed run 0.05", verdict.problems[0])
        self.assertFalse(verdict.losses_identical)

    def test_a_difference_in_the_last_digit_is_one(self):
        self.assertFalse(self.judge(recovered(second=steps(41, 100, at41=TRUE[41] + "1"))).right)

    def test_a_fresh_start_although_there_was_a_commit(self):
        verdict = self.judge(recovered(restored=0))
        self.assertEqual(verdict.committed_steps_lost, 40)
        self.assertIn("attempt 2 began at step 1 and not at step 41", verdict.problems[0])

    def test_a_trainer_that_does_not_restore_what_it_was_given(self):
        verdict = self.judge([recovered()[0], Attempt(2, "RESTORED", 40, steps(1, 100))])
        self.assertEqual(verdict.committed_steps_lost, 40)
        self.assertEqual(verdict.problems, ["attempt 2 began at step 1 and not at step 41 (RESTORED step 40): 40 committed steps are lost"])

    def test_an_older_checkpoint_than_the_newest_commit(self):
        verdict = self.judge(recovered(restored=20))
        self.assertEqual(verdict.committed_steps_lost, 20)
        self.assertIn("20 committed steps are lost", verdict.problems[0])

    def test_commits_of_the_same_or_later_attempts_are_not_lost(self):
        self.assertTrue(self.judge(recovered(), commits=[(1, 40), (2, 60), (3, 99)]).right)

    def test_a_first_step_that_is_not_the_restored_one_plus_one(self):
        for first in (41, 43):
            with self.subTest(first=first):
                restored = 40 if first == 43 else 41
                verdict = self.judge([*recovered()[:1], Attempt(2, "RESTORED", restored, steps(first, 100))], commits=[])
                self.assertEqual(verdict.problems[:1], [f"attempt 2 began at step {first} and not at step {restored + 1} (RESTORED step {restored})"])

    def test_a_step_that_nobody_printed(self):
        self.assertIn("no attempt printed the loss of step 100", self.judge(recovered(second=steps(41, 99))).problems[0])

    def test_a_log_that_died_with_the_node_of_rank_0_hides_only_what_was_committed(self):
        cut = Attempt(1, "FRESH", 0, steps(1, 37), log_cut=True)
        verdict = self.judge([cut, recovered()[1]])
        self.assertEqual((verdict.problems, verdict.steps_unlogged), ([], 3))
        whole = Attempt(1, "FRESH", 0, steps(1, 37))
        self.assertIn("step 38 and 2 more", self.judge([whole, recovered()[1]]).problems[0])
        self.assertIn("step 100", self.judge([cut, Attempt(2, "RESTORED", 40, steps(41, 99))]).problems[0])

    def test_another_end_than_success(self):
        self.assertIn("the job ended FAILED: it says so", self.judge(recovered(), state="FAILED").problems[0])

    def test_attempts_that_never_trained_are_passed_over(self):
        attempts = [recovered()[0], Attempt(2, "RESTORED", 40, {}), Attempt(3, "RESTORED", 40, steps(41, 100))]
        verdict = self.judge(attempts, commits=[(1, 40)])
        self.assertEqual((verdict.problems, verdict.steps_again), ([], 12))

    def test_random_recoveries_are_right_and_any_changed_loss_is_found(self):
        chance = random.Random(7)
        for _ in range(300):
            attempts, commits, at = [], [], 0
            for number in range(1, chance.randint(2, 5)):
                last = chance.randint(at, 99)
                attempts.append(Attempt(number, "RESTORED", at, steps(at + 1, last)))
                committed = [step for step in range(10, 100, 10) if at < step <= last]
                commits += [(number, step) for step in committed]
                at = max(committed, default=at)
            attempts.append(Attempt(len(attempts) + 1, "RESTORED", at, steps(at + 1, 100)))
            self.assertEqual(self.judge(attempts, commits=commits).problems, [])
            victim = chance.choice([attempt for attempt in attempts if attempt.losses])
            step = chance.choice(list(victim.losses))
            victim.losses[step] = "9.9"
            self.assertIn(f"step {step} is the first", self.judge(attempts, commits=commits).problems[0])


class LossesTest(unittest.TestCase):
    def test_only_lines_of_steps_are_losses(self):
        log = ["restored checkpoint chk_1 of step 40\n", "step 41 loss 0.25\n", "step 42 of 100 loss 1\n", "checkpoint after step 41 stalled 0.0021 s\n"]
        self.assertEqual(losses.read(log), {41: "0.25"})
        self.assertEqual(losses.read_stalls(log), [0.0021])

    def test_two_undisturbed_runs_are_the_same(self):
        first = losses.undisturbed(2, 6)
        self.assertEqual(list(first), [1, 2, 3, 4, 5, 6])
        self.assertEqual(losses.undisturbed(2, 6), first)

    def test_an_undisturbed_run_that_fails_says_its_last_line(self):
        with mock.patch.object(losses, "EXAMPLE", example.ROOT / "examples" / "ngram" / "none.py"), self.assertRaisesRegex(Failure, "0 of 3 losses.*No such file"):
            losses.undisturbed(1, 3)


class SpecTest(unittest.TestCase):
    def test_a_control_changes_one_thing(self):
        plain = example.job_spec(None)
        without = example.job_spec("no-restore")
        self.assertIn("restore = lambda self: None", without["runtime"]["command"].pop())
        self.assertEqual(without["runtime"].pop("command"), ["python3", "-c"])
        self.assertEqual(without, dict(plain, runtime={name: value for name, value in plain["runtime"].items() if name != "command"}))
        flipped = example.job_spec("flipped-bit")
        self.assertEqual(flipped["runtime"].pop("env"), {example.FLIP_BIT: "40"})
        self.assertEqual(flipped, plain)


class RefusalTest(unittest.TestCase):
    def test_another_system_on_the_ports_is_named_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            running = {"pid": 4711, "portOffset": 0, "gateway": "http://127.0.0.1:8080"}
            with mock.patch.object(Home, "running", lambda home: running if home.path.name != "demo" else None):
                with self.assertRaisesRegex(Failure, "holds the ports.*pid 4711.*down.*--port-offset") as caught:
                    command.refuse_if_ports_held(Home(folder + "/demo"), 0)
                self.assertNotIn("\n", str(caught.exception))
                command.refuse_if_ports_held(Home(folder + "/demo"), 1000)


class StoryTest(unittest.TestCase):
    def test_times_of_the_api(self):
        self.assertEqual(seconds("1970-01-01T00:01:00Z"), 60.0)
        self.assertAlmostEqual(seconds("1970-01-01T00:00:01.277869324Z"), 1.277869324)

    def test_the_phases_are_told_once_each_with_the_services_times(self):
        api = RecoveringApi()
        said = []
        story = Story(api, "job_1", said.append)
        with mock.patch("muster_cli.demo.story.time") as clock:
            clock.time.return_value = 100.0
            clock.monotonic.return_value = 0.0
            story.kill(api.running(), {"node": "r1-n3"}, lambda: None)
            ended = story.follow()
        self.assertEqual(ended["state"], "SUCCEEDED")
        self.assertEqual(
            {phase: story.after_kill(phase) for phase, _ in report.PHASES},
            {"detected": 2.0, "held": 2.25, "placed": 3.0, "restored": 4.0, "firstStep": 5.5},
        )
        self.assertEqual(story.details["replacement"], ["r2-n1"])
        self.assertEqual(len([line for line in said if "s  " in line]), 6)
        self.assertEqual(story.details["restoredBy"], 3)


def at(second):
    return f"1970-01-01T00:01:{second:09.6f}Z"


class RecoveringApi:
    """A gateway whose answers are those of a job that loses r1-n3 at second 100; each look at the job is a step further."""

    def __init__(self):
        self.looks = 0

    @staticmethod
    def running():
        return {"state": "RUNNING", "attempt": 1, "generation": 1, "placement": {"members": [{"nodeRank": 0, "node": "r1-n1"}, {"nodeRank": 1, "node": "r1-n3"}]}}

    def get(self, path, **query):
        if path == "/jobs/job_1":
            self.looks += 1
            return self.job(self.looks)
        if path == "/faults":
            fault = {"code": "LEASE_EXPIRED", "domain": "node/r1-n3", "detectedAt": at(42.0), "blastRadius": {"nodes": ["r1-n3"]}, "phases": [{"phase": "PLACED", "at": at(43.0)}]}
            old = dict(fault, detectedAt=at(1.0))
            return {"items": [old, fault] if self.looks > 1 else [old]}
        if path == "/nodes/r1-n3":
            return {"holds": [{"effect": "EVICT", "cause": "LEASE_EXPIRED", "since": at(42.25)}] if self.looks > 1 else []}
        if path == "/jobs/job_1/timeline":
            return {"items": [entry for entry in self.TIMELINE if entry["look"] <= self.looks]}
        return {"items": [{"attempt": number, "restore": {"verdict": "RESTORED", "step": 40}} for number in (2, 3)]}

    TIMELINE = [
        {"look": 0, "attempt": 1, "generation": 1, "reason": "FIRST_STEP", "since": at(1.0)},
        {"look": 2, "attempt": 1, "generation": 2, "reason": "GANG_REPAIRED", "since": at(43.0)},
        {"look": 3, "attempt": 2, "generation": 2, "reason": "RESTORED", "since": at(43.5)},
        {"look": 4, "attempt": 3, "generation": 2, "reason": "RESTORED", "since": at(44.0)},
        {"look": 5, "attempt": 3, "generation": 2, "reason": "FIRST_STEP", "since": at(45.5)},
    ]

    def job(self, look):
        if look < 3:
            return dict(self.running(), state="RECOVERING")
        state = {3: "STARTING", 4: "RUNNING", 5: "RUNNING"}.get(look, "SUCCEEDED")
        return {"state": state, "attempt": 2 if look < 4 else 3, "generation": 2, "placement": {"members": [{"node": "r1-n1"}, {"node": "r2-n1"}]}, "progress": {"step": 45, "totalSteps": 100, "at": at(46.0)}}


class KillsTest(unittest.TestCase):
    def test_the_seed_decides_all_and_every_kind_comes_equally_often(self):
        kinds = [one.kind for one in kills.plan(48, 3)]
        self.assertEqual(kinds, [one.kind for one in kills.plan(48, 3)])
        self.assertNotEqual(kinds, [one.kind for one in kills.plan(48, 4)])
        self.assertEqual({kind: kinds.count(kind) for kind in kills.KINDS}, dict.fromkeys(kills.KINDS, 6))
        self.assertEqual(kills.plan(50, 3)[9].chance.random(), kills.plan(10, 3)[9].chance.random())


if __name__ == "__main__":
    unittest.main()
