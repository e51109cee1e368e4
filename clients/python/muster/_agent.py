"""The connection of one rank to the agent of its node (docs/client-protocol.md)."""

import json
import os
import socket
import struct
import sys
import threading
import time

PROTOCOL = 1
MAX_HEADER_BYTES = 64 * 1024
CONNECT_SECONDS = 2.0
# One call from the training loop takes at most this long, from its begin to its end.
ASK_SECONDS = 2.0
# After a failure the next try waits this long, twice as long after each further one, so that an agent that is away or
# hangs costs training next to nothing.
RETRY_SECONDS = 5.0
LONGEST_RETRY_SECONDS = 60.0


class AgentUnavailable(Exception):
    """No agent answers on MUSTER_AGENT_SOCKET, or there is none."""


class AgentRefused(Exception):
    """The agent answered and said no."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class _Deadline:
    """What is left of a time limit, set on the socket before each use of it."""

    def __init__(self, seconds):
        self._end = time.monotonic() + seconds

    def left(self):
        return max(0.0, self._end - time.monotonic())

    def limit(self, connection, at_most=float("inf")):
        left = min(self.left(), at_most)
        if left <= 0.0:
            raise AgentUnavailable("the agent did not answer in time")
        connection.settimeout(left)


def _receive(connection, count, deadline):
    buffer = bytearray(count)
    view = memoryview(buffer)
    received = 0
    while received < count:
        deadline.limit(connection)
        got = connection.recv_into(view[received:])
        if got == 0:
            raise AgentUnavailable(f"the agent closed its socket after {received} of {count} bytes")
        received += got
    return buffer


class Agent:
    """One connection, opened at first use and again after a failure; safe to use from several threads."""

    def __init__(self, environment=None, timeout_seconds=ASK_SECONDS):
        environment = os.environ if environment is None else environment
        self._path = environment.get("MUSTER_AGENT_SOCKET", "")
        self.rank = int(environment.get("RANK", "0") or 0)
        self._local_rank = int(environment.get("LOCAL_RANK", "0") or 0)
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._connection = None
        self._next_try = 0.0
        self._failures = 0
        self._told = False
        self.greeting = None

    @classmethod
    def like(cls, other):
        """Another connection of the same rank to the same agent."""
        agent = cls({}, other._timeout_seconds)
        agent._path, agent.rank, agent._local_rank = other._path, other.rank, other._local_rank
        return agent

    @property
    def configured(self):
        """Whether this process was started by an agent at all."""
        return bool(self._path)

    def hello(self):
        """The first request of every connection; the rank counts as ready from then on."""
        return {
            "op": "hello",
            "protocol": PROTOCOL,
            "rank": self.rank,
            "localRank": self._local_rank,
            "pid": os.getpid(),
        }

    def request(self, header, payload=b"", timeout_seconds=None):
        """Sends one request; returns the answer's header and payload.

        Raises AgentUnavailable or AgentRefused. Blocks at most the time limit, all together.
        """
        deadline = _Deadline(timeout_seconds or self._timeout_seconds)
        if not self._lock.acquire(timeout=deadline.left()):
            raise AgentUnavailable("another request is still waiting for the agent")
        try:
            self._open(deadline)
            answer = self._exchange(header, payload, deadline)
            self._failures = 0
            return answer
        except AgentRefused:
            self._failures = 0
            raise
        except (OSError, ValueError, TypeError, AttributeError, struct.error, AgentUnavailable) as failure:
            if time.monotonic() >= self._next_try:
                self._next_try = time.monotonic() + min(LONGEST_RETRY_SECONDS, RETRY_SECONDS * 2**self._failures)
                self._failures = min(self._failures + 1, 10)
            self._close()
            raise AgentUnavailable(str(failure)) from failure
        finally:
            self._lock.release()

    def ask(self, header, payload=b"", timeout_seconds=None):
        """Like request, for calls from the training loop: None instead of an exception; says so once."""
        if not self.configured:
            return None
        try:
            return self.request(header, payload, timeout_seconds)[0]
        except AgentRefused as refusal:
            return {"ok": False, "error": refusal.code, "message": str(refusal)}
        except AgentUnavailable as failure:
            self._say_once(failure)
            return None

    def _open(self, deadline):
        if self._connection is not None:
            return
        if not self._path:
            raise AgentUnavailable("MUSTER_AGENT_SOCKET is not set; this process was not started by Muster")
        if time.monotonic() < self._next_try:
            raise AgentUnavailable("waiting before the next try")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            deadline.limit(connection, CONNECT_SECONDS)
            connection.connect(self._path)
        except (OSError, AgentUnavailable):
            connection.close()
            raise
        self._connection = connection
        self.greeting = self._exchange(self.hello(), b"", deadline)[0]
        if self._told:
            self._told = False
            print("muster: the agent is back", file=sys.stderr, flush=True)

    def _exchange(self, header, payload, deadline):
        header = dict(header)
        parts = payload if isinstance(payload, list) else [payload]
        size = sum(map(len, parts))
        if size:
            header["payloadBytes"] = size
        try:
            encoded = json.dumps(header, separators=(",", ":")).encode("utf-8")
        except (TypeError, ValueError) as failure:
            raise AgentRefused("BAD_REQUEST", f"JSON cannot hold it: {failure}") from failure
        if len(encoded) > MAX_HEADER_BYTES:
            raise AgentRefused("TOO_LARGE", f"a header of {len(encoded)} bytes; at most {MAX_HEADER_BYTES} are allowed")
        for part in (struct.pack(">I", len(encoded)) + encoded, *parts):
            if len(part):
                deadline.limit(self._connection)
                self._connection.sendall(part)
        (length,) = struct.unpack(">I", _receive(self._connection, 4, deadline))
        if length > MAX_HEADER_BYTES:
            raise AgentUnavailable(f"the agent sent a header of {length} bytes; at most {MAX_HEADER_BYTES} are allowed")
        answer = json.loads(_receive(self._connection, length, deadline))
        body = _receive(self._connection, int(answer.get("payloadBytes", 0) or 0), deadline)
        if not answer.get("ok"):
            raise AgentRefused(answer.get("error", "UNKNOWN"), answer.get("message", ""))
        return answer, body

    def _close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _say_once(self, failure):
        if not self._told:
            self._told = True
            print(f"muster: the agent is away ({failure}); training goes on without it", file=sys.stderr, flush=True)


_said = set()


def say_once(message):
    """One line on stderr, the first time that it is to be said."""
    if message not in _said and len(_said) < 100:
        _said.add(message)
        print(f"muster: {message}", file=sys.stderr, flush=True)


_shared = None
_shared_lock = threading.Lock()


def shared_agent():
    """The process's one connection."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Agent()
        return _shared


