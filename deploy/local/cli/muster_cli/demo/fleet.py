"""The nodes of the demo's system: brought back after they were killed, and asked whether all are fit."""

import time

from muster_cli import node, processes
from muster_cli.failure import Failure
from muster_cli.jobs import ENDED
from muster_cli.layout import is_alive

MEND_LIMIT = 300.0
LOOK_SECONDS = 0.5


def mend(home, api, say):
    """What a technician does: continues paused agents, starts dead ones, lifts FLAPPING, waits until every node is HEALTHY."""
    parts = home.require_running()["parts"]
    for name in sorted(part[len("agent ") :] for part in parts if part.startswith("agent ")):
        part = parts[f"agent {name}"]
        if not is_alive(part):
            node.restart(home, name, say=say)
        elif processes.is_stopped(part["pid"]):
            node.resume(home, name, say=say)
    return await_healthy(api)


def end_jobs(api, say):
    """Cancels what an earlier demo that was broken off has left, and waits until it is gone."""
    cancelled, began = set(), time.monotonic()
    while True:
        left = [job for job in api.get("/jobs", pageSize=200)["items"] if job["state"] not in ENDED]
        for job in left:
            if job["id"] not in cancelled:
                say(f"cancelling {job['id']} {job['name']} ({job['state']}), which an earlier demo left")
                api.post(f"/jobs/{job['id']}/cancel")
                cancelled.add(job["id"])
        if not left:
            return
        if time.monotonic() - began > MEND_LIMIT:
            raise Failure(f"not ended {MEND_LIMIT:.0f} s after they were cancelled: {', '.join(job['id'] for job in left)}")
        time.sleep(LOOK_SECONDS)


def await_healthy(api):
    """Seconds until every node was HEALTHY."""
    began = time.monotonic()
    while True:
        items = api.get("/nodes", pageSize=500)["items"]
        for item in items:
            if item["alive"] and any(hold["cause"] == "FLAPPING" for hold in item.get("holds") or []):
                # killed three times in a day; that this was on purpose only a person can know
                api.post(f"/nodes/{item['node']}/uncordon")
        unfit = {item["node"]: describe(item) for item in items if item["condition"] != "HEALTHY" or not item["alive"]}
        if not unfit:
            return time.monotonic() - began
        if time.monotonic() - began > MEND_LIMIT:
            raise Failure(f"not HEALTHY {MEND_LIMIT:.0f} s after their agents were started: {', '.join(f'{name} ({why})' for name, why in unfit.items())}")
        time.sleep(LOOK_SECONDS)


def describe(item):
    holds = ", ".join(f"{hold['effect']} {hold['cause']}" for hold in item.get("holds") or [])
    return f"{item['condition']}{', ' + holds if holds else ''}{'' if item['alive'] else ', not heard'}"
