#!/usr/bin/env python3
"""Counts faults while a batch replaces its sources: originals that are lost, and broken files with a name.

Each fault has a folder with one source of its own. After it, the original exists or its complete output has its place,
and no visible file is anything else. A later batch without the fault then finishes the work. Prints a table, and ends
with status 1 if any fault breaks a rule. Needs root to mount small file systems.
"""

import argparse
import collections
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import folders

FIXTURES = Path(__file__).resolve().parent.parent / "Fixtures"
SMALL = "extends: wav\nname: small\naudio: {codec: pcm, sampleRate: 8000}\n"


class Faults:
    def __init__(self, options):
        self.command = folders.installed(options.command)
        self.place = Path(tempfile.mkdtemp(prefix="respool-replace-", dir=options.folder))
        self.environment = dict(os.environ, HOME=str(self.place / "home"), LC_ALL="C.UTF-8")
        self.libraries = {}
        for name in ["kill_at", "spoil_output", "read_faults"]:
            self.libraries[name] = str(self.place / f"{name}.so")
            folders.run(["cc", "-shared", "-fPIC", "-o", self.libraries[name], FIXTURES / f"{name}.c", "-ldl"])
        (self.place / "small.yaml").write_text(SMALL)
        self.source = self.place / "source.wav"
        folders.write_tone(self.source, 33)
        self.original = self.source.read_bytes()
        self.presets = {"other name": "opus-128k", "same name": str(self.place / "small.yaml")}
        self.expected, self.names = {}, {"other name": "a.opus", "same name": "a.wav"}
        self.table = collections.defaultdict(collections.Counter)
        self.mounts = []
        for kind in self.presets:
            self.begin()
            status, output = self.batch(kind, None)
            if status != 0:
                sys.exit(f"the undisturbed batch failed: {output}")
            self.expected[kind] = (self.root / "in" / self.names[kind]).read_bytes()

    @property
    def root(self):
        return self.place / "root"

    def begin(self):
        for mount in reversed(self.mounts):
            subprocess.run(["umount", "-l", mount], check=False)
        self.mounts = []
        shutil.rmtree(self.root, ignore_errors=True)
        (self.root / "in").mkdir(parents=True)
        shutil.copy2(self.source, self.root / "in" / "a.wav")

    def mount(self, path, size="8m", inodes=1000):
        path.mkdir(exist_ok=True)
        options = f"size={size},nr_inodes={inodes}"
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "respool-test", path], check=False).returncode != 0:
            sys.exit("file systems cannot be mounted; run this as root")
        self.mounts.append(path)

    def batch(self, kind, originals, words=(), **environment):
        command = [self.command, "batch", "in", "--replace", "--even-if-larger", "--preset", self.presets[kind], "--json",
                   "--wait-for-space", "0", *(["--originals", originals] if originals else []), *words]
        result = subprocess.run(
            command, env=self.environment | environment, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=120)
        return result.returncode, result.stdout + result.stderr

    def hook(self, library, **values):
        return {"LD_PRELOAD": self.libraries[library], **values}

    def judge(self, group, kind, originals, what, extra=()):
        """Notes the state after a fault; returns whether it keeps the rules."""
        output = self.expected[kind]
        found = [path for place in ("in", originals) if place for path in (self.root / place).rglob("*")
                 if path.is_file() and folders.STATE not in path.parts and path.name != folders.MARK]
        contents = {path: path.read_bytes() for path in found}
        has_original = any(
            value == self.original and not path.name.endswith(".part") for path, value in contents.items())
        has_output = contents.get(self.root / "in" / self.names[kind]) == output
        visible = {path: value for path, value in contents.items() if not path.name.startswith(".respool")}
        broken = [path for path, value in visible.items() if value not in (self.original, output, *extra)]
        self.table[group]["faults"] += 1
        if not has_original and not (has_output and not originals):
            self.table[group]["originals lost"] += 1
            print(f"{group}, {kind}, {what}: the original is lost: {found}", flush=True)
        if broken:
            self.table[group]["broken files"] += 1
            print(f"{group}, {kind}, {what}: broken: {broken}", flush=True)
        self.table[group]["replaced" if has_output else "kept"] += 1

    def finish(self, group, kind, originals, what, words=()):
        """Lets another batch do the work."""
        status, output = self.batch(kind, originals, words)
        names = {path.name for path in (self.root / "in").iterdir() if path.name != folders.STATE}
        value = self.root / "in" / self.names[kind]
        if status != 0 or names != {self.names[kind]} or value.read_bytes() != self.expected[kind]:
            self.table[group]["not finished"] += 1
            print(f"{group}, {kind}, {what}: not finished: status {status}, {names}: {output[-1500:]}", flush=True)

    # Faults

    def kills(self, kind, originals, other_disk, step):
        group = "kill between calls" + (", other device" if other_disk else "")
        call = 1
        while True:
            self.begin()
            if other_disk:
                self.mount(self.root / "disk")
            status, output = self.batch(kind, originals, **self.hook("kill_at", LEDGER_SYNCS="1", KILL_AT=str(call)))
            if status == 0:
                return
            if status != -signal.SIGKILL:
                print(f"{group}: call {call}: status {status}: {output}")
            self.judge(group, kind, originals, f"call {call}")
            self.finish(group, kind, originals, f"call {call}")
            call += step

    def failures(self, kind, originals, other_disk, variable, group, step):
        call = 1
        for _ in range(12):
            self.begin()
            if other_disk:
                self.mount(self.root / "disk")
            self.batch(kind, originals, **self.hook("kill_at", LEDGER_SYNCS="1", **{variable: str(call)}))
            self.judge(group, kind, originals, f"call {call}")
            self.finish(group, kind, originals, f"call {call}")
            call += step

    def spoiled(self, kind):
        for percent in [0, 1, 10, 50, 90, 99]:
            self.begin()
            self.batch(kind, None, **self.hook("spoil_output", SPOIL_PERCENT=str(percent), RESPOOL_SANDBOX="off"))
            self.judge("output cut", kind, None, f"{percent} %")
            self.finish("output cut", kind, None, f"{percent} %", ["--retry-failed"])
        other = self.place / "other"
        for what, words in {"no audio": ["-an", "-f", "lavfi", "-i", "color=size=32x32:duration=1", "-map", "1:v"],
                            "half as long": ["-t", "0.1"]}.items():
            ending = "wav" if kind == "same name" and what != "no audio" else "mkv"
            inputs = words[1:5] if what == "no audio" else []
            rest = ["-map", "1:v"] if what == "no audio" else words
            folders.run(["ffmpeg", "-v", "error", "-y", "-i", self.source, *inputs, *rest, f"{other}.{ending}"])
            self.begin()
            self.batch(kind, None, **self.hook("spoil_output", SPOIL_BY=f"{other}.{ending}", RESPOOL_SANDBOX="off"))
            self.judge("track missing or short", kind, None, what)
            # A fault that would occur again is remembered.
            self.finish("track missing or short", kind, None, what, ["--retry-failed"])

    def disks(self, kind):
        for what, size, inodes in [("no bytes", "16k", 100), ("no inodes", "8m", 3)]:
            self.begin()
            self.mount(self.root / "disk", size, inodes)
            self.batch(kind, "disk/originals")
            self.judge("no space for originals", kind, "disk/originals", what)
            self.finish("no space for originals", kind, None, what)
        self.begin()
        shutil.rmtree(self.root / "in")
        self.mount(self.root / "in", "200k")
        shutil.copy2(self.source, self.root / "in/a.wav")
        self.batch(kind, None, ["--dry-run"])
        junk = os.open(self.root / "in/.junk", os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(junk, bytes(4096)):
                pass
        except OSError:
            os.close(junk)
        self.batch(kind, None)
        (self.root / "in/.junk").unlink()
        self.judge("no space for outputs", kind, None, "full")
        self.finish("no space for outputs", kind, None, "full")
        for place in ["in", "originals"]:
            self.begin()
            content = self.root / place
            shutil.rmtree(content, ignore_errors=True)
            self.mount(content)
            shutil.copy2(self.source, self.root / "in/a.wav")
            folders.run(["mount", "-o", "remount,ro", content])
            self.batch(kind, "originals")
            self.judge("read-only target", kind, "originals", place)
            folders.run(["mount", "-o", "remount,rw", content])
            self.finish("read-only target", kind, "originals", place)

    def links(self, kind):
        for count in [1, 2, 3]:
            for rule in ["skip", "break"]:
                self.begin()
                (self.root / "links").mkdir()
                for number in range(count - 1):
                    os.link(self.root / "in/a.wav", self.root / f"links/{number}")
                self.batch(kind, None, ["--links", rule])
                self.judge("1 to 3 links", kind, None, f"{count}, {rule}")
                for path in (self.root / "links").iterdir():
                    if path.read_bytes() != self.original:
                        self.table["1 to 3 links"]["originals lost"] += 1
                self.finish("1 to 3 links", kind, None, f"{count}, {rule}", ["--links", "break"])

    def sources(self, kind):
        for at in [0, 100, 20000, len(self.original) - 1]:
            self.begin()
            self.batch(kind, None, **self.hook("read_faults", FAULT_FILE=str(self.root / "in/a.wav"), FAULT_AT=str(at)))
            self.judge("source cannot be read", kind, None, f"byte {at}")
            self.finish("source cannot be read", kind, None, f"byte {at}")
        changed, other = self.original + b"x\n", b"my own"
        for what, command in {"written to": "echo x >> in/a.wav", "replaced": "cp other in/a.wav.new; mv in/a.wav.new in/a.wav"}.items():
            self.begin()
            (self.root / "other").write_bytes(other)
            self.batch(kind, None, **self.hook("kill_at", BEFORE_EXCHANGE=command))
            # The content of the user is the one that must not be lost here.
            wanted = changed if what == "written to" else other
            self.table["source changes at the last moment"]["faults"] += 1
            if (self.root / "in/a.wav").read_bytes() != wanted:
                self.table["source changes at the last moment"]["originals lost"] += 1
            else:
                self.table["source changes at the last moment"]["kept"] += 1

    def run(self, step):
        for kind in self.presets:
            for originals, other_disk in [(None, False), ("originals", False), ("disk/originals", True)]:
                self.kills(kind, originals, other_disk, step)
                self.failures(kind, originals, other_disk, "FAIL_AT", "call fails with EIO", 4)
                self.failures(kind, originals, other_disk, "PROTECT_AT", "becomes read-only", 4)
            for group in [self.spoiled, self.disks, self.links, self.sources]:
                group(kind)
        columns = ["faults", "kept", "replaced", "originals lost", "broken files", "not finished"]
        print(f"{'':38}" + "".join(f"{name:>16}" for name in columns))
        total = collections.Counter()
        for group, counts in self.table.items():
            total.update(counts)
            print(f"{group:38}" + "".join(f"{counts[name]:16}" for name in columns))
        print(f"{'all':38}" + "".join(f"{total[name]:16}" for name in columns))
        return 1 if total["originals lost"] or total["broken files"] or total["not finished"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the built or installed command")
    parser.add_argument("--step", type=int, default=1, help="kill only before each STEPth call")
    parser.add_argument("--folder", default="/dev/shm", help="where the files are")
    options = parser.parse_args()
    faults = Faults(options)
    try:
        sys.exit(faults.run(options.step))
    finally:
        faults.begin()
        shutil.rmtree(faults.place, ignore_errors=True)


if __name__ == "__main__":
    main()
