"""Reads the command line; each command is a function elsewhere."""

import argparse
import sys

from muster_cli import explain, faults, jobs, node, service, system
from muster_cli.api import WATCHING_SECONDS, Api
from muster_cli.demo import command as demo
from muster_cli.failure import Failure
from muster_cli.layout import Home


def parser():
    top = argparse.ArgumentParser(prog="muster", description="The local system and its jobs. Each command has --help.")
    top.add_argument("--home", help="folder of the local system (default: MUSTER_HOME, else .muster beside this file)")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="start the system (builds it first if needed)", description="Starts database, broker, six services and one agent per node. Ctrl-C stops it in order; the data stays.")
    up.add_argument("--nodes", type=int, default=8, metavar="N", help="simulated nodes with 8 GPUs each (default 8)")
    up.add_argument("--racks", type=int, default=2, metavar="R", help="racks they stand in (default 2)")
    up.add_argument("--processes", action="store_true", help="every service and the broker in a process of its own")
    up.add_argument("--detach", action="store_true", help="return when the system is ready")
    up.add_argument("--submit", metavar="FILE", help="submit this job, wait for its end, print its result, then stop the system (unless --detach)")
    up.add_argument("--port-offset", type=int, default=0, metavar="K", help="add K to every port")

    commands.add_parser("down", help="stop the system; the data stays")
    add_json(commands.add_parser("status", help="what runs, where, since when"))
    submit = commands.add_parser("submit", help="submit a job file")
    submit.add_argument("file", metavar="FILE.json")
    submit.add_argument("--wait", action="store_true", help="follow the job; exit code 0 only if it SUCCEEDED")
    add_json(commands.add_parser("jobs", help="list jobs, newest first"))
    job = add_json(commands.add_parser("job", help="one job: state, placement, progress, timeline, cost"))
    job.add_argument("job", metavar="JOB")
    logs = commands.add_parser("logs", help="a job's output")
    logs.add_argument("job", metavar="JOB")
    logs.add_argument("--rank", type=int, metavar="R", help="this rank (default 0)")
    logs.add_argument("--attempt", type=int, metavar="A", help="this attempt (default: the newest)")
    logs.add_argument("--tail", type=int, metavar="LINES", help="only the last lines")
    logs.add_argument("--follow", action="store_true", help="go on until the job ends")
    cancel = commands.add_parser("cancel", help="cancel a job")
    cancel.add_argument("job", metavar="JOB")
    add_json(commands.add_parser("nodes", help="nodes with their condition and holds"))
    add_json(commands.add_parser("quota", help="the quota tree"))
    faults_list = add_json(commands.add_parser("faults", help="what broke, what it touched, what was done"))
    faults_list.add_argument("--follow", action="store_true", help="go on and print every new fault and action")
    why = commands.add_parser("explain", help="why a job or a node is as it is")
    why.add_argument("what", metavar="JOB|NODE")
    add_demo(commands.add_parser(
        "demo",
        help="see a job survive the death of a node",
        description="Builds what is not built, starts a system of its own (8 nodes in 2 racks), lets the example job train on 4 nodes, kills one of them with everything on it, "
        "and compares the loss of every step with an undisturbed run. Exit code 0 only if the result is right.",
    ))
    add_node(commands.add_parser("node", help="kill, pause, resume or restart a simulated node; make it a spare"))
    add_service(commands.add_parser("service", help="kill, pause or start a service, the broker or the database (of `up --processes`)"))
    return top


def add_demo(command):
    add_json(command)
    command.add_argument("--down", action="store_true", help="stop the system afterwards")
    command.add_argument("--processes", action="store_true", help="every service and the broker in a process of its own")
    command.add_argument("--port-offset", type=int, default=0, metavar="K", help="add K to every port")
    command.add_argument("--again", action="store_true", help="use the system that an earlier demo left, after bringing its dead nodes back")
    more = command.add_mutually_exclusive_group()
    more.add_argument("--kills", type=int, metavar="N", help="instead: N jobs, under each of which something else is killed at a random moment")
    more.add_argument("--busy", type=int, metavar="SECONDS", help="instead: a job that keeps all cores busy for so long; no fault may be opened")
    command.add_argument("--seed", type=int, default=1, metavar="S", help="of the random moments of --kills (default 1)")
    command.add_argument("--only", type=int, metavar="ROUND", help="only this round of --kills")
    more.add_argument("--control", choices=("no-restore", "flipped-bit"), help="make one thing wrong on purpose: the demo must then fail (docs/operations.md)")


