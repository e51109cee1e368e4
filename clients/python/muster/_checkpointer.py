"""Saving and restoring one rank's state through the agent."""

import atexit
import hashlib
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Dict

from muster._agent import Agent, AgentRefused, AgentUnavailable, shared_agent, stall
from muster._positions import generator_states, set_generator_states
from muster._shard import ShardDamaged, decode, encode

HELLO_SECONDS = 30.0
RESTORE_SECONDS = 600.0
SAVE_SECONDS = 5.0
# A save waits so long for the one before to reach the agent; then it is skipped.
LONGEST_WAIT_SECONDS = 0.25
# A save that is waited for is offered to a busy agent every so many seconds, for this share of its limit.
BUSY_PAUSE_SECONDS, BUSY_SHARE = 0.1, 0.8

# Items of every shard besides those of the training code.
_RNG, _DATA, _LOG = "muster.rng", "muster.data", "muster.log"


class RestoreRefused(Exception):
    """There is, or may be, a checkpoint, but this rank cannot have it: the job must not start over unnoticed."""


@dataclass(frozen=True)
class Restored:
    """The state of this rank after `step`; training goes on with step + 1.

    `data_position` and `log_position` are what :meth:`Checkpointer.save` was given, None if it was given none.
    """

    step: int
    checkpoint_id: str
    state: Dict[str, Any]
    data_position: Any = None
    log_position: Any = None
    generators: Dict[str, Any] = field(default_factory=dict)

    def set_generators(self):
        """Puts Python's, NumPy's and PyTorch's random generators where they were; `restore` has done so already."""
        set_generator_states(self.generators)


