"""A connection to a broker that is as bad as a test needs it: slow, cut, or leading nowhere."""

import contextlib
import select
import socket
import threading
import time

from mosquitto import free_port, own_address


class Proxy:
    """Relays data to (address, port) and back. Use it in a `with` statement.

    Its `mode`, which a test may change at any time:
    pass    relays everything.
    drop    relays nothing, in either direction, and ends no connection, as if a cable were pulled.
    slow    relays `speed` bytes a second in each direction.
    """

    def __init__(self, address, port, mode="pass", speed=100):
        self.address, self.port = own_address(), None
        self.target = address, port
        self.mode, self.speed = mode, speed
        # Bytes received from clients, and the number of connections so far.
        self.count, self.connections = 0, 0
        self.open = []
        self.lock = threading.Lock()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.port = free_port(self.address)
        self.listener.bind((self.address, self.port))
        self.listener.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with self.lock:
                self.open.append(client)
            threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client):
        """Runs until one of the ends or the proxy stops."""
        broker = socket.socket()
        with contextlib.suppress(OSError, ValueError):
            while self.mode == "drop":
                time.sleep(0.05)
            broker.connect(self.target)
            with self.lock:
                self.open.append(broker)
            other = {client: broker, broker: client}
            while True:
                for one in select.select([client, broker], [], [], 0.1)[0]:
                    # Dropped data stays where it is: TCP would also send it again once the cable is back.
                    while self.mode == "drop":
                        time.sleep(0.05)
                    size = 65536
                    if self.mode == "slow":
                        size = max(1, self.speed // 10)
                        time.sleep(size / self.speed)
                    data = one.recv(size)
                    if not data:
                        raise ValueError("the end")
                    if one is client:
                        self.count += len(data)
                    other[one].sendall(data)
        for one in (client, broker):
            self.shut(one)

    def shut(self, connection):
        with self.lock:
            with contextlib.suppress(ValueError):
                self.open.remove(connection)
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.mode = "pass"
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in list(self.open):
            self.shut(one)


class Deaf:
    """Accepts connections, but never reads or answers."""

    def __init__(self, port=None):
        self.address, self.port = own_address(), port or free_port(own_address())
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((self.address, self.port))
        # The kernel accepts on its behalf.
        self.listener.listen(16)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
