"""The demo from the empty folder to its exit code, which depends on what is right and never on how long it took."""

import json
import shutil
import sys

from muster_cli import node, system
from muster_cli.api import WATCHING_SECONDS, Api
from muster_cli.demo import busy, example, fleet, kills, losses, report
from muster_cli.demo.story import Story
from muster_cli.demo.verdict import judge
from muster_cli.failure import Failure
from muster_cli.layout import Home

NODES, RACKS = 8, 2
COMMITS_BEFORE_KILL = 2
STEPS_BEFORE_KILL = 5
VICTIM_RANK = 2


def run(home, options):
    screen = system.Screen(sys.stderr if options.json else sys.stdout)
    home = Home(home.path / "demo")
    try:
        return play(home, options, screen)
    except KeyboardInterrupt:
        screen.say("")
        return 130
    finally:
        leave(home, options, screen)


def leave(home, options, screen):
    if home.running() and options.down:
        system.stop(home, screen)
    elif home.running():
        screen.say(f"the system stays up: ./muster --home {home.path} status; stop it with: ./muster --home {home.path} down")


def play(home, options, screen):
    ready_seconds, megabytes = (earlier_system if options.again else fresh_system)(home, options, screen)
    if options.kills:
        return kills.run(home, options, screen)
    if options.busy:
        return busy.run(home, options, screen)
    return lose_a_node(home, options, screen, ready_seconds, megabytes)


def lose_a_node(home, options, screen, ready_seconds, megabytes):
    api = Api(home, WATCHING_SECONDS)
    spec = example.job_spec(options.control)
    job = api.post("/jobs", spec)
    screen.say(f"{job['id']} submitted: {spec['resources']['nodes']} nodes, {example.STEPS} steps, a checkpoint every {spec['checkpoint']['interval']}")
    story = Story(api, job["id"], screen.say)
    running = story.await_commits(COMMITS_BEFORE_KILL, STEPS_BEFORE_KILL)
    victim = next(member for member in running["placement"]["members"] if member["nodeRank"] == VICTIM_RANK)
    screen.say(f"killing {victim['node']} (node rank {VICTIM_RANK})")
    story.kill(running, victim, lambda: node.kill(home, [victim["node"]], say=lambda line: screen.say(f"         {line}")))
    ended = story.follow()
    screen.say(f"  {job['id']} {ended['state']}")
    screen.say("running the example again, undisturbed and without Muster, to compare")
    undisturbed = losses.undisturbed(spec["resources"]["nodes"], example.STEPS)
    facts, verdict = gather(api, story, ended, undisturbed)
    facts.update(mode="processes" if home.require_running()["processes"] else "one JVM", readySeconds=ready_seconds, residentMegabytes=megabytes)
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
    wipe(home)
    options.nodes, options.racks = NODES, RACKS
    process, began = system.launch(home, options, screen)
    system.wait_ready(home, process, screen)
    return system.say_ready(home, screen, began)


def wipe(home):
    for folder in sorted((home.path / "nodes").glob("*")):
        node.lose_memory(folder)
    if home.path.exists():
        shutil.rmtree(home.path)


def earlier_system(home, options, screen):
    """The system of the demo before this one, with its dead nodes brought back."""
    running = home.running()
    if not running or not running["ready"]:
        raise Failure(f"no system of an earlier demo {'is ready' if running else 'runs'} in {home.path}; leave out --again to start one")
    api = Api(home, WATCHING_SECONDS)
    fleet.end_jobs(api, screen.say)
    waited = fleet.mend(home, api, lambda line: screen.say(f"  {line}"))
    megabytes = system.resident_megabytes(home.require_running())
    screen.say(f"every node of {home.path} is healthy after {waited:.1f} s, {megabytes} MB")
    return waited, megabytes


def refuse_if_ports_held(home, offset):
    for other in (Home(home.path.parent), Home()):
        running = other.running()
        if running and running["portOffset"] == offset:
            raise Failure(f"the system of {other.path} holds the ports (pid {running['pid']}, {running['gateway']}); stop it with ./muster --home {other.path} down, or give the demo others with --port-offset 1000")


def gather(api, story, ended, undisturbed):
    """What is judged, and what is told besides, read when the job has ended."""
    attempts, stalls = example.read_attempts(api, story, {story.victim})
    commits = [(item["attempt"], item["step"]) for item in story.commits()]
    verdict = judge(ended["state"], ended.get("message"), attempts, commits, undisturbed)
    if ended["attempt"] <= 1:
        verdict.problems.append(f"the job ended with its first attempt: the loss of {story.victim} did not reach it")
    waste = api.get_if_any(f"/jobs/{story.job_id}/waste") or {}
    facts = {
        "attempts": ended["attempt"],
        "checkpoints": len(commits),
        "stalls": stalls,
        "trainingSeconds": ended.get("runSeconds") or 0,
        "waste": waste.get("total"),
    }
    return facts, verdict
