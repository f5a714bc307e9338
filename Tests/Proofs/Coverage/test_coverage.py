"""How coverage.py treats lines and reasons.

    python3 -B test_coverage.py
"""

import pathlib
import tempfile
import unittest
import unittest.mock

import coverage


class Lines(unittest.TestCase):
    def test_consecutive_lines_form_a_stretch(self):
        self.assertEqual(coverage.stretches({5, 1, 2, 3, 7}), [[1, 3], [5, 5], [7, 7]])
        self.assertEqual(coverage.stretches(set()), [])

    def test_a_file_has_its_path_in_the_repository_and_its_module(self):
        for path, name, module in [
            ("/x/package/Sources/Core/Monitor/Loop.swift", "Sources/Core/Monitor/Loop.swift", "Monitor"),
            ("/x/CSupport/wait.c", "CSupport/wait.c", "CSupport"),
        ]:
            self.assertEqual(coverage.relative(path), name)
            self.assertEqual(coverage.module_of(name), module)

    def test_an_incomplete_reason_is_rejected(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "uncovered.txt"
            with unittest.mock.patch.object(coverage, "HERE", pathlib.Path(folder)):
                path.write_text("# why\nMakefile ¦ * ¦ because\n")
                self.assertEqual(coverage.reasons(), {"Makefile": {"*": "because"}})
                for text in ("Makefile ¦ *\n", "Makefile ¦ * ¦ \n", "¦ x ¦ y\n", "nowhere.swift ¦ * ¦ because\n"):
                    path.write_text(text)
                    with self.assertRaises(SystemExit):
                        coverage.reasons()


if __name__ == "__main__":
    unittest.main()
