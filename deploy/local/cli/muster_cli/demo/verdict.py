"""Whether a recovery was right: decided from what the job printed, what was committed, and an undisturbed run."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Attempt:
    """One attempt of the job: what it restored and the losses that its rank 0 printed; log_cut: rank 0's node died, so its last lines may be lost."""

    number: int
    restore: str
    restored_step: int
    losses: dict
    log_cut: bool = False

    @property
    def began_after(self):
        """The step before its first one, by its own log."""
        return next(iter(self.losses)) - 1


@dataclass(frozen=True)
class Verdict:
    """problems: one sentence each, the first differing step first; empty if all is right."""

    problems: list = field(default_factory=list)
    committed_steps_lost: int = 0
    steps_compared: int = 0
    losses_identical: bool = True
    steps_again: int = 0
    steps_unlogged: int = 0

    @property
    def right(self):
        return not self.problems


def judge(state, message, attempts, commits, undisturbed):
    """attempts: in order; commits: (attempt, step) of every committed checkpoint; undisturbed: {step: loss}."""
    problems, lost, again = [], 0, 0
    differing = first_difference(attempts, undisturbed)
    for attempt in attempts:
        if attempt.losses:
            missed = max(0, newest_before(attempt.number, commits) - attempt.began_after)
            lost = max(lost, missed)
            problems += wrong_beginning(attempt, missed)
    ran = [attempt for attempt in attempts if attempt.losses]
    for before, after in zip(ran, ran[1:]):
        again += max(0, max(before.losses) - after.began_after)
    if differing:
        problems.insert(0, differing)
    seen = set().union(*(attempt.losses for attempt in attempts)) if attempts else set()
    unlogged = [step for step in undisturbed if step not in seen]
    missing = [step for step in unlogged if not was_cut(step, attempts)]
    if missing and not lost:
        problems.append(f"no attempt printed the loss of step {missing[0]}{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}")
    if state != "SUCCEEDED":
        problems.append(f"the job ended {state}: {message or 'without a message'}")
    compared = sum(len(attempt.losses) for attempt in attempts)
    return Verdict(problems, lost, compared, differing is None and not missing, again, len(unlogged) - len(missing))


def was_cut(step, attempts):
    """Whether a step is one that an attempt trained and committed, but whose line died with the node of rank 0."""
    return any(
        before.log_cut and max(before.losses, default=before.restored_step) < step <= max(after.restored_step for after in attempts if after.number > before.number)
        for before in attempts[:-1]
    )


def wrong_beginning(attempt, missed):
    first, told = attempt.began_after + 1, f"{attempt.restore} step {attempt.restored_step}"
    if missed:
        return [f"attempt {attempt.number} began at step {first} and not at step {first + missed} ({told}): {missed} committed steps are lost"]
    if attempt.began_after != attempt.restored_step:
        return [f"attempt {attempt.number} began at step {first} and not at step {attempt.restored_step + 1} ({told})"]
    return []


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
