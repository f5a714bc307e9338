"""Leads a session: starts a program as the foreground job of its terminal, reports its number and its end, and stays.

    session_leader.py SOCKET PROGRAM ARGUMENT...

When the leader of a session ends, the kernel discards what the terminal's other side has not read yet: a program that
led its session would lose its last output on a busy computer. This one ends when the socket is closed.
"""

import os
import signal
import socket
import sys

THEIRS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN)
# Signals that Python ignores for itself.
PYTHONS = (signal.SIGPIPE, signal.SIGXFSZ)

report = socket.socket(fileno=int(sys.argv[1]))
for number in THEIRS:
    signal.signal(number, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    # A separate job in the foreground, as a shell starts it.
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    for number in (*THEIRS, *PYTHONS):
        signal.signal(number, signal.SIG_DFL)
    report.close()
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    finally:
        os._exit(127)
report.sendall(f"{pid}\n".encode())
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
try:
    report.sendall(f"{code}\n".encode())
    report.recv(1)
except OSError:
    pass
