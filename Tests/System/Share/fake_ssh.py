#!/usr/bin/env python3
"""Stands for ssh to another machine, which is a folder of this one.

    fake_ssh.py [-N] [-T] [-o OPTION]... [-L LOCAL:REMOTE] DESTINATION [COMMAND]

It forwards a Unix socket, or runs a command in the folder FAKE_REMOTE, whose `bin` comes first in PATH. FAKE_USER is the
number of the user who runs it. FAKE_CUT=N ends the connection when N bytes of the input have gone over; FAKE_CUT=end,
when the command is done and before its output has come back. FAKE_CALL=N cuts the Nth command only.
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading


def forward(local, remote):
    """Forwards connections to the socket `local` to the socket `remote`, until a signal ends it."""
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


def number_of_call(folder):
    """How many commands have been run in the folder, this one included."""
    with open(os.path.join(folder, "calls"), "a+", encoding="ascii") as file:
        file.write("x")
        return file.tell()


def command(words):
    folder = os.environ["FAKE_REMOTE"]
    call = number_of_call(folder)
    cut = os.environ.get("FAKE_CUT") if os.environ.get("FAKE_CALL", str(call)) == str(call) else None
    environment = {"PATH": os.path.join(folder, "bin") + ":/usr/bin:/bin", "HOME": folder}
    user = int(os.environ["FAKE_USER"]) if "FAKE_USER" in os.environ else None
    if cut is None:
        return subprocess.run(["sh", "-c", " ".join(words)], cwd=folder, env=environment, user=user, group=user, check=False).returncode
    data = sys.stdin.buffer.read()
    if cut != "end":
        data = data[:int(cut)]
    # What has come over is carried out, as far as it goes; what it prints does not come back.
    subprocess.run(
        ["sh", "-c", " ".join(words)], cwd=folder, env=environment, input=data, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, user=user, group=user, check=False)
    print("client_loop: send disconnect: Broken pipe", file=sys.stderr)
    return 255


def main(arguments):
    words, sockets = [], None
    while arguments:
        word = arguments.pop(0)
        if word == "-o":
            arguments.pop(0)
        elif word == "-L":
            sockets = arguments.pop(0).split(":", 1)
        elif word not in ("-N", "-T"):
            words = [word, *arguments]
            break
    if words[0] != "pi":
        print(f"ssh: Could not resolve hostname {words[0]}: Name or service not known", file=sys.stderr)
        return 255
    return forward(*sockets) if sockets else command(words[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
