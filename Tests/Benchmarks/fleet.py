#!/usr/bin/python3
"""Costs of work on many machines: planning and collecting, three machines, and a simulation of thousands.

    fleet.py RESPOOL INPUTS RESULTS [--write] [--small]

Needs root, for cgroups that limit the processor time of each machine. Figures are processor seconds where others may use
the machine as well, and ratios of runs in turn.
"""

import argparse
import collections
import heapq
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What is assumed, because there is no file server and no thousand machines here.
LATENCY = 0.001         # seconds of one operation on a file server, from a client
SERVER_RATE = 10_000    # operations a second that the file server does for all clients together
SPEEDS = 0.05           # standard deviation of the speeds of the machines
PATIENCE = 60           # seconds after which a machine that is lost is noticed (FleetRun.patience)
SIGN_EVERY = 5          # seconds between two signs of life of a machine (FleetRun.interval)
MOST_PARTS = 16_384     # PlanPart.most
FILES = 1_000_000


def cpu(command, expected=(0,)):
    """Runs a command; returns its wall seconds, and the processor seconds of it and its children."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode not in expected:
        sys.exit(f"ended with {result.returncode}: {command}: {result.stderr[-500:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Share:
    """Planning and collecting as a part of the work of a folder of films and sounds."""

    def __init__(self, respool, inputs, scratch, films, sounds):
        self.folder, self.out, self.plan = f"{scratch}/folder", f"{scratch}/out", f"{scratch}/folder.respool"
        os.makedirs(self.folder)
        sources = sorted(Path(inputs, "clips720").glob("*.mp4"))
        for number in range(films):
            # Two seconds from another place of a film each.
            source = sources[number % len(sources)]
            start = 2 * (number // len(sources))
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", str(start), "-i", source, "-t", "2", "-c", "copy",
                            f"{self.folder}/film {number}.mp4"], check=True)
        for number, sound in enumerate(sorted(Path(inputs, "clips300").glob("*.wav"))[:sounds]):
            shutil.copy(sound, f"{self.folder}/sound {number}.wav")
        self.count = len(os.listdir(self.folder))
        planning = ["plan", self.folder, "--to", self.out, "--preset", "web-720p", "-o", self.plan, "--quiet"]
        cpu([respool, *planning])
        self.planned = min(cpu([respool, *planning])[1] for _ in range(3))
        self.wall, self.worked = cpu([respool, "work", self.plan, "--shard", "1/1", "--quiet"])
        self.collected = min(cpu([respool, "collect", self.plan])[1] for _ in range(3))
        self.share = (self.planned + self.collected) / self.worked
        # Seconds of each file, as the ledger has them, are the spread of the simulation.
        self.seconds = ledger_seconds(f"{self.out}/.respool/ledger")


def ledger_seconds(path):
    import sqlite3
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if "seconds" in columns:
                return [row[0] for row in database.execute(f"SELECT seconds FROM {table} WHERE seconds > 0")]
    sys.exit("the ledger has no seconds")


class Node:
    """A cgroup with a part of a core, as a machine of its own."""

    def __init__(self, name, cores):
        self.path = f"/sys/fs/cgroup/cpu/respool-bench-{name}"
        if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            self.path, limit = f"/sys/fs/cgroup/respool-bench-{name}", ("cpu.max", f"{int(cores * 20_000)} 20000")
            os.makedirs(self.path, exist_ok=True)
        else:
            os.makedirs(self.path, exist_ok=True)
            Path(self.path, "cpu.cfs_period_us").write_text("20000")
            limit = ("cpu.cfs_quota_us", str(int(cores * 20_000)))
        Path(self.path, limit[0]).write_text(limit[1])

    def start(self, command):
        script = f"echo $$ > {self.path}/cgroup.procs; exec \"$@\""
        return subprocess.Popen(["/bin/sh", "-c", script, "sh", *command], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def remove(self):
        os.rmdir(self.path)


class Three:
    """Equal files done by one machine and by three, each with a part of a core; runs in turn."""

    CORES = 0.3

    def __init__(self, respool, inputs, scratch, count, pairs):
        folder, out, plan = f"{scratch}/equal", f"{scratch}/equal-out", f"{scratch}/equal.respool"
        os.makedirs(folder)
        sound = f"{inputs}/20min.wav"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", sound, "-t", "10", "-c", "copy", f"{folder}/0.wav"], check=True)
        for number in range(1, count):
            shutil.copy(f"{folder}/0.wav", f"{folder}/{number}.wav")
        self.count, self.ratios = count, []
        self.times = []
        nodes = [Node(number, self.CORES) for number in range(3)]
        try:
            for _ in range(pairs):
                seconds = []
                for shares in (1, 3):
                    shutil.rmtree(out, ignore_errors=True)
                    cpu([respool, "plan", folder, "--to", out, "--preset", "opus-128k", "-o", plan, "--quiet"])
                    start = time.perf_counter()
                    running = [node.start([respool, "work", plan, "--shard", f"{number + 1}/{shares}", "--jobs", "1", "--quiet"])
                               for number, node in enumerate(nodes[:shares])]
                    if any(process.wait() for process in running):
                        sys.exit("a share failed")
                    seconds.append(time.perf_counter() - start)
                self.times.append(seconds)
                self.ratios.append(seconds[0] / seconds[1] / 3)
        finally:
            for node in nodes:
                node.remove()
        self.ratio = statistics.median(self.ratios)


class Costs:
    """Costs of the parts of the work on a plan, measured on this machine and its disk."""

    def __init__(self, respool, inputs, scratch, runs):
        folder, self.out, plan = f"{scratch}/few", f"{scratch}/few-out", f"{scratch}/few.respool"
        os.makedirs(folder)
        sounds = sorted(Path(inputs, "clips300").glob("*.wav"))
        for number in range(60):
            shutil.copy(sounds[number % len(sounds)], f"{folder}/{number}.wav")
        cpu([respool, "plan", folder, "--to", self.out, "--preset", "opus-128k", "-o", plan, "--quiet"])
        work = [respool, "work", plan, "--shard", "1/1", "--jobs", "1", "--quiet"]
        trace = f"{scratch}/trace"
        subprocess.run(["strace", "-f", "-y", "-o", trace, "-e", "trace=file,desc", *work], check=True)
        self.operations = operations(trace, self.out) / 60
        # A process with nothing left to do: start, check of the program, ledger, state, and a look at the claims.
        self.start = statistics.median(cpu(work)[0] for _ in range(5))
        before = statistics.median(cpu([respool, "collect", plan])[0] for _ in range(3))
        for number in range(runs):
            cpu([respool, "work", plan, "--shard", f"{number + 1}/{runs}", "--jobs", "1", "--quiet"])
        after = statistics.median(cpu([respool, "collect", plan])[0] for _ in range(3))
        self.collect_run = max(0.0, after - before) / runs
        claims = f"{scratch}/claims"
        os.makedirs(claims)
        start = time.perf_counter()
        for number in range(MOST_PARTS):
            # As PartClaims.claim does.
            file = os.open(f"{claims}/{number}.0", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            os.write(file, b"machine-1234567-abcdefg\n")
            if number < 200:
                os.fsync(file)
            os.close(file)
            if number == 199:
                self.claim = (time.perf_counter() - start) / 200
        start = time.perf_counter()
        os.listdir(claims)
        self.look = time.perf_counter() - start
        # A process is killed in the middle, and another one goes on; the time from its start to its end beyond the work.
        shutil.rmtree(self.out)
        subprocess.run([respool, "plan", folder, "--to", self.out, "--preset", "opus-128k", "-o", plan, "--quiet"], check=True)
        killed = subprocess.Popen(work, stderr=subprocess.DEVNULL, process_group=0)
        while len(list(Path(self.out).glob("*.opus"))) < 10:
            time.sleep(0.02)
        os.killpg(killed.pid, 9)
        killed.wait()
        left = 60 - len(list(Path(self.out).glob("*.opus")))
        wall, _ = cpu(work)
        shutil.rmtree(self.out)
        whole, _ = cpu([respool, "work", plan, "--shard", "1/1", "--jobs", "1", "--quiet"])
        self.take_over = max(0.0, wall - self.start - (whole - self.start) * left / 60)


def operations(trace, out):
    """Returns the number of system calls on the shared folder that a file server has to answer at once.

    Reading and writing data and closing files cost bandwidth rather than a round trip, so that they are not counted; fsync
    and locks are. What belongs to a part, and not to a file, is left out.
    """
    count = 0
    names = re.compile(r"\b(openat|open|renameat2?|rename|linkat|unlinkat|unlink|mkdirat|mkdir|fsync|fdatasync|"
                       r"newfstatat|statx|access|faccessat2?|statfs|getdents64|readlink|rmdir|flock|fchmod|fchown|"
                       r"utimensat|ftruncate|fcntl)\(")
    with open(trace, errors="replace") as lines:
        for line in lines:
            if out in line and names.search(line) and "AT_EMPTY_PATH" not in line and "/claims/" not in line:
                count += "fcntl(" not in line or "SETLK" in line
    return count


class Simulation:
    """Machines that do shares of a plan, as events in time.

    Measured: the start of a process, the operations on the file server for each file, a look at all claims, and the time
    of each file, drawn from those of the folder of films and sounds. Assumed: the constants at the top of this file.
    """

    def __init__(self, costs, seconds, nodes, files, lost=0):
        self.chance = random.Random(1)
        works = [self.chance.choice(seconds) for _ in range(files)]
        # PlanDivision: parts of about equal predicted work. A prediction is off by a factor of 0.7 to 1.4.
        predicted = [work * self.chance.uniform(0.7, 1.4) for work in works]
        most, total, done, parts, first = min(files, MOST_PARTS), sum(predicted), 0.0, [], 0
        for number, work in enumerate(predicted):
            done += work
            if done >= total * (len(parts) + 1) / most * (1 - 1e-9):
                parts.append((first, number + 1))
                first = number + 1
        if first < files:
            parts.append((first, files))
        sizes = [sum(predicted[a:b]) for a, b in parts]
        # PlanPart.divide: the next largest part goes to the share with the least work.
        shares = [collections.deque() for _ in range(nodes)]
        heap = [(0.0, index) for index in range(nodes)]
        order = sorted(range(len(parts)), key=lambda part: (-sizes[part], part))
        for part in order:
            work, index = heapq.heappop(heap)
            shares[index].append(part)
            heapq.heappush(heap, (work + sizes[part], index))
        free = [True] * len(parts)
        unclaimed = collections.deque(order)
        speeds = [max(0.5, self.chance.gauss(1, SPEEDS)) for _ in range(nodes)]
        self.server, self.waited, self.in_claims, ends = 0.0, 0.0, 0.0, 0.0
        dies = {node: None for node in self.chance.sample(range(nodes), lost)}
        again = []  # Parts of lost machines, and when they can be taken over.
        # Each event is a machine that has converted a file, or looks for a part.
        events = [(costs.start + self.chance.uniform(0, 1), node) for node in range(nodes)]
        heapq.heapify(events)
        current = [None] * nodes  # The part of a machine and the number of its file.
        self.ideal = sum(works) / sum(speeds)
        for node in dies:
            dies[node] = self.chance.uniform(0.1, 0.9) * self.ideal
        while events:
            now, node = heapq.heappop(events)
            begin = now
            if current[node] is not None:
                part, number = current[node]
                if dies.get(node) is not None and now > dies[node]:
                    heapq.heappush(again, (dies[node] + PATIENCE, part, number))
                    continue
                # Signs of life meanwhile: create, write, sync and rename.
                self.server = max(self.server, now) + works[number] / speeds[node] / SIGN_EVERY * 4 / SERVER_RATE
                now = self.ask(now, costs.operations)
                number += 1
                if number < parts[part][1]:
                    current[node] = (part, number)
                    heapq.heappush(events, (now + works[number] / speeds[node], node))
                    continue
                begin = now
                now = self.ask(now, 1)
                ends = max(ends, now)
            # The next part: one of its own, one that others have not begun, or one of a lost machine.
            part, number = None, None
            while shares[node] and part is None:
                now = self.ask(now, 3)  # create, write and sync
                candidate = shares[node].popleft()
                if free[candidate]:
                    part = candidate
            if part is None:
                now = self.ask(now, 2) + costs.look
                while unclaimed and not free[unclaimed[0]]:
                    unclaimed.popleft()
                if unclaimed:
                    part = unclaimed.popleft()
                    now = self.ask(now, 3)
                elif again and again[0][0] <= now:
                    _, part, number = heapq.heappop(again)
                    now = self.ask(now, 4) + costs.take_over
            self.in_claims += now - begin
            if part is not None:
                free[part] = False
                number = parts[part][0] if number is None else number
                current[node] = (part, number)
                heapq.heappush(events, (now + works[number] / speeds[node], node))
            elif any(when is not None for when in dies.values()) and (again or now < max(dies.values()) + PATIENCE):
                # A machine ends when nothing is left; here, some stay for what the lost ones leave, as requeued ones do.
                current[node] = None
                heapq.heappush(events, (now + 1, node))
        self.seconds = ends
        self.efficiency = self.ideal / ends
        self.claims_share = self.in_claims / (ends * nodes)
        self.wait_share = self.waited / (ends * nodes)
        self.collect = costs.collect_run * nodes
        self.parts = len(parts)

    def ask(self, now, count):
        """Has the server do operations after those of before; returns the time at which they are done."""
        begin = max(now, self.server)
        self.server = begin + count / SERVER_RATE
        self.waited += begin - now
        return begin + count * LATENCY


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("respool")
    parser.add_argument("inputs")
    parser.add_argument("results")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("not measured: the costs of work on many machines, which needs root for cgroups", file=sys.stderr)
        return
    scratch = tempfile.mkdtemp(prefix="respool-fleet-")
    try:
        small = options.small
        share = Share(options.respool, options.inputs, scratch, 4 if small else 60, 20 if small else 240)
        costs = Costs(options.respool, options.inputs, scratch, 5 if small else 40)
        three = Three(options.respool, options.inputs, scratch, 30 if small else 300, 1 if small else 2)
        files = 20_000 if small else FILES
        # Files as short as those of the folder, and as long as usual clips and films.
        runs = [(scale, nodes, lost, Simulation(costs, [scale * value for value in share.seconds], nodes, files, lost))
                for scale in (1, 10, 100) for nodes, lost in ((1, 0), (100, 0), (1000, 0), (1000, 10), (4000, 0))]
        text = report(share, three, costs, runs, files)
        print(text)
        if options.write:
            Path(options.results).write_text(text)
        if share.share > 0.02 or three.ratio < 0.95:
            print("missed: a target of the work on many machines", file=sys.stderr)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def mark(holds):
    return "" if holds else " (missed)"


def report(share, three, costs, runs, files):
    average = statistics.mean(share.seconds)
    lines = [
        "# Costs of work on many machines", "",
        f"| cost | wanted | measured |", "| --- | --- | --- |",
        f"| planning and collecting {share.count} films and sounds, as a part of their processor time | at most 2 % | "
        f"{100 * share.share:.2f} %{mark(share.share <= 0.02)}: {share.planned:.2f} s and {share.collected:.2f} s of "
        f"{share.worked:.1f} s |",
        f"| three machines of {three.CORES} cores for {three.count} equal files, as a part of three times the speed of one | "
        f"at least 0.95 | {three.ratio:.3f}{mark(three.ratio >= 0.95)}: "
        f"{statistics.median(t[0] for t in three.times):.1f} s and {statistics.median(t[1] for t in three.times):.1f} s |",
        "", f"## A simulation of many machines with {files:,} files", "",
        f"Measured here: a file takes {average:.2f} s on average, from {min(share.seconds):.2f} to {max(share.seconds):.2f} s, as in "
        f"the folder above; it takes {costs.operations:.0f} operations on the file server; a process starts in "
        f"{costs.start:.2f} s; a claim takes {1000 * costs.claim:.2f} ms on a local disk, a look at {MOST_PARTS:,} claims "
        f"{1000 * costs.look:.1f} ms, a takeover {costs.take_over:.2f} s, and collecting the results of a share "
        f"{1000 * costs.collect_run:.2f} ms.", "",
        f"Assumed: an operation on the file server takes {1000 * LATENCY:.0f} ms, and the server does {SERVER_RATE:,} a second for all; "
        f"the speeds of machines have a standard deviation of {100 * SPEEDS:.0f} %; a prediction of work is off by a factor of "
        f"0.7 to 1.4; a lost machine is noticed after {PATIENCE} s. Each machine does one file at a time.", "",
        "| seconds of a file | machines | lost | time | efficiency | in claims | waiting for the file server | collecting |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for scale, nodes, lost, run in runs:
        lines.append(f"| {average * scale:.1f} | {nodes:,} | {lost} | {run.seconds / 60:.1f} min | {run.efficiency:.3f} | {100 * run.claims_share:.2f} % | "
                     f"{100 * run.wait_share:.2f} % | {run.collect:.1f} s |")
    lines += ["", "The efficiency is the time of as many machines without any costs, divided by the simulated time. "
              + "It bends where the file server is busy: "
              + ", ".join(f"with {SERVER_RATE * average * scale / costs.operations:,.0f} machines for files of {average * scale:.1f} s"
                          for scale in (1, 10, 100))
              + f". Signs of life alone would keep it busy with {SERVER_RATE * SIGN_EVERY / 4:,.0f} machines. The other limit is the "
              f"{runs[0][3].parts:,} parts of the plan: with few for each machine, the last ones are waited for.", ""]
    return "\n".join(lines)


main()
