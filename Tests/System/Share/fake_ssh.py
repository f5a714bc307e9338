#!/usr/bin/env python3
"""A fake ssh to another machine, `pi`, which is really this one.

    fake_ssh.py [-N] [-T] [-o OPTION]... -L LOCAL:REMOTE DESTINATION

It forwards a Unix socket.
"""

import os
import selectors
import signal
import socket
import sys
import threading


def forward(local, remote):
    """Forwards connections from the socket `local` to the socket `remote`, until a signal ends it."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(local)
    listener.listen()

    def pump(near):
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(remote)
        except OSError as error:
            print(f"channel 1: open failed: {error}", file=sys.stderr, flush=True)
            return near.close()
        selector = selectors.DefaultSelector()
        selector.register(near, selectors.EVENT_READ, far)
        selector.register(far, selectors.EVENT_READ, near)
        while True:
            for key, _ in selector.select():
                try:
                    data = key.fileobj.recv(65536)
                    if data:
                        key.data.sendall(data)
                        continue
                except OSError:
                    pass
                near.close()
                return far.close()

    while True:
        threading.Thread(target=pump, args=(listener.accept()[0],), daemon=True).start()


def main(arguments):
    words, sockets = [], None
    while arguments:
        word = arguments.pop(0)
        if word == "-o":
            arguments.pop(0)
        elif word == "-L":
            sockets = arguments.pop(0).split(":", 1)
        elif word not in ("-N", "-T"):
            words.append(word)
    if words[0] != "pi":
        print(f"ssh: Could not resolve hostname {words[0]}: Name or service not known", file=sys.stderr)
        return 255
    return forward(*sockets)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
