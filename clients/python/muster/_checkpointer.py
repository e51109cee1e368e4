"""Saving and restoring one rank's state through the agent."""

import hashlib
import sys
import time
from dataclasses import dataclass
from typing import Any, Dict

from muster._agent import AgentRefused, AgentUnavailable, shared_agent
from muster._shard import ShardDamaged, decode, encode

RESTORE_SECONDS = 600.0


class RestoreRefused(Exception):
    """There is, or may be, a checkpoint, but this rank cannot have it: the job must not start over unnoticed."""


@dataclass(frozen=True)
class Restored:
    """The state of this rank after `step`; training goes on with step + 1."""

    step: int
    checkpoint_id: str
    state: Dict[str, Any]


class Checkpointer:
    """Saves and restores this rank's state.

    Every rank calls :meth:`due` and :meth:`save` with the same step numbers. A checkpoint becomes visible only when
    all ranks' bytes are safe; until then the one before it is the newest. No collective is ever called.
    """

    def __init__(self, agent=None):
        self._agent = agent or shared_agent()
        self._next_step = None
        self._skipped = 0
        self.last_stall_seconds = 0.0

    def restore(self):
        """The newest committed state of this rank, or None for a fresh start that the control plane has confirmed.

        Raises RestoreRefused if the agent is away or the bytes are damaged; without Muster the answer is None.
        """
        if not self._agent.configured:
            return None
        try:
            answer = self._agent.request(self._agent.hello())[0]
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
            return Restored(int(header["step"]), restore.get("checkpointId", ""), decode(int(header["step"]), payload))
        except (AgentUnavailable, AgentRefused, ShardDamaged) as failure:
            raise RestoreRefused(str(failure)) from failure

    def due(self, step):
        """Whether all ranks save after this step; the same answer on every rank."""
        if self._agent.greeting is None:
            self._agent.ask(self._agent.hello())
        plan = (self._agent.greeting or {}).get("checkpoint") or {}
        if not plan.get("enabled"):
            return False
        every = int(plan.get("everySteps") or 0)
        if every > 0:
            return step % every == 0
        if self._next_step is None or step > self._next_step:
            answer = self._agent.ask({"op": "next-save", "step": int(step)})
            self._next_step = int(answer["nextStep"]) if answer and answer.get("ok") else None
        return step == self._next_step

    def save(self, step, state):
        """Hands this rank's state to the agent and returns as soon as the agent holds the bytes.

        True if it does. False, with one line on stderr, if this save was skipped: the agent was away, its slots were
        still full, or this attempt has been fenced. Never raises for those.
        """
        began = time.monotonic()
        payload = b"".join(encode(step, state))
        answer = self._agent.ask({"op": "save", "rank": self._agent.rank, "step": int(step)}, payload)
        self.last_stall_seconds = time.monotonic() - began
        if answer and answer.get("ok"):
            return True
        self._skipped += 1
        why = answer.get("message", answer.get("error")) if answer else "the agent is away"
        print(f"muster: checkpoint after step {step} skipped ({why}); {self._skipped} skipped so far", file=sys.stderr, flush=True)
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
