"""Writes the bill of materials of a release, as SPDX 2.3: plumb-<version>-<architecture>.spdx.json.

    python3 -B scripts/materials.py VERSION FOLDER PART...

Nothing in it is written by hand. The list that the linker leaves (build/install/plumb.linked, build/pico/linked,
build/objects/PROGRAM/TARGET/linked) contains what is linked into a program. The package and version of each entry come
from its source: SwiftPM's record of its checkouts, which must match the pins in packaging/swift-packages.json; dpkg,
for libraries of this machine; the pinned packages that scripts/pi-libraries.sh used, for those of the
services; the compiler, for Swift's own. An unknown entry is an error. The firmware for a Pico also contains the pinned packages of
scripts/pico-sources.sh.

Exit codes: 0 written; 65 an entry is unknown or differs from its pin; 69 a list or a tool is missing.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = Path(os.environ.get("SCRATCH", ROOT / ".build"))
# The Debian packages of the services, and the folder of scripts/program.sh with their programs.
TARGETS = {"amd64": "amd64", "arm64": "arm64", "armhf": "armv6", "armel": "armv6"}
PROGRAMS = {"plumb": "plumbd", "plumb-mqtt": "plumb-mqtt", "plumb-desktop": "plumb-desktop"}


def stop(code, text):
    print(f"materials: {text}", file=sys.stderr)
    sys.exit(code)


def said(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return stop(69, f"{command[0]} is missing")
    except subprocess.CalledProcessError as error:
        return stop(65, f"{' '.join(command)}: {error.stderr.strip()}")


def load(path):
    if not path.exists():
        stop(69, f"{path} is missing: build first")
    return json.loads(path.read_text(encoding="utf-8"))


class Swift:
    """The toolchain, as described by its compiler."""

    def __init__(self):
        swift = os.environ.get("SWIFT", "swift")
        info = json.loads(said(swift, "-print-target-info"))
        self.folder = Path(info["paths"]["runtimeResourcePath"]).resolve().parent.parent.parent
        match = re.search(r"Swift version (\S+)", info["compilerVersion"])
        self.version = match[1] if match else stop(65, f"{swift} tells no version")

    def package(self, name):
        return {
            "name": name,
            "versionInfo": self.version,
            "downloadLocation": f"https://github.com/swiftlang/swift/releases/tag/swift-{self.version}-RELEASE",
            "externalRefs": [purl(f"pkg:github/swiftlang/swift@swift-{self.version}-RELEASE")],
        }


def purl(locator):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}


def swift_packages():
    """SwiftPM's checkouts, by their folder."""
    pins = {pin["identity"]: pin["state"] for pin in load(ROOT / "packaging/swift-packages.json")["pins"]}
    result = {}
    for found in load(SCRATCH / "workspace-state.json")["object"]["dependencies"]:
        reference, state = found["packageRef"], found["state"]["checkoutState"]
        pin = pins.get(reference["identity"], {})
        if (pin.get("version"), pin.get("revision")) != (state.get("version"), state["revision"]):
            stop(65, f"{reference['identity']} is checked out at {state}, and packaging/swift-packages.json pins {pin}")
        host = reference["location"].removeprefix("https://").removesuffix(".git")
        result[found["subpath"]] = {
            "name": reference["name"],
            "versionInfo": state["version"],
            "downloadLocation": f"git+{reference['location']}@{state['revision']}",
            "externalRefs": [purl(f"pkg:swift/{host}@{state['version']}")],
        }
    return result


def checkout_of(folder):
    """The checkout whose sources are compiled in a folder MODULE.build: None for Plumb's own."""
    table = folder / "output-file-map.json"
    texts = [table] if table.exists() else sorted(folder.glob("*.d"))
    found = {name for text in texts for name in re.findall(r"/checkouts/([^/]+)/", text.read_text(encoding="utf-8"))}
    # A C program that includes headers of other checkouts would have more than one.
    if len(found) > 1:
        stop(65, f"{folder} has sources of {sorted(found)}")
    return found.pop() if found else None


class Debian:
    """Packages of this machine, according to dpkg."""

    def __init__(self):
        self.owners = {}

    def package(self, path):
        path = str(Path(path).resolve())
        if path not in self.owners:
            # Packages from before /lib became a link to /usr/lib list their files below /lib.
            former = [path.removeprefix("/usr")] if path.startswith("/usr/lib") else []
            names = subprocess.run(["dpkg-query", "-S", path, *former], check=False, capture_output=True, text=True).stdout
            name = names.split(": ")[0].split(",")[0] or stop(65, f"{path} is of no Debian package")
            form = "${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}"
            self.owners[path] = said("dpkg-query", "-W", "-f", form, name).split()
        return debian_package(*self.owners[path])


