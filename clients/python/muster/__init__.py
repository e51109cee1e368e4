"""Muster's client for training code: checkpoints, progress and the job's result.

Standard library only. Outside of Muster, or when the agent is away, training goes on: nothing here raises into the
training loop except :meth:`Checkpointer.restore`, which may refuse (:class:`RestoreRefused`) rather than let a job
start over unnoticed.

    import muster

    checkpointer = muster.Checkpointer()
    restored = checkpointer.restore()
    log = muster.MetricsLog(path, restored)
    step = restored.step if restored else 0
    while step < steps:
        step += 1
        ...
        log.append(step, loss=loss)
        muster.progress(step, steps, loss=loss)
        if checkpointer.due(step):
            checkpointer.save(step, {"weights": weights}, data=reader.position, log=log)
    muster.result({"finalLoss": loss})
"""

from muster._agent import progress, ready, result
from muster._checkpointer import Checkpointer, Restored, RestoreRefused
from muster._metrics_log import MetricsLog

__all__ = ["Checkpointer", "MetricsLog", "Restored", "RestoreRefused", "progress", "ready", "result"]
