#!/usr/bin/env python3
"""Runs a batch on every state that a power cut may leave of another one.

Records the system calls of a batch of three files, rebuilds the files of the crash states (crash_disk.py), and lets
another batch continue from each: after every call; with names and contents lost that were not on the disk in the
model of a journal (ext4) and in the weak model (POSIX). The ledger's own files are among them. In the end, every
output has the bytes of an undisturbed batch, no temporary file is left, and no output was made again that the ledger
of the state has. Before that, and after, no original of a replaced file is lost.

Prints the operations around each state that fails, and ends with status 1. Needs strace.
"""

import argparse
import collections
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import crash_disk
import folders
import recording

PATIENCE = 60
# Pseudorandom states of the weak model after each operation.
MIXED = 3


class Case:
    """A command whose crash states are made: its files before, and its result."""

    def __init__(self, name, words, prepare=None, outputs=("out",), replaces=False, sources="in"):
        self.name, self.words, self.prepare, self.outputs = name, words, prepare, outputs
        self.replaces, self.sources = replaces, sources


def change_sources(tool, root):
    tool.run(["batch", "in", "--to", "out", *tool.words])
    for number, path in enumerate(sorted((root / "in").rglob("*.wav"))):
        folders.write_tone(path, number + 20)


def move_sources(tool, root):
    tool.run(["batch", "in", "--to", "out", *tool.words])
    (root / "in" / "one").rename(root / "in" / "other")


def replace_sources(tool, root):
    tool.run(["batch", "in", "--replace", "--even-if-larger", "--originals", "originals", *tool.words])


def small_preset(tool, root):
    (root / "small.yaml").write_text("extends: wav\nname: small\naudio: {codec: pcm, sampleRate: 8000}\n")


def cases(words):
    replace = ["batch", "in", "--replace", "--even-if-larger"]
    small = ["--preset", "small.yaml", *words[2:]]
    return [
        Case("new outputs", ["batch", "in", "--to", "out", *words]),
        Case("changed sources", ["batch", "in", "--to", "out", *words], prepare=change_sources),
        Case("new outputs, strict", ["batch", "in", "--to", "out", "--strict", *words]),
        Case("moved sources, strict", ["batch", "in", "--to", "out", "--strict", *words], prepare=move_sources),
        Case("moved sources", ["batch", "in", "--to", "out", *words], prepare=move_sources),
        Case("replaced, originals removed", [*replace, *words], outputs=("in",), replaces=True),
        Case("replaced, originals kept", [*replace, "--originals", "originals", *words],
             outputs=("in", "originals"), replaces=True),
        Case("replaced with the same names, originals kept", [*replace, "--originals", "originals", *small],
             prepare=small_preset, outputs=("in", "originals"), replaces=True),
        Case("replaced with the same names, originals removed", [*replace, *small],
             prepare=small_preset, outputs=("in",), replaces=True),
        Case("restored", ["restore", "in"], prepare=replace_sources, outputs=("in",), replaces=True,
             sources="originals"),
    ]


