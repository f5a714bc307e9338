"""A client of an X server, of as few requests as a test needs (X11 protocol, version 11): a coloured window, and the
colours of pixels."""

import socket
import struct


class Client:
    """A connection to the server at `display`, such as `:1`. Use it in a `with` statement: its windows end with it."""

    def __init__(self, display):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"/tmp/.X11-unix/X{display.removeprefix(':')}")
        self.socket.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        reply = self.receive(8)
        setup = self.receive(4 * struct.unpack_from("<H", reply, 6)[0])
        assert reply[0] == 1, setup
        self.identifier, = struct.unpack_from("<I", setup, 4)
        vendor, = struct.unpack_from("<H", setup, 16)
        # The fields, the vendor's name in words of 4 bytes, and the formats, of which byte 21 has the number.
        screen = 32 + (vendor + 3) // 4 * 4 + 8 * setup[21]
        self.root, = struct.unpack_from("<I", setup, screen)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def receive(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "the X server has closed the connection"
            data += more
        return data

    def fill(self, x, y, width, height, colour):
        """A window of one colour, which no window manager moves."""
        background, override = 1 << 1, 1 << 9
        self.socket.sendall(
            struct.pack("<BBHIIhhHHHHIIII", 1, 0, 10, self.identifier, self.root, x, y, width, height, 0, 0, 0,
                        background | override, colour, 1)
            + struct.pack("<BxHI", 8, 2, self.identifier))

    def pixel(self, x, y):
        """The colour of a pixel of the root."""
        self.socket.sendall(struct.pack("<BBHIhhHHI", 73, 2, 5, self.root, x, y, 1, 1, 0xFFFFFFFF))
        reply = self.receive(32)
        assert reply[0] == 1, f"error {reply[1]}"
        return struct.unpack("<I", self.receive(4 * struct.unpack_from("<I", reply, 4)[0])[:4])[0] & 0xFFFFFF
