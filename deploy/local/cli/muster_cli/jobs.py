"""`submit`, `jobs`, `job`, `logs`, `nodes` and `quota`: the REST API in a terminal."""

import json
import pathlib
import time

from muster_cli.failure import Failure

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
POLL_SECONDS = 0.25
LEDGER_SECONDS = 5.0


def read_spec(file):
    """A job file; a relative workingDir is made absolute from the file's folder, since the API wants it absolute."""
    path = pathlib.Path(file)
    try:
        spec = json.loads(path.read_text())
    except OSError as failure:
        raise Failure(f"cannot read {file}: {failure.strerror}") from failure
    except ValueError as failure:
        raise Failure(f"{file} is not JSON: {failure}") from failure
    runtime = spec.get("runtime") if isinstance(spec, dict) else None
    if isinstance(runtime, dict) and isinstance(runtime.get("workingDir"), str):
        runtime["workingDir"] = str((path.absolute().parent / runtime["workingDir"]).resolve())
    return spec


def submit(api, file, wait, say=print):
    """Submits a job file; with wait, follows it to its end. Exit code 0 only for an accepted or SUCCEEDED job."""
    job = api.post("/jobs", read_spec(file))
    say(f"{job['id']} {job['state']}")
    for warning in job.get("warnings") or []:
        say(f"  warning: {warning if isinstance(warning, str) else warning.get('message')}")
    if not wait:
        say(f"follow it: ./muster job {job['id']}   ./muster logs {job['id']} --follow")
        return 0
    return follow(api, job["id"], say)


def follow(api, job_id, say):
    """Prints every change of state, and progress each few seconds, until the end; then the result."""
    shown, shown_step, next_step_at = None, None, 0.0
    while True:
        job = api.get(f"/jobs/{job_id}")
        state = (job["state"], job.get("reason"))
        if state != shown:
            shown = state
            say(f"  {job['state']}{' ' + job['reason'] if job.get('reason') else ''}{placement(job)}")
            if job["state"] == "QUEUED" and job.get("reason"):
                say(f"    {explanation(api, job_id)}")
        step = (job.get("progress") or {}).get("step")
        if step != shown_step and time.monotonic() >= next_step_at:
            shown_step, next_step_at = step, time.monotonic() + 2.0
            say(f"    step {step}{metrics(job)}")
        if job["state"] in ENDED:
            return finish(api, job, say)
        time.sleep(POLL_SECONDS)


def finish(api, job, say):
    if job.get("message"):
        say(f"  {job['message']}")
    if job.get("result") is not None:
        say(f"  result {json.dumps(job['result'])}")
    say(f"  cost {cost(api, job['id'])}")
    say(f"{job['id']} {job['state']}")
    return 0 if job["state"] == "SUCCEEDED" else 1


def cost(api, job_id):
    """The bill; when the job has ended, as soon as the ledger has heard of the last release."""
    bill = api.get_if_any(f"/jobs/{job_id}/cost")
    deadline = time.monotonic() + LEDGER_SECONDS
    while bill and bill["heldGpus"] and api.get(f"/jobs/{job_id}")["state"] in ENDED and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        bill = api.get_if_any(f"/jobs/{job_id}/cost")
    return f"{bill['gpuSeconds']} GPU-seconds in {len(bill['intervals'])} intervals" if bill else "none: it never held a GPU"


def members(job):
    """The nodes that hold the job's GPUs, in the order of their ranks."""
    return [member["node"] for member in (job.get("placement") or {}).get("members") or []]


def placement(job):
    nodes = members(job)
    return f" on {', '.join(nodes)}" if nodes else ""


def metrics(job):
    progress = job.get("progress") or {}
    total = f" of {progress['totalSteps']}" if progress.get("totalSteps") else ""
    values = "".join(f", {name} {value:.4f}" for name, value in (progress.get("metrics") or {}).items() if not name.startswith("muster_"))
    return total + values


def explanation(api, job_id):
    answer = api.get(f"/jobs/{job_id}/explanation")
    return " ".join(filter(None, (answer.get("sentence"), answer.get("hint"))))


def listing(api, as_json):
    page, jobs = None, []
    while True:
        answer = api.get("/jobs", pageToken=page, pageSize=200)
        jobs += answer["items"]
        page = answer.get("nextPageToken")
        if not page or len(jobs) >= 1000:
            break
    if as_json:
        print(json.dumps(jobs, indent=2))
        return 0
    if not jobs:
        print("no jobs yet; submit one with: ./muster submit examples/ngram/job.json --wait")
        return 0
    rows = [
        (job["id"], job["name"], job["state"], job.get("reason") or "", job.get("queue") or "", job.get("submittedAt") or "")
        for job in jobs
    ]
    table(("JOB", "NAME", "STATE", "REASON", "QUEUE", "SUBMITTED"), rows)
    return 0


def show(api, job_id, as_json):
    job = api.get(f"/jobs/{job_id}")
    if as_json:
        print(json.dumps(job, indent=2))
        return 0
    print(f"{job['id']} {job['name']} {job['state']}{' ' + job['reason'] if job.get('reason') else ''}{placement(job)}")
    if job.get("message"):
        print(f"  {job['message']}")
    if job["state"] == "QUEUED":
        print(f"  {explanation(api, job_id)}")
    if job.get("progress"):
        print(f"  step {job['progress']['step']}{metrics(job)}")
    if job.get("result") is not None:
        print(f"  result {json.dumps(job['result'])}")
    print("timeline")
    for entry in api.get(f"/jobs/{job_id}/timeline")["items"]:
        print("  " + "  ".join(str(entry[name]) for name in ("since", "state", "reason", "message") if entry.get(name)))
    print(f"cost {cost(api, job_id)}")
    return 0


def logs(api, job_id, rank, follow_log, attempt, tail):
    for line in api.stream(
        f"/jobs/{job_id}/logs",
        rank=rank,
        attempt=attempt,
        tail=tail,
        follow="true" if follow_log else None,
    ):
        print(line, end="", flush=follow_log)
    return 0


def nodes(api, as_json):
    items = api.get("/nodes", pageSize=500)["items"]
    if as_json:
        print(json.dumps(items, indent=2))
        return 0
    rows = []
    for node in items:
        facts = node.get("facts") or node
        domains = facts.get("domains") or {}
        gpus = facts.get("gpus") or []
        holds = ", ".join(f"{hold['effect']} {hold['cause']}" for hold in node.get("holds") or [])
        rows.append((node["node"], node["condition"], domains.get("rack", ""), len(gpus), gpus[0]["model"] if gpus else "", facts.get("driverVersion", ""), holds))
    table(("NODE", "CONDITION", "RACK", "GPUS", "MODEL", "DRIVER", "HOLDS"), rows)
    return 0


def quota(api, as_json):
    tree = api.get("/quota/tree")
    if as_json:
        print(json.dumps(tree, indent=2))
        return 0
    rows = []
    for node in sorted(tree["nodes"], key=lambda node: node["path"]):
        flags = ",".join(name for name in ("isolated", "pool", "closing") if node.get(name))
        limit = "none" if node.get("limitGpus") is None else node["limitGpus"]
        rows.append((node["path"], node["guaranteedGpus"], limit, node["weight"], flags, node.get("tenant") or ""))
    print(f"version {tree['version']}")
    table(("QUOTA NODE", "GUARANTEED", "LIMIT", "WEIGHT", "FLAGS", "TENANT"), rows)
    return 0


def table(head, rows, say=print):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        say("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
