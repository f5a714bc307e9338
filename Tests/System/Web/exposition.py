"""Strict parsers for the two text formats of metrics, after their specifications, with the naming rules of Prometheus.

OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), "Text format" and "Metric types"; Prometheus
text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/); "Metric and label naming"
(https://prometheus.io/docs/practices/naming/). They accept what `plumb serve` may send: no time stamps, histograms or
exemplars.
"""
import dataclasses
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|NaN|[+-]Inf")
METADATA = re.compile(rf"# (HELP|TYPE|UNIT) ({NAME})(?: (.*))?")
# Suffixes that a sample's name may add to that of its family.
SUFFIXES = {
    "counter": ("_total", "_created"), "gauge": ("",), "info": ("_info",), "stateset": ("",), "unknown": ("",),
}
RESERVED = ("_total", "_created", "_info", "_count", "_sum", "_bucket", "_gcount", "_gsum")
# The unit word for each quantity for which Prometheus names a base unit, with wrong alternatives.
WRONG_UNITS = {
    "milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "weeks", "ms", "us", "ns", "s", "h", "d",
    "m", "b", "kb", "mb", "gb", "bits", "kilobytes", "fahrenheit", "kelvins", "percent", "sec", "milligrams",
}


class Wrong(Exception):
    """A text that its specification does not allow."""


@dataclasses.dataclass
class Sample:
    name: str
    labels: dict
    value: float
    text: str


@dataclasses.dataclass
class Family:
    name: str
    type: str = None
    help: str = None
    unit: str = None
    samples: list = dataclasses.field(default_factory=list)

    def value(self, suffix="", **labels):
        """The value of one sample."""
        found = [sample.value for sample in self.samples if sample.name == self.name + suffix and sample.labels == labels]
        if len(found) != 1:
            raise KeyError(f"{self.name}{suffix} {labels}: {len(found)} samples")
        return found[0]


def demand(condition, words):
    if not condition:
        raise Wrong(words)


def parse(text, is_open):
    """The families of a text by name, in OpenMetrics if `is_open`, otherwise in the older format."""
    demand("\r" not in text, "a carriage return")
    if is_open:
        demand(text.endswith("# EOF\n"), "no # EOF at the end")
        text = text.removesuffix("# EOF\n")
    demand(not text or text.endswith("\n"), "no line feed at the end")
    families, present = {}, None
    for line in text.split("\n")[:-1]:
        demand(line, "an empty line")
        if line.startswith("#"):
            match = METADATA.fullmatch(line)
            demand(match, f"not metadata: {line}")
            word, name, rest = match.groups()
            demand(is_open or word != "UNIT", f"a unit, which this format has not: {line}")
            if present is None or present.name != name:
                demand(name not in families, f"{name} in two places")
                present = families[name] = Family(name)
            demand(not present.samples, f"metadata behind samples: {line}")
            demand(getattr(present, word.lower()) is None, f"twice: {line}")
            demand(rest, f"nothing is said: {line}")
            setattr(present, word.lower(), described(word, rest, present, is_open))
        else:
            found = sample(line)
            # Samples without metadata would be of unknown type; here all have metadata.
            demand(present, f"a sample of no family: {line}")
            demand(present.type and present.help, f"{present.name} without type or help")
            names = [present.name + suffix for suffix in SUFFIXES[present.type]] if is_open else [present.name]
            demand(found.name in names, f"not of the family {present.name}, a {present.type}: {line}")
            present.samples.append(found)
    for family in families.values():
        demand(family.samples, f"{family.name} has no samples")
        check_series(family)
        (check_open if is_open else check_old)(family)
    check_names(families, is_open)
    return families


def described(word, rest, family, is_open):
    if word == "HELP":
        escapes = r"\\[\\n\"]" if is_open else r"\\[\\n]"
        demand("\\" not in re.sub(escapes, "", rest), f"an escape that is none: {rest}")
    elif word == "TYPE":
        demand(rest in (SUFFIXES if is_open else ("counter", "gauge", "untyped")), f"no type: {rest}")
    else:
        demand(re.fullmatch(r"[a-z_]+", rest) and family.name.endswith("_" + rest), f"{family.name} does not end in {rest}")
    return rest


