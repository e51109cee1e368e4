#!/usr/bin/env python3
"""A PyTorch DistributedDataParallel trainer (gloo, CPU) that goes on bit for bit after a lost node.

A letter model (embedding, two layers, dropout, Adam) learns an invented language. What makes a resumed run the same as
an unbroken one, to the last bit, on one kind of CPU and with one number of ranks:

* `find_unused_parameters=True`: without it DDP puts its gradients into other buckets after the first step, so a
  process that has just been started sums them in another order than one that runs on.
* one thread, and deterministic algorithms only.
* the checkpoint of each rank holds the model, the optimizer, the random generators (dropout draws from PyTorch's; the
  client saves it), the position in the data and the position in the log of losses.

It reads the environment that Muster gives (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) and also runs without Muster.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
if os.environ.get("MASTER_ADDR", "127.0.0.1").startswith("127."):
    # All ranks on one machine; else Gloo asks which address the machine's name has, which may be none.
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

import argparse
import hashlib
import io
import random
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import muster

ALPHABET = "abcdefghijklmnopqrstuvwxyz "
CONTEXT = 8
LETTERS = 8_000


def invented_text(letters, seed=7):
    """A text over 60 invented words in which each word prefers its successors; the same for every rank."""
    source = random.Random(seed)
    words = ["".join(source.choice("aeiouklmnprst") for _ in range(source.randint(2, 7))) for _ in range(60)]
    successors = [[source.randrange(60) for _ in range(4)] for _ in range(60)]
    text, word, length = [], 0, 0
    while length < letters:
        text.append(words[word])
        length += len(words[word]) + 1
        word = successors[word][source.randrange(4)]
    return torch.tensor([ALPHABET.index(letter) for letter in " ".join(text)[:letters]])


class Reader:
    """This rank's part of the text, in a new order each epoch; its position says what comes next."""

    def __init__(self, text, rank, world_size, batch, position=None):
        self._windows = text.unfold(0, CONTEXT + 1, 1)
        self._rank, self._world_size, self._batch = rank, world_size, batch
        self._batches = len(self._windows) // (batch * world_size)
        if self._batches == 0:
            raise ValueError(f"{len(self._windows)} places are too few for {world_size} ranks with {batch} each")
        self.position = position or {"epoch": 0, "batch": 0}

    def next(self):
        """The next contexts and the letters that follow them."""
        epoch, batch = self.position["epoch"], self.position["batch"]
        order = torch.randperm(len(self._windows), generator=torch.Generator().manual_seed(epoch))
        mine = order[self._rank :: self._world_size][batch * self._batch : (batch + 1) * self._batch]
        batch += 1
        self.position = {"epoch": epoch, "batch": batch} if batch < self._batches else {"epoch": epoch + 1, "batch": 0}
        windows = self._windows[mine]
        return windows[:, :CONTEXT], windows[:, CONTEXT]


def new_model():
    return nn.Sequential(
        nn.Embedding(len(ALPHABET), 24),
        nn.Flatten(),
        nn.Linear(24 * CONTEXT, 128),
        nn.Tanh(),
        nn.Dropout(0.1),
        nn.Linear(128, 64),
        nn.Tanh(),
        nn.Linear(64, len(ALPHABET)),
    )


def packed(tensors):
    """Tensors by name as bytes, which is what a checkpoint holds."""
    buffer = io.BytesIO()
    torch.save(tensors, buffer)
    return buffer.getvalue()


def unpacked(data):
    # weights_only: bytes that come from a store never run code. PyTorch 1.13 then takes tensors and whole numbers only.
    return torch.load(io.BytesIO(data), weights_only=True)


def state_of(model, optimizer):
    """What differs from step to step; the optimizer's settings are the program's own."""
    return {"model": packed(model.state_dict()), "optimizer": packed(optimizer.state_dict()["state"])}


def put_back(state, model, optimizer):
    model.load_state_dict(unpacked(state["model"]))
    settings = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": unpacked(state["optimizer"]), "param_groups": settings})


def parameters_sha256(model):
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    return digest.hexdigest()


def train(options, rank, world_size):
    torch.manual_seed(11)
    model = new_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.004)
    text = invented_text(LETTERS)
    torch.manual_seed(1000 + rank)

    # After all that draws random numbers for a fresh start: it puts the generators where they were.
    checkpointer = muster.Checkpointer()
    restored = checkpointer.restore()
    step = 0
    if restored:
        step = restored.step
        put_back(restored.state, model, optimizer)
        print(f"restored checkpoint {restored.checkpoint_id} of step {step}", flush=True)
    reader = Reader(text, rank, world_size, options.batch, restored.data_position if restored else None)
    log = muster.MetricsLog(options.metrics, restored) if options.metrics and rank == 0 else None
    muster.ready()

    dist.init_process_group("gloo")
    replica = DistributedDataParallel(model, find_unused_parameters=True)
    loss = float("nan")
    while step < options.steps:
        began = time.monotonic()
        step += 1
        contexts, targets = reader.next()
        optimizer.zero_grad()
        own = nn.functional.cross_entropy(replica(contexts), targets)
        own.backward()
        optimizer.step()
        total = own.detach().double()
        dist.all_reduce(total)
        loss = total.item() / world_size
        if rank == 0:
            print(f"step {step} loss {loss!r}", flush=True)
            if log:
                log.append(step, loss=loss)
            muster.progress(step, options.steps, loss=loss)
        if checkpointer.due(step):
            state = state_of(model, optimizer)
            checkpointer.save(step, state, data=reader.position, log=log, wait=step == options.steps)
            if rank == 0:
                print(f"checkpoint after step {step} stalled {checkpointer.last_stall_seconds:.6f} s", flush=True)
        left = options.step_seconds - (time.monotonic() - began)
        if left > 0:
            time.sleep(left)
    if rank == 0:
        parameters = parameters_sha256(model)
        print(f"parameters sha256 {parameters}", flush=True)
        muster.result({"finalLoss": loss, "steps": step, "worldSize": world_size, "parametersSha256": parameters})
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=32, help="letters per rank and step")
    parser.add_argument("--step-seconds", type=float, default=0.05, help="a step takes at least this long")
    parser.add_argument("--metrics", default="", help="rank 0 logs the loss of every step to this file, as JSON lines")
    options = parser.parse_args()
    for name, value in (("RANK", "0"), ("WORLD_SIZE", "1"), ("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", "29500")):
        os.environ.setdefault(name, value)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train(options, int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
