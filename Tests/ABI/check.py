#!/usr/bin/env python3
"""Checks that the plugin ABI's headers only add to those of each released minor version.

    check.py HEADERS        HEADERS is the folder that has respool/plugin.h

Every field of a released struct must be there, with its name, type and offset; only a `reserved` field may get a name.
Every constant must have its value. abidiff must report nothing but fields at the end of structs. Prints a line for each
difference, and ends with status 1 if there is one.
"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Constants that differ from version to version.
VERSION = "RSP_ABI_MINOR"


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def build(headers, folder, name):
    """Builds the reference library with debug information."""
    library = folder / f"{name}.so"
    result = run(
        "cc", "-std=c11", "-g", "-fno-eliminate-unused-debug-types", "-shared", "-fPIC", "-I", headers,
        HERE / "reference.c", "-o", library)
    if result.returncode != 0:
        sys.exit(f"the reference library of {name} does not compile:\n{result.stderr}")
    return library


def unversioned(name):
    """Returns the name of a struct without the minor version in its tag."""
    return re.sub(r"^(rsp_\w+?)_\d+_\d+$", r"\1", name)


class Description:
    """The structs of a library: for each, its fields by name with offset and type."""

    def __init__(self, library):
        dump = run("abidw", "--drop-private-types", library)
        if dump.returncode != 0:
            sys.exit(f"abidw failed: {dump.stderr}")
        root = xml.fromstring(dump.stdout)
        self.types = {node.get("id"): node for node in root.iter() if node.get("id")}
        self.structs = {}
        for node in root.iter("class-decl"):
            if node.get("is-declaration-only") == "yes" or not node.get("name", "").startswith("rsp_"):
                continue
            fields = {}
            for member in node.findall("data-member"):
                variable = member.find("var-decl")
                fields[variable.get("name")] = (
                    int(member.get("layout-offset-in-bits")) // 8, self.spelled(variable.get("type-id")))
            self.structs[unversioned(node.get("name"))] = fields

    def spelled(self, identifier):
        node = self.types.get(identifier)
        if node is None:
            return "void"
        inner = self.spelled(node.get("type-id")) if node.get("type-id") else "void"
        if node.tag == "pointer-type-def":
            return inner + " *"
        if node.tag == "qualified-type-def":
            return inner + (" const" if node.get("const") == "yes" else "")
        if node.tag == "array-type-def":
            return f"{inner}[{','.join(part.get('length') for part in node.findall('subrange'))}]"
        if node.tag == "function-type":
            returned = self.spelled(node.find("return").get("type-id"))
            parameters = [self.spelled(part.get("type-id")) for part in node.findall("parameter")]
            return f"{returned} ({', '.join(parameters)})"
        if node.tag == "typedef-decl":
            # A typedef of a base type, such as uint32_t, is told by its name and by what it stands for.
            return f"{node.get('name')}={inner}"
        return unversioned(node.get("name") or node.tag)


def text_of_abi(headers):
    """Returns the headers of the ABI, without those that only help to use it."""
    files = sorted(headers.glob("respool/*.h"))
    return "".join(path.read_text() for path in files if path.name not in ("helpers.h", "records.h"))


def constants(headers, names, folder):
    """Returns the values of constants by name; constants that the headers do not have are missing."""
    source = folder / "constants.c"
    known = []
    text = text_of_abi(headers)
    for name in names:
        if re.search(rf"\b{name}\b", text):
            known.append(name)
    lines = "".join(f'  printf("{name} %lld\\n", (long long)({name}));\n' for name in known)
    source.write_text(f"#include <respool/plugin.h>\n#include <stdio.h>\nint main(void) {{\n{lines}}}\n")
    program = folder / "constants"
    result = run("cc", "-I", headers, source, "-o", program)
    if result.returncode != 0:
        sys.exit(f"the constants do not compile:\n{result.stderr}")
    return dict(line.split() for line in run(program).stdout.splitlines())


def names_of_constants(headers):
    text = re.sub(r"/\*.*?\*/", "", text_of_abi(headers), flags=re.S)
    enumerators = re.findall(r"\b(RSP_[A-Z0-9_]+)\s*=", text)
    macros = re.findall(r"#define (RSP_[A-Z0-9_]+) \(*(?:\(int64_t\))?-?(?:\d|INT64_MIN)", text)
    return sorted(set(enumerators + macros) - {VERSION})


def differences(version, old, new):
    for struct, fields in old.structs.items():
        if struct not in new.structs:
            yield f"{version}: {struct} is gone"
            continue
        now = new.structs[struct]
        at = {offset: (name, kind) for name, (offset, kind) in now.items()}
        for name, (offset, kind) in fields.items():
            if name.startswith("reserved"):
                if at.get(offset, ("", ""))[1] != kind:
                    yield f"{version}: {struct}.{name} at {offset} had the type {kind}"
            elif now.get(name) != (offset, kind):
                yield f"{version}: {struct}.{name} was {kind} at {offset}, and is {now.get(name)}"


def main():
    headers = Path(sys.argv[1])
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = build(headers, folder, "now")
        new = Description(library)
        releases = sorted(path for path in HERE.iterdir() if re.fullmatch(r"\d+\.\d+", path.name))
        for release in releases:
            old = build(release, folder, release.name)
            problems += differences(release.name, Description(old), new)
            names = names_of_constants(release)
            was, now = constants(release, names, folder), constants(headers, names, folder)
            problems += [
                f"{release.name}: {name} was {value}, and is {now.get(name)}"
                for name, value in was.items() if now.get(name) != value]
            report = run(
                "abidiff", "--leaf-changes-only", "--no-added-syms", "--suppressions",
                HERE / "suppressions.abignore", old, library)
            if report.returncode != 0:
                problems.append(f"{release.name}: abidiff reports\n{report.stdout}{report.stderr}")
    print("\n".join(problems) or f"the ABI adds only to {', '.join(path.name for path in releases)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
