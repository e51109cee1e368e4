#!/usr/bin/env python3
"""A data-parallel trainer in standard-library Python: predicts the next letter of an invented language.

The model is a softmax over hashed n-grams (a table of 8,192 rows of 27 weights, trained with Adagrad: 3.5 MB of state).
Each rank draws its own batches; gradients of the touched rows are summed over all ranks in rank order through rank 0,
so every run with the same world size takes bit-identical steps on one kind of machine. The loss falls from
ln 27 = 3.30 to about 0.45.

It reads the environment that Muster gives (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) and also runs without Muster.
"""

import argparse
import array
import math
import os
import random
import socket
import struct
import sys
import time

import muster

ALPHABET = "abcdefghijklmnopqrstuvwxyz "
SYMBOLS = len(ALPHABET)
ROWS = 8192
ORDERS = 3
LEARNING_RATE = 0.35
CONNECT_SECONDS = 30.0


def invented_text(letters, seed=7):
    """A text over 60 invented words in which each word prefers its successors; the same for every rank."""
    source = random.Random(seed)
    words = ["".join(source.choice("aeiouklmnprst") for _ in range(source.randint(2, 7))) for _ in range(60)]
    successors = [[source.randrange(60) for _ in range(4)] for _ in range(60)]
    text, word = [], 0
    length = 0
    while length < letters:
        text.append(words[word])
        length += len(words[word]) + 1
        word = successors[word][source.randrange(4)]
    return [ALPHABET.index(letter) for letter in " ".join(text)[:letters]]


class Collective:
    """Sum and mean over all ranks through rank 0, always in rank order, so that sums are bit-identical."""

    def __init__(self, rank, world_size, address, port, own_address):
        self.rank = rank
        self.world_size = world_size
        self._peers = []
        if world_size == 1:
            return
        if rank == 0:
            listener = socket.create_server((address, port))
            listener.settimeout(CONNECT_SECONDS)
            arrived = {}
            while len(arrived) < world_size - 1:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                (peer,) = struct.unpack(">I", self._receive(connection, 4))
                arrived[peer] = connection
            listener.close()
            self._peers = [arrived[peer] for peer in range(1, world_size)]
        else:
            self._peers = [self._connect(address, port, own_address)]
            self._peers[0].sendall(struct.pack(">I", rank))

    @staticmethod
    def _connect(address, port, own_address):
        deadline = time.monotonic() + CONNECT_SECONDS
        while True:
            try:
                connection = socket.create_connection((address, port), 5.0, (own_address, 0) if own_address else None)
                connection.settimeout(None)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    @staticmethod
    def _receive(connection, count):
        parts = bytearray()
        while len(parts) < count:
            part = connection.recv(min(1 << 20, count - len(parts)))
            if not part:
                raise ConnectionError("Connection closed by peer")
            parts += part
        return bytes(parts)

    def _send_frame(self, connection, data):
        connection.sendall(struct.pack(">I", len(data)) + data)

    def _receive_frame(self, connection):
        (length,) = struct.unpack(">I", self._receive(connection, 4))
        return self._receive(connection, length)

    def sum_rows(self, loss, rows):
        """Sums the loss and the gradient rows {row: array of SYMBOLS doubles} over all ranks."""
        if self.world_size == 1:
            return loss, rows
        if self.rank == 0:
            for peer in self._peers:
                loss = _add(loss, rows, self._receive_frame(peer))
            merged = _pack(loss, rows)
            for peer in self._peers:
                self._send_frame(peer, merged)
        else:
            self._send_frame(self._peers[0], _pack(loss, rows))
            rows = {}
            loss = _add(0.0, rows, self._receive_frame(self._peers[0]))
        return loss, rows


def _pack(loss, rows):
    numbers = array.array("I", sorted(rows))
    values = array.array("d")
    for row in numbers:
        values.extend(rows[row])
    return struct.pack(">dI", loss, len(numbers)) + numbers.tobytes() + values.tobytes()


def _add(loss, rows, frame):
    other, count = struct.unpack(">dI", frame[:12])
    numbers = array.array("I")
    numbers.frombytes(frame[12 : 12 + 4 * count])
    values = array.array("d")
    values.frombytes(frame[12 + 4 * count :])
    for place, row in enumerate(numbers):
        piece = values[place * SYMBOLS : (place + 1) * SYMBOLS]
        if row in rows:
            rows[row] = array.array("d", map(float.__add__, rows[row], piece))
        else:
            rows[row] = piece
    return loss + other


