"""A log of one line for each step that survives restarts: no step twice, none missing."""

import json
import os
import sys

MAX_WAITING_LINES = 10_000


class MetricsLog:
    """A file of JSON lines, one for each step.

    Opened with what `Checkpointer.restore` gave, it goes on where that checkpoint left it: lines of steps that are done
    again are cut off first. A fresh start (`restored` is None) begins an empty log. Writing never raises into training:
    lines that the disk does not take wait and are written with the next ones.

        log = muster.MetricsLog("/shared/run-7/metrics.jsonl", restored)
        log.append(step, loss=loss)
        checkpointer.save(step, state, log=log)
    """

    def __init__(self, path, restored=None):
        self._path = path
        self._waiting = []
        self._told = False
        self._position = 0
        try:
            self._cut(restored)
        except OSError as failure:
            self._say(failure)

    @property
    def position(self):
        """Bytes that belong to the steps logged so far."""
        return self._position

    def append(self, step, **metrics):
        """Logs a step."""
        line = json.dumps({"step": int(step), **metrics}).encode("utf-8") + b"\n"
        self._waiting.append(line)
        self._position += len(line)
        self._write()

    def flush(self):
        """Whether all lines are on the disk, safe against a power cut."""
        if not self._write():
            return False
        try:
            with open(self._path, "ab") as file:
                os.fsync(file.fileno())
            return True
        except OSError as failure:
            self._say(failure)
            return False

    def _write(self):
        if not self._waiting:
            return True
        try:
            descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o644)
            try:
                # What an earlier try has written in part is written over: lines are never torn.
                start = self._position - sum(map(len, self._waiting))
                os.lseek(descriptor, start, os.SEEK_SET)
                data = memoryview(b"".join(self._waiting))
                while data:
                    data = data[os.write(descriptor, data) :]
            finally:
                os.close(descriptor)
            self._waiting.clear()
            self._told = False
            return True
        except OSError as failure:
            self._say(failure)
            self._forget_oldest()
            return False

    def _forget_oldest(self):
        while len(self._waiting) > MAX_WAITING_LINES:
            self._position -= len(self._waiting.pop(0))

    def _cut(self, restored):
        keep, last = 0, -1
        if restored:
            keep = float("inf") if restored.log_position is None else int(restored.log_position)
            last = int(restored.step)
        os.makedirs(os.path.dirname(os.path.abspath(self._path)), exist_ok=True)
        with open(self._path, "ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size < keep < float("inf"):
                print(f"muster: {self._path} has {size} bytes, the checkpoint was taken at {keep}; "
                      "the lines between are lost", file=sys.stderr, flush=True)
            file.seek(0)
            whole = 0
            for line in file:
                if whole + len(line) > keep or not line.endswith(b"\n") or _step(line) > last:
                    break
                whole += len(line)
            file.truncate(whole)
        self._position = whole

    def _say(self, failure):
        if not self._told:
            self._told = True
            print(f"muster: {self._path} takes no lines ({failure}); training goes on, the lines wait",
                  file=sys.stderr, flush=True)


def _step(line):
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return -1