class Checkpointer:
    """Saves and restores this rank's state.

    Every rank calls :meth:`due` and :meth:`save` with the same step numbers. A checkpoint becomes visible only when
    all ranks' bytes are safe; until then the one before it is the newest. No collective is ever called, and nothing but
    :meth:`restore` ever raises into training or keeps it longer than `save_seconds`.
    """

    def __init__(self, agent=None, save_seconds=SAVE_SECONDS):
        self._agent = agent or shared_agent()
        self._sender = None
        self._save_seconds = save_seconds
        self._next_step = None
        self._skipped = 0
        self._sending = None

    @property
    def last_stall_seconds(self):
        """How long the last save kept training."""
        return stall.last

    def restore(self):
        """The newest committed state of this rank, or None for a fresh start that the control plane has confirmed.

        The process's random generators are put where they were. Raises RestoreRefused if the agent is away or the bytes
        are damaged; without Muster the answer is None.
        """
        if not self._agent.configured:
            return None
        try:
            answer = self._agent.request(self._agent.hello(), timeout_seconds=HELLO_SECONDS)[0]
            restore = answer.get("restore") or {}
            if restore.get("verdict") == "FRESH":
                return None
            if restore.get("verdict") != "RESTORED":
                raise RestoreRefused(f"the agent's verdict is {restore.get('verdict')!r}, neither RESTORED nor FRESH")
            header, payload = self._agent.request(
                {"op": "restore", "rank": self._agent.rank}, timeout_seconds=RESTORE_SECONDS
            )
            found = hashlib.sha256(payload).hexdigest()
            if found != header["sha256"]:
                raise RestoreRefused(f"sha256 {found} of {len(payload)} bytes received, {header['sha256']} was promised")
            restored = _restored(int(header["step"]), restore.get("checkpointId", ""), payload)
        except (AgentUnavailable, AgentRefused, ShardDamaged) as failure:
            raise RestoreRefused(str(failure)) from failure
        restored.set_generators()
        return restored

    def due(self, step):
        """Whether all ranks save after this step; the same answer on every rank."""
        began = time.monotonic()
        try:
            return self._due(int(step))
        except Exception as failure:  # an answer that makes no sense is no reason to end a training
            self._say_skipped(step, f"no plan: {failure!r}")
            return False
        finally:
            stall.total += time.monotonic() - began

    def _due(self, step):
        if self._agent.greeting is None:
            self._agent.ask(self._agent.hello())
        plan = (self._agent.greeting or {}).get("checkpoint") or {}
        if not plan.get("enabled"):
            return False
        every = int(plan.get("everySteps") or 0)
        if every > 0:
            return step % every == 0
        if self._next_step is None or step > self._next_step:
            answer = self._agent.ask({"op": "next-save", "step": step})
            self._next_step = int(answer["nextStep"]) if answer and answer.get("ok") else None
        return step == self._next_step

    def save(self, step, state, data=None, log=None, wait=False):
        """Takes a copy of this rank's state; it goes to the agent behind training.

        With it go the states of the random generators, `data` (where in its data this rank is, anything that JSON can
        hold) and `log` (a MetricsLog, or any position that JSON can hold). True if the copy is on its way; with `wait`,
        which is for a last save, if the agent has it, and an agent that is busy is asked again within the limit. False, with a line on stderr for the first of a row, if this save was skipped: the one
        before is still on its way, the agent is away or full, or this attempt has been fenced. Never raises.
        """
        began = time.monotonic()
        try:
            return self._save(int(step), state, data, log, wait, began)
        except Exception as failure:  # whatever it is, it is no reason to end a training
            return self._say_skipped(step, repr(failure))
        finally:
            stall.add(time.monotonic() - began)

    def _save(self, step, state, data, log, wait, began):
        if not self._agent.configured:
            return False
        if self._sending is not None and self._sending.is_alive():
            self._sending.join(self._save_seconds if wait else min(self._save_seconds, LONGEST_WAIT_SECONDS))
            if self._sending.is_alive():
                return self._say_skipped(step, "the one before is still on its way to the agent")
        position = getattr(log, "position", log)
        items = {_RNG: generator_states(), _DATA: data, _LOG: position, **state}
        if len(items) != len(state) + 3:
            raise ValueError("names that begin with 'muster.' are the client's own")
        parts = [bytes(part) for part in encode(step, items)]
        sending = _Sending(self, step, parts, getattr(log, "flush", None), BUSY_SHARE * self._save_seconds if wait else 0.0)
        self._sending = sending
        sending.start()
        if not wait:
            return True
        sending.join(max(0.0, self._save_seconds - (time.monotonic() - began)))
        return bool(sending.taken) if not sending.is_alive() else self._say_skipped(step, "the agent is slow")

    def send(self, step, parts, flush, patience=0.0):
        """Hands a copy to the agent, on a connection of its own so that progress does not wait behind it.

        For so many seconds of patience it is offered again to an agent whose slots are full.
        """
        deadline = time.monotonic() + patience
        if flush is not None and not flush():
            return self._say_skipped(step, "the log does not reach its disk")
        if self._sender is None:
            self._sender = Agent.like(self._agent)
        while True:
            answer = self._sender.ask(
                {"op": "save", "rank": self._agent.rank, "step": step}, parts, timeout_seconds=self._save_seconds
            )
            if not answer or answer.get("error") != "BUSY" or time.monotonic() + BUSY_PAUSE_SECONDS > deadline:
                break
            time.sleep(BUSY_PAUSE_SECONDS)
        if answer and answer.get("ok"):
            if self._skipped:
                print(f"muster: saving again, with step {step}", file=sys.stderr, flush=True)
            self._skipped = 0
            return True
        return self._say_skipped(step, answer.get("message", answer.get("error")) if answer else "the agent is away")

    def _say_skipped(self, step, why):
        self._skipped += 1
        if self._skipped == 1:
            print(f"muster: checkpoint after step {step} skipped ({why}); training goes on", file=sys.stderr, flush=True)
        return False

    def wait_committed(self, step, timeout_seconds=60.0):
        """Waits until the checkpoint of this step is committed; False if it was abandoned or the time is over."""
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            answer = self._agent.ask({"op": "save-status", "step": int(step)})
            phase = (answer or {}).get("phase")
            if phase == "COMMITTED":
                return True
            if phase == "ABANDONED":
                return False
            time.sleep(0.1)
        return False


class _Sending(threading.Thread):
    """One save on its way. The process waits for it at its end, within the limit."""

    def __init__(self, checkpointer, step, parts, flush, patience):
        super().__init__(name=f"muster-save-{step}", daemon=True)
        self._work = (checkpointer, step, parts, flush, patience)
        self._seconds = checkpointer._save_seconds
        self.taken = False

    def start(self):
        atexit.register(self._last)
        super().start()

    def run(self):
        checkpointer, step, parts, flush, patience = self._work
        try:
            self.taken = checkpointer.send(step, parts, flush, patience)
        except Exception as failure:
            checkpointer._say_skipped(step, repr(failure))
        finally:
            self._work = None
            atexit.unregister(self._last)

    def _last(self):
        self.join(self._seconds)


def _restored(step, checkpoint_id, payload):
    state = decode(step, payload)
    generators = state.pop(_RNG, None) or {}
    return Restored(step, checkpoint_id, state, state.pop(_DATA, None), state.pop(_LOG, None), generators)
