"""The machine's process table: which processes are a node's, and how to end all of them at one time."""

import os
import pathlib
import signal
import time
from dataclasses import dataclass

from muster_cli.failure import Failure

MARKER = b"MUSTER_NODES_FILE="
LOOK_SECONDS = 0.04
KILL_SECONDS = 15.0


@dataclass(frozen=True)
class Entry:
    """One process; the pid and the start together name it, since pids are used again."""

    pid: int
    parent: int
    group: int
    session: int
    state: str
    start: int


def read(pid):
    """The entry of a pid; None if there is no such process, or it has ended and only waits for its parent."""
    try:
        stat = pathlib.Path(f"/proc/{int(pid)}/stat").read_text(encoding="latin-1")
    except (OSError, ValueError):
        return None
    fields = stat[stat.rindex(")") + 2 :].split()
    if fields[0] in "ZX":
        return None
    return Entry(int(pid), int(fields[1]), int(fields[2]), int(fields[3]), fields[0], int(fields[19]))


def table():
    entries = (read(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit())
    return [entry for entry in entries if entry]


def marked_below(pid, folders):
    """Whether a process was started as, or by, a rank of an attempt whose files are below one of these folders."""
    try:
        environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    for variable in environment.split(b"\0"):
        if variable.startswith(MARKER):
            file = os.fsdecode(variable[len(MARKER) :])
            return any(file.startswith(str(folder) + os.sep) for folder in folders)
    return False


class Family:
    """The processes of some nodes: known roots, all that is marked as its ranks', and whatever descends from or sits in a session of either."""

    def __init__(self, folders, roots):
        self._folders = folders
        self._known = dict(roots)

    def living(self):
        """Also remembers them: a child whose parent has died since is still found."""
        everyone = table()
        mine = {
            entry.pid: entry.start
            for entry in everyone
            if self._known.get(entry.pid) == entry.start or marked_below(entry.pid, self._folders)
        }
        grew = True
        while grew:
            grew = False
            for entry in everyone:
                if entry.pid not in mine and not mine.keys().isdisjoint((entry.parent, entry.group, entry.session)):
                    mine[entry.pid] = entry.start
                    grew = True
        mine.pop(os.getpid(), None)
        self._known.update(mine)
        return sorted(mine)

    def kill(self):
        """SIGKILL to all at one time and again, until two looks in a row find none; how many there were."""
        killed, empty_looks, deadline = set(), 0, time.monotonic() + KILL_SECONDS
        while empty_looks < 2:
            living = self.living()
            empty_looks = 0 if living else empty_looks + 1
            for pid in living:
                killed.add(pid)
                send(pid, signal.SIGKILL)
            if living and time.monotonic() > deadline:
                raise Failure(f"still alive {KILL_SECONDS:.0f} s after SIGKILL: pid {', '.join(map(str, living))}; a process that waits for a disk ends when the disk answers")
            time.sleep(LOOK_SECONDS)
        return len(killed)


def send(pid, number):
    """A signal to a process that may have ended meanwhile."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def with_children(pid):
    return [pid, *(entry.pid for entry in table() if entry.parent == pid)]


def is_stopped(pid):
    entry = read(pid)
    return entry is not None and entry.state in "Tt"
