#!/usr/bin/env python3
"""Runs batches on disks that are full after each possible number of pages.

With each size, every file is complete or has failed for the lack of room, no temporary file is left, and a batch with
room finishes the work without making anything again. Needs root to mount small file systems.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import folders

COUNT = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the built or installed command")
    parser.add_argument("--step", type=int, default=1, help="pages between two sizes")
    options = parser.parse_args()
    command = folders.installed(options.command)
    place = Path(tempfile.mkdtemp(prefix="respool-full-"))
    environment = dict(os.environ, HOME=str(place / "home"), LC_ALL="C.UTF-8")
    for number in range(COUNT):
        (place / "in/sub").mkdir(parents=True, exist_ok=True)
        folders.write_tone(place / ("in/sub" if number % 2 else "in") / f"{number}.wav", number)

    def batch(output):
        return subprocess.run(
            [command, "batch", place / "in", "--to", output, "--preset", "opus-128k", "--json", "--wait-for-space", "0"],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    if batch(place / "whole").returncode != 0:
        sys.exit("the first batch failed")
    expected = folders.tree(place / "whole")
    disk = place / "disk"
    disk.mkdir()
    failed, results, sizes = 0, collections.Counter(), 0
    pages = 1
    while True:
        # An output folder that is the disk itself, so that the rest of its size can change.
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={pages * 4}k", "respool-test", disk], check=False)
        if mounted.returncode != 0:
            sys.exit("file systems cannot be mounted; run this as root")
        try:
            first = batch(disk)
            sizes += 1
            problem = None
            found = folders.tree(disk)
            wrong = [name for name, value in found.items() if value[2] != "folder" and value != expected.get(name)]
            events = [json.loads(line) for line in first.stdout.splitlines() if line.startswith("{")]
            ends = {event["input"]: event for event in events if event.get("event") == "finished"}
            reasons = [event.get("error", "") for event in ends.values() if event["status"] == "failed"]
            if wrong:
                problem = f"not complete: {wrong}"
            elif first.returncode not in (0, 1) or not events and "no space left" not in first.stderr.lower():
                problem = f"status {first.returncode}"
            elif events and len(ends) != COUNT:
                problem = f"{len(ends)} files have a result"
            elif any("no space left" not in reason.lower() for reason in reasons):
                problem = f"other reasons: {reasons}"
            before = folders.finished(disk)
            folders.run(["mount", "-o", "remount,size=16m", disk])
            second = batch(disk)
            now = folders.finished(disk)
            if not problem and second.returncode != 0:
                problem = f"the next batch: status {second.returncode}: {second.stdout[-1500:]}"
            elif not problem and folders.tree(disk) != expected:
                problem = "other outputs in the end"
            elif not problem and any(now.get(name) != value for name, value in before.items()):
                problem = "an output was made again"
            if problem:
                failed += 1
                print(f"{pages} pages: {problem}: {first.stdout[-600:]} {first.stderr[-600:]}", flush=True)
            results[len(before)] += 1
        finally:
            subprocess.run(["umount", "-l", disk], check=True)
        if first.returncode == 0:
            break
        pages += options.step
    print(f"{sizes} sizes of disks: {failed} failed; number of disks by finished files: {dict(sorted(results.items()))}")
    folders.run(["rm", "-r", place])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
