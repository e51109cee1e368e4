"""`node kill|pause|resume|restart|spare`: what happens to machines, done to the simulated nodes of this system."""

import datetime
import json
import os
import pathlib
import shutil
import signal
import time

from muster_cli import processes
from muster_cli.api import Api
from muster_cli.failure import Failure
from muster_cli.layout import is_alive

START_SECONDS = 60.0


class Node:
    """One node of a running system: its agent, its folders, and whether it was killed."""

    def __init__(self, home, name):
        self.home, self.name = home, name
        system = home.require_running()
        names = [part[len("agent ") :] for part in system["parts"] if part.startswith("agent ")]
        self.part = system["parts"].get(f"agent {name}")
        self.mark = home.killed_mark(name)
        if self.part is None and self.killed() is None:
            raise Failure(f"there is no node {name} in the system of {home.path}; its nodes are {', '.join(names)}")
        self.folder = home.path / "nodes" / name

    def killed(self):
        """What `node kill` wrote down; None if it did not, or the node was restarted since."""
        return read_mark(self.mark)

    def agent(self):
        """The pid of the living agent; Failure says what happened to it."""
        if self.part is not None and is_alive(self.part):
            return self.part["pid"]
        killed = self.killed()
        how = f"was killed at {killed['at']}" if killed else f"ended by itself (see {self.home.log_folder / f'agent-{self.name}.log'})"
        raise Failure(f"the agent of {self.name} {how}; start it with: ./muster node restart {self.name}")


def read_mark(file):
    try:
        return json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return None


def kill(home, names, keep_disk=False, agent_only=False, say=print):
    """SIGKILL to agents and all their ranks at one time; the machines' memory is lost, and their disks unless keep_disk."""
    nodes = [Node(home, name) for name in dict.fromkeys(names)]
    agents = {node.name: node.agent() for node in nodes}
    for node in nodes:
        write_mark(node, {"at": now(), "ranksLeft": agent_only})
    if agent_only:
        for node in nodes:
            processes.send(agents[node.name], signal.SIGKILL)
        for node in nodes:
            wait_gone(node.part)
            say(f"{node.name}: agent killed (pid {agents[node.name]}); its ranks go on, and the restarted agent adopts them: ./muster node restart {node.name}")
        return 0
    roots = {}
    for node in nodes:
        roots |= {agents[node.name]: node.part["startTicks"], **recorded_ranks(node.folder)}
    ended = processes.Family([node.folder for node in nodes], roots).kill()
    for node in nodes:
        lose_memory(node.folder)
        moved = None if keep_disk else move_away(node)
        disk = f"its folder is now {moved}" if moved else "its folder is kept"
        say(f"{node.name}: agent (pid {agents[node.name]}) and ranks killed, {ended} processes{' on all nodes' if len(nodes) > 1 else ''}; its memory is lost, {disk}; bring it back with: ./muster node restart {node.name}")
    return 0


def recorded_ranks(folder):
    """First processes of ranks, as the agent's own records name them: pid -> start."""
    ranks = {}
    for record in sorted(folder.glob("control/*/*/attempt.json")):
        try:
            for rank in json.loads(record.read_text()).get("ranks") or []:
                ranks[rank["pid"]] = rank["startTicks"]
        except (OSError, ValueError, KeyError):
            continue
    ranks.pop(0, None)
    return ranks


def lose_memory(folder):
    """A machine that dies forgets what was in its memory: the folder that `memory.path` names, if it says that it is this node's."""
    try:
        memory = pathlib.Path((folder / "memory.path").read_text().strip())
        owner = (memory / "owner").read_text()
    except (FileNotFoundError, NotADirectoryError):
        return
    if owner != str(folder) or memory.is_symlink():
        raise Failure(f"{folder / 'memory.path'} names {memory}, which belongs to {owner}; it was not deleted")
    shutil.rmtree(memory)


