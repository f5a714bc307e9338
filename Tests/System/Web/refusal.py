"""Lets a program's `fcntl(F_SETFL)` fail, as it does nowhere by itself: a filter of system calls (seccomp).

- Source: seccomp(2); linux/filter.h, linux/seccomp.h, linux/audit.h.
"""
import ctypes
import os
import platform
import struct

# The number of fcntl on each kind of machine.
NUMBERS = {"x86_64": 72, "aarch64": 25}
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
F_SETFL = 4
# Where the number and the low halves of the first arguments lie.
NUMBER, FIRST, SECOND = 0, 16, 24
IS_POSSIBLE = platform.machine() in NUMBERS


def refuse_flags(lowest):
    """From now on, flags of descriptors from `lowest` up cannot be set: for `preexec_fn`."""
    steps = [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 5, NUMBERS[platform.machine()]), (LOAD, 0, 0, SECOND), (EQUAL, 0, 3, F_SETFL),
             (LOAD, 0, 0, FIRST), (AT_LEAST, 0, 1, lowest), (RETURN, 0, 0, FAIL | 1), (RETURN, 0, 0, ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(program)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    # PR_SET_NO_NEW_PRIVS, which a filter needs; PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    for what in [(38, 1, 0, 0, 0), (22, 2, ctypes.addressof(head), 0, 0)]:
        if prctl(what[0], *map(ctypes.c_ulong, what[1:])) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
