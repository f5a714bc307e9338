"""Adds a sensor to a compiled device tree, as an overlay does on Raspberry Pi OS.

- Source: Devicetree Specification 0.4, chapter 5.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

BEGIN, END, PROPERTY, NOP = 1, 2, 3, 4
HEADER = struct.Struct(">10I")


def with_sensor(tree: bytes, bus: str, compatible: str, address: int) -> bytes:
    """The tree with the sensor at that address of the first node of that name."""
    magic, _, nodes_at, strings_at, reserved_at, *versions, strings_size, nodes_size = HEADER.unpack_from(tree)
    nodes = tree[nodes_at : nodes_at + nodes_size]
    strings = tree[strings_at : strings_at + strings_size]
    place = end_of_node(nodes, bus)
    node = struct.pack(">I", BEGIN) + padded(f"sensor@{address:x}".encode() + b"\0")
    for name, value in ((b"compatible", compatible.encode() + b"\0"), (b"reg", struct.pack(">I", address))):
        node += struct.pack(">3I", PROPERTY, len(value), len(strings)) + padded(value)
        strings += name + b"\0"
    nodes = nodes[:place] + node + struct.pack(">I", END) + nodes[place:]
    reserved = tree[reserved_at:nodes_at]
    starts = [HEADER.size + len(reserved), HEADER.size + len(reserved) + len(nodes)]
    header = (magic, starts[1] + len(strings), *starts, HEADER.size, *versions, len(strings), len(nodes))
    return HEADER.pack(*header) + reserved + nodes + strings


def end_of_node(nodes: bytes, name: str) -> int:
    """Where the first node of that name ends."""
    depth, inside = 0, 0
    for token, at, text in tokens(nodes):
        if token == BEGIN:
            depth += 1
            if not inside and text == name.encode():
                inside = depth
        elif token == END:
            if depth == inside:
                return at
            depth -= 1
    raise ValueError(f"no node {name}")


def tokens(nodes: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Each token, its place, and its name if a node begins."""
    at = 0
    while (token := struct.unpack_from(">I", nodes, at)[0]) in (BEGIN, END, PROPERTY, NOP):
        text, size = b"", 4
        if token == BEGIN:
            text = nodes[at + 4 : nodes.index(b"\0", at + 4)]
            size += len(padded(text + b"\0"))
        elif token == PROPERTY:
            length = struct.unpack_from(">I", nodes, at + 4)[0]
            size += 8 + len(padded(bytes(length)))
        yield token, at, text
        at += size


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
