"""Terminals: of every size, slow, or disappearing; and their state after watch, however it ends."""

import os
import re
import shlex
import signal
import subprocess
import time
import unittest

from drawing import BEGIN, END, Drawing, watching
from harness import PATIENCE, STOPS, Judging, Scratch, rows

MODES = re.compile(rb"modes (\d+ \d+)")
SIZES = ((1, 1), (0, 0), (1, 500), (500, 1), (5, 12), (24, 80), (24, 79), (60, 200), (65535, 65535))


class Terminals(Judging):
    def drawn(self, name, row, size, act, codes):
        """Ends a drawing by `act` and judges the terminal. Returns what is wrong, or None."""
        scratch, terminal, begun = watching(row.short, size)
        try:
            if not begun:
                return f"{name}: nothing is drawn: {terminal.unread[-500:]!r}"
            terminal.read(seconds=0.3)
            act(terminal)
            code = terminal.end()
            wrong = terminal.complaint(code, codes)
            if not wrong and END not in terminal.unread:
                wrong = f"the other screen was not left: {terminal.unread[-200:]!r}"
            return wrong and f"{name}, {size[0]}x{size[1]}: {wrong}"
        finally:
            terminal.close()
            scratch.remove()

    def test_drawing_at_every_size(self):
        def case(name, row, size):
            return self.drawn(name, row, size, lambda terminal: terminal.type(b"q"), (0,))
        self.judge(case, [(n, r, size) for n, r in rows(lambda row: row.draws) for size in SIZES])

    def test_a_size_that_changes_all_the_time(self):
        def case(name, row):
            def act(terminal):
                for size in SIZES * 3:
                    terminal.resize(*size)
                    terminal.process.send_signal(signal.SIGWINCH)
                    terminal.read(seconds=0.03)
                terminal.type(b"q")
            return self.drawn(name, row, (24, 80), act, (0,))
        self.judge(case, rows(lambda row: row.draws))

    def test_every_end_leaves_the_terminal_as_it_was(self):
        """Ctrl-C and signals, including those of a crash. Only SIGKILL cannot be handled."""
        def case(name, row, number):
            codes = (0,) if number in STOPS else (-number,)
            return self.drawn(name, row, (24, 80), lambda terminal: terminal.process.send_signal(number), codes)
        deadly = (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM)
        self.judge(case, [(n, r, s) for n, r in rows(lambda row: row.draws) for s in (*STOPS, *deadly)])

    def test_ctrl_c_typed(self):
        def case(name, row):
            return self.drawn(name, row, (24, 80), lambda terminal: terminal.type(b"\x03"), (0,))
        self.judge(case, rows(lambda row: row.draws))

    def test_keys_that_mean_nothing(self):
        def case(name, row):
            def act(terminal):
                terminal.type(bytes(b for b in range(256) if b not in b"q\x03\x1a\x1cs") * 4 + b"\x1b[A\x1bOP\x1b[200~")
                terminal.read(seconds=0.5)
                terminal.type(b"q" * 3)
            return self.drawn(name, row, (24, 80), act, (0,))
        self.judge(case, rows(lambda row: row.draws))

    def test_recording_while_drawing(self):
        """A signal leaves a complete file; at a size limit the file has what fitted, and the drawing continues."""
        def case(name, row, limit):
            scratch = Scratch()
            before = ("sh", "-c", f'{limit} exec "$@"', "sh") if limit else ()
            terminal = Drawing([*before, *scratch.words(row.short)], scratch.folder)
            try:
                terminal.read(BEGIN)
                terminal.type(b"s")
                # Wait for a recording that has reached its limit of 512 bytes.
                end = time.monotonic() + PATIENCE
                while sum(len(t) for t in scratch.changed().values()) < 480 and time.monotonic() < end:
                    terminal.read(seconds=0.1)
                terminal.read(seconds=1)
                going_on = terminal.process.poll() is None
                terminal.process.send_signal(signal.SIGTERM)
                wrong = terminal.complaint(terminal.end(), (0,))
                left = scratch.changed()
                ending = ".part" if limit else ".csv"
                whole = len(left) == 1 and all(f.endswith(ending) and t.endswith(b"\n") for f, t in left.items())
                if going_on and whole:
                    return wrong
                return f"{name} {limit}: {wrong}, went on: {going_on}, left: {left}"
            finally:
                terminal.close()
                scratch.remove()
        self.judge(case, [(n, r, limit) for n, r in rows(lambda row: row.draws) for limit in ("", "ulimit -f 1;")])

    def test_a_terminal_that_takes_nothing(self):
        """Its other end is not read, as behind a dead ssh; a signal still ends the program."""
        def case(name, row, number):
            scratch, terminal, _ = watching(row.short)
            try:
                time.sleep(1)
                terminal.process.send_signal(number)
                try:
                    code = terminal.process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    code = None
                return None if code == 0 else f"{name}, signal {number}: it ended with {code}, not 0"
            finally:
                terminal.close()
                scratch.remove()
        self.judge(case, [(n, r, s) for n, r in rows(lambda row: row.draws) for s in STOPS])

    def test_a_terminal_that_goes_away(self):
        def case(name, row):
            scratch, terminal, _ = watching(row.short)
            terminal.hang_up()
            try:
                code = terminal.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                code = None
            terminal.kill()
            terminal.end_jobs()
            scratch.remove()
            # Its last words may reach no reader.
            return None if code in (0, 73) else f"{name}: it ended with {code}, not 0 or 73"
        self.judge(case, rows(lambda row: row.draws))

    def test_ctrl_z_and_fg(self):
        """In a shell: the terminal is restored while the program is stopped, and redrawn when it continues."""
        def modes(terminal):
            """A checksum of what stty reports. The command itself, as echoed, contains no digits."""
            terminal.type(b"echo modes  $(stty -a | cksum)\n")
            end = time.monotonic() + PATIENCE
            while not (found := MODES.findall(terminal.unread)) and time.monotonic() < end:
                terminal.read(seconds=0.05)
            terminal.unread = b""
            return found

        def case(name, row):
            scratch = Scratch()
            terminal = Drawing(["bash", "--norc", "--noprofile", "-i"], scratch.folder, PS1="$ ")
            try:
                call = shlex.join(scratch.words(row.short)).encode()
                # What is typed, and the output that follows, in this order; 2026l ends an update, 2J clears the screen.
                before = [modes(terminal)]
                for text, sign in ((call + b"\n", BEGIN), (b"", b"\x1b[?2026l"), (b"\x1a", END), (b"", b"Stopped"),
                                   (b"", modes), (b"fg\n", BEGIN), (b"", b"\x1b[2J"), (b"q", END), (b"", modes)):
                    if sign is modes:
                        before.append(modes(terminal))
                        continue
                    terminal.type(text)
                    if not terminal.read(sign):
                        return f"{name}: no {sign} after {text}: {terminal.unread[-300:]!r}"
                alike = all(m and m == before[0] for m in before)
                return None if alike else f"{name}: modes before, stopped and after: {before}"
            finally:
                terminal.close()
                scratch.remove()
        self.judge(case, rows(lambda row: row.draws))

    def test_every_other_command_on_a_tiny_terminal(self):
        def case(name, row, size, variables):
            scratch = Scratch()
            terminal = Drawing(scratch.words(row.short), scratch.folder, *size, **variables)
            try:
                code = terminal.end()
                wrong = terminal.complaint(code, row.codes)
                return wrong and f"{name} on {size}: {wrong}"
            finally:
                terminal.close()
                scratch.remove()
        cases = [(n, r, size) for n, r in rows(lambda row: not row.draws) for size in ((1, 1), (0, 0))]
        self.judge(case, [(*c, variables) for c in cases for variables in ({}, {"TERM": None})])

    def test_drawing_where_nothing_can_be_drawn(self):
        """A dumb terminal, or one of unknown kind, gets lines; Ctrl-C ends them."""
        def case(name, row, variables):
            scratch = Scratch()
            terminal = Drawing(scratch.words(row.short), scratch.folder, **variables)
            try:
                if not terminal.read(b"\r\n"):
                    return f"{name}: no line: {terminal.unread!r}"
                terminal.type(b"\x03")
                code = terminal.end()
                drawn = b"it draws all the same" if BEGIN in terminal.unread else None
                return terminal.complaint(code, (0,)) or drawn
            finally:
                terminal.close()
                scratch.remove()
        unable = ({"TERM": "dumb"}, {"TERM": None})
        self.judge(case, [(n, r, variables) for n, r in rows(lambda row: row.draws) for variables in unable])


if __name__ == "__main__":
    unittest.main()
