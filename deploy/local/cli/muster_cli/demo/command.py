"""The demo from the empty folder to its exit code, which depends on what is right and never on how long it took."""

import json
import shutil
import sys

from muster_cli import jobs, node, system
from muster_cli.api import Api, NotFound
from muster_cli.demo import losses, report
from muster_cli.demo.story import Story
from muster_cli.demo.verdict import Attempt, judge
from muster_cli.failure import Failure
from muster_cli.layout import ROOT, Home

STEPS = 160
STEP_SECONDS = 0.1
NODES, RACKS = 8, 2
COMMITS_BEFORE_KILL = 2
STEPS_BEFORE_KILL = 5
VICTIM_RANK = 2
FLIP_BIT = "NGRAM_FLIP_BIT_AFTER_RESTORE"
FLIPPED_BIT = 40


def run(home, options):
    screen = system.Screen(sys.stderr if options.json else sys.stdout)
    home = Home(home.path / "demo")
    try:
        code = play(home, options, screen)
    except KeyboardInterrupt:
        screen.say("")
        code = 130
    if home.running():
        if options.down:
            system.stop(home, screen)
        else:
            screen.say(f"the system stays up: ./muster --home {home.path} status; stop it with: ./muster --home {home.path} down")
    return code


def play(home, options, screen):
    ready_seconds, megabytes = fresh_system(home, options, screen)
    api = Api(home)
    spec = job_spec(options.control)
    job = api.post("/jobs", spec)
    screen.say(f"{job['id']} submitted: {spec['resources']['nodes']} nodes, {STEPS} steps, a checkpoint every {spec['checkpoint']['interval']}")
    story = Story(api, job["id"], screen.say)
    running = story.await_commits(COMMITS_BEFORE_KILL, STEPS_BEFORE_KILL)
    victim = next(member for member in running["placement"]["members"] if member["nodeRank"] == VICTIM_RANK)
    screen.say(f"killing {victim['node']} (node rank {VICTIM_RANK})")
    story.kill(running, victim, lambda: node.kill(home, victim["node"], say=lambda line: screen.say(f"         {line}")))
    ended = story.follow()
    screen.say(f"  {job['id']} {ended['state']}")
    screen.say("running the example again, undisturbed and without Muster, to compare")
    undisturbed = losses.undisturbed(spec["resources"]["nodes"], STEPS)
    facts, verdict = gather(api, story, ended, undisturbed)
    facts.update(mode="processes" if options.processes else "one JVM", readySeconds=ready_seconds, residentMegabytes=megabytes)
    report.tell(facts, story, verdict, screen.say)
    for problem in verdict.problems:
        screen.say(f"WRONG: {problem}")
    if verdict.right:
        screen.say(f"right: {story.victim} died with all it had, {verdict.steps_compared} losses are those of an undisturbed run, nothing committed was lost")
    if options.json:
        print(json.dumps(report.as_json(facts, story, verdict), indent=2))
    return 0 if verdict.right else 1


def fresh_system(home, options, screen):
    """Stops and wipes what an earlier demo left, then starts a new system; its seconds and megabytes."""
    earlier = home.running()
    if earlier:
        screen.say(f"stopping the system of an earlier demo (pid {earlier['pid']})")
        system.stop(home, screen)
    system.end_orphans(home, screen)
    refuse_if_ports_held(home, options.port_offset)
    if home.path.exists():
        shutil.rmtree(home.path)
    options.nodes, options.racks = NODES, RACKS
    process, began = system.launch(home, options, screen)
    system.wait_ready(home, process, screen)
    return system.say_ready(home, screen, began)


def refuse_if_ports_held(home, offset):
    other = Home(home.path.parent).running() or Home().running()
    if other and other["portOffset"] == offset:
        raise Failure(f"the system of {other.get('home') or home.path.parent} runs on the same ports (pid {other['pid']}, {other['gateway']}); stop it with ./muster down, or give the demo others with --port-offset 1000")


def job_spec(control):
    """The example job, long enough to lose a node in; a control makes one thing wrong on purpose."""
    spec = jobs.read_spec(str(ROOT / "examples" / "ngram" / "job.json"))
    spec["name"] = "demo"
    spec["runtime"]["args"] = ["--steps", str(STEPS), "--step-seconds", str(STEP_SECONDS)]
    if control == "no-restore":
        spec["checkpoint"]["resumeFrom"] = "none"
    if control == "flipped-bit":
        spec["runtime"]["env"] = {FLIP_BIT: str(FLIPPED_BIT)}
    return spec


def gather(api, story, ended, undisturbed):
    """Everything that is judged, read when the job has ended."""
    attempts, stalls = [], []
    for attempt in story.attempts():
        log = read_log(api, story.job_id, attempt["attempt"])
        restore = attempt.get("restore") or {}
        attempts.append(Attempt(attempt["attempt"], restore.get("verdict") or "nothing", restore.get("step") or 0, losses.read(log)))
        stalls += losses.read_stalls(log)
    commits = [(item["attempt"], item["step"]) for item in story.commits()]
    verdict = judge(ended["state"], ended.get("message"), attempts, commits, undisturbed)
    if ended["attempt"] <= 1:
        verdict.problems.append(f"the job ended with its first attempt: the loss of {story.victim} did not reach it")
    bill = api.get_if_any(f"/jobs/{story.job_id}/cost") or {}
    facts = {
        "attempts": ended["attempt"],
        "checkpoints": len(commits),
        "stalls": stalls,
        "trainingSeconds": ended.get("runSeconds") or 0,
        "waste": bill.get("waste"),
    }
    return facts, verdict


def read_log(api, job, attempt):
    try:
        return list(api.stream(f"/jobs/{job}/logs", rank=0, attempt=attempt))
    except NotFound:
        return []
