"""How the system reaches an address: sockets, serial lines, and OpenSSH for another computer."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from typing import List, Optional, Tuple, Union

from .address import SYSTEM_PATH, Address
from .errors import AddressError, NotPermittedError, PlumbError, ProtocolError, UnreachableError, printable

IN_PROGRESS = (errno.EINPROGRESS, errno.EWOULDBLOCK, 10035)  # the last is that of Windows


class Line:
    """An open socket or serial line that never blocks."""

    def __init__(self, end: Union[socket.socket, int]) -> None:
        self._end = end

    def fileno(self) -> int:
        return self._end if isinstance(self._end, int) else self._end.fileno()

    def receive(self, count: int) -> Optional[bytes]:
        """What has arrived, at most `count` bytes; None for nothing at present, empty at the end."""
        try:
            return os.read(self._end, count) if isinstance(self._end, int) else self._end.recv(count)
        except (BlockingIOError, InterruptedError):
            return None

    def send(self, data: bytes) -> int:
        """Sends as much as possible; returns how many bytes."""
        try:
            return os.write(self._end, data) if isinstance(self._end, int) else self._end.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            # Receiving finds errors; what cannot be sent is not tried again meanwhile.
            return len(data)

    def outcome(self) -> int:
        """The error code of a connection that was made in the background; 0 for none."""
        return 0 if isinstance(self._end, int) else self._end.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if isinstance(self._end, int):
                os.close(self._end)
            else:
                self._end.close()


def is_writable(line: Line) -> bool:
    """Whether a connection has been made, or has failed."""
    with selectors.DefaultSelector() as selector:
        selector.register(line.fileno(), selectors.EVENT_WRITE)
        return bool(selector.select(0))


def system_words(code: int) -> str:
    return f"{os.strerror(code)} (errno {code})"


def _begin(family: int, kind: int, place: Union[str, Tuple[str, int]]) -> Line:
    end = socket.socket(family, kind)
    try:
        end.setblocking(False)
        code = end.connect_ex(place)
        # A Unix socket whose owner has not yet accepted other connections returns EAGAIN: retried later.
        if code and (code not in IN_PROGRESS or family == getattr(socket, "AF_UNIX", None)):
            raise OSError(code, os.strerror(code))
    except (OSError, ValueError):
        end.close()
        raise
    return Line(end)


def connect_unix(path: str) -> Line:
    if sys.platform == "win32" or not hasattr(socket, "AF_UNIX"):
        raise UnreachableError(f"this system has no Unix sockets, which unix:{path} needs: use a tcp: address")
    return _begin(socket.AF_UNIX, socket.SOCK_STREAM, path)


def look_up(host: str, port: int) -> List[Tuple[int, Tuple[str, int]]]:
    """The addresses of a host. Waits for the system's answer."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        words = error.strerror if isinstance(error, socket.gaierror) else "not the name of a host"
        raise UnreachableError(f"{Address('tcp', printable(host), port)}: {words}") from None
    # `place` has four elements for IPv6; the type of connect() covers both.
    return [(int(family), place) for family, _, _, _, place in found[:8]]  # type: ignore[misc]


def connect_tcp(family: int, place: Tuple[str, int]) -> Line:
    return _begin(family, socket.SOCK_STREAM, place)


def unconnected(code: int, name: str) -> PlumbError:
    """The error for a connection that the system did not make."""
    if code in (errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EIO):
        return UnreachableError(f"no owner offers a stream at {name}: there is no such socket")
    if code == errno.ECONNREFUSED:
        return UnreachableError(f"no owner offers a stream at {name}: no program listens there")
    if code in (errno.EACCES, errno.EPERM):
        return NotPermittedError(f"no permission for the socket {name}: add the user of this program to its group "
                                 "(sudo usermod -aG plumb USER), then log in again")
    if code in (errno.EPROTOTYPE, errno.ENOTSOCK):
        return ProtocolError(f"{name} is not the socket of a stream")
    return UnreachableError(f"no connection to the owner at {name}: {system_words(code)}")


# Serial lines.


def serial_boards() -> List[str]:
    """The devices of the boards with Plumb's firmware that are plugged in: what `/dev/serial/by-id` lists, or another
    folder that `PLUMB_SERIAL` names."""
    folder = os.environ.get("PLUMB_SERIAL") or "/dev/serial/by-id"
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith("usb-Plumb_"))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names[:64]]


def open_serial(path: Optional[str]) -> Line:
    """Opens a serial device as a raw line of this program alone, at 115,200 baud; None for the only board."""
    name = f"serial:{path or 'auto'}"
    if sys.platform == "win32":
        raise UnreachableError(f"{name} needs Linux or macOS: on this system, forward the board's stream by TCP from a "
                               "computer that has one")
    if path is None:
        boards = serial_boards()
        if not boards:
            if sys.platform != "linux":
                raise UnreachableError(f"{name} needs Linux: on this system, name the device, as in "
                                       "serial:/dev/cu.usbmodem101")
            raise _unopened(errno.ENOENT, name)
        if len(boards) > 1:
            raise AddressError(f"{name} needs the only board, and there are several; name one of them: "
                               + ", ".join("serial:" + printable(board) for board in boards[:8]))
        path = boards[0]
    try:
        if not stat.S_ISCHR(os.stat(path).st_mode):
            raise ProtocolError(f"{name} is not a serial device")
        end = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unopened(error.errno or 0, name) from None
    try:
        _prepare_serial(end)
    except OSError as error:
        os.close(end)
        raise _unopened(error.errno or 0, name) from None
    return Line(end)


