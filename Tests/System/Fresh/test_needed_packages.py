"""Checks that needed_packages.py finds what is planted and nothing else: in fragments of shell and Python, and in a
small project."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from command_words import python_calls, shell_calls, swift_calls

HERE = pathlib.Path(__file__).resolve().parent

SHELL = {
    "one; two | three && four || five & six": "one two three four five six",
    "a=1 b=$(one) two three\nfour \\\n  five": "one two four",
    "if one; then two; elif ! three; then four; else five; fi": "one two three four five",
    "while one; do two; done <three; until four >five 2>&1; do :; done": "one two four :",
    "for a in one $(two); do three; done": ": two three",
    "case $a in one | two) three ;; (four) five ;; *) six ;; esac; seven": "three five six seven",
    "case $(one) in\n  a) two\n    ;;\nesac\nthree": "one two three",
    "f() { one; }; function g { two; }; f three; g": "one two",
    "echo one 'two $(three)' \"four $(five \"$(six)\")\" `seven`": "echo five six seven",
    "a=(one $(two)); b+=(three); \"${a[@]}\" four": "two",
    "[[ $(one) == a* && b =~ (c|d) ]] && two": "one two",
    "((a < b)) && one; b=$((a + $(two)))": "one two",
    "one <<A\ntwo $(three) 'four\nA\nfive": "one three five",
    "one <<'A' && two\n$(three)\nA\nfour": "one two four",
    "one <(two) > >(three)": "one two three",
    "exec env -u A -C b B=c timeout -s INT 3 nice -n 19 one two": "exec env timeout nice one",
    "exec unshare --mount --propagation private one": "exec unshare one",
    "command -v one || command two": "command two",
    "find a -exec one {} + ; xargs -n 1 two": "find one xargs two",
    "trap 'one; two \"$a\"' EXIT; sh -c 'three | four'": "trap one two sh three four",
    "one=${ONE:-two}; \"$one\" three; ${FOUR:-four} five": "two four",
    "/usr/bin/one; ./two; \"$three\"; \"$(four)\"": "one four",
    "one # two; three\n# four\nfive": "one five",
    "f() { \"$@\"; }; f xz; f one": "xz",
    "echo ${a#\"$(one)\"} ${b:-$(two)} ${#c} $'it\\'s' three; four": "echo one two four",
}
PYTHON = {
    "subprocess.run(['one', 'two'])": "one",
    "subprocess.Popen((*before, 'one'))": "",
    "subprocess.run(['sh', '-c', 'one | two'])": "one sh two",
    "run(before=('xz', 'one'), other=['two'])": "xz",
    "subprocess.run([one, 'two'])\n'xz'\n# xz": "",
}

MAKEFILE = """
build: setup-build ## build
\t@echo built
setup-build setup-lint:
\t@$(SETUP) $(@:setup-%=%)
test: setup-build ## test
\t@sh -c 'bash scripts/one.sh | tee log'
lint: setup-lint ## look, and run nothing
\t@shellcheck scripts/one.sh
"""


def project(folder, **files):
    """A project with the same set-up as Plumb."""
    (folder / "scripts").mkdir()
    (folder / "Tests").mkdir()
    shutil.copy(HERE.parents[2] / "scripts" / "setup.sh", folder / "scripts")
    (folder / "Makefile").write_text(MAKEFILE)
    for name, text in files.items():
        (folder / "scripts" / name.replace("_", ".")).write_text(text)


class NeededPackages(unittest.TestCase):
    def test_shell_calls(self):
        for text, programs in SHELL.items():
            with self.subTest(text):
                self.assertEqual({call.program for call in shell_calls(text, {"xz"})}, set(programs.split()))

    def test_python_calls(self):
        for text, programs in PYTHON.items():
            with self.subTest(text):
                self.assertEqual({call.program for call in python_calls(text, {"xz"})}, set(programs.split()))

    def test_swift_calls(self):
        text = 'launcher: ["/usr/bin/one", "/bin/two"]\n// "/usr/bin/three"\n"/etc/four" "/usr/bin/five six"'
        self.assertEqual({call.program for call in swift_calls(text)}, {"one", "two"})

    def found(self, *targets, **files):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            project(folder, **files)
            done = subprocess.run(
                [sys.executable, "-B", HERE / "needed_packages.py", "--root", folder, *targets], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 1 if done.stdout else 0)
            return done.stdout

    def test_available_programs_are_not_reported(self):
        self.assertEqual(self.found(one_sh="git log | awk 1 >/dev/null; gcc -v; strip a; helper; helper() { :; }\n"), "")

    def test_a_package_missing_from_every_group_is_named(self):
        found = self.found(one_sh="echo a\ntar -c . | xz\n")
        self.assertRegex(found, r"^needed: scripts/one.sh:2: xz: `make test` needs xz-utils, .* for build\n$")

    def test_a_script_that_a_script_starts_is_read(self):
        self.assertIn("scripts/two.py:3: strace: `make test` needs strace",
                      self.found(one_sh="sh two.sh\n", two_sh="cat two.py\n", two_py="import subprocess\n\nsubprocess.run(['strace'])\n"))

    def test_a_program_without_a_known_package_is_named(self):
        self.assertIn("scripts/one.sh:1: frobnicate: of which package?", self.found(one_sh="frobnicate\n"))

    def test_another_target_does_not_count(self):
        self.assertEqual(self.found("build", "lint", one_sh="tar -c . | xz\n"), "")


if __name__ == "__main__":
    unittest.main()
