#!/usr/bin/python3
"""Makes a folder of many small media files, each with an inode and bytes of its own.

    make_many.py FOLDER COUNT

Cuts clips of 50 to 800 ms from those in Tests/Media, in ten formats of audio and video, and writes them in turn into
folders of 1000 files. Nothing is linked: the planner opens and reads each file.
"""

import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MEDIA = Path(__file__).parents[1] / "Media"
SOUND, FILM = MEDIA / "speech.wav", MEDIA / "pattern-h264.mp4"
AUDIO = {
    "wav": "-c:a pcm_s16le -ar 16000 -ac 1", "mp3": "-c:a libmp3lame -b:a 48k", "flac": "-c:a flac -ar 16000 -ac 1",
    "opus": "-c:a libopus -b:a 24k", "ogg": "-c:a libvorbis", "m4a": "-c:a aac -b:a 48k",
}
VIDEO = {
    "mp4": "-c:v libx264 -c:a aac", "mov": "-c:v libx264 -c:a aac", "mkv": "-c:v libx264 -c:a aac",
    "webm": "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus -b:a 24k",
}


def clips():
    """Returns the contents of clips, with the ends of their names; a clip of each format follows the other."""
    made = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, start in enumerate((0, 0.2, 0.4, 0.6, 0.1)):
            for index, (end, words) in enumerate((AUDIO | VIDEO).items()):
                seconds = 0.05 * 2 ** ((number + index) % 5)
                video = ["-s", "128x72"] if end in VIDEO else []
                name = f"{scratch}/{number}.{end}"
                subprocess.run(
                    ["ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", str(start), "-i",
                     FILM if end in VIDEO else SOUND, "-t", str(seconds), *words.split(), *video, name], check=True)
                made.append((end, Path(name).read_bytes()))
    return made


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    bytes_written = 0
    for number, (end, content) in zip(range(count), itertools.cycle(clips())):
        if number % 1000 == 0:
            (folder / f"{number // 1000:04}").mkdir(parents=True, exist_ok=True)
        file = os.open(f"{folder}/{number // 1000:04}/clip {number % 1000:03}.{end}", os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(file, content)
        os.close(file)
        bytes_written += len(content)
    print(f"{count} files, {bytes_written / 1e6:.0f} MB")


main()