def _prepare_serial(end: int) -> None:
    if sys.platform == "win32":
        return
    # Not on every system.
    import fcntl
    import termios

    try:
        settings = termios.tcgetattr(end)
    except termios.error:
        raise OSError(errno.ENOTTY, "") from None
    try:
        fcntl.flock(end, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(errno.EBUSY, "") from None
    if sys.platform == "linux":
        # TIOCGEXCL: root may open what another program has for itself.
        taken = bytearray(4)
        with contextlib.suppress(OSError):
            fcntl.ioctl(end, 0x80045440, taken)
        if any(taken):
            raise OSError(errno.EBUSY, "")
    # A pseudo-terminal (major 136 to 143) would stay so after this program has ended; there the lock must do.
    if not (sys.platform == "linux" and 136 <= os.major(os.fstat(end).st_rdev) <= 143):
        fcntl.ioctl(end, termios.TIOCEXCL)
    settings[0] &= ~(termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR | termios.IGNCR
                     | termios.ICRNL | termios.IXON | termios.IXOFF | termios.IXANY)
    settings[1] &= ~termios.OPOST
    settings[2] &= ~(termios.CSIZE | termios.PARENB | termios.CSTOPB | getattr(termios, "CRTSCTS", 0))
    settings[2] |= termios.CS8 | termios.CREAD | termios.CLOCAL | termios.HUPCL
    settings[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    settings[4] = settings[5] = termios.B115200
    # With 0, nothing at present would look like the end.
    settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
    try:
        termios.tcsetattr(end, termios.TCSANOW, settings)
        # What came before is not the present.
        termios.tcflush(end, termios.TCIOFLUSH)
    except termios.error as error:
        raise OSError(*error.args) from None


def _unopened(code: int, name: str) -> PlumbError:
    if code in (errno.ENOENT, errno.ENOTDIR, errno.ENXIO, errno.ENODEV, errno.EIO):
        return UnreachableError(f"no board at {name}: is it plugged in, by a cable with data lines, and out of "
                                "BOOTSEL? Run dmesg to see what the computer found")
    if code == errno.EBUSY:
        return UnreachableError(f"the board at {name} is in use by another program")
    if code in (errno.EACCES, errno.EPERM):
        return NotPermittedError(f"no permission for the serial device {name}: add the user of this program to its "
                                 "group (sudo usermod -aG dialout $USER), then log in again")
    if code in (errno.ENOTTY, errno.ENOTSOCK):
        return ProtocolError(f"{name} is not a serial device")
    return UnreachableError(f"no connection to the board at {name}: {system_words(code)}")


# Another computer.


class Tunnel:
    """A Unix socket on this computer that OpenSSH forwards to one on another: `ssh -N -L`, in a private folder, until
    it is closed. `PLUMB_SSH` names a program to use instead of `ssh`."""

    LONGEST_TEXT = 4096

    def __init__(self, address: Address, asks: bool) -> None:
        """Starts ssh. It may ask for a password on the terminal if it `asks`."""
        if sys.platform == "win32":
            raise UnreachableError(f"this system has no Unix sockets, which {printable(str(address))} needs: "
                                   "use a tcp: address")
        places = [place for place in (os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("TMPDIR"))
                  # Short, because sockets have little space; and a colon would end the path for ssh.
                  if place and place.startswith("/") and ":" not in place and len(place) < 80
                  and os.access(place, os.W_OK)]
        try:
            self._folder = tempfile.mkdtemp(prefix="plumb-", dir=(places + ["/tmp"])[0])
        except OSError as error:
            raise UnreachableError(f"no private folder for a socket can be made: {error}") from None
        self.path = os.path.join(self._folder, "stream")
        program = os.environ.get("PLUMB_SSH") or "ssh"
        options = ["ExitOnForwardFailure=yes", "ControlMaster=no", "ControlPath=none", "ServerAliveInterval=5",
                   "ServerAliveCountMax=3"] + ([] if asks else ["BatchMode=yes"])
        words = [program, "-N", "-T"]
        for option in options:
            words += ["-o", option]
        # A list of arguments, and no shell; Address refuses a host that begins with a hyphen.
        words += ["-L", f"{self.path}:{address.path or SYSTEM_PATH}", address.place or ""]
        self._text = b""
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, ValueError) as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise UnreachableError(f"{printable(program)} cannot be started: {error}") from None
        assert self._process.stderr is not None
        self._errors = self._process.stderr
        os.set_blocking(self._errors.fileno(), False)

    def ending(self) -> Optional[str]:
        """Why the tunnel has ended, in ssh's words; None while ssh runs."""
        has_ended = self._process.poll() is not None
        heard = self.heard()
        return (heard or "ssh has ended without a word") if has_ended else None

    def heard(self) -> str:
        """What ssh has written last, in one line; empty for nothing."""
        with contextlib.suppress(OSError, ValueError):
            while True:
                piece = os.read(self._errors.fileno(), 4096)
                if not piece:
                    break
                self._text = (self._text + piece)[-self.LONGEST_TEXT:]
        lines = [line for line in self._text.decode("utf-8", "replace").splitlines() if line.strip()]
        return printable("; ".join(lines[-3:]))

    def close(self) -> None:
        """Ends ssh, usually at once; kills it after two seconds."""
        self._process.terminate()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
        shutil.rmtree(self._folder, ignore_errors=True)
