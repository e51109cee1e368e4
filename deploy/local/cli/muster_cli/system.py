"""`up`, `down` and `status` of the local system."""

import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from muster_cli import build, node, preconditions, processes
from muster_cli.failure import Failure
from muster_cli.layout import MAX_NODES_PER_RACK, ROOT, is_alive, process_started_at

READY_SECONDS = 600
STOP_SECONDS = 60


class Screen:
    """Progress lines; a passing line is overwritten by the next one on a terminal and left out elsewhere."""

    def __init__(self, stream=None):
        self._stream = stream or sys.stdout
        self._terminal = self._stream.isatty()
        self._passing = False

    def say(self, line, passing=False):
        if passing and not self._terminal:
            return
        if self._passing:
            self._stream.write("\r\033[K")
        self._stream.write(line + ("" if passing else "\n"))
        self._stream.flush()
        self._passing = passing


def up(home, options, after_ready):
    """Starts a system; after_ready(screen) -> exit code, or None for none. Foreground unless options.detach."""
    screen = Screen()
    process, began = launch(home, options, screen)
    try:
        wait_ready(home, process, screen)
        say_ready(home, screen, began)
        code = after_ready(screen) if after_ready else None
        if options.detach:
            if code is None:
                screen.say("next: ./muster nodes, ./muster submit FILE.json --wait, ./muster down")
            return code or 0
        if code is not None:
            stop(home, screen)
            return code
        screen.say("press Ctrl-C to stop it")
        process.wait()
        raise Failure(f"the system ended by itself with code {process.returncode}; see {home.system_log}")
    except KeyboardInterrupt:
        screen.say("")
        stop(home, screen, process)
        return 130
    except Failure:
        if not options.detach and process.poll() is None:
            stop(home, screen, process)
        raise


def launch(home, options, screen):
    """Checks the machine, builds what is not built, and starts the system's process, not ready yet; the process and when that was."""
    preconditions.check_platform()
    running = home.running()
    if running:
        raise Failure(f"a system already runs from {home.path} (pid {running['pid']}, {running['gateway']}); stop it with: ./muster down")
    check_size(options.nodes, options.racks)
    jdk = preconditions.check_tools(need_maven=not build.is_built())
    preconditions.check_room(home, options.processes)
    end_orphans(home, screen)
    preconditions.check_ports(options.port_offset)
    if not build.is_built():
        build.build(jdk, screen.say)
    began = time.time()
    process = start(home, jdk, options)
    screen.say(f"starting {options.nodes} nodes in {options.racks} racks, services in {'processes of their own' if options.processes else 'one JVM'}; data and logs in {home.path}")
    return process, began


def say_ready(home, screen, began):
    """Returns the seconds since then, and the megabytes that the system takes."""
    ready = time.time() - began
    system = home.require_running()
    megabytes = resident_megabytes(system)
    screen.say(f"ready in {ready:.1f} s, {megabytes} MB (PSS, without ranks): {system['gateway']}")
    return ready, megabytes


def check_size(nodes, racks):
    if nodes < 1 or racks < 1 or racks > nodes or nodes > MAX_NODES_PER_RACK * racks or racks > 250:
        raise Failure(f"--nodes {nodes} --racks {racks}: at least one node a rack, at most {MAX_NODES_PER_RACK} nodes a rack and 250 racks")


def end_orphans(home, screen):
    """Ends what a system of this folder left behind when it was killed; its data is kept, its ranks are adopted."""
    system = home.recorded()
    if not system or is_alive(system):
        return
    orphans = {name: part for name, part in system["parts"].items() if is_alive(part)}
    if not orphans:
        return
    screen.say(f"an earlier system was killed; ending what it left: {', '.join(orphans)}")
    for name, part in orphans.items():
        # an agent that is asked to end would stop its ranks; killed, it leaves them for its successor
        os.kill(part["pid"], signal.SIGKILL if name.startswith("agent") else signal.SIGTERM if name != "postgresql" else signal.SIGINT)
    deadline = time.time() + STOP_SECONDS
    while any(is_alive(part) for part in orphans.values()):
        if time.time() > deadline:
            left = ", ".join(f"{name} (pid {part['pid']})" for name, part in orphans.items() if is_alive(part))
            raise Failure(f"still running {STOP_SECONDS} s after being told to end: {left}; end them and try again")
        time.sleep(0.05)