def debian_package(name, version, architecture, source=None, source_version=None, checksum=None):
    system = dict(
        line.rstrip().replace('"', "").split("=", 1) for line in Path("/etc/os-release").open(encoding="utf-8") if "=" in line
    )
    vendor = system["ID"] if checksum is None else "debian"
    result = {
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "externalRefs": [purl(f"pkg:deb/{vendor}/{name}@{version}?arch={architecture}")],
    }
    if source:
        result["sourceInfo"] = f"built from the source package {source} {source_version}"
    if checksum:
        result["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
    return result


def fetched_package(path):
    """The pinned package that contains a library of scripts/pi-libraries.sh."""
    folder = path.parent.parent
    owners = (line.split() for line in (folder.parent / "libraries").read_text(encoding="utf-8").splitlines())
    owner = next((package for name, library, package in owners if (name, library) == (folder.name, path.name)), None)
    for line in (folder.parent / "packages").read_text(encoding="utf-8").splitlines():
        architecture, name, package, version, checksum = line.split()
        if (name, package) == (folder.name, owner):
            return debian_package(package, version, architecture, checksum=checksum)
    return stop(65, f"{path} is of no package that scripts/pi-libraries.sh has taken")


def pico_sources():
    """The pinned packages whose sources are compiled into the firmware for a Pico, checked by scripts/pico-sources.sh."""
    for line in (ROOT / "scripts/pico-sources.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, version, checksum = line.split()
            yield debian_package(name, version, "all", checksum=checksum)


class Bill:
    def __init__(self, version, folder):
        self.version, self.folder = version, folder
        self.swift, self.debian, self.checkouts = Swift(), Debian(), None
        self.packages, self.relations = {}, set()

    def add(self, package):
        """Adds a package once and returns its identifier."""
        architecture = package["externalRefs"][0]["referenceLocator"].partition("?arch=")[2]
        words = "-".join(filter(None, [package["name"], package["versionInfo"], architecture]))
        key = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", words)
        package = {
            "SPDXID": key,
            "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION",
            "copyrightText": "NOASSERTION",
            **package,
        }
        if self.packages.setdefault(key, package) != package:
            stop(65, f"two packages would be {key}")
        return key

    def file(self, name):
        """A file of the release."""
        path = self.folder / name
        if not path.exists():
            stop(69, f"{path} is missing")
        key = "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        self.packages[key] = {
            "SPDXID": key,
            "name": name,
            "packageFileName": name,
            "versionInfo": self.version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
            "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "Apache-2.0",
            "copyrightText": "NOASSERTION",
        }
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", key)
        return key

    def relate(self, one, how, other):
        self.relations.add((one, how, other))

    def owner(self, entry):
        """The package of a linker input; None if it belongs to Plumb or to the linker itself."""
        path = Path(re.sub(r"\(.*\)$", "", entry))
        if path.is_relative_to(self.swift.folder):
            return self.swift.package("swift-runtime")
        if path.parent.parent.parent.parent.name.startswith("debian-12-"):
            return fetched_package(path)
        if path.parent.name.endswith(".build"):
            self.checkouts = swift_packages() if self.checkouts is None else self.checkouts
            checkout = checkout_of(path.parent)
            return self.checkouts[checkout] if checkout else None
        # Objects of the program itself, compiled only for this link, and those added by the compiler driver.
        if path.suffix == ".o" and (not path.is_absolute() or str(path).startswith(("/tmp/", os.environ.get("TMPDIR", "/tmp")))):
            return None
        return self.debian.package(path)

    def linked(self, key, listed):
        if not listed.exists():
            stop(69, f"{listed} is missing: build first")
        entries = [line for line in listed.read_text(encoding="utf-8").splitlines() if line.strip()]
        for entry in sorted({re.sub(r"\(.*\)$", "", entry) for entry in entries}):
            owner = self.owner(entry)
            if owner:
                how = "DYNAMIC_LINK" if re.search(r"\.so(\.[0-9]+)*$", entry) else "STATIC_LINK"
                self.relate(key, how, self.add(owner))

    def compiled(self, key):
        """What is in every Swift program, and what built it."""
        self.relate(key, "STATIC_LINK", self.add(self.swift.package("swift-runtime")))
        self.relate(self.add(self.swift.package("swift-toolchain")), "BUILD_TOOL_OF", key)

    def document(self):
        epoch = int(os.environ["SOURCE_DATE_EPOCH"])
        sums = "".join(sorted(package["checksums"][0]["checksumValue"] for package in self.packages.values() if "packageFileName" in package))
        name = f"plumb-{self.version}"
        return {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": name,
            # Derived from what it describes, and so the same for the same files.
            "documentNamespace": f"https://plumb.invalid/spdx/{name}-{hashlib.sha256(sums.encode()).hexdigest()}",
            "creationInfo": {
                "created": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": ["Tool: scripts/materials.py"],
            },
            "packages": [self.packages[key] for key in sorted(self.packages)],
            "relationships": [
                {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
                for one, how, other in sorted(self.relations)
            ],
        }


def main():
    version, folder, parts = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    bill = Bill(version, folder)
    native = said("dpkg", "--print-architecture").strip()
    debian = version.replace("-", "~", 1)
    if "source" in parts:
        bill.file(f"plumb-{version}.tar.xz")
    if "core" in parts:
        for path in sorted(folder.glob(f"plumb-core-{version}-*.tar.xz")):
            bill.compiled(bill.file(path.name))
    if "deb" in parts:
        for architecture, target in TARGETS.items():
            for package, program in PROGRAMS.items():
                key = bill.file(f"{package}_{debian}_{architecture}.deb")
                bill.compiled(key)
                bill.linked(key, ROOT / "build/objects" / program / target / "linked" / program)
    if "tool" in parts:
        for name in (f"plumb-tool_{debian}_{native}.deb", f"plumb-tool-{version}-{native}.tar.xz"):
            key = bill.file(name)
            bill.compiled(key)
            bill.linked(key, ROOT / "build/install/plumb.linked")
    if "docs" in parts:
        key = bill.file(f"plumb-docs-{version}.tar.xz")
        bill.relate(bill.add(bill.swift.package("swift-toolchain")), "BUILD_TOOL_OF", key)
    if "pico" in parts:
        key = bill.file(f"plumb-pico-{version}.tar.xz")
        bill.compiled(key)
        for package in pico_sources():
            bill.relate(key, "STATIC_LINK", bill.add(package))
        bill.linked(key, ROOT / "build/pico/linked")
    text = json.dumps(bill.document(), indent=2, ensure_ascii=False) + "\n"
    (folder / f"plumb-{version}-{native}.spdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
