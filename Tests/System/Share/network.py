"""A bad network: two network namespaces, with a delay of 300 ms and a loss of 5 % in each direction between them.

    network.py [--delay SECONDS] [--loss SHARE]

Prints the IDs of two processes, one in each namespace (for nsenter), with the addresses 10.77.0.1 and 10.77.0.2, and
runs until standard input ends. Delays each IP packet and drops some, like `tc netem`, but without a kernel module (many
kernels lack sch_netem): it needs only /dev/net/tun and namespaces, which most systems allow every user.

Exit codes: 0 ended; 69 the kernel, or a security policy, does not allow such namespaces.
"""

import argparse
import collections
import ctypes
import fcntl
import os
import random
import select
import socket
import struct
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
# linux/sched.h, linux/if_tun.h, bits/ioctls.h, net/if.h
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFFLAGS, IFF_UP = 0x8916, 0x891C, 0x8914, 1
ADDRESSES = ("10.77.0.1", "10.77.0.2")
UNAVAILABLE = 69


def enter_namespace():
    """Moves this process into its own network; if only root may do that, as root of a user namespace."""
    user, group = os.geteuid(), os.getegid()
    if LIBC.unshare(CLONE_NEWNET) == 0:
        return
    if LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def limit_buffers():
    """Has the kernel use small buffers for connections in this namespace, so that a slow client is soon noticed."""
    for name in ("tcp_wmem", "tcp_rmem"):
        try:
            with open(f"/proc/sys/net/ipv4/{name}", "w", encoding="ascii") as file:
                file.write("4096 16384 16384")
        except OSError:
            pass  # a client is then noticed later


def tunnel(address):
    """Creates the only interface of this namespace besides lo; returns the descriptor for its packets."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"tun0", IFF_TUN | IFF_NO_PI))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for request, value in ((SIOCSIFADDR, address), (SIOCSIFNETMASK, "255.255.255.0")):
            place = struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(value))
            fcntl.ioctl(control, request, struct.pack("16s16s8x", b"tun0", place))
        for name in (b"lo", b"tun0"):
            fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH22x", name, IFF_UP))
    return device


def start_side(address):
    """Starts a process in its own namespace; returns its ID and its tunnel."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        try:
            enter_namespace()
            limit_buffers()
            socket.send_fds(theirs, [b"!"], [tunnel(address)])
            # Until this program ends.
            theirs.recv(1)
        except OSError as error:
            theirs.send(str(error).encode())
        finally:
            os._exit(0)
    theirs.close()
    told, devices, _, _ = socket.recv_fds(ours, 200, 1)
    if not devices:
        print(told.decode(), file=sys.stderr)
        sys.exit(UNAVAILABLE)
    return pid, devices[0], ours


def relay(devices, delay, loss):
    """Passes packets from each side to the other until standard input ends."""
    chance = random.Random(16)
    other = dict(zip(devices, reversed(devices)))
    queue = collections.deque()
    while True:
        pause = max(0, queue[0][0] - time.monotonic()) if queue else None
        ready = select.select([0, *devices], [], [], pause)[0]
        if 0 in ready:
            return
        now = time.monotonic()
        for device in ready:
            packet = os.read(device, 65536)
            if chance.random() >= loss:
                queue.append((now + delay, other[device], packet))
        while queue and queue[0][0] <= now:
            _, device, packet = queue.popleft()
            try:
                os.write(device, packet)
            except OSError:
                pass  # dropped, as by a full queue of a network


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.3)
    parser.add_argument("--loss", type=float, default=0.05)
    chosen = parser.parse_args()
    sides = [start_side(address) for address in ADDRESSES]
    print(*(pid for pid, _, _ in sides), flush=True)
    relay([device for _, device, _ in sides], chosen.delay, chosen.loss)


if __name__ == "__main__":
    main()