def add_node(command):
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    kill = actions.add_parser("kill", help="as if the machine lost its power", description="SIGKILL to the agent and all its ranks at one time. What was in the node's memory is lost, and its folder is moved to lost/ of the system's folder.")
    how = kill.add_mutually_exclusive_group()
    how.add_argument("--keep-disk", action="store_true", help="the folder stays: the node comes back with its credential")
    how.add_argument("--agent-only", action="store_true", help="only the agent: its ranks go on, and the restarted agent adopts them")
    actions.add_parser("pause", help="SIGSTOP to the agent alone; its ranks go on")
    actions.add_parser("resume", help="let a paused agent go on")
    actions.add_parser("restart", help="start the agent of a killed node; without its folder it joins as a new machine")
    spare = actions.add_parser("spare", help="repairs may use the node, new jobs may not")
    spare.add_argument("--off", action="store_true", help="a node like any other again")
    for name, action in actions.choices.items():
        if name == "kill":
            action.add_argument("nodes", metavar="NODE", nargs="+", help="several die at one time")
        else:
            action.add_argument("node", metavar="NODE")


def add_service(command):
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    kill = actions.add_parser("kill", help=f"SIGKILL; started again after {service.RESTART_SECONDS} s")
    kill.add_argument("--stay-down", action="store_true", help="until it is started with: service start NAME")
    actions.add_parser("pause", help="SIGSTOP, for as long as you wish")
    actions.add_parser("start", help="let a paused one go on, or start one that is down")
    for action in actions.choices.values():
        action.add_argument("names", metavar="NAME", nargs="+", choices=service.NAMES, help=", ".join(service.NAMES))


def add_json(command):
    command.add_argument("--json", action="store_true", help="print JSON")
    return command


def run(options):
    home = Home(options.home)
    match options.command:
        case "up":
            after = (lambda screen: jobs.submit(Api(home, WATCHING_SECONDS), options.submit, True, screen.say)) if options.submit else None
            if options.submit:
                jobs.read_spec(options.submit)
            return system.up(home, options, after)
        case "down":
            return system.down(home)
        case "status":
            return system.status(home, options.json)
        case "submit":
            return jobs.submit(Api(home, WATCHING_SECONDS if options.wait else 0), options.file, options.wait)
        case "jobs":
            return jobs.listing(Api(home), options.json)
        case "job":
            return jobs.show(Api(home), options.job, options.json)
        case "logs":
            return jobs.logs(Api(home), options.job, options.rank, options.follow, options.attempt, options.tail)
        case "cancel":
            job = Api(home).post(f"/jobs/{options.job}/cancel")
            print(f"{job['id']} {job['state']}")
            return 0
        case "nodes":
            return jobs.nodes(Api(home), options.json)
        case "quota":
            return jobs.quota(Api(home), options.json)
        case "faults":
            return faults.show(Api(home, WATCHING_SECONDS if options.follow else 0), options.follow, options.json)
        case "explain":
            return explain.explain(Api(home), home, options.what)
        case "demo":
            return demo.run(home, options)
        case "node":
            return run_node(home, options)
        case "service":
            return run_service(home, options)


def run_node(home, options):
    match options.action:
        case "kill":
            return node.kill(home, options.nodes, options.keep_disk, options.agent_only)
        case "pause":
            return node.pause(home, options.node)
        case "resume":
            return node.resume(home, options.node)
        case "restart":
            return node.restart(home, options.node)
        case "spare":
            return node.spare(home, options.node, options.off)


def run_service(home, options):
    match options.action:
        case "kill":
            return service.kill(home, options.names, options.stay_down)
        case "pause":
            return service.pause(home, options.names)
        case "start":
            return service.start(home, options.names)


def main():
    options = parser().parse_args()
    try:
        return run(options)
    except Failure as failure:
        print(f"muster: {failure}", file=sys.stderr)
        return failure.code
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
