"""`explain JOB|NODE`: why it is as it is, and what a person can do."""

from muster_cli import faults, jobs, node

ACTIVE = ("QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUSPENDED", "STOPPING")
MOST_FAULTS = 20


def explain(api, home, what):
    return explain_job(api, what) if what.startswith("job_") else explain_node(api, home, what)


def explain_job(api, job_id):
    job = api.get(f"/jobs/{job_id}")
    print(f"{job['id']} {job['name']} {job['state']}{' ' + job['reason'] if job.get('reason') else ''} since {job['stateSince']}{jobs.placement(job)}")
    if job.get("message"):
        print(f"  {job['message']}")
    if job["state"] in ("QUEUED", "SUSPENDED", "RECOVERING"):
        print(f"  it waits: {jobs.explanation(api, job_id)}")
    restarts = job.get("restarts") or {}
    if restarts:
        print("  restarts: " + ", ".join(f"{name} {kind['used']} of {kind['allowed']}" for name, kind in restarts.items()))
    if job.get("failedNodes"):
        print(f"  not placed again on {', '.join(job['failedNodes'])}")
    committed = job.get("checkpoint")
    print(f"  newest checkpoint: {committed['checkpointId']} of step {committed['step']} ({committed.get('durability', 'DURABLE')}), committed {committed['committedAt']}" if committed else "  no checkpoint is committed: a restart begins at step 1")
    if job.get("progress"):
        print(f"  step {job['progress']['step']}{jobs.metrics(job)}")
    print("attempts")
    for attempt in api.get(f"/jobs/{job_id}/attempts")["items"]:
        print(f"  {describe_attempt(attempt)}")
    tell_faults(api, "faults that touched it", job=job_id)
    return 0


def describe_attempt(attempt):
    restore = attempt.get("restore") or {}
    parts = [f"{attempt['attempt']} on generation {attempt['generation']}", attempt["stage"], f"from {attempt['startedAt']} to {attempt.get('endedAt') or 'now'}"]
    if restore.get("verdict"):
        parts.append(f"{restore['verdict']} step {restore['step']}" if restore["verdict"] == "RESTORED" else restore["verdict"])
    if attempt.get("ending"):
        parts.append(f"{attempt['ending']['reason']}: {attempt['ending']['message']}")
    return "; ".join(parts)


def explain_node(api, home, name):
    facts = api.get(f"/nodes/{name}")
    heard = "heard" if facts["alive"] else "not heard: its lease has run out"
    place = f"rack {facts['domains']['rack']}, {facts['address']}, {len(facts['gpus'])} GPUs"
    print(f"{facts['node']} {facts['condition']}, {heard}; {place}{'; a spare: repairs may use it, new jobs may not' if facts.get('spare') else ''}")
    mark = node.read_mark(home.killed_mark(name))
    if mark:
        print(f"  killed at {mark['at']} with ./muster node kill; bring it back with: ./muster node restart {name}")
    if not facts["holds"]:
        print("  no hold: work may be placed on it")
    for hold in facts["holds"]:
        print("  " + describe_hold(hold))
    for check in facts.get("checks") or []:
        if check.get("status") == "FAIL":
            print(f"  check {check['check']} failed: {check['message']}")
    there = [job for job in active(api) if name in jobs.members(job)]
    print("jobs on it" if there else "no job is on it")
    for job in there:
        print(f"  {job['id']} {job['name']} {job['state']}{jobs.placement(job)}")
    tell_faults(api, "faults that touched it", node=name)
    return 0


def describe_hold(hold):
    until = f", until {hold['expiresAt']}" if hold.get("expiresAt") else ""
    return f"hold {hold['effect']} {hold['cause']} on {hold['scope'].lower()} {hold['target']} by {hold['owner']} since {hold['since']}{until}: {hold['message']}"


def active(api):
    """Jobs that may hold GPUs, whole."""
    listed = api.get("/jobs", pageSize=200, state=",".join(ACTIVE))["items"]
    return [api.get(f"/jobs/{job['id']}") for job in listed]


def tell_faults(api, title, **filters):
    found = faults.read(api, **filters)
    print(title if found else "no fault touched it")
    for fault in sorted(found, key=lambda fault: fault["detectedAt"])[-MOST_FAULTS:]:
        for line in faults.tell(fault):
            print(line)