def move_away(node):
    place = node.home.path / "lost" / f"{node.name}-{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%S.%fZ}"
    place.parent.mkdir(exist_ok=True)
    try:
        os.rename(node.folder, place)
    except FileNotFoundError:
        return None
    return place


def pause(home, name, say=print):
    """SIGSTOP to the agent alone: its ranks go on, and nobody hears from it."""
    node = Node(home, name)
    agent = node.agent()
    if processes.is_stopped(agent):
        raise Failure(f"the agent of {name} is paused already (pid {agent}); let it go on with: ./muster node resume {name}")
    processes.send(agent, signal.SIGSTOP)
    say(f"{name}: agent paused (pid {agent}), its ranks go on; let it go on with: ./muster node resume {name}")
    return 0


def resume(home, name, say=print):
    node = Node(home, name)
    agent = node.agent()
    if not processes.is_stopped(agent):
        raise Failure(f"the agent of {name} is not paused; it runs with pid {agent}")
    processes.send(agent, signal.SIGCONT)
    say(f"{name}: agent goes on (pid {agent})")
    return 0


def restart(home, name, say=print):
    """Starts the agent of a killed node; one that lost its disk joins as a new machine, with a new token."""
    node = Node(home, name)
    if node.part is not None and is_alive(node.part):
        paused = processes.is_stopped(node.part["pid"])
        what = f"is paused (pid {node.part['pid']}): ./muster node resume {name}" if paused else f"runs (pid {node.part['pid']}); kill it first: ./muster node kill {name}"
        raise Failure(f"the agent of {name} {what}")
    wiped = not (node.folder / "credential.json").exists()
    if wiped:
        write_join_token(home, name)
    before = node.part and node.part["pid"]
    node.mark.unlink(missing_ok=True)
    ask_start(home, name)
    pid = wait_started(home, name, before)
    say(f"{name}: agent started (pid {pid}){', joining with a new token' if wiped else ''}; its holds end when its check has passed: ./muster nodes")
    return 0


def write_join_token(home, name):
    token = Api(home).post("/nodes/join-tokens", {"node": name})["token"]
    part = home.secret(f"join-{name}.token.part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(token + "\n")
    os.replace(part, home.secret(f"join-{name}.token"))


def ask_start(home, name):
    """A file that the running system looks for (io.muster.local.AgentRequests)."""
    folder = home.path / "requests"
    folder.mkdir(exist_ok=True)
    part = folder / f"{name}.part"
    part.write_text("")
    os.replace(part, folder / f"start-{name}")


def wait_started(home, name, before):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        part = home.require_running()["parts"].get(f"agent {name}")
        if part and part["pid"] != before and is_alive(part):
            return part["pid"]
        time.sleep(0.05)
    raise Failure(f"the system did not start the agent of {name} within {START_SECONDS:.0f} s; see {home.system_log} and {home.log_folder / f'agent-{name}.log'}")


def spare(home, name, off, say=print):
    """Marks a node: repairs of wounded gangs may use it, new jobs may not."""
    api = Api(home)
    if off:
        api.delete(f"/nodes/{name}/spare")
    else:
        api.put(f"/nodes/{name}/spare")
    say(f"{name}: {'a node like any other again' if off else 'a spare: repairs may use it, new jobs may not'}")
    return 0


def write_mark(node, mark):
    node.mark.parent.mkdir(exist_ok=True)
    part = node.mark.with_suffix(".part")
    part.write_text(json.dumps(mark) + "\n")
    os.replace(part, node.mark)


def wait_gone(part):
    deadline = time.monotonic() + processes.KILL_SECONDS
    while is_alive(part):
        if time.monotonic() > deadline:
            raise Failure(f"pid {part['pid']} is alive {processes.KILL_SECONDS:.0f} s after SIGKILL")
        time.sleep(0.01)


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def end_left_ranks(home):
    """Ends ranks whose agents were killed over them; called when the system is down. How many there were."""
    family = processes.Family([home.path / "nodes"], {})
    return family.kill() if family.living() else 0
