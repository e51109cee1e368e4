"""`demo --kills N`: the same job again and again on one system, something else killed under it each time at a seeded random moment."""

import json
import random
import signal
import time
from dataclasses import dataclass, field

from muster_cli import node, processes
from muster_cli.api import WATCHING_SECONDS, Api
from muster_cli.demo import example, fleet, losses
from muster_cli.demo.story import LOOK_SECONDS, Story, seconds
from muster_cli.demo.verdict import judge
from muster_cli.failure import Failure
from muster_cli.jobs import ENDED, members, table

STEPS = 120
STEP_SECONDS = 0.05
WORLD_SIZE = 4
COLUMNS = ("ROUND", "KIND", "KILLED", "ATTEMPTS", "RESTORED", "COMPARED", "AGAIN", "KILL TO STEP", "ENDING")
COMMITS_TO_CHOOSE_FROM = 3
WAIT_LIMIT = 300.0
END_LIMIT = 600.0
KINDS = ("at start", "in preflight", "in a commit", "in a restore", "two nodes at once", "rack at once", "rank only", "agent only")
# two nodes in two racks may hold the only copies of a shard that is not in the store yet; an older checkpoint is right then
TWO_RACKS = ("in a restore", "two nodes at once")


@dataclass
class Round:
    """One job and what was killed under it; the seed and the number make it what it is."""

    number: int
    kind: str
    chance: random.Random
    victims: list = field(default_factory=list)
    killed_at: float = 0.0
    first_step_at: float = 0.0
    problems: list = field(default_factory=list)
    attempts: int = 0
    restored: list = field(default_factory=list)
    compared: int = 0
    again: int = 0


def plan(count, seed):
    """Every kind as often as the others, in an order that the seed decides."""
    order = random.Random(f"{seed}/order")
    kinds = []
    while len(kinds) < count:
        kinds += order.sample(KINDS, len(KINDS))
    return [Round(number, kind, random.Random(f"{seed}/{number}")) for number, kind in enumerate(kinds[:count], 1)]


def run(home, options, screen):
    rounds = [one for one in plan(options.kills, options.seed) if options.only in (None, one.number)]
    if not rounds:
        raise Failure(f"--only {options.only}: rounds are 1 to {options.kills}")
    undisturbed = losses.undisturbed(WORLD_SIZE, STEPS)
    for one in rounds:
        screen.say(f"round {one.number} of {options.kills}: {one.kind}")
        play(home, one, undisturbed, screen.say)
        screen.say(f"  {'right' if not one.problems else 'WRONG: ' + '; '.join(one.problems)} (attempts {one.attempts}, restored {one.restored}, {one.compared} losses compared)")
        fleet.mend(home, Api(home, WATCHING_SECONDS), lambda line: None)
    rows = [row(one) for one in rounds]
    table(COLUMNS, rows, screen.say)
    wrong = [one for one in rounds if one.problems]
    screen.say(f"{len(rounds) - len(wrong)} of {len(rounds)} endings right, seed {options.seed}")
    for one in wrong:
        screen.say(f"again: ./muster demo --again --kills {options.kills} --seed {options.seed} --only {one.number}")
    if options.json:
        print(json.dumps({"seed": options.seed, "right": len(rounds) - len(wrong), "rounds": [dict(zip(COLUMNS, line)) for line in rows]}, indent=2))
    return 1 if wrong else 0


def row(one):
    took = f"{one.first_step_at - one.killed_at:.1f} s" if one.first_step_at > one.killed_at > 0 else ""
    return (one.number, one.kind, ", ".join(one.victims), one.attempts, ", ".join(map(str, one.restored)), one.compared, one.again, took, "right" if not one.problems else one.problems[0])


def play(home, one, undisturbed, say):
    api = Api(home, WATCHING_SECONDS)
    spec = example.job_spec(None, STEPS, STEP_SECONDS)
    spec["name"] = f"kill {one.number}"
    spec["faultTolerance"] = {"userRestarts": 3}
    watch = Watch(home, api, api.post("/jobs", spec)["id"], one, say)
    try:
        watch.strike()
        ended = watch.to_the_end()
    except Failure as failure:
        one.problems.append(str(failure))
        watch.give_up()
        return
    attempts, _ = example.read_attempts(api, watch.story, set(one.victims))
    commits = [(item["attempt"], item["step"]) for item in watch.story.commits(lost_ones_too=one.kind not in TWO_RACKS)]
    verdict = judge(ended["state"], ended.get("message"), attempts, commits, undisturbed)
    one.problems += verdict.problems
    if ended["attempt"] == 1 and one.kind != "agent only":
        one.problems.append("the job ended with its first attempt: the kill did not reach it")
    one.attempts = ended["attempt"]
    one.restored = [attempt.restored_step for attempt in attempts[1:] if attempt.losses]
    one.compared, one.again = verdict.steps_compared, verdict.steps_again


