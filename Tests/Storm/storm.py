#!/usr/bin/env python3
"""Kills batches with SIGKILL at random moments, lets later batches finish them, and compares the result.

Each round converts 40 small files. It kills the supervisor, a worker or both after a random time, or one of them
before a random system call that changes files (Tests/Fixtures/kill_at.c). Every tenth round has video, and every
fifth one replaces its sources. The result must be the tree of an undisturbed batch: every file, the same bytes,
permissions and times, no temporary file. No finished output may be made a second time.

Prints the seed of each round that fails, and ends with status 1. `--seed` and `--first` repeat a round.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import folders

FIXTURES = Path(__file__).resolve().parent.parent / "Fixtures"
COUNT = 40
# A batch that gives no result within this time counts as hanging.
PATIENCE = 120


class Fault(Exception):
    """A rule that a round has broken."""


class Setting:
    """A kind of round: its input, its command, and the result of an undisturbed batch."""

    def __init__(self, name, storm, media, words, replaces):
        self.name, self.storm, self.media, self.words, self.replaces = name, storm, media, words, replaces
        place = storm.place / ("expected " + name)
        place.mkdir()
        self.prepare(place)
        start = time.monotonic()
        status, output = storm.wait(storm.start(self.command(place)))
        self.seconds = time.monotonic() - start
        if status != 0:
            raise RuntimeError(f"the undisturbed batch {name} ended with status {status}: {output}")
        self.expected = self.tree(place)
        self.calls = storm.count_calls(self)

    def prepare(self, place):
        """Makes the folder of a round; a batch that replaces gets its own sources."""
        if self.replaces:
            shutil.copytree(self.media, place / "in")

    def command(self, place):
        words = ["--json", "--preset", *self.words]
        if self.replaces:
            return ["batch", place / "in", "--replace", "--even-if-larger", "--originals", place / "originals", *words]
        return ["batch", self.media, "--to", place / "out", *words]

    def output(self, place):
        return place / ("in" if self.replaces else "out")

    def tree(self, place):
        """Returns the outputs, and the originals of replaced files."""
        return {root: folders.tree(place / root) for root in (["in", "originals"] if self.replaces else ["out"])}

    def check_unfinished(self, place):
        """Checks the state after a kill: outputs are complete, and no original is lost."""
        expected = self.expected["in" if self.replaces else "out"]
        sources = {}
        if self.replaces:
            sources = {value[2]: name for name, value in self.storm.trees[self.media].items() if value[2] != "folder"}
        found = folders.tree(self.output(place)) if self.output(place).exists() else {}
        for name, value in found.items():
            if folders.is_temporary(name) or value[2] == "folder" or name == folders.MARK:
                continue
            if value[2] not in sources and value[2] != expected.get(name, ("", 0, ""))[2]:
                raise Fault(f"{name} has its name and is not complete")
        if self.replaces:
            kept = folders.tree(place / "originals") if (place / "originals").exists() else {}
            left = {value[2] for value in [*found.values(), *kept.values()]}
            for digest, name in sources.items():
                if digest not in left:
                    raise Fault(f"the original {name} is lost")


class Storm:
    """Rounds of batches that are killed and continued."""

    # Names of the kinds of rounds; each needs an undisturbed batch.
    kinds_of_settings = ["audio", "video", "replace"]

    def __init__(self, options):
        self.command = folders.installed(options.command)
        self.options = options
        self.place = Path(tempfile.mkdtemp(prefix="respool-storm-", dir=options.folder))
        self.hook = self.place / "kill_at.so"
        folders.run(["cc", "-shared", "-fPIC", "-o", self.hook, FIXTURES / "kill_at.c", "-ldl"])
        self.environment = dict(os.environ, HOME=str(self.place / "home"), LC_ALL="C.UTF-8")
        subprocess.run([self.command, "plugins", "list"], env=self.environment, stdout=subprocess.DEVNULL, check=True)
        self.kinds = collections.Counter()
        self.trees = {}
        audio, video = self.place / "audio", self.place / "video"
        folders.make_media(audio, COUNT, has_video=False)
        folders.make_media(video, COUNT, has_video=True)
        for media in (audio, video):
            self.trees[media] = folders.tree(media)
        rules = {
            "audio": (audio, ["opus-128k"], False), "video": (video, ["web-480p"], False),
            "replace": (audio, ["opus-128k"], True),
        }
        self.settings = {name: Setting(name, self, *rules[name]) for name in self.kinds_of_settings}

    # Processes

    def start(self, command, **environment):
        return subprocess.Popen(
            [self.command, *command], env=self.environment | environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait(self, process):
        """Waits for the end of a batch and of its workers; returns its status and what it printed."""
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise Fault(f"the batch hangs: {output[-2000:]}")
        return process.returncode, output

    @staticmethod
    def workers(process):
        try:
            return [int(word) for word in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
        except OSError:
            return []

    def count_calls(self, setting):
        """Returns the number of calls that change files in an undisturbed batch."""
        low, high = 1, 1 << 14
        while low < high:
            middle = (low + high) // 2
            place = self.place / "count"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            setting.prepare(place)
            status, _ = self.wait(self.start(setting.command(place), LD_PRELOAD=str(self.hook), KILL_AT=str(middle)))
            low, high = (middle + 1, high) if status == -signal.SIGKILL else (low, middle)
        shutil.rmtree(place)
        return low - 1

    # Rounds

    def disturb(self, chance, setting, place):
        """Runs a batch and kills some of it; returns a description, and the status of the batch."""
        kind = chance.choice(["supervisor", "worker", "both", "workers", "call", "call", "call", "worker's call"])
        command = setting.command(place) + ["--jobs", str(chance.choice([1, 2, 3]))]
        self.kinds[kind] += 1
        if kind == "call":
            number = chance.randint(1, setting.calls)
            process = self.start(command, LD_PRELOAD=str(self.hook), KILL_AT=str(number))
            return f"before call {number}", self.wait(process)[0]
        if kind == "worker's call":
            number, once = chance.randint(1, 60), place / "once"
            once.touch()
            process = self.start(
                command, LD_PRELOAD=str(self.hook), KILL_AT=str(number), KILL_COMMAND="__worker", KILL_ONCE=str(once))
            status = self.wait(process)[0]
            once.unlink(missing_ok=True)
            return f"a worker before its call {number}", status
        process = self.start(command)
        moments = sorted(chance.uniform(0, setting.seconds * 1.3) for _ in range(3 if kind == "workers" else 1))
        before = 0
        for moment in moments:
            time.sleep(moment - before)
            before = moment
            workers = self.workers(process)
            if kind != "supervisor" and workers:
                victims = workers if kind == "both" else [chance.choice(workers)]
                for victim in victims:
                    # It may have ended meanwhile.
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)
                time.sleep(chance.choice([0, 0, 0.001, 0.01]))
            if kind in ("supervisor", "both"):
                process.kill()
        return f"{kind} after {moments} s", self.wait(process)[0]

    def round(self, number):
        chance = random.Random(f"{self.options.seed} {number}")
        name = "video" if number % 10 == 9 else "replace" if number % 5 == 2 else "audio"
        setting, place = self.settings[name], self.place / f"round {number}"
        place.mkdir()
        setting.prepare(place)
        history = []
        try:
            done = {}
            for _ in range(chance.choice([1, 1, 1, 2, 2, 3])):
                what, status = self.disturb(chance, setting, place)
                history.append(f"{what}: status {status}")
                setting.check_unfinished(place)
                done = self.check_done(done, setting, place)
            status, output = self.wait(self.start(setting.command(place) + ["--jobs", "2"]))
            if status != 0:
                raise Fault(f"the last batch ended with status {status}: {output[-3000:]}")
            self.check_done(done, setting, place)
            self.compare(setting, place)
            self.check_ledger(setting, place)
            if chance.random() < 0.2:
                self.check_nothing_left(setting, place)
        except Fault as fault:
            kept = f"; kept in {place}" if self.options.keep else ""
            print(f"round {number} ({name}, --seed {self.options.seed} --first {number}): {fault}{kept}")
            print("  " + "\n  ".join(history), flush=True)
            if not self.options.keep:
                shutil.rmtree(place)
            return False
        shutil.rmtree(place)
        return True

    @staticmethod
    def check_done(before, setting, place):
        """Checks that outputs that were finished are the same files still; returns those of now."""
        if not setting.output(place).exists():
            return before
        now = folders.finished(setting.output(place))
        if setting.replaces:
            expected = setting.expected["in"]
            now = {name: value for name, value in now.items() if name in expected}
        for name, value in before.items():
            if now.get(name) != value:
                raise Fault(f"the finished output {name} was made again: {value}, then {now.get(name)}")
        return now

    @classmethod
    def compare(cls, setting, place):
        cls.compare_files(setting, place)
        kept = ("ledger", "lock", "report.html")
        left = [name for name in os.listdir(setting.output(place) / folders.STATE) if name not in kept]
        if left:
            raise Fault(f"left beside the ledger: {left}")

    @staticmethod
    def compare_files(setting, place):
        found = setting.tree(place)
        for root, expected in setting.expected.items():
            names = set(expected) | set(found[root])
            wrong = [name for name in sorted(names) if expected.get(name) != found[root].get(name)]
            if wrong:
                lines = [f"{root}/{name}: expected {expected.get(name)}, found {found[root].get(name)}" for name in wrong]
                raise Fault("other tree:\n    " + "\n    ".join(lines[:8]))

    @staticmethod
    def check_ledger(setting, place):
        try:
            rows = folders.ledger(setting.output(place))
        except Exception as error:
            raise Fault(f"the ledger: {error}") from error
        named = collections.Counter(name for name, _, _ in rows)
        if len(rows) != COUNT or max(named.values()) > 1 or any(published != 1 for _, _, published in rows):
            raise Fault(f"the ledger has {len(rows)} rows: {rows}")

    def check_nothing_left(self, setting, place):
        """Checks that another batch finds nothing to do and changes nothing."""
        before = folders.finished(place)
        status, output = self.wait(self.start(setting.command(place)))
        summary = json.loads(output.splitlines()[-1])
        if status != 0 or summary.get("alreadyDone") != COUNT or folders.finished(place) != before:
            raise Fault(f"another batch found work: status {status}, {summary}")

    def run(self):
        start, failed = time.monotonic(), 0
        first = self.options.first
        for number in range(first, first + self.options.rounds):
            failed += not self.round(number)
            if self.options.seconds and time.monotonic() - start > self.options.seconds:
                break
        seconds = time.monotonic() - start
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        print(f"{number + 1 - first} rounds in {seconds:.0f} s with --seed {self.options.seed}: {failed} failed; kills: {kinds}")
        if not self.options.keep:
            shutil.rmtree(self.place)
        return 1 if failed else 0


def arguments(description):
    """Returns the options of a command with this description."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the built or installed command")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="no round begins after this time")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--folder", default="/dev/shm", help="where the files of the rounds are")
    parser.add_argument("--keep", action="store_true", help="keep the folders of failed rounds")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(Storm(arguments(__doc__)).run())
