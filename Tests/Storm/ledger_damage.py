#!/usr/bin/env python3
"""Damages the ledger of a finished batch in many ways, and runs the batch again.

Every output must stay or be made with the same bytes, every file must be done in the end, and a batch must name the
damage or find the ledger whole. Prints each way that fails, and ends with status 1.
"""

import argparse
import collections
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import folders

COUNT = 6


def ways(chance, ledger, number):
    """Returns the name of a way to damage a ledger, and does it."""
    content = bytearray(ledger.read_bytes())
    size = len(content)
    kind = [
        "bits", "bytes", "page", "cut", "longer", "header", "swapped pages", "empty", "text", "zeros", "folder", "link",
        "log", "journal", "both logs", "unreadable", "other database", "removed rows", "other version",
    ][number % 19]
    if kind == "bits":
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(size)] ^= 1 << chance.randrange(8)
    elif kind == "bytes":
        start = chance.randrange(size)
        for index in range(start, min(size, start + chance.randint(1, 200))):
            content[index] = chance.randrange(256)
    elif kind == "page":
        start = chance.randrange(size // 4096) * 4096
        content[start:start + 4096] = bytes(4096)
    elif kind == "cut":
        del content[chance.randrange(size):]
    elif kind == "longer":
        content += chance.randbytes(5000)
    elif kind == "header":
        content[chance.randrange(100)] = chance.randrange(256)
    elif kind == "swapped pages":
        a, b = (chance.randrange(size // 4096) * 4096 for _ in range(2))
        content[a:a + 4096], content[b:b + 4096] = content[b:b + 4096], content[a:a + 4096]
    elif kind == "empty":
        content.clear()
    elif kind == "text":
        content[:] = b"my notes\n"
    elif kind == "zeros":
        content[:] = bytes(size)
    elif kind in ("log", "both logs"):
        Path(f"{ledger}-wal").write_bytes(chance.randbytes(chance.randint(1, 9000)))
    if kind in ("journal", "both logs"):
        # The magic of a journal that has to be played back, then anything.
        Path(f"{ledger}-journal").write_bytes(
            bytes.fromhex("d9d505f920a163d7") + chance.randbytes(chance.randint(20, 9000)))
    ledger.write_bytes(content)
    if kind == "folder":
        ledger.unlink()
        ledger.mkdir()
    elif kind == "link":
        ledger.unlink()
        ledger.symlink_to("/dev/null")
    elif kind == "unreadable":
        ledger.chmod(0)
    elif kind in ("other database", "removed rows", "other version"):
        if kind == "other database":
            ledger.unlink()
        sql = {
            "other database": "CREATE TABLE files(a); INSERT INTO files VALUES(1)",
            "removed rows": "DELETE FROM words WHERE id % 2 = 0",
            "other version": "PRAGMA user_version = 99",
        }[kind]
        database = sqlite3.connect(ledger)
        database.executescript(sql)
        database.close()
    return kind


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the built or installed command")
    parser.add_argument("--rounds", type=int, default=380)
    parser.add_argument("--only", type=int, metavar="ROUND", help="one round, with the events of its batch")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--folder", default="/dev/shm", help="where the files are")
    options = parser.parse_args()
    command = folders.installed(options.command)
    place = Path(tempfile.mkdtemp(prefix="respool-damage-", dir=options.folder))
    environment = dict(os.environ, HOME=str(place / "home"), LC_ALL="C.UTF-8")
    folders.make_media(place / "in", COUNT, has_video=False)

    def batch():
        return subprocess.run(
            [command, "batch", place / "in", "--to", place / "out", "--preset", "opus-128k", "--json"], env=environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    if batch().returncode != 0:
        sys.exit("the first batch failed")
    expected = folders.tree(place / "out")
    shutil.copytree(place / "out", place / "whole", copy_function=shutil.copy2)
    failed, results = 0, collections.Counter()
    rounds = range(options.rounds) if options.only is None else [options.only]
    for number in rounds:
        chance = random.Random(f"{options.seed} {number}")
        shutil.rmtree(place / "out")
        shutil.copytree(place / "whole", place / "out", copy_function=shutil.copy2)
        kind = ways(chance, place / "out" / folders.STATE / "ledger", number)
        # Half of the rounds lose an output as well, which has to be made again.
        lost = chance.choice(sorted(name for name, value in expected.items() if value[2] != "folder"))
        if number % 2:
            (place / "out" / lost).unlink()
        before = folders.finished(place / "out")
        result = batch()
        events = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        warnings = [event.get("message", "") for event in events if event.get("event") == "warning"]
        problem = None
        now = folders.finished(place / "out")
        if result.returncode != 0:
            problem = f"status {result.returncode}: {result.stdout[-1500:]} {result.stderr[-500:]}"
        elif folders.tree(place / "out") != expected:
            problem = "other outputs"
        elif any(now.get(name) != value for name, value in before.items()):
            problem = "an output was made again"
        elif batch().returncode != 0:
            problem = "the batch after that failed"
        results[f"{kind}: {'named' if warnings else 'whole'}"] += 1
        if problem:
            failed += 1
            print(f"round {number}: {kind}: {problem} {warnings}", flush=True)
        if options.only is not None:
            print(result.stdout)
    print(f"{len(rounds)} ledgers damaged with --seed {options.seed}: {failed} failed")
    for text, count in sorted(results.items()):
        print(f"  {count} {text}")
    shutil.rmtree(place)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