def start(home, jdk, options):
    home.log_folder.mkdir(parents=True, exist_ok=True)
    os.chmod(home.path, 0o700)
    home.progress_file.write_text("")
    jars = sorted(glob.glob(str(build.OWN_JAR / "muster-local-*.jar"))) + sorted(glob.glob(str(build.LIB / "*.jar")))
    command = [
        os.path.join(jdk, "bin", "java"),
        "-Xmx640m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseCompactObjectHeaders",
        "--enable-native-access=ALL-UNNAMED",
        "-Dlogback.configurationFile=io/muster/local/logback.xml",
        "-Dorg.springframework.boot.logging.LoggingSystem=none",
        "-cp",
        os.pathsep.join(jars),
        "io.muster.local.LocalSystem",
        f"--home={home.path}",
        f"--nodes={options.nodes}",
        f"--racks={options.racks}",
        f"--port-offset={options.port_offset}",
        f"--processes={'true' if options.processes else 'false'}",
        f"--client={ROOT / 'clients' / 'python'}",
    ]
    with open(home.system_log, "ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def wait_ready(home, process, screen):
    deadline = time.time() + READY_SECONDS
    with open(home.progress_file, encoding="utf-8") as progress:
        while True:
            line = progress.readline()
            if not line:
                if process.poll() is not None:
                    raise Failure(f"the system ended with code {process.returncode} before it was ready; see {home.system_log}")
                if time.time() > deadline:
                    raise Failure(f"not ready after {READY_SECONDS} s; see {home.system_log}")
                time.sleep(0.05)
                continue
            event = json.loads(line)
            if event["event"] == "ready":
                return
            if event["event"] == "failed":
                raise Failure(f"{event['message']}; see {home.system_log}")
            screen.say(f"  {event['message']}")


def stop(home, screen, process=None):
    """Ends the system in order: agents with their ranks, services, broker, database."""
    system = home.running()
    pid = system["pid"] if system else (process.pid if process and process.poll() is None else None)
    if pid is None:
        raise Failure(f"no system runs from {home.path}")
    started, began = process_started_at(pid), time.time()
    if system:
        resume_paused(system)
    os.kill(pid, signal.SIGTERM)
    while process_started_at(pid) == started and time.time() - began < STOP_SECONDS:
        if process:
            process.poll()
        time.sleep(0.05)
    if process_started_at(pid) == started:
        raise Failure(f"pid {pid} has not ended {STOP_SECONDS} s after SIGTERM; see {home.system_log}")
    left = node.end_left_ranks(home)
    ranks = f"; {left} processes ended that a killed agent had left" if left else ""
    screen.say(f"stopped in {time.time() - began:.1f} s; the data is kept in {home.path}{ranks}")


def resume_paused(system):
    """A stopped process does not hear that it shall end. Services were stopped with their children, agents alone."""
    for name, part in system["parts"].items():
        if part["pid"] != system["pid"] and is_alive(part) and processes.is_stopped(part["pid"]):
            for pid in [part["pid"]] if name.startswith("agent ") else processes.with_children(part["pid"]):
                processes.send(pid, signal.SIGCONT)


def down(home):
    home.require_running()
    stop(home, Screen())
    return 0


def status(home, as_json):
    system = home.running()
    if as_json:
        parts = {"parts": parts_with_killed(home, system)} if system else {}
        print(json.dumps(dict(system or {}, **parts, running=system is not None, home=str(home.path)), indent=2))
        return 0 if system else 1
    if system is None:
        print(f"no system runs from {home.path}; start one with: ./muster up --detach")
        return 1
    print(f"{'running' if system['ready'] else 'starting'} from {home.path} since {system['startedAt']} (pid {system['pid']}, {resident_megabytes(system)} MB PSS without ranks)")
    print(f"gateway {system['gateway']}")
    for name, part in parts_with_killed(home, system).items():
        print(f"  {name:<12} {describe_part(part)}")
    return 0


def parts_with_killed(home, system):
    """The system's parts; a killed node also has a part when it has not been started at all since the last `up`."""
    parts = dict(system["parts"])
    for mark in sorted((home.path / "killed").glob("*.json")):
        name = f"agent {mark.stem}"
        if not is_alive(parts.get(name, {})):
            parts[name] = dict(parts.get(name, {}), killed=node.read_mark(mark))
    return parts


def describe_part(part):
    killed = part.get("killed")
    if killed:
        return f"killed at {killed['at']} with ./muster node kill{', its ranks were left' if killed.get('ranksLeft') else ''}"
    where = f" port {part['port']}" if part.get("port") else ""
    state = "DEAD" if not is_alive(part) else "paused" if processes.is_stopped(part["pid"]) else "running"
    return f"{state} pid {part['pid']}{where}"


def resident_megabytes(system):
    """Proportional set size of the system's processes and what they started, without the ranks of jobs."""
    roots = {system["pid"]} | {part["pid"] for part in system["parts"].values()}
    agents = {part["pid"] for name, part in system["parts"].items() if name.startswith("agent")}
    children = {}
    for entry in processes.table():
        children.setdefault(entry.parent, []).append(entry.pid)
    total, todo, seen = 0, list(roots), set()
    while todo:
        pid = todo.pop()
        if pid in seen:
            continue
        seen.add(pid)
        try:
            for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except OSError:
            continue
        if pid not in agents:
            todo += children.get(pid, [])
    return total // 1024
