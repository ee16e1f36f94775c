#!/usr/bin/env python3
"""Measures the size of the outputs of each preset and the speed of the conversion.

Both are relative to web-1080p, to aac-160k for presets without video, and to photo-jpeg for those of pictures. The
speed is that of processor time. Presets of 2160 lines are measured with the second video. The results are compared with
`relativeSize` and `relativeSpeed` of the presets; --write stores them there.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Part by which a measured ratio may differ from a stated one.
TOLERANCE = 0.25


def convert(respool, preset, source, folder):
    """Returns the processor time in seconds and the size in bytes of a conversion."""
    output = Path(folder) / f"out.{preset['extension']}"
    output.unlink(missing_ok=True)
    command = [respool, "convert", str(source), str(output), "--preset", preset["name"], "--json"]
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    os.close(null)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, output.stat().st_size


def rounded(value):
    """Two digits are as exact as the measurement."""
    return float(f"{value:.2g}")


def store(path, size, speed):
    """Writes both ratios below the summary of a preset."""
    lines = [line for line in Path(path).read_text().splitlines() if not line.startswith("relativeS")]
    place = next(index for index, line in enumerate(lines) if line.startswith("summary:")) + 1
    lines[place:place] = [f"relativeSize: {size:g}", f"relativeSpeed: {speed:g}"]
    Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("respool")
    parser.add_argument("video", help="about 10 seconds of 1080 lines")
    parser.add_argument("large", help="some seconds of 2160 lines")
    parser.add_argument("audio", help="about a minute of stereo, lossless")
    parser.add_argument("picture", help="a photo as TIFF, which no preset copies")
    parser.add_argument("--only", nargs="*", help="names of presets")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    listed = subprocess.run(
        [arguments.respool, "presets", "list", "--json"], check=True, capture_output=True, text=True)
    presets = json.loads(listed.stdout)["presets"]
    for preset in presets:
        preset["extension"] = {"matroska": "mkv"}.get(preset["container"], preset["container"])
    named = {preset["name"]: preset for preset in presets}
    bases, failures = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets:
            if arguments.only and preset["name"] not in arguments.only:
                continue
            source = arguments.large if preset["name"].endswith("2160p") else arguments.video
            base = "web-1080p"
            if not preset.get("video"):
                source, base = arguments.audio, "aac-160k"
            if preset["group"] == "stills":
                source, base = arguments.picture, "photo-jpeg"
            if preset["name"].startswith("remux"):
                source, base = arguments.video, "web-1080p"
            if (base, source) not in bases:
                bases[base, source] = convert(arguments.respool, named[base], source, folder)
            seconds, size = convert(arguments.respool, preset, source, folder)
            ratios = [
                rounded(size / bases[base, source][1]), rounded(bases[base, source][0] / max(seconds, 1e-3))]
            stated = [preset.get("relativeSize"), preset.get("relativeSpeed")]
            differs = any(
                old is None or abs(new / old - 1) > TOLERANCE for new, old in zip(ratios, stated))
            failures += differs
            print(f"{preset['name']:22} size {ratios[0]:<8g} speed {ratios[1]:<8g} stated {stated}"
                  + ("  DIFFERS" if differs else ""), flush=True)
            if arguments.write:
                store(preset["path"], *ratios)
    sys.exit(1 if failures and not arguments.write else 0)


if __name__ == "__main__":
    main()
