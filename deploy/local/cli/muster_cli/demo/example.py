"""The example job as the demo submits it, and what its attempts left behind."""

from muster_cli import jobs
from muster_cli.api import NotFound
from muster_cli.demo import losses
from muster_cli.demo.verdict import Attempt
from muster_cli.layout import ROOT

STEPS = 160
STEP_SECONDS = 0.1
FLIP_BIT = "NGRAM_FLIP_BIT_AFTER_RESTORE"
FLIPPED_BIT = 40
WITHOUT_RESTORE = "import runpy, muster; muster.Checkpointer.restore = lambda self: None; runpy.run_path('train.py', run_name='__main__')"


def job_spec(control, steps=STEPS, step_seconds=STEP_SECONDS):
    """The example job, long enough to lose a node in; a control makes one thing wrong on purpose."""
    spec = jobs.read_spec(str(ROOT / "examples" / "ngram" / "job.json"))
    spec["name"] = "demo"
    spec["runtime"]["args"] = ["--steps", str(steps), "--step-seconds", str(step_seconds)]
    if control == "no-restore":
        spec["runtime"]["command"] = ["python3", "-c", WITHOUT_RESTORE]
    if control == "flipped-bit":
        spec["runtime"]["env"] = {FLIP_BIT: str(FLIPPED_BIT)}
    return spec


def read_attempts(api, story, killed):
    """The attempts as they are judged, and the seconds of all their saves; killed: names of nodes."""
    attempts, stalls = [], []
    for attempt in story.attempts():
        log = read_log(api, story.job_id, attempt["attempt"])
        restore = attempt.get("restore") or {}
        cut = any(member["nodeRank"] == 0 and member["node"] in killed for member in attempt.get("members") or [])
        attempts.append(Attempt(attempt["attempt"], restore.get("verdict") or "nothing", restore.get("step") or 0, losses.read(log), cut))
        stalls += losses.read_stalls(log)
    return attempts, stalls


def read_log(api, job, attempt):
    try:
        return list(api.stream(f"/jobs/{job}/logs", rank=0, attempt=attempt))
    except NotFound:
        return []
