#!/usr/bin/env python3
"""Turns events of muster.faults.v1 into events of PagerDuty's Events API v2: JSON lines in, JSON lines out, nothing is sent.

What is decided here, and the table of it, is in docs/sre.md. The status of the fault decides, never the type of the event: a phase that
comes after the end of a fault is told as an update of the resolved fault and must not page again.
"""
import argparse
import json
import sys

SEVERITIES = {"CRITICAL": "critical", "ERROR": "error", "WARNING": "warning"}  # INFO wakes nobody
LONGEST_SUMMARY = 1024
ACTIONS_TOLD = 10


def to_pagerduty(event, routing_key):
    """The event to send, or None. A resolve of what was never triggered has no effect at PagerDuty, so none is kept back."""
    fault = event["data"]
    if fault["status"] == "RESOLVED" or fault.get("causedBy"):
        return {"routing_key": routing_key, "event_action": "resolve", "dedup_key": fault["faultId"]}
    severity = SEVERITIES.get(fault["severity"])
    if severity is None:
        return None
    summary = f"{fault['code']} {fault['domain']}: {fault['message']}"
    return {
        "routing_key": routing_key,
        "event_action": "trigger",
        "dedup_key": fault["faultId"],
        "client": "Muster",
        "payload": {
            "summary": summary if len(summary) <= LONGEST_SUMMARY else summary[: LONGEST_SUMMARY - 1] + "…",
            "source": fault["domain"],
            "severity": severity,
            "timestamp": fault["detectedAt"],
            "component": fault["domain"],
            "group": fault["incidentId"],
            "class": fault["layer"] + "/" + fault["code"],
            "custom_details": {
                "incidentId": fault["incidentId"],
                "firstSeenAt": fault["firstSeenAt"],
                "blastRadius": fault["blastRadius"],
                "nextStep": fault["nextStep"],
                "actions": fault["actions"][-ACTIONS_TOLD:],
            },
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--routing-key-file", required=True, help="file with the integration key, mode 0600")
    with open(parser.parse_args().routing_key_file, encoding="utf-8") as file:
        routing_key = file.read().strip()
    for line in sys.stdin:
        try:
            mapped = to_pagerduty(json.loads(line), routing_key)
        except (ValueError, KeyError, TypeError) as error:
            print(f"not a fault event ({error!r}): {line[:200].rstrip()}", file=sys.stderr)
            continue
        if mapped is not None:
            print(json.dumps(mapped, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
