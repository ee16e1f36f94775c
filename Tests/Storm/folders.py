"""Folders of media for the storm, their state, and the ledger beside outputs."""

import hashlib
import math
import os
import sqlite3
import struct
import subprocess
import wave
from pathlib import Path

STATE = ".respool"
# A batch writes this file into the folder of --originals.
MARK = ".respool-originals"
# One folder has a space and a letter that is not ASCII.
FOLDERS = ["", "one", "one/two", "Größe 3"]


def run(command, **options):
    """Runs a command and throws with its messages if it fails."""
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{command}: {result.stderr}")
    return result.stdout


def write_tone(path, number):
    """Writes a mono WAV file of 0.05 to 0.4 s, different for each number."""
    rate, frames = 48000, 2400 + number * 7919 % 16800
    step = 2 * math.pi * (200 + 83 * number) / rate
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"".join(struct.pack("<h", int(8000 * math.sin(step * i))) for i in range(frames)))


def make_media(folder, count, has_video):
    """Makes small files: WAV, MP3, AAC and FLAC, and H.264 in MP4 with `has_video`."""
    for number in range(count):
        place = folder / FOLDERS[number % len(FOLDERS)]
        place.mkdir(parents=True, exist_ok=True)
        tone = place / f"{number:02}.wav"
        write_tone(tone, number)
        ending = {3: "mp3", 5: "m4a", 7: "flac", 9: "mp4" if has_video else "mp3"}.get(number % 10)
        if not ending:
            continue
        video = ["-f", "lavfi", "-i", f"testsrc2=size=96x64:rate=10:duration=0.{number % 4 + 2}"] if ending == "mp4" else []
        run(["ffmpeg", "-v", "error", "-i", tone, *video, *(["-c:v", "libx264"] if video else []), tone.with_suffix("." + ending)])
        tone.unlink()


def files(folder):
    """Returns the paths of the files and folders below a folder, without its ledger."""
    found = []
    for root, folders, names in os.walk(folder):
        if STATE in folders:
            folders.remove(STATE)
        found += [os.path.relpath(os.path.join(root, name), folder) for name in folders + names]
    return sorted(found)


def tree(folder):
    """Returns kind, permissions, modification time of files, and content of all below a folder, by path."""
    state = {}
    for name in files(folder):
        path = os.path.join(folder, name)
        status = os.lstat(path)
        if os.path.isfile(path):
            content, time = Path(path).read_bytes(), status.st_mtime_ns
            if os.path.basename(name) == MARK:
                # After a batch that was killed before it wrote the mark, it states that the folder was there before.
                content, time = b"".join(content.splitlines()[:2]), 0
            state[name] = (oct(status.st_mode), time, hashlib.sha256(content).hexdigest())
        else:
            state[name] = (oct(status.st_mode), 0, "folder")
    return state


def is_temporary(name):
    """Returns true for a name that no file has after a batch has ended."""
    last = os.path.basename(name)
    return last.startswith(".respool") and last != MARK


def finished(folder):
    """Returns inode, size and modification time of complete outputs, by path."""
    found = {}
    for name in files(folder):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and not is_temporary(name) and os.path.basename(name) != MARK:
            status = os.lstat(path)
            found[name] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def ledger(folder):
    """Returns the rows of the ledger: output, attempts, published."""
    database = sqlite3.connect(f"file:{folder}/{STATE}/ledger?immutable=1", uri=True)
    try:
        check = database.execute("PRAGMA integrity_check").fetchone()[0]
        rows = database.execute(
            "SELECT w.text, out_name, attempts, published FROM files LEFT JOIN words w ON w.id = out_folder").fetchall()
        total = database.execute("SELECT sum(files) FROM totals").fetchone()[0]
    finally:
        database.close()
    if check != "ok" or total != len(rows):
        raise RuntimeError(f"the ledger is damaged: {check}, {total} files in the totals, {len(rows)} rows")
    return [(os.path.normpath(os.path.join(a.decode(), b.decode())) if b else None, n, p) for a, b, n, p in rows]


def installed(command):
    """Returns the path of a command after a check that its presets are found."""
    command = os.path.abspath(command)
    run([command, "presets", "show", "opus-128k"])
    return command
