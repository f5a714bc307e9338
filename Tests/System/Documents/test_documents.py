"""Tests the documentation test: pages that are right, and the same pages with one error.

    PLUMB_RELEASE=FOLDER python3 -m unittest discover -s Tests/System/Documents
"""

import os
import shutil
import unittest

import pages
from documents import PageTest
from ledger import Ledger
from outputs import matches
from programs import Compiler
from project import Project
from prose import Prose

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))

SWIFT = """```swift
import Plumb
print(Q16(raw: 65536).raw)
```
<!-- example: output -->
```text
65536
```
"""

# A page that is right, what is changed in it, and what is reported about the change.
CHANGES = [
    ("    plumb boards emulated\n", "boards", "board", "ends with 64"),
    ("    plumb boards emulated\n", "emulated", "emulatde", "emulatde"),
    ("    plumb run --speed fast --duration 1\n", "--speed", "--sped", "--sped"),
    ("    $ echo a b\n    a b\n", "    a b", "    a c", "not what is printed"),
    ("    $ echo a b\n    a b\n", "$ echo a b", "$ echo a b; false", "ends with 1"),
    ("    x=3\n\nNext:\n\n    test $x = 3\n", "x=3", "x=4", "ends with 1"),
    ("    make run\n", "make run", "make rum", 'no target "rum"'),
    ("    make test-only FILTER=Soak\n", "Soak", "Soka", "no test matches"),
    ("<!-- example: exits 69 -->\n\n    exit 69\n", "exit 69", "exit 68", "ends with 68, not 69"),
    ("<!-- example: output of echo 12 s, numbers differ -->\n```text\n7 s\n```\n", "7 s", "7 ms", "not what is printed"),
    ("<!-- example: output of seq 9 -->\n```text\n2\n…\n8\n```\n", "8", "1", "not what is printed"),
    (SWIFT, "65536\n```\n", "65537\n```\n", "not what is printed"),
    (SWIFT, "Q16(raw", "Q17(raw", "does not compile"),
    (SWIFT, "print(", "func f() { let unused = 1 }\nprint(", "does not compile"),
    (SWIFT + "<!-- example: continues -->\n```swift\nassert(1 == 1)\n```\n", "1 == 1", "1 == 2", "ends with"),
    ("```c\n#include <plumb.h>\nint f(void) { return (int)plumb_sqrt(4); }\n```\n", "(int)", "", "does not compile"),
    ("```ini\n[sensor]\nrate = 50\n```\n", "rate", "rat", "plumb refuses this"),
    ("```ini\n[lines]\nportrait = 12\n```\n", "12", "99", "plumb refuses this"),
    ('```json\n{"t": 1}\n{"t": 2}\n```\n', "2}", "2", "is no JSON"),
    ("```text\nS | 53+W | 32 | Sr | 53+R | 00 | P\n```\n", "S |", "T |", "nothing says how to try"),
    ("<!-- example: drawing -->\n```text\na → b\n```\n", "drawing", "painting", "nobody knows the marker"),
    ("<!-- example: drawing -->\n```text\na\n```\n", "<!-- example: drawing -->\n", "", "nothing says how to try"),
    ("<!-- example: in docs/examples/c -->\n```c\nint main(int argc, char **argv) {\n```\n", "**argv", "*argv[]", "is not in"),
    ("<!-- example: not run, because x; tested by make test -->\n```sh\nsudo x\n```\n", "make test", "make tset", "neither"),
    ("<!-- example: not run, because x; tested by nothing -->\n```sh\nsudo x\n```\n", "; tested by nothing", "", "must read"),
    ("<!-- example: not run, because x; tested by nothing -->\n```sh\nsudo x\n```\n", "not run", "exits 0", "may run"),
    ("```python\nassert 1 + 1 == 2\n```\n", "== 2", "== 3", "ends with 1"),
    ("```sh\ntrue\n```\n", "sh", "", "without a language"),
    ("```sh\ntrue\n```\n", "sh", "sh title", "a language and nothing else"),
    ("```sh\ntrue\n```\n", "\n```\n", "\n", "has no end"),
    ("<!-- example: exits 0 -->\n\n    true\n", "-->\n", "-->\n\nText.\n", "text stands between"),
    ("A [link](../README.md).\n", "README", "RAEDME", "leads nowhere"),
    ("A [link](numerics.md#time-on-this-machine).\n", "#time", "#tmie", "no heading"),
    ("![Header](wiring/raspberry-pi-adxl345.svg)\n", "345", "346", "leads nowhere"),
    ("See `plumb run --give-up 3`.\n", "give-up", "giveup", "has no option"),
    ("See `plumbd --check`.\n", "check", "chekc", "no command has the option"),
    ("See `plumb watch`.\n", "watch", "wacth", "no subcommand"),
    ("See `make gates`.\n", "gates", "gate", "no target"),
    ("See `Sources/Core/HAL`.\n", "HAL", "HLA", "there is no"),
    ("`PoseFiguresTests` assert it.\n", "Figures", "Figuers", "no tests of the name"),
    ('<img alt="" src="wiring/raspberry-pi-adxl345.svg">\n', "345", "346", "leads nowhere"),
    ("| promise | shown by |\n|---|---|\n| a | `make test` |\n", "`make test`", "somebody", "no command shows"),
    ("`--cross-fade` fades.\n", "fade`", "faed`", "no command has the option"),
]


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.project = Project(ROOT, os.path.join(ROOT, os.environ.get("PLUMB_RELEASE", ".build/release")))
        cls.compiler = Compiler(ROOT, cls.project.release, None)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.compiler.work, ignore_errors=True)

    def result(self, text):
        """The ledger for a page with this text."""
        self.project.ledger = self.compiler.ledger = Ledger()
        page = pages.read("docs/made-up.md", text)
        PageTest(self.project, self.compiler, page).run()
        Prose(self.project, page).check()
        return self.project.ledger

    def test_correct_pages_pass_and_one_change_fails_them(self):
        for text, old, new, words in CHANGES:
            with self.subTest(page=text, change=new):
                right = self.result(text)
                self.assertEqual(right.faults, [])
                self.assertGreater(right.counts.total(), 0)
                self.assertIn(old, text)
                wrong = self.result(text.replace(old, new))
                self.assertRegex(str(wrong.faults), words)

    def test_endless_commands_are_ended_and_commands_on_hardware_find_a_bus(self):
        for command in [
            "watch", "run --board raspberry-pi-adxl345", "doctor", "read --board raspberry-pi-adxl345", "probe",
            "mount --board raspberry-pi-mpu6050 --dry-run",
        ]:
            with self.subTest(command=command):
                result = self.result(f"    plumb {command}\n")
                self.assertEqual((result.faults, result.counts["commands run"]), ([], 1))

    def test_code_is_distinguished_from_text(self):
        for text, found in [
            ("a\n\n    b\n\n    c\n\nd\n", ["b\n\nc"]),
            ("a\n    b\n", []),
            ("1. a\n\n       b\n\n   c\n", ["b"]),
            ("1. a\n\n   c\n", []),
            ("- a\n\n  ```sh\n  b\n  ```\n", ["b"]),
            ("# a\n    b\n", ["b"]),
            ("```sh\n    a\n\n```\n", ["    a\n"]),
        ]:
            with self.subTest(text=text):
                self.assertEqual([block.text for block in pages.read("a.md", text).blocks], found)

    def test_anchors_match_those_of_github(self):
        page = pages.read("a.md", "# One [two](x) `three`!\n\n## A\n\n## A\n\n```sh\n# b\n```\n")
        self.assertEqual(pages.anchors(page), {"one-two-three", "a", "a-1"})

    def test_outputs_are_compared_line_by_line(self):
        for shown, printed, differ, is_whole, result in [
            (["a"], "a\n", False, True, True),
            (["a"], "a\nb\n", False, True, False),
            (["a"], "b\na\n", False, False, True),
            (["a"], "ba\n", False, False, False),
            (["a", "…"], "a\nb\nc\n", False, True, True),
            (["a …"], "a b\n", False, True, True),
            (["1.5 s"], "22 s\n", True, True, True),
            (["1.5 s"], "s\n", True, True, False),
            (["  1 s"], " 10 s\n", True, True, True),
            (["  123.4 R"], "12345.6 R\n", True, True, True),
            (["12345.6 R"], "  123.4 R\n", True, True, True),
            (["12345.6 R"], "x 123.4 R\n", True, True, False),
        ]:
            with self.subTest(shown=shown, printed=printed):
                self.assertEqual(matches(shown, printed, differ, is_whole), result)


if __name__ == "__main__":
    unittest.main()