def sample(line):
    match = SAMPLE.fullmatch(line)
    demand(match, f"not a sample: {line}")
    name, inside, number = match.groups()
    demand(NUMBER.fullmatch(number), f"not a number: {line}")
    labels, rest = {}, inside or ""
    demand(inside is None or inside, f"empty braces: {line}")
    while rest:
        label = LABEL.match(rest)
        demand(label, f"not a label: {line}")
        demand(label[1] not in labels, f"a label twice: {line}")
        demand(not label[1].startswith("__"), f"a reserved label: {line}")
        labels[label[1]] = re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], label[2])
        rest = rest[label.end():]
        demand(not rest or rest.startswith(",") and len(rest) > 1, f"labels that do not end: {line}")
        rest = rest[1:]
    return Sample(name, labels, float(number), number)


def check_series(family):
    """No series twice, the same labels in all, and only numbers."""
    seen = [(each.name, tuple(sorted(each.labels.items()))) for each in family.samples]
    demand(len(set(seen)) == len(seen), f"{family.name} has a series twice")
    demand(len({tuple(sorted(each.labels)) for each in family.samples}) == 1, f"{family.name} has different labels")
    for each in family.samples:
        demand(math.isfinite(each.value), f"{each.name} is {each.text}")


def check_open(family):
    """What OpenMetrics requires of each type."""
    labels = [each.labels for each in family.samples]
    grouped = [one for index, one in enumerate(labels) if index == 0 or labels[index - 1] != one]
    demand(len({tuple(sorted(one.items())) for one in grouped}) == len(grouped), f"metrics of {family.name} are mixed")
    if family.type == "counter":
        for each in family.samples:
            demand(each.value >= 0, f"{each.name} is negative")
            demand(re.fullmatch(r"\d+", each.text) or each.name.endswith("_created"), f"{each.name} counts parts")
        totals = [each.labels for each in family.samples if each.name.endswith("_total")]
        demand(all(one in totals for one in labels), f"{family.name} was created but has no total")
    elif family.type == "info":
        demand(all(each.text == "1" for each in family.samples), f"{family.name} is not 1")
        demand(not family.unit, f"{family.name} has a unit")
    elif family.type == "stateset":
        demand(not family.unit, f"{family.name} has a unit")
        for each in family.samples:
            demand(family.name in each.labels, f"{family.name} has no label of its name")
            demand(each.text in ("0", "1"), f"{family.name} is {each.text}")
    if family.type != "info":
        demand(not family.name.endswith(RESERVED), f"{family.name} has a reserved end")


def check_old(family):
    """What the older format, and `promtool check metrics`, require of each type."""
    demand((family.type == "counter") == family.name.endswith("_total"), f"{family.name} is a {family.type}")
    demand(not family.name.endswith(("_count", "_sum", "_bucket")), f"{family.name} has a reserved end")
    demand(family.type != "counter" or all(each.value >= 0 for each in family.samples), f"{family.name} is negative")
    demand(not re.search(r"\b(gauge|counter|metric)\b", family.name), f"{family.name} has its type in its name")


def check_names(families, is_open):
    """What the naming rules require: one prefix, snake case, base units; and no name that another family generates."""
    for name, family in families.items():
        demand(re.fullmatch(r"plumb(_[a-z][a-z0-9]*)*", name), f"not a name of ours: {name}")
        demand(not WRONG_UNITS & set(name.split("_")), f"{name} has no base unit")
        for each in family.samples:
            for label in each.labels:
                demand(re.fullmatch(r"[a-z][a-z0-9_]*", label), f"not a label of ours: {label}")
    if is_open:
        made = [name + suffix for name, family in families.items() for suffix in {"", *SUFFIXES[family.type]}]
        demand(len(set(made)) == len(made), "two families make the same name")
