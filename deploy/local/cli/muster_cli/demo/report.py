"""What a demo found, as a table for a person and as one JSON object for a program."""

from muster_cli.jobs import table

PHASES = (
    ("detected", "fault detected"),
    ("held", "node held"),
    ("placed", "replacement chosen"),
    ("restored", "checkpoint restored"),
    ("firstStep", "first step after it"),
)


def as_json(run, story, verdict):
    stalls = run["stalls"]
    return {
        "right": verdict.right,
        "problems": verdict.problems,
        "mode": run["mode"],
        "job": story.job_id,
        "killed": story.victim,
        "replacement": story.details.get("replacement", []),
        "readySeconds": round(run["readySeconds"], 3),
        "killToDetectedSeconds": story.after_kill("detected"),
        "killToHeldSeconds": story.after_kill("held"),
        "killToPlacedSeconds": story.after_kill("placed"),
        "killToRestoredSeconds": story.after_kill("restored"),
        "killToNextStepSeconds": story.after_kill("firstStep"),
        "restoredStep": story.details.get("restoredStep"),
        "committedStepsLost": verdict.committed_steps_lost,
        "stepsComputedAgain": verdict.steps_again,
        "stepsCompared": verdict.steps_compared,
        "lossesIdentical": verdict.losses_identical,
        "attempts": run["attempts"],
        "checkpoints": run["checkpoints"],
        "stallMillisecondsMean": mean_stall(stalls),
        "stallMillisecondsMax": round(1000 * max(stalls), 3) if stalls else None,
        "stallPercentOfTraining": stall_share(stalls, run["trainingSeconds"]),
        "waste": run["waste"],
        "residentMegabytes": run["residentMegabytes"],
    }


def mean_stall(stalls):
    return round(1000 * sum(stalls) / len(stalls), 3) if stalls else None


def stall_share(stalls, training_seconds):
    return round(100 * sum(stalls) / training_seconds, 3) if stalls and training_seconds else None


def tell(run, story, verdict, say):
    say("")
    rows = [("kill", "0.0 s", f"{story.victim}: agent, ranks, memory and disk")]
    for phase, name in PHASES:
        after = story.after_kill(phase)
        rows.append((name, "never" if after is None else f"{after:.1f} s", story.details.get(phase, "")))
    for line in lines(("PHASE", "AFTER KILL", "WHAT"), rows):
        say(line)
    say("")
    stalls = run["stalls"]
    lost = [
        ("committed steps lost", verdict.committed_steps_lost, ""),
        ("steps computed again", verdict.steps_again, "trained after the restored checkpoint and before the kill"),
        ("losses compared", verdict.steps_compared, "all as in the undisturbed run, bit for bit" if verdict.losses_identical else "NOT all as in the undisturbed run"),
        ("attempts", run["attempts"], ""),
        ("checkpoints committed", run["checkpoints"], ""),
    ]
    if stalls:
        lost.append(("stall per checkpoint", f"{mean_stall(stalls)} ms", f"at most {1000 * max(stalls):.1f} ms; {stall_share(stalls, run['trainingSeconds'])} % of the training time"))
    lost += [(f"GPU time, {name}", f"{millis / 1000:.1f} GPU-s", "") for name, millis in gpu_time(run["waste"])]
    for line in lines(("WHAT WAS LOST", "", ""), lost):
        say(line)
    say("")


def gpu_time(waste):
    """The held time and its five parts, which sum to it, in the order in which job-service tells them."""
    for field, value in (waste or {}).items():
        yield field.removesuffix("GpuMillis").removesuffix("Millis"), value


def lines(head, rows):
    collected = []
    table(head, rows, collected.append)
    return collected
