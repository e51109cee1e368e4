"""Tests of the mapping with the golden fault of the contracts."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from fault_to_pagerduty import to_pagerduty

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parents[2] / "contracts/src/test/resources/golden/muster.faults.v1.json"


def event(**changes):
    data = json.loads(GOLDEN.read_text(encoding="utf-8"))
    data.update(changes)
    return {"specversion": "1.0", "type": "io.muster.fault.fault-updated.v1", "data": data}


class MappingTest(unittest.TestCase):

    def test_an_open_fault_pages_with_its_own_id_and_all_that_the_one_who_is_woken_needs(self):
        page = to_pagerduty(event(), "key")
        self.assertEqual("trigger", page["event_action"])
        self.assertEqual("fault_01k9x3v7q2m4n8p6r0s1t5w9ya", page["dedup_key"])
        self.assertEqual("error", page["payload"]["severity"])
        self.assertEqual("node/r1-n2", page["payload"]["source"])
        self.assertEqual("inc_01k9x3v7q2m4n8p6r0s1t5w9ya", page["payload"]["group"])
        self.assertEqual(
            "LEASE_EXPIRED node/r1-n2: no heartbeat from r1-n2 for 3.1 s; the lease is 3 s", page["payload"]["summary"])
        self.assertIn("spares first", page["payload"]["custom_details"]["nextStep"])
        self.assertEqual(8, page["payload"]["custom_details"]["blastRadius"]["gpus"])

    def test_its_end_resolves_the_same_key_and_what_is_told_later_pages_nobody(self):
        ended = event(status="RESOLVED", resolvedAt="2026-11-29T12:01:00Z")
        self.assertEqual(
            {"routing_key": "key", "event_action": "resolve", "dedup_key": "fault_01k9x3v7q2m4n8p6r0s1t5w9ya"},
            to_pagerduty(ended, "key"))
        late = copy.deepcopy(ended)
        late["data"]["phases"].append({"phase": "FIRST_STEP", "at": "2026-11-29T12:02:00Z", "seconds": 120.0})
        self.assertEqual("resolve", to_pagerduty(late, "key")["event_action"])

    def test_what_follows_from_another_fault_is_paged_by_that_one_only(self):
        self.assertEqual("resolve", to_pagerduty(event(causedBy="fault_0"), "key")["event_action"])

    def test_info_wakes_nobody(self):
        self.assertIsNone(to_pagerduty(event(severity="INFO"), "key"))

    def test_limits_of_pagerduty_are_kept(self):
        page = to_pagerduty(event(message="x" * 5000, actions=[{"action": str(i)} for i in range(50)]), "key")
        self.assertEqual(1024, len(page["payload"]["summary"]))
        self.assertEqual("49", page["payload"]["custom_details"]["actions"][-1]["action"])
        self.assertEqual(10, len(page["payload"]["custom_details"]["actions"]))

    def test_as_a_filter_it_says_what_it_cannot_read_and_goes_on(self):
        with tempfile.NamedTemporaryFile("w") as key:
            key.write("secret\n")
            key.flush()
            done = subprocess.run(
                [sys.executable, str(HERE / "fault_to_pagerduty.py"), "--routing-key-file", key.name],
                input="no json\n{}\n" + json.dumps(event()) + "\n", capture_output=True, text=True, timeout=30)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["secret"], [json.loads(line)["routing_key"] for line in done.stdout.splitlines()])
        self.assertEqual(2, len(done.stderr.splitlines()))


if __name__ == "__main__":
    unittest.main()
