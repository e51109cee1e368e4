"""Watches the recovery through the API, tells it as it happens, and keeps when each phase was over."""

import datetime
import time

from muster_cli import jobs
from muster_cli.failure import Failure
from muster_cli.jobs import ENDED

LOOK_SECONDS = 0.1
START_LIMIT = 600.0
RECOVER_LIMIT = 600.0
END_LIMIT = 1800.0


def seconds(text):
    """An API time as seconds since 1970."""
    head, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(head).replace(tzinfo=datetime.timezone.utc).timestamp()
    return moment + (float("0." + fraction) if fraction else 0.0)


class Story:
    """One job from its submission over the loss of a node to its end."""

    def __init__(self, api, job, say):
        self._api, self.job_id, self._say = api, job, say
        self.killed_at = None
        self.victim = None
        self.phases = {}
        self.details = {}
        self._before = None

    def job(self):
        return self._api.get(f"/jobs/{self.job_id}")

    def commits(self, lost_ones_too=True):
        """Every checkpoint that was ever committed; without those of which no whole copy was left, if so wished."""
        phases = ("COMMITTED", "EXPIRED", "CORRUPT") if lost_ones_too else ("COMMITTED", "EXPIRED")
        items = self._api.get(f"/jobs/{self.job_id}/checkpoints", pageSize=200)["items"]
        return [item for item in items if item["phase"] in phases and item.get("commitOrder")]

    def attempts(self):
        return sorted(self._api.get(f"/jobs/{self.job_id}/attempts")["items"], key=lambda attempt: attempt["attempt"])

    def await_commits(self, count, further_steps):
        """Until it is RUNNING, has committed that often and has trained a few steps more, which a kill will cost."""
        shown, deadline = None, time.monotonic() + START_LIMIT
        while True:
            job = self.job()
            if job["state"] != shown:
                shown = job["state"]
                self._say(f"  {shown}{jobs.placement(job)}")
            if job["state"] in ENDED:
                raise Failure(f"{self.job_id} ended {job['state']} before a node could be killed: {job.get('message')}")
            step = (job.get("progress") or {}).get("step") or 0
            if job["state"] == "RUNNING":
                commits = sorted(item["step"] for item in self.commits())
                if len(commits) >= count and step >= commits[-1] + further_steps:
                    self._say(f"  step {step}; committed checkpoints: steps {', '.join(map(str, commits))}")
                    return job
            if time.monotonic() > deadline:
                raise Failure(f"{self.job_id} has not committed {count} checkpoints within {START_LIMIT:.0f} s of its submission; it is {job['state']}, see ./muster explain {self.job_id}")
            time.sleep(LOOK_SECONDS)

    def kill(self, job, member, how):
        """how() does it; everything later is counted from its beginning."""
        self._before = job
        self.victim = member["node"]
        self.killed_at = time.time()
        how()

    def follow(self):
        """Until the job has ended; returns its last state."""
        deadline = time.monotonic() + RECOVER_LIMIT
        next_step_at = 0.0
        while True:
            job = self.job()
            self._look(job)
            if job["state"] in ENDED:
                return job
            recovered = "firstStep" in self.phases
            if not recovered and time.monotonic() > deadline:
                raise Failure(
                    f"{self.job_id} has trained no further step within {RECOVER_LIMIT:.0f} s after the loss of {self.victim}; "
                    f"it is {job['state']} {job.get('reason') or ''} ({job.get('message') or 'no message'})"
                )
            if recovered and time.monotonic() > deadline + END_LIMIT:
                raise Failure(f"{self.job_id} goes on training and has not ended {END_LIMIT:.0f} s after its recovery")
            if recovered and time.monotonic() >= next_step_at:
                next_step_at = time.monotonic() + 3.0
                progress = job.get("progress") or {}
                self._say(f"  step {progress.get('step')} of {progress.get('totalSteps')}")
            time.sleep(LOOK_SECONDS)

    def _look(self, job):
        if "detected" not in self.phases:
            self._look_for_fault()
        if "held" not in self.phases:
            self._look_for_hold()
        if "firstStep" not in self.phases and job["generation"] + job["attempt"] > self._before["generation"] + self._before["attempt"]:
            timeline = self.timeline()
            if "placed" not in self.phases:
                self._look_for_replacement(job, timeline)
            self._look_for_restore(timeline)
            self._look_for_step(timeline)

    def timeline(self):
        return self._api.get(f"/jobs/{self.job_id}/timeline")["items"]

    def fault(self):
        """The fault of the killed node, or of its domain; None while there is none."""
        faults = self._api.get("/faults", node=self.victim, limit=50)["items"]
        mine = [
            fault
            for fault in faults
            if self.victim in fault["blastRadius"]["nodes"] and seconds(fault["detectedAt"]) >= self.killed_at - 0.5
        ]
        return min(mine, key=lambda fault: fault["detectedAt"], default=None)

    def _look_for_fault(self):
        fault = self.fault()
        if fault:
            self._note("detected", seconds(fault["detectedAt"]), f"fault detected: {fault['code']} {fault['domain']}", fault["code"])

    def _look_for_hold(self):
        node = self._api.get(f"/nodes/{self.victim}")
        holds = [hold for hold in node.get("holds") or [] if hold["effect"] == "EVICT"]
        if holds:
            at = max(seconds(hold["since"]) for hold in holds)
            if "detected" not in self.phases:
                self._look_for_fault()
            self._note("held", at, f"node {self.victim} held: {holds[0]['effect']} {holds[0]['cause']}", f"{holds[0]['effect']} {holds[0]['cause']}")

    def _look_for_replacement(self, job, timeline):
        members = jobs.members(job)
        at = [seconds(entry["since"]) for entry in timeline if entry["generation"] > self._before["generation"]]
        if not at or not members or self.victim in members:
            return
        before = [member["node"] for member in self._before["placement"]["members"]]
        new = [node for node in members if node not in before]
        self.details["replacement"] = new
        self._note("placed", min(at), f"replacement chosen: {', '.join(new)} for {self.victim}; {len(members) - len(new)} of {len(members)} members stay", ", ".join(new))

    def _look_for_restore(self, timeline):
        """The newest attempt's, because one that fails its preflight is followed by another."""
        verified = [entry for entry in self._since_kill(timeline) if entry["reason"] in ("RESTORED", "STARTED_FRESH")]
        if not verified or verified[-1]["attempt"] == self.details.get("restoredBy"):
            return
        attempt = verified[-1]["attempt"]
        restore = next(item for item in self.attempts() if item["attempt"] == attempt).get("restore") or {}
        step = restore.get("step") or 0
        self.details.update(restoredBy=attempt, restoredStep=step)
        what = f"checkpoint restored at step {step} by attempt {attempt}" if restore.get("verdict") == "RESTORED" else f"no checkpoint restored by attempt {attempt}: {restore.get('verdict')}"
        self._note("restored", seconds(verified[-1]["since"]), what, f"step {step}, verified on all nodes by attempt {attempt}")

    def _look_for_step(self, timeline):
        first = [entry for entry in self._since_kill(timeline) if entry["reason"] == "FIRST_STEP"]
        if first and "restored" in self.phases:
            step = self.details["restoredStep"] + 1
            self._note("firstStep", seconds(first[-1]["since"]), f"first step after it: {step}", f"step {step}, as soon as it was reported")

    def _since_kill(self, timeline):
        return [entry for entry in timeline if entry["attempt"] > self._before["attempt"]]

    def _note(self, phase, at, line, detail):
        self.phases[phase] = at
        self.details[phase] = detail
        self._say(f"  {max(0.0, at - self.killed_at):5.1f} s  {line}")

    def after_kill(self, phase):
        """Seconds from the kill to the end of a phase; None if it never came."""
        return round(max(0.0, self.phases[phase] - self.killed_at), 3) if phase in self.phases else None
