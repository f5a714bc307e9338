"""Stands for sudo in a test that root runs: what another user asks for is run by a helper that is still root.

    as_root.py SOCKET              the helper
    as_root.py SOCKET COMMAND...   asks it to run the command with this process's standard input, output and error
"""

import json
import os
import socket
import subprocess
import sys


def serve(path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        os.chmod(path, 0o666)
        listener.listen()
        while True:
            connection = listener.accept()[0]
            with connection:
                data, streams, _, _ = socket.recv_fds(connection, 65536, 3)
                words = json.loads(data)
                done = subprocess.run(words, stdin=streams[0], stdout=streams[1], stderr=streams[2], check=False)
                for descriptor in streams:
                    os.close(descriptor)
                connection.sendall(bytes([done.returncode]))


def ask(path, words):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        socket.send_fds(connection, [json.dumps(words).encode()], [0, 1, 2])
        return connection.recv(1)[0]


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
