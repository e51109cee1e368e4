"""Whether a recovery was right: decided from what the job printed, what was committed, and an undisturbed run."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Attempt:
    """One attempt of the job: what it restored and the losses that its rank 0 printed."""

    number: int
    restore: str
    restored_step: int
    losses: dict


@dataclass(frozen=True)
class Verdict:
    """problems: one sentence each, the first differing step first; empty if all is right."""

    problems: list = field(default_factory=list)
    committed_steps_lost: int = 0
    steps_compared: int = 0
    losses_identical: bool = True
    steps_again: int = 0

    @property
    def right(self):
        return not self.problems


def judge(state, message, attempts, commits, undisturbed):
    """attempts: in order; commits: (attempt, step) of every committed checkpoint; undisturbed: {step: loss}."""
    problems, lost, again = [], 0, 0
    differing = first_difference(attempts, undisturbed)
    for attempt in attempts:
        problems += first_steps(attempt)
        missed = newest_before(attempt.number, commits) - attempt.restored_step
        if missed > 0 and attempt.losses:
            lost = max(lost, missed)
            problems.append(
                f"attempt {attempt.number} began at step {attempt.restored_step + 1} and not at step {attempt.restored_step + missed + 1}: "
                f"it was told {attempt.restore} although step {attempt.restored_step + missed} had been committed; {missed} committed steps are lost"
            )
    ran = [attempt for attempt in attempts if attempt.losses]
    for before, after in zip(ran, ran[1:]):
        again += max(0, max(before.losses) - after.restored_step)
    if differing:
        problems.insert(0, differing)
    seen = set().union(*(attempt.losses for attempt in attempts)) if attempts else set()
    missing = [step for step in undisturbed if step not in seen]
    if missing and not lost:
        problems.append(f"no attempt printed the loss of step {missing[0]}{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}")
    if state != "SUCCEEDED":
        problems.append(f"the job ended {state}: {message or 'without a message'}")
    compared = sum(len(attempt.losses) for attempt in attempts)
    return Verdict(problems, lost, compared, differing is None and not missing, again)


def first_steps(attempt):
    if not attempt.losses:
        return []
    first = next(iter(attempt.losses))
    if first == attempt.restored_step + 1:
        return []
    return [f"attempt {attempt.number} restored step {attempt.restored_step} and its first step was {first}, not {attempt.restored_step + 1}"]


def newest_before(attempt, commits):
    """The newest step that an earlier attempt committed; 0 if there is none."""
    return max((step for number, step in commits if number < attempt), default=0)


def first_difference(attempts, undisturbed):
    """The lowest step whose loss is another than the undisturbed run's, as a sentence; None if there is none."""
    differing = [
        (step, attempt.number, loss)
        for attempt in attempts
        for step, loss in attempt.losses.items()
        if undisturbed.get(step) != loss
    ]
    if not differing:
        return None
    step, number, loss = min(differing)
    return f"step {step} is the first that differs: attempt {number} printed loss {loss}, the undisturbed run {undisturbed.get(step, 'has no such step')}"