class Tool:
    def __init__(self, options):
        self.command = folders.installed(options.command)
        self.options = options
        self.words = ["--preset", "opus-128k", "--json", "--jobs", "1"]
        self.place = Path(os.path.realpath(tempfile.mkdtemp(prefix="respool-crash-", dir=options.folder)))
        self.root = self.place / "root"
        self.environment = dict(os.environ, HOME=str(self.place / "home"), LC_ALL="C.UTF-8")
        subprocess.run([self.command, "plugins", "list"], env=self.environment, stdout=subprocess.DEVNULL, check=True)

    def run(self, words):
        result = subprocess.run(
            [self.command, *words], env=self.environment, cwd=self.root, stdin=subprocess.DEVNULL, timeout=PATIENCE,
            capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def record(self, case):
        """Records a case; the root has its final state then."""
        shutil.rmtree(self.root, ignore_errors=True)
        for number, name in enumerate(["a.wav", "one/b.wav", "one/two/c.wav"]):
            (self.root / "in" / name).parent.mkdir(parents=True, exist_ok=True)
            folders.write_tone(self.root / "in" / name, number)
            # Of another time than files that are made now.
            os.utime(self.root / "in" / name, ns=(10**18, 10**18 + number * 1001))
        if case.prepare:
            case.prepare(self, self.root)
        disk = crash_disk.Disk(self.root)
        log = self.place / "calls"
        status, output = recording.record([self.command, *case.words], log, self.environment, self.root)
        if status != 0:
            raise RuntimeError(f"{case.name}: status {status}: {output}")
        for call in recording.calls(log, str(self.root)):
            disk.take(call)
        self.check_model(disk)
        if self.options.forget_syncs:
            disk.operations = [one for one in disk.operations if one[0] != "sync" or disk.kinds[one[1]] != "file"]
        return disk

    def check_model(self, disk):
        """Checks that the model of all operations has the files of the command."""
        def contents(state, path=""):
            for name, entry in state[1].items():
                if len(entry) == 2:
                    yield from contents(entry, path + name + "/")
                elif not name.endswith("-shm"):
                    yield path + name, (entry[1], hashlib.sha256(entry[2]).hexdigest())
        expected = dict(contents(disk.state(range(len(disk.operations)))))
        found = {}
        for path in self.root.rglob("*"):
            if path.is_file():
                found[str(path.relative_to(self.root))] = (
                    path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        wrong = [
            name for name in set(expected) | set(found)
            if expected.get(name, (0, 0))[1] != found.get(name, (0, 0))[1]
            or expected[name][0] not in (None, found[name][0]) and not name.startswith("in/.respool")
            and ".respool/" not in name]
        if wrong:
            raise RuntimeError(f"the model has other files: {[(n, expected.get(n), found.get(n)) for n in wrong][:4]}")

    # States

    def states(self, disk):
        """Yields the operations that are left, and a description."""
        chance = random.Random(self.options.seed)
        operations = disk.operations
        for end in range(len(operations) + 1):
            everything = list(range(end))
            yield everything, f"{end} calls"
            content = [index for index in everything if disk.is_content(operations[index])]
            # A journal: content that is not synced is lost, as a whole or that of one file; also the last names.
            durable = disk.synced(end, False)
            lost = [index for index in content if index not in durable]
            names = [index for index in everything if index not in durable and not disk.is_content(operations[index])]
            files = {operations[index][1] for index in lost}
            for file in files:
                gone = {index for index in lost if operations[index][1] == file}
                yield [index for index in everything if index not in gone], f"{end} calls, content of {file} lost"
                half = {index for index in gone if chance.random() < 0.5}
                yield [index for index in everything if index not in half], f"{end} calls, part of {file} lost"
            yield [index for index in everything if index not in lost], f"{end} calls, content lost"
            yield [index for index in everything if index not in names], f"{end} calls, names lost"
            yield sorted(durable), f"{end} calls, all lost that was not synced"
            # The weak model: names are lost one by one, too.
            durable = disk.synced(end, True)
            names = [index for index in everything if index not in durable and not disk.is_content(operations[index])]
            yield sorted(durable), f"{end} calls, weak, all lost that was not synced"
            for index in names:
                yield [one for one in everything if one != index], f"{end} calls, weak, {operations[index][:5]} lost"
                yield sorted(durable | {index}), f"{end} calls, weak, only {operations[index][:5]} left"
            loose = [index for index in everything if index not in durable]
            for number in range(MIXED if loose else 0):
                some = {index for index in loose if chance.random() < 0.5}
                yield sorted(durable | some), f"{end} calls, weak, mixture {number}"

    def unique(self, disk):
        """Returns the different states, at most as many as wanted."""
        found = {}
        for kept, text in self.states(disk):
            state = disk.state(kept)
            found.setdefault(hashlib.sha256(repr(state).encode("utf-8", "surrogateescape")).digest(), (kept, text))
        all_states = list(found.values())
        wanted = self.options.states
        if wanted and len(all_states) > wanted:
            random.Random(self.options.seed).shuffle(all_states)
            all_states = all_states[:wanted]
        return all_states, len(found)

    # Checks

    def entries(self):
        """Returns the outputs that the ledger of a state has as complete, from a copy of it."""
        copy = self.place / "ledger copy"
        for place in ("out", "in"):
            source = self.root / place / folders.STATE
            if not (source / "ledger").exists():
                continue
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
            try:
                database = sqlite3.connect(copy / "ledger")
                rows = database.execute(
                    "SELECT w.text, out_name FROM files JOIN words w ON w.id = out_folder WHERE published = 1")
                names = [os.path.normpath(os.path.join(place, a.decode(), b.decode())) for a, b in rows]
                database.close()
                return names
            except sqlite3.Error:
                return []
        return []

    def originals_lost(self, originals, expected):
        """Returns the originals of which neither a copy nor the complete output is left."""
        found = set()
        for place in ("in", "originals"):
            if (self.root / place).exists():
                found |= {value[2] for value in folders.tree(self.root / place).values()}
        return [name for name, (digest, output) in originals.items() if digest not in found and output not in found]

    def check(self, case, expected, originals):
        """Continues from the state in the root; returns a sentence about what is wrong, or None."""
        if lost := self.originals_lost(originals, expected):
            return f"lost at once: {lost}"
        before = {}
        for name in self.entries():
            path = self.root / name
            value = expected.get(name)
            if value and path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == value[2]:
                before[name] = path.stat().st_ino
        try:
            status, output = self.run(case.words)
        except subprocess.TimeoutExpired:
            return "the next batch hangs"
        if lost := self.originals_lost(originals, expected):
            return f"lost afterwards: {lost}: {output[-2000:]}"
        if status != 0:
            return f"status {status}: {output[-2000:]}"
        if "is damaged" in output:
            return f"the ledger is damaged: {output[-2000:]}"
        found = self.tree(case)
        names = [
            name for name in sorted(set(expected) | set(found))
            if (expected.get(name) or ("", 0, None))[2] != (found.get(name) or ("", 0, None))[2]
            # An empty folder that was removed may be there again.
            and (found.get(name) or ("", 0, None))[2] != "folder"]
        if names:
            return f"other files: {names}: {output[-2000:]}"
        for name, inode in before.items():
            if (self.root / name).stat().st_ino != inode:
                return f"{name} was made again: {output[-2000:]}"
        return None

    def tree(self, case):
        return {
            f"{place}/{name}": value for place in case.outputs if (self.root / place).exists()
            for name, value in folders.tree(self.root / place).items()}

    def explain(self, disk, kept):
        lines = []
        last = kept[-1] if kept else 0
        kept = set(kept)
        for index, operation in enumerate(disk.operations[:last + 6]):
            if disk.is_content(operation) and operation[0] == "write":
                operation = (*operation[:3], f"{len(operation[3])} bytes")
            lines.append(f"    {' ' if index in kept else '-'} {index} {operation}")
        return "\n".join(lines[-self.options.lines:])

    def run_case(self, case):
        disk = self.record(case)
        expected = self.tree(case)
        originals = {}
        if case.replaces:
            self.collect(disk.state([])[1][case.sources], "", originals, case, expected)
        chosen, count = self.unique(disk)
        start = time.monotonic()
        failures = collections.Counter()
        for number, (kept, text) in enumerate(chosen):
            if self.options.seconds and time.monotonic() - start > self.options.seconds:
                chosen = chosen[:number]
                break
            state = disk.state(kept)
            crash_disk.build(self.root, state, () if case.replaces else ("in",))
            if problem := self.check(case, expected, originals):
                failures[problem.split(":")[0]] += 1
                if failures[problem.split(":")[0]] <= self.options.shown:
                    print(f"{case.name}: {text}: {problem}\n{self.explain(disk, kept)}", flush=True)
        seconds = time.monotonic() - start
        print(
            f"{case.name}: {len(disk.operations)} operations, {count} states, {len(chosen)} tried in {seconds:.0f} s: "
            f"{sum(failures.values())} failed {dict(failures) or ''}", flush=True)
        return sum(failures.values())

    def collect(self, entry, path, originals, case, expected):
        """Notes the content of each source, and that of the output that may take its place."""
        if len(entry) == 2:
            for name, inner in entry[1].items():
                if name not in (folders.STATE, folders.MARK):
                    self.collect(inner, f"{path}/{name}" if path else name, originals, case, expected)
            return
        digest = hashlib.sha256(entry[2]).hexdigest()
        output = None
        if "originals" not in case.outputs and case.sources == "in":
            stem = os.path.splitext("in/" + path)[0]
            output = next((value[2] for name, value in expected.items() if os.path.splitext(name)[0] == stem), None)
        originals[path] = (digest, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the built or installed command")
    parser.add_argument("--case", help="only cases whose names contain this")
    parser.add_argument("--states", type=int, help="number of pseudorandom states of each case; all without it")
    parser.add_argument("--seconds", type=float, help="time for each case")
    parser.add_argument("--seed", default="0")
    parser.add_argument(
        "--forget-syncs", action="store_true", help="as if no content was synced, to see that the checks find that")
    parser.add_argument("--shown", type=int, default=2, help="states shown of each kind of failure")
    parser.add_argument("--lines", type=int, default=30, help="operations shown of a state")
    parser.add_argument("--folder", default="/dev/shm", help="where the files are")
    options = parser.parse_args()
    tool = Tool(options)
    failed = 0
    for case in cases(tool.words):
        if not options.case or options.case in case.name:
            failed += tool.run_case(case)
    shutil.rmtree(tool.place)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
