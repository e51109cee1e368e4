"""What the machine must have before anything starts; everything that is missing is said at once, a line each."""

import os
import pathlib
import platform
import re
import shutil
import socket
import subprocess
import sys

from muster_cli.failure import Failure
from muster_cli.layout import AGENT_ADDRESS, AGENT_PORT, PORTS

MIN_PYTHON = (3, 10)
MIN_DISK_BYTES = 3 << 30
MIN_MEMORY_ONE_JVM = 3 << 30
MIN_MEMORY_PROCESSES = 7 << 30
JDK = 25


def find_jdk():
    """The home of a JDK 25: MUSTER_JAVA_HOME, JAVA_HOME, then the usual folders; None if there is none."""
    candidates = [os.environ.get("MUSTER_JAVA_HOME"), os.environ.get("JAVA_HOME")]
    for folder in ("/usr/lib/jvm", "/opt", os.path.expanduser("~/.sdkman/candidates/java"), os.path.expanduser("~/.jdks")):
        if os.path.isdir(folder):
            candidates += sorted(str(entry) for entry in pathlib.Path(folder).iterdir() if entry.is_dir())
    for candidate in candidates:
        if candidate and os.access(os.path.join(candidate, "bin", "javac"), os.X_OK) and jdk_version(candidate) == JDK:
            return candidate
    return None


def jdk_version(home):
    """The feature version of a JDK, from its release file, or else as its java says."""
    try:
        text = pathlib.Path(home, "release").read_text()
    except OSError:
        try:
            text = subprocess.run(
                [os.path.join(home, "bin", "java"), "-version"], capture_output=True, text=True, timeout=20
            ).stderr
        except (OSError, subprocess.TimeoutExpired):
            return None
    found = re.search(r'(?:JAVA_VERSION=|version )"(\d+)', text)
    return int(found.group(1)) if found else None


def memory_available():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def port_taken(port, address="127.0.0.1"):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return True
    return False


def check_platform():
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise Failure(
            f"this is {platform.system()} on {platform.machine()}; the local system runs on Linux x86-64 only"
        )


def check_tools(need_maven):
    """Returns the JDK's home; Failure names every missing tool."""
    missing = []
    if sys.version_info < MIN_PYTHON:
        missing.append(f"python3 is {platform.python_version()}, {MIN_PYTHON[0]}.{MIN_PYTHON[1]} or newer is needed")
    jdk = find_jdk()
    if jdk is None:
        missing.append("no JDK 25 found in MUSTER_JAVA_HOME, JAVA_HOME or /usr/lib/jvm: install one or set MUSTER_JAVA_HOME to it")
    if need_maven and shutil.which("mvn") is None:
        missing.append("mvn is not on the PATH: install Maven 3.8 or newer (the first start builds Muster)")
    if shutil.which("setsid") is None:
        missing.append("setsid is not on the PATH: install util-linux")
    if missing:
        raise Failure("; ".join(missing))
    return jdk


def check_room(home, processes):
    """Disk below the home and free memory."""
    folder = home.path
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    wrong = []
    if free < MIN_DISK_BYTES:
        wrong.append(f"{free / 1e9:.1f} GB free on the disk of {folder}, {MIN_DISK_BYTES / 1e9:.1f} GB are needed: free some or set MUSTER_HOME to a larger disk")
    memory, needed = memory_available(), MIN_MEMORY_PROCESSES if processes else MIN_MEMORY_ONE_JVM
    if memory < needed:
        wrong.append(f"{memory / 1e9:.1f} GB of memory available, {needed / 1e9:.1f} GB are needed: end other programs" + (" or leave out --processes" if processes else ""))
    if wrong:
        raise Failure("; ".join(wrong))


def check_ports(offset):
    taken = [f"{port + offset} ({name})" for name, port in PORTS.items() if port_taken(port + offset)]
    if port_taken(AGENT_PORT + offset, AGENT_ADDRESS):
        taken.append(f"{AGENT_PORT + offset} on {AGENT_ADDRESS} (agents)")
    if taken:
        raise Failure(
            f"taken on 127.0.0.1: port {', '.join(taken)}; end what listens there (`ss -ltnp` names it) or choose other ports with --port-offset 1000"
        )
