"""`demo --busy SECONDS`: a job that keeps every core busy and that nobody disturbs; no fault may be opened for it."""

import json
import time

from muster_cli import faults
from muster_cli.api import WATCHING_SECONDS, Api
from muster_cli.demo import example, fleet
from muster_cli.demo.story import Story
from muster_cli.failure import Failure
from muster_cli.jobs import ENDED

STEPS = 10_000_000
START_LIMIT = 300.0
END_LIMIT = 120.0
LOOK_SECONDS = 1.0


def run(home, options, screen):
    api = Api(home, WATCHING_SECONDS)
    before = {fault["faultId"] for fault in faults.read(api)}
    spec = example.job_spec(None, STEPS, 0)
    spec["name"] = "busy"
    story = Story(api, api.post("/jobs", spec)["id"], screen.say)
    await_state(story, lambda job: job["state"] == "RUNNING", "RUNNING", START_LIMIT)
    screen.say(f"{story.job_id} is RUNNING: 4 ranks compute without a pause for {options.busy} s")
    until = time.monotonic() + options.busy
    while time.monotonic() < until and story.job()["state"] not in ENDED:
        time.sleep(LOOK_SECONDS)
    job = story.job()
    problems = judge(api, job, before)
    if job["state"] not in ENDED:
        api.post(f"/jobs/{story.job_id}/cancel")
        await_state(story, lambda job: job["state"] in ENDED, "ended after it was cancelled", END_LIMIT)
    step = (job.get("progress") or {}).get("step") or 0
    for problem in problems:
        screen.say(f"WRONG: {problem}")
    if not problems:
        screen.say(f"right: {step} steps in {options.busy} s, {len(story.commits())} checkpoints, no fault, no restart, every node healthy")
    if options.json:
        print(json.dumps({"right": not problems, "problems": problems, "steps": step, "checkpoints": len(story.commits())}, indent=2))
    return 1 if problems else 0


def judge(api, job, before):
    problems = [faults.headline(fault) for fault in faults.read(api) if fault["faultId"] not in before]
    if job["state"] != "RUNNING" or job["attempt"] != 1:
        problems.append(f"{job['id']} is {job['state']} in attempt {job['attempt']} and not RUNNING in its first: {job.get('message')}")
    for item in api.get("/nodes", pageSize=500)["items"]:
        if item["condition"] != "HEALTHY" or not item["alive"]:
            problems.append(f"{item['node']} is {fleet.describe(item)}")
    return problems


def await_state(story, condition, what, limit):
    deadline = time.monotonic() + limit
    while True:
        job = story.job()
        if condition(job):
            return job
        if time.monotonic() > deadline or job["state"] in ENDED:
            raise Failure(f"{story.job_id} is {job['state']} {job.get('reason')} and not {what} within {limit:.0f} s: {job.get('message')}")
        time.sleep(0.1)
