"""Files and streams: bad input files, full disks, closed pipes, standard streams that are closed or full."""

import itertools
import os
import signal
import subprocess
import time
import unittest

from cases import BOARD, COMMANDS, OUTPUT, RECORDING, TOKEN
from harness import NEW, PLUMB, Judging, Scratch, plain_environment, rows, run, verdict, written

USAGE, DATA, NO_INPUT, CANNOT_CREATE, NO_PERMISSION, BAD_BOARD = 64, 65, 66, 73, 77, 78
# The exit codes for a bad file of each kind.
ANSWERS = {BOARD: (BAD_BOARD,), RECORDING: (DATA, NO_INPUT), TOKEN: (DATA, NO_INPUT)}
KINDS = ("missing", "directory", "empty", "garbage", "huge line", "garbage after the beginning", "below a file", "loop",
         "endless")
PRINTING = ("--help", "help run", "--version", "--generate-completion-script bash", "--experimental-dump-help")


def reading():
    """Each command with each kind of file that it reads."""
    return [(name, row, word) for name, row in COMMANDS.items() for word in ANSWERS if word in row.short.split()]


def in_a_shell(text):
    """Words to put before a call, for what a shell does best."""
    return ("sh", "-c", f'{text} exec "$@"', "sh")


class Files(Judging):
    def test_bad_files(self):
        def case(name, row, word, kind):
            scratch = Scratch()
            scratch.spoil(word, kind)
            # watch checks its terminal before anything else.
            codes = (USAGE,) if row.draws else ANSWERS[word]
            return verdict(f"{name}, {word} {kind}", run(row.short, scratch), codes)
        self.judge(case, [(*c, kind) for c, kind in itertools.product(reading(), KINDS)])

    def test_files_that_may_not_be_read(self):
        """root may read everything, so it runs as another user."""
        before = ()
        if os.geteuid() == 0:
            before = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")
            if subprocess.run([*before, PLUMB, "--version"], capture_output=True).returncode != 0:
                self.skipTest("somebody else may not run the program here")

        def case(name, row, word):
            scratch = Scratch()
            scratch.spoil(word, "forbidden")
            codes = (USAGE,) if row.draws else (NO_PERMISSION,)
            return verdict(f"{name}, {word}", run(row.short, scratch, before=before), codes)
        self.judge(case, reading())

    def test_a_pipe_that_nobody_writes_to(self):
        """It may be rejected or waited for; Ctrl-C then ends the waiting."""
        def case(name, row, word):
            scratch = Scratch()
            scratch.spoil(word, "fifo")
            outcome = run(row.short, scratch, within=interrupt_later)
            codes = (USAGE, *ANSWERS[word], 0, -signal.SIGINT)
            return verdict(f"{name}, {word}", outcome, codes)
        self.judge(case, reading())

    def test_places_where_nothing_can_be_written(self):
        def case(name, row, place):
            scratch = Scratch()
            (scratch.folder / "folder.svg").mkdir()
            (scratch.folder / "there.svg").write_text("mine")
            (scratch.folder / "full.svg").symlink_to("/dev/full")
            (scratch.folder / "nowhere.svg").symlink_to("no/such/place.svg")
            scratch.before = scratch.contents()
            scratch.files[OUTPUT] = place
            outcome = run(row.short, scratch)
            return verdict(f"{name} to {place}", outcome, (CANNOT_CREATE,), [])
        places = ("folder.svg", "there.svg", "full.svg", "nowhere.svg", "no/folder.svg", "good.csv/below.svg")
        cases = rows(lambda row: OUTPUT in row.short.split())
        self.judge(case, [(n, r, place) for n, r in cases for place in places])

    def test_a_file_that_may_not_grow(self):
        def case(name, row):
            outcome = run(row.short, before=in_a_shell("ulimit -f 1;"))
            return judged_draft(name, row, outcome)
        self.judge(case, rows(lambda row: OUTPUT in row.short.split()))

    def test_a_disk_that_is_full(self):
        """A separate file system of one page, with a file of nearly one page."""
        mounts = ("unshare", "--mount", "--map-root-user")
        if subprocess.run([*mounts, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
            self.skipTest("this user may not mount anything; test_a_file_that_may_not_grow does much the same")

        def case(name, row):
            scratch = Scratch()
            disk = scratch.folder / "disk"
            disk.mkdir()
            scratch.files[OUTPUT] = f"disk/{NEW}"
            text = "mount -t tmpfs -o size=8k none disk; cp good.ini disk; "
            if BOARD in row.short and written(row) == ["good.ini"]:
                scratch.files[BOARD] = "disk/good.ini"
            text += "head -c 8192 /dev/zero >disk/filler 2>/dev/null; sum=$(cksum disk/good.ini); code=0; "
            # The file system vanishes with the program, so its contents are reported before.
            text += '"$@" || code=$?; [ "$sum" = "$(cksum disk/good.ini)" ] || echo CHANGED >&2; '
            text += "ls -A disk >&2; exit $code; : "
            outcome = run(row.short, scratch, before=(*mounts, *in_a_shell(text)))
            names = set(outcome.err.decode().splitlines()[-3:])
            left = {n for n in outcome.err.decode().split("\n") if n.startswith((NEW, ".plumb", "CHANGED"))}
            problem = verdict(name, outcome, (CANNOT_CREATE,), ["disk"])
            return problem or ((left or "filler" not in names) and f"{name} leaves {left}: {outcome}")
        self.judge(case, rows(written))

    def test_readers_that_go_away(self):
        """As with `| head -n 1`, for standard output and standard error."""
        def case(name, row, stream):
            def within(process):
                pipe = getattr(process, stream)
                pipe.readline()
                pipe.close()
                setattr(process, stream, None)
            # Only that stream is a pipe: the other would not be read meanwhile.
            others = {other: subprocess.DEVNULL for other in ("stdout", "stderr") if other != stream}
            outcome = run(row.much or row.short, within=within, **others)
            return verdict(f"{name}, {stream}", outcome, (*row.codes, -signal.SIGPIPE), written(row), says=False)
        self.judge(case, [(n, r, stream) for n, r in rows(lambda r: True) for stream in ("stdout", "stderr")])

    def test_standard_output_that_takes_nothing(self):
        """Closed or full: anything that has output reports it on standard error."""
        def case(name, call, codes, left, text):
            says_something = run(call).out
            outcome = run(call, before=in_a_shell(text))
            codes = (CANNOT_CREATE,) if says_something else codes
            return verdict(f"{name} {text}", outcome, codes, left, says=bool(says_something))
        calls = [(n, r.short, r.codes, written(r)) for n, r in COMMANDS.items()]
        calls += [("plumb", call, (0,), ()) for call in PRINTING]
        self.judge(case, [(*c, text) for c in calls for text in ("exec >&-;", "exec >/dev/full;")])

    def test_other_standard_streams_that_are_closed(self):
        def case(name, row, text):
            outcome = run(row.short, before=in_a_shell(text))
            return verdict(f"{name} {text}", outcome, row.codes, written(row), says=False)
        texts = ("exec 2>&-;", "exec 2>/dev/full;", "exec <&-;", "exec <&- 2>&-;", "exec </dev/zero;")
        self.judge(case, [(n, r, text) for n, r in rows(lambda r: True) for text in texts])

    def test_standard_input_as_a_file_to_read(self):
        """Closed, empty, endless, a folder: each is reported as such."""
        def case(name, row, text):
            return verdict(f"{name} {text}", run(row.long, before=in_a_shell(text)), (DATA, NO_INPUT))
        texts = ("exec <&-;", "exec </dev/null;", "exec </dev/zero;", "exec <.;", "exec <token;")
        self.judge(case, [(n, r, text) for n, r in rows(lambda r: "-" in r.long.split()) for text in texts])

    def test_odd_environments(self):
        def case(name, row, change):
            outcome = run(row.short, env=plain_environment(**change))
            return verdict(f"{name} {change}", outcome, row.codes, written(row))
        changes = ({"TERM": None}, {"TERM": "dumb"}, {"TERM": "x" * 5000}, {"LANG": "C", "LC_ALL": ""}, {"LANG": "tr_TR.UTF-8"}, {"HOME": None},
                   {"COLUMNS": "1", "LINES": "1"}, {"COLUMNS": "-5", "LINES": "99999999999999999999"}, {"PATH": None})
        self.judge(case, [(n, r, change) for n, r in rows(lambda r: True) for change in changes])


def interrupt_later(process):
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)


def judged_draft(name, row, outcome):
    """A recording keeps what it has, in whole lines under the name of a draft; all else leaves nothing."""
    drafts = [file for file in outcome.left if row.keeps and file.startswith(NEW) and file.endswith(".part")]
    torn = [file for file in drafts if not outcome.left[file].endswith(b"\n")]
    return verdict(name, outcome, (CANNOT_CREATE,), drafts) or (torn and f"{name}: half a line is left: {outcome}")


if __name__ == "__main__":
    unittest.main()
