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
# After a failure the next try waits this long, so that an absent agent costs a training step nothing.
RETRY_SECONDS = 5.0


class AgentUnavailable(Exception):
    """No agent answers on MUSTER_AGENT_SOCKET, or there is none."""


class AgentRefused(Exception):
    """The agent answered and said no."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def _receive(connection, count):
    buffer = bytearray(count)
    view = memoryview(buffer)
    received = 0
    while received < count:
        got = connection.recv_into(view[received:])
        if got == 0:
            raise AgentUnavailable(f"the agent closed its socket after {received} of {count} bytes")
        received += got
    return buffer


class Agent:
    """One connection, opened at first use and again after a failure; safe to use from several threads."""

    def __init__(self, environment=None, timeout_seconds=10.0):
        environment = os.environ if environment is None else environment
        self._path = environment.get("MUSTER_AGENT_SOCKET", "")
        self.rank = int(environment.get("RANK", "0") or 0)
        self._local_rank = int(environment.get("LOCAL_RANK", "0") or 0)
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._connection = None
        self._next_try = 0.0
        self._told = False
        self.greeting = None

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

        Raises AgentUnavailable or AgentRefused. Blocks at most the time limit for each send or receive.
        """
        with self._lock:
            try:
                self._open()
                self._connection.settimeout(timeout_seconds or self._timeout_seconds)
                return self._exchange(header, payload)
            except (OSError, ValueError, struct.error, AgentUnavailable) as failure:
                self._close()
                self._next_try = time.monotonic() + RETRY_SECONDS
                raise AgentUnavailable(str(failure)) from failure

    def ask(self, header, payload=b""):
        """Like request, for calls from the training loop: None instead of an exception; says so once."""
        if not self.configured:
            return None
        try:
            return self.request(header, payload)[0]
        except AgentRefused as refusal:
            return {"ok": False, "error": refusal.code, "message": str(refusal)}
        except AgentUnavailable as failure:
            self._say_once(failure)
            return None

    def _open(self):
        if self._connection is not None:
            return
        if not self._path:
            raise AgentUnavailable("MUSTER_AGENT_SOCKET is not set; this process was not started by Muster")
        if time.monotonic() < self._next_try:
            raise AgentUnavailable("waiting before the next try")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(CONNECT_SECONDS)
        try:
            connection.connect(self._path)
        except OSError:
            connection.close()
            raise
        self._connection = connection
        self.greeting = self._exchange(self.hello(), b"")[0]
        self._told = False

    def _exchange(self, header, payload):
        header = dict(header)
        if len(payload):
            header["payloadBytes"] = len(payload)
        encoded = json.dumps(header, separators=(",", ":")).encode("utf-8")
        if len(encoded) > MAX_HEADER_BYTES:
            raise AgentRefused("TOO_LARGE", f"a header of {len(encoded)} bytes; at most {MAX_HEADER_BYTES} are allowed")
        self._connection.sendall(struct.pack(">I", len(encoded)) + encoded)
        if len(payload):
            self._connection.sendall(payload)
        (length,) = struct.unpack(">I", _receive(self._connection, 4))
        if length > MAX_HEADER_BYTES:
            raise AgentUnavailable(f"the agent sent a header of {length} bytes; at most {MAX_HEADER_BYTES} are allowed")
        answer = json.loads(_receive(self._connection, length))
        body = _receive(self._connection, int(answer.get("payloadBytes", 0) or 0))
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


def progress(step, total_steps=None, **metrics):
    """Reports that `step` is done. Metrics are numbers, such as loss=1.5. Only rank 0's report is shown."""
    agent = shared_agent()
    header = {"op": "progress", "rank": agent.rank, "step": int(step), "metrics": {k: float(v) for k, v in metrics.items()}}
    if total_steps is not None:
        header["totalSteps"] = int(total_steps)
    agent.ask(header)


def result(values):
    """Hands over the job's result, a JSON object of at most 16 KiB; rank 0's is kept with the job.

    True if the agent has it; a refusal is said on stderr.
    """
    agent = shared_agent()
    answer = agent.ask({"op": "result", "rank": agent.rank, "result": values})
    if answer and not answer.get("ok"):
        print(f"muster: the result was refused ({answer.get('message')})", file=sys.stderr, flush=True)
    return bool(answer and answer.get("ok"))
