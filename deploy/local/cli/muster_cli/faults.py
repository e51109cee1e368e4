"""`faults`: what broke, what it touched, what was done about it."""

import json
import time

from muster_cli.jobs import table

FOLLOW_SECONDS = 0.5
PAGE = 500
MOST = 1000


def read(api, **filters):
    """Faults newest first, page after page, at most MOST."""
    found, after = [], None
    while True:
        answer = api.get("/faults", limit=PAGE, after=after, **filters)
        found += answer["items"]
        after = answer.get("nextPageToken")
        if not after or len(found) >= MOST:
            return found[:MOST]


def show(api, follow, as_json):
    if follow:
        return follow_all(api, as_json)
    faults = read(api)
    if as_json:
        print(json.dumps(faults, indent=2))
        return 0
    if not faults:
        print("no faults; `./muster node kill NODE` makes one")
        return 0
    rows = [
        (fault["detectedAt"], fault["severity"], fault["status"], fault["layer"], fault["code"], fault["domain"], touched(fault), fault["message"])
        for fault in sorted(faults, key=lambda fault: fault["detectedAt"], reverse=True)
    ]
    table(("DETECTED", "SEVERITY", "STATUS", "LAYER", "CODE", "DOMAIN", "TOUCHED", "MESSAGE"), rows)
    return 0


def touched(fault):
    blast = fault["blastRadius"]
    return f"{count(len(blast['jobs']), 'job')}, {blast['gpus']} GPUs"


def count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def follow_all(api, as_json):
    """Every fault and every action on one as it comes, until Ctrl-C; what there was before is not told again."""
    known = {fault["faultId"]: fault for fault in read(api)}
    while True:
        for fault in sorted(read(api), key=lambda fault: fault["detectedAt"]):
            before = known.get(fault["faultId"])
            if fault != before:
                known[fault["faultId"]] = fault
                if as_json:
                    print(json.dumps(fault), flush=True)
                else:
                    tell_change(before, fault)
        time.sleep(FOLLOW_SECONDS)


def tell_change(before, fault):
    if before is None:
        print(headline(fault), flush=True)
        print(f"    touched {touched(fault)} on {', '.join(fault['blastRadius']['nodes']) or 'no node'}; next: {fault['nextStep']}", flush=True)
    for action in fault["actions"][len(before["actions"]) if before else 0 :]:
        print(f"    {action['at']}  {fault['domain']}  {action['action']}: {action['message']}", flush=True)
    if fault["status"] == "RESOLVED" and (before is None or before["status"] != "RESOLVED"):
        print(f"    {fault['resolvedAt']}  {fault['domain']}  resolved", flush=True)


def headline(fault):
    cause = f", caused by {fault['causedBy']}" if fault.get("causedBy") else ""
    return f"{fault['detectedAt']}  {fault['severity']} {fault['code']} {fault['domain']}: {fault['message']} ({fault['faultId']}{cause})"


def tell(fault):
    """One fault whole, for `explain`."""
    lines = [f"  {headline(fault)}, {fault['status']}"]
    lines += [f"    {phase['seconds']:7.2f} s  {phase['phase']}" for phase in fault["phases"]]
    lines += [f"    {action['at']}  {action['action']}: {action['message']}" for action in fault["actions"]]
    if fault["status"] != "RESOLVED":
        lines.append(f"    next: {fault['nextStep']}")
    return lines
