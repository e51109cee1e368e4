"""Builds what is not built: the jars of the local system under deploy/local/target/lib."""

import os
import pathlib
import subprocess
import time

from muster_cli.failure import Failure
from muster_cli.layout import ROOT

LIB = ROOT / "deploy" / "local" / "target" / "lib"
OWN_JAR = ROOT / "deploy" / "local" / "target"
STAMP = LIB / ".built"
LOG = ROOT / "deploy" / "local" / "target" / "build.log"


def newest_source():
    newest = 0.0
    for top in sorted(ROOT.iterdir()):
        if top.name.startswith(".") or not top.is_dir():
            if top.name == "pom.xml":
                newest = max(newest, top.stat().st_mtime)
            continue
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in ("target", "node_modules", ".git", "__pycache__")]
            inside = pathlib.PurePath(folder).as_posix()
            for name in files:
                if name == "pom.xml" or "/src/main/" in inside + "/":
                    newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime)
    return newest


def is_built():
    if os.environ.get("MUSTER_SKIP_BUILD") == "true":
        return LIB.exists()
    return STAMP.exists() and STAMP.stat().st_mtime >= newest_source()


def build(jdk, say):
    """Runs Maven; shows the module being built; the whole output is in deploy/local/target/build.log."""
    began = time.time()
    LOG.parent.mkdir(parents=True, exist_ok=True)
    command = ["mvn", "-B", "-ntp", "-DskipTests", "-Dexec.skip=true", "-Dspotless.check.skip=true", "package"]
    say(f"building Muster ({' '.join(command)}); a first build also downloads its libraries, a few minutes")
    environment = dict(os.environ, JAVA_HOME=jdk)
    with open(LOG, "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        errors = []
        for line in process.stdout:
            log.write(line)
            if line.startswith("[INFO] Building ") and "[" in line[7:]:
                say("  " + line[len("[INFO] Building ") :].strip(), passing=True)
            if line.startswith("[ERROR]") and len(errors) < 1:
                errors.append(line[len("[ERROR] ") :].strip())
        if process.wait() != 0:
            raise Failure(f"the build failed: {errors[0] if errors else 'no error line'}; all of it is in {LOG}")
    STAMP.touch()
    say(f"built in {time.time() - began:.0f} s")