class Model:
    """The weight table and its Adagrad accumulators."""

    def __init__(self):
        self.weights = array.array("d", bytes(8 * ROWS * SYMBOLS))
        self.accumulated = array.array("d", bytes(8 * ROWS * SYMBOLS))

    def gradient(self, text, places):
        """Summed loss and gradient rows over the letters at these places."""
        rows, loss = {}, 0.0
        weights = self.weights
        for place in places:
            context = [self._row(text, place, order) for order in range(1, ORDERS + 1)]
            slices = [weights[row * SYMBOLS : (row + 1) * SYMBOLS] for row in context]
            logits = [a + b + c for a, b, c in zip(*slices)]
            highest = max(logits)
            exponentials = [math.exp(logit - highest) for logit in logits]
            total = math.fsum(exponentials)
            target = text[place]
            loss += math.log(total) - (logits[target] - highest)
            delta = array.array("d", [value / total for value in exponentials])
            delta[target] -= 1.0
            for row in context:
                rows[row] = array.array("d", map(float.__add__, rows[row], delta)) if row in rows else delta
        return loss, rows

    @staticmethod
    def _row(text, place, order):
        number = order
        for back in range(1, order + 1):
            number = (number * 31 + text[place - back] + 1) * 2654435761 % 4294967296
        return number % ROWS

    def apply(self, rows, scale):
        for row in sorted(rows):
            start = row * SYMBOLS
            for offset, value in enumerate(rows[row]):
                if value:
                    value *= scale
                    place = start + offset
                    self.accumulated[place] += value * value
                    self.weights[place] -= LEARNING_RATE * value / (1e-8 + math.sqrt(self.accumulated[place]))


def flip_a_bit_if_told(weights, rank):
    """For the demo's negative control: NGRAM_FLIP_BIT_AFTER_RESTORE=B flips bit B of rank 0's largest weight."""
    bit = os.environ.get("NGRAM_FLIP_BIT_AFTER_RESTORE")
    if bit and rank == 0:
        place = max(range(len(weights)), key=lambda i: abs(weights[i]))
        (raw,) = struct.unpack(">Q", struct.pack(">d", weights[place]))
        (weights[place],) = struct.unpack(">d", struct.pack(">Q", raw ^ (1 << int(bit))))


def train(options, rank, world_size):
    checkpointer = muster.Checkpointer()
    restored = checkpointer.restore()
    text = invented_text(40_000)
    model, rng, step, drawn = Model(), random.Random(1000 + rank), 0, 0
    if restored:
        step = restored.step
        model.weights = restored.state["weights"]
        model.accumulated = restored.state["accumulated"]
        version, internal, gauss = restored.state["rng"]
        rng.setstate((version, tuple(internal), gauss))
        drawn = restored.data_position["drawn"]
        flip_a_bit_if_told(model.weights, rank)
        print(f"restored checkpoint {restored.checkpoint_id} of step {step}", flush=True)
    log = muster.MetricsLog(options.metrics, restored) if options.metrics and rank == 0 else None
    muster.ready()
    group = Collective(
        rank,
        world_size,
        os.environ.get("MASTER_ADDR", "127.0.0.1"),
        int(os.environ.get("MASTER_PORT", "29500")),
        os.environ.get("MUSTER_NODE_ADDRESS"),
    )
    loss = float("nan")
    while step < options.steps:
        began = time.monotonic()
        step += 1
        if step == options.fail_at_step and rank == options.fail_rank:
            raise ValueError(f"this rank was told to fail at step {step}")
        places = [rng.randrange(ORDERS, len(text)) for _ in range(options.batch)]
        drawn += len(places)
        total_loss, rows = group.sum_rows(*model.gradient(text, places))
        model.apply(rows, 1.0 / (options.batch * world_size))
        loss = total_loss / (options.batch * world_size)
        if rank == 0:
            print(f"step {step} loss {loss!r}", flush=True)
            if log:
                log.append(step, loss=loss)
            muster.progress(step, options.steps, loss=loss)
        if checkpointer.due(step):
            checkpointer.save(
                step,
                {"weights": model.weights, "accumulated": model.accumulated, "rng": rng.getstate()},
                data={"drawn": drawn},
                log=log,
                wait=step == options.steps,
            )
            if rank == 0:
                print(f"checkpoint after step {step} stalled {checkpointer.last_stall_seconds:.6f} s", flush=True)
        left = options.step_seconds - (time.monotonic() - began)
        if left > 0:
            time.sleep(left)
    if rank == 0:
        muster.result({"finalLoss": loss, "steps": step, "worldSize": world_size, "lettersSeen": drawn * world_size})
    return loss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--batch", type=int, default=48, help="letters per rank and step")
    parser.add_argument("--step-seconds", type=float, default=0.05, help="a step takes at least this long")
    parser.add_argument("--fail-at-step", type=int, default=0, help="raise at this step (0 = never)")
    parser.add_argument("--fail-rank", type=int, default=0)
    parser.add_argument("--metrics", default="", help="rank 0 logs the loss of every step to this file, as JSON lines")
    options = parser.parse_args()
    train(options, int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
