"""A recording of a stream on a full disk, or in a file with a size limit: an error for the recorder, no effect on the
owner.

    PLUMB=build/plumb PLUMBD=build/plumbd python3 -m unittest -v test_record
"""

import os
import re
import subprocess
import tempfile
import unittest

from owner import PLUMB
from attack import on_both
from processes import PATIENCE, plain_environment

CANNOT_CREATE = 73


@on_both
class Recording:
    def record(self, name, *before, folder=None):
        """Records until it ends on its own; returns its exit code and output."""
        done = subprocess.run(
            [*before, PLUMB, "record", "--from", self.owner.address, "-o", name], cwd=folder, capture_output=True, text=True,
            timeout=PATIENCE, env=plain_environment(), stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_device_that_is_full(self):
        with self.vigil():
            # Nothing is renamed to /dev/full: standard output is written as it comes.
            code, said = self.record("-", "sh", "-c", 'exec "$@" >/dev/full', "sh")
            self.assertEqual(code, CANNOT_CREATE, said)
            self.assertIn("the disk is full", said)

    def test_a_file_that_may_not_grow(self):
        with self.vigil(), tempfile.TemporaryDirectory(prefix="plumb-share-") as folder:
            code, said = self.record("new.csv", "sh", "-c", 'ulimit -f 8; exec "$@"', "sh", folder=folder)
            self.assertEqual(code, CANNOT_CREATE, said)
            # The existing part of the recording is named and valid.
            part = re.search(r"samples are in (\S+\.part), which can be replayed", said)[1]
            self.assertEqual(os.listdir(folder), [part])
            subprocess.run([PLUMB, "replay", part], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)

    def test_a_disk_that_is_full(self):
        mounts = ("unshare", "--mount", "--map-root-user")
        if subprocess.run([*mounts, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
            print("SKIPPED: a full disk: this user may not mount anything; a file that may not grow is much the same")
            self.skipTest("this user may not mount anything")
        with self.vigil(), tempfile.TemporaryDirectory(prefix="plumb-share-") as folder:
            # The file system vanishes with the program, so its contents are checked before.
            script = 'mount -t tmpfs -o size=16k none .; cd "$PWD"; "$@"; code=$?; ls -A >&2; "$1" replay ./*.part; exit $code'
            code, said = self.record("new.csv", *mounts, "sh", "-c", script, "sh", folder=folder)
            self.assertEqual(code, CANNOT_CREATE, said)
            self.assertIn("the disk is full", said)
            self.assertNotIn("new.csv", said.splitlines())
            self.assertIn("Summary: ", said)


if __name__ == "__main__":
    unittest.main()
