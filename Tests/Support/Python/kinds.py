"""The same tests for each of several programs."""

import sys


def for_each_kind(base, names):
    """A decorator that turns a class of tests into one for each kind, in the same module: a subclass of `base` too,
    whose attribute `kind` is a key of `names`, and whose name ends with its value."""
    def made(tests):
        module = sys.modules[tests.__module__]
        for kind, ending in names.items():
            name = tests.__name__ + ending
            setattr(module, name, type(name, (tests, base), {"kind": kind, "__module__": tests.__module__}))
        return tests
    return made