class Watch:
    """Waits for a round's moment, kills, and follows the job to its end with no further hand."""

    def __init__(self, home, api, job_id, one, say):
        self._home, self._api, self._one, self._say = home, api, one, say
        self.story = Story(api, job_id, say)

    def strike(self):
        match self._one.kind:
            case "at start":
                job = self._until("it starts its ranks", lambda job: job["state"] == "STARTING" and job.get("reason") != "PREFLIGHT_RUNNING" or job["state"] == "RUNNING")
                self._sleep(0.5)
                self._kill(self._some(job, 1))
            case "in preflight":
                job = self._until("it is in preflight", lambda job: job["state"] == "STARTING")
                self._sleep(1.0)
                self._kill(self._some(job, 1))
            case "in a commit":
                before = self._one.chance.randint(0, COMMITS_TO_CHOOSE_FROM - 1)
                job = self._until(f"commit {before + 1} is on its way", lambda job: self._committing(before))
                self._kill(self._some(job, 1))
            case "in a restore":
                self._kill(self._some(self._after_a_step(), 1))
                first = self._one.victims[0]
                job = self._until("the next attempt restores", lambda job: job["attempt"] > 1 and job["state"] == "STARTING" and first not in members(job))
                self._sleep(0.8)
                self._kill(self._some(job, 1))
            case "two nodes at once":
                self._kill(self._some(self._after_a_step(), 2))
            case "rack at once":
                self._kill(self._rack(members(self._after_a_step())[0]))
            case "rank only":
                self._kill_rank(self._after_a_step())
            case "agent only":
                self._kill_agent(self._after_a_step())

    def _after_a_step(self):
        step = self._one.chance.randint(5, STEPS - 40)
        return self._until(f"step {step} is trained", lambda job: job["state"] == "RUNNING" and ((job.get("progress") or {}).get("step") or 0) >= step)

    def _committing(self, committed_before):
        items = self._api.get(f"/jobs/{self.story.job_id}/checkpoints", pageSize=50)["items"]
        under_way = [item for item in items if item["phase"] in ("RESERVED", "STAGED", "LOCAL")]
        return bool(under_way) and len(items) - len(under_way) >= committed_before

    def _until(self, what, condition):
        deadline = time.monotonic() + WAIT_LIMIT
        while True:
            job = self.story.job()
            if condition(job):
                return job
            if job["state"] in ENDED:
                raise Failure(f"{job['id']} ended {job['state']} before {what}: {job.get('message')}")
            if time.monotonic() > deadline:
                raise Failure(f"{job['id']} is {job['state']} {job.get('reason')} and not so far within {WAIT_LIMIT:.0f} s that {what}")
            time.sleep(LOOK_SECONDS / 4)

    def _sleep(self, most):
        time.sleep(self._one.chance.uniform(0.0, most))

    def _some(self, job, count):
        return self._one.chance.sample(members(job), count)

    def _rack(self, name):
        nodes = self._api.get("/nodes", pageSize=500)["items"]
        rack = next(item["domains"]["rack"] for item in nodes if item["node"] == name)
        return sorted(item["node"] for item in nodes if item["domains"]["rack"] == rack)

    def _kill(self, names):
        self._one.killed_at = time.time()
        node.kill(self._home, names, say=lambda line: self._say(f"  {line}"))
        self._one.victims += names

    def _kill_rank(self, job):
        name = self._some(job, 1)[0]
        ranks = [pid for pid in processes.Family([self._home.path / "nodes" / name], {}).living() if is_program(pid)]
        if not ranks:
            raise Failure(f"no rank of {job['id']} was found on {name}")
        self._one.killed_at = time.time()
        for pid in ranks:
            processes.send(pid, signal.SIGKILL)
        self._one.victims.append(f"rank on {name}")

    def _kill_agent(self, job):
        """Its ranks go on; the agent comes back before or after its lease has run out."""
        name = self._some(job, 1)[0]
        self._one.killed_at = time.time()
        node.kill(self._home, [name], agent_only=True, say=lambda line: self._say(f"  {line}"))
        self._one.victims.append(f"agent of {name}")
        self._sleep(6.0)
        node.restart(self._home, name, say=lambda line: self._say(f"  {line}"))

    def to_the_end(self):
        deadline = time.monotonic() + END_LIMIT
        while True:
            job = self.story.job()
            if job["state"] in ENDED:
                first = [seconds(entry["since"]) for entry in self.story.timeline() if entry["reason"] == "FIRST_STEP"]
                self._one.first_step_at = max(first, default=0.0)
                return job
            if time.monotonic() > deadline:
                raise Failure(f"{job['id']} has not ended {END_LIMIT:.0f} s after the kill; it is {job['state']} {job.get('reason')}: {job.get('message')}")
            time.sleep(LOOK_SECONDS)

    def give_up(self):
        """A round that is lost must not be in the way of the next one."""
        if self.story.job()["state"] not in ENDED:
            self._api.post(f"/jobs/{self.story.job_id}/cancel")


def is_program(pid):
    """Whether it is the rank itself and not the shell that waits for it."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as line:
            return b"train.py" in line.read().split(b"\0")
    except OSError:
        return False
