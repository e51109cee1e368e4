#!/usr/bin/env python3
"""A PyTorch trainer that has never heard of Muster: torch.distributed from RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.

It averages gradients with one all-reduce over all of them, so that it sums in the same order however often it has been
started again, and keeps its own checkpoints: rank 0 writes a file every few steps, every rank begins from the newest.
The folder must be one that all nodes see. What all ranks share is in the file; what differs between them, the data,
follows from rank and step.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
if os.environ.get("MASTER_ADDR", "").startswith("127."):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import argparse
import glob
import time

import torch
import torch.distributed as dist
from torch import nn

KEPT = 2


def batch_of(rank, step, size=32):
    """Points and whether they lie inside of a ring."""
    points = torch.rand(size, 2, generator=torch.Generator().manual_seed(step * 10_007 + rank)) * 2 - 1
    radius = points.square().sum(1)
    return points, ((radius > 0.2) & (radius < 0.7)).float()


def average_gradients(model, world_size):
    gradients = [parameter.grad for parameter in model.parameters()]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    dist.all_reduce(flat)
    flat /= world_size
    for gradient, part in zip(gradients, flat.split([gradient.numel() for gradient in gradients])):
        gradient.copy_(part.view_as(gradient))


def files(folder):
    return sorted(glob.glob(os.path.join(folder, "step-*.pt")))


def write(folder, step, model, optimizer):
    """Whole or not at all: nobody ever sees half a file, even if the machine dies while it is written."""
    path = os.path.join(folder, f"step-{step:08d}.pt")
    with open(path + ".tmp", "wb") as file:
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()["state"]}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)
    for old in files(folder)[:-KEPT]:
        os.remove(old)


def begin_from_newest(folder, model, optimizer):
    """The step of the newest file, 0 without one. No rank writes before all have taken part in a step."""
    found = files(folder)
    if not found:
        return 0
    state = torch.load(found[-1], weights_only=True)
    model.load_state_dict(state["model"])
    settings = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state["optimizer"], "param_groups": settings})
    return state["step"]


def train(options):
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    os.makedirs(options.folder, exist_ok=True)
    step = begin_from_newest(options.folder, model, optimizer)
    if rank == 0:
        print(f"begins after step {step}", flush=True)
    while step < options.steps:
        began = time.monotonic()
        step += 1
        points, inside = batch_of(rank, step)
        optimizer.zero_grad()
        own = nn.functional.binary_cross_entropy_with_logits(model(points).squeeze(1), inside)
        own.backward()
        average_gradients(model, world_size)
        optimizer.step()
        total = own.detach().double()
        dist.all_reduce(total)
        if rank == 0:
            print(f"step {step} loss {total.item() / world_size!r}", flush=True)
            if step % options.every == 0 or step == options.steps:
                write(options.folder, step, model, optimizer)
        left = options.step_seconds - (time.monotonic() - began)
        if left > 0:
            time.sleep(left)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--every", type=int, default=20, help="steps between two checkpoint files")
    parser.add_argument("--folder", required=True, help="for the checkpoint files; the same one on all nodes")
    parser.add_argument("--step-seconds", type=float, default=0.05, help="a step takes at least this long")
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train(parser.parse_args())