def ready():
    """Tells the agent that this rank is up; with `runtime.client` the job is RUNNING when all ranks are."""
    agent = shared_agent()
    return bool(agent.ask(agent.hello()))


class Stall:
    """How long training has stood still for checkpoints in this process, in seconds, all together and last."""

    METRIC = "muster_checkpoint_stall_seconds"

    def __init__(self):
        self.total = 0.0
        self.last = 0.0

    def add(self, seconds):
        self.total += seconds
        self.last = seconds


stall = Stall()


def progress(step, total_steps=None, **metrics):
    """Reports that `step` is done. Metrics are numbers, such as loss=1.5. Only rank 0's report is shown.

    The time that training stood still for checkpoints so far goes with it as muster_checkpoint_stall_seconds.
    """
    agent = shared_agent()
    try:
        numbers = {Stall.METRIC: stall.total, **{name: float(value) for name, value in metrics.items()}}
        header = {"op": "progress", "rank": agent.rank, "step": int(step), "metrics": numbers}
        if total_steps is not None:
            header["totalSteps"] = int(total_steps)
        agent.ask(header)
    except Exception as failure:  # whatever it is, it is no reason to end a training
        say_once(f"progress is not reported ({failure!r}); training goes on")


def result(values):
    """Hands over the job's result, a JSON object of at most 16 KiB; rank 0's is kept with the job.

    True if the agent has it; a refusal is said on stderr.
    """
    agent = shared_agent()
    answer = agent.ask({"op": "result", "rank": agent.rank, "result": values})
    if answer and not answer.get("ok"):
        print(f"muster: the result was refused ({answer.get('message')})", file=sys.stderr, flush=True)
    return bool(answer and answer.get("ok"))
