"""The bytes of one rank's state (docs/client-protocol.md, "Shard format"). Nothing is pickled."""

import array
import json
import re
import struct

MAGIC = b"MSTR1\n"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}\Z")
_TYPECODES = "bBhHiIlLqQfd"


class ShardDamaged(Exception):
    """The bytes are not a whole shard of the expected step."""


def encode(step, state):
    """A shard as a list of buffers. Values may be bytes-like, array.array, or anything that JSON can hold."""
    items, parts, offset = [], [], 0
    for name, value in state.items():
        if not _NAME.match(name):
            raise ValueError(f"not an item name: {name!r}; use 1 to 200 letters, digits, '.', '_' and '-'")
        kind, data = _encode_value(value)
        items.append({"name": name, "kind": kind, "offset": offset, "length": len(data)})
        parts.append(data)
        offset += len(data)
    index = json.dumps({"step": step, "items": items}, separators=(",", ":")).encode("utf-8")
    return [MAGIC, struct.pack(">I", len(index)), index, *parts]


def _encode_value(value):
    if isinstance(value, array.array):
        return f"array:{value.typecode}", memoryview(value).cast("B")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytes", memoryview(value).cast("B")
    return "json", json.dumps(value, separators=(",", ":")).encode("utf-8")


def decode(step, data):
    """The state of a shard; ShardDamaged unless it is whole and was taken after `step`."""
    view = memoryview(data)
    head = len(MAGIC) + 4
    if len(view) < head or bytes(view[: len(MAGIC)]) != MAGIC:
        raise ShardDamaged(f"{len(view)} bytes that do not begin like a shard")
    (length,) = struct.unpack(">I", view[len(MAGIC) : head])
    try:
        index = json.loads(bytes(view[head : head + length]))
        items = index["items"]
        stamped = index["step"]
    except (ValueError, KeyError, TypeError) as failure:
        raise ShardDamaged(f"unreadable index of {length} bytes: {failure}") from failure
    if stamped != step:
        raise ShardDamaged(f"the shard says step {stamped}, step {step} was expected")
    body = view[head + length :]
    if sum(item["length"] for item in items) != len(body):
        raise ShardDamaged(f"{len(body)} bytes of items, the index says {sum(item['length'] for item in items)}")
    return {item["name"]: _decode_value(item, body[item["offset"] : item["offset"] + item["length"]]) for item in items}


def _decode_value(item, data):
    kind = item["kind"]
    if kind == "bytes":
        return bytes(data)
    if kind == "json":
        return json.loads(bytes(data))
    if kind.startswith("array:") and kind[6:] in _TYPECODES:
        values = array.array(kind[6:])
        values.frombytes(data)
        return values
    raise ShardDamaged(f"item {item['name']} has the unknown kind {kind}")
