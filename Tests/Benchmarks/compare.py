"""Runs each task with the peer and with Respool in turn and prints a table of ratios.

Each pair is the peer, then Respool. The figures are the medians of the pairs. A ratio above 1 means that
Respool is faster or needs less memory.
"""

import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CORES = len(os.sched_getaffinity(0))


def measure(command, expected=(0,)):
    """Runs a command and returns its seconds and the peak memory of its largest process in MB."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    os.close(null)
    if os.waitstatus_to_exitcode(status) not in expected:
        sys.exit(f"ended with {os.waitstatus_to_exitcode(status)}: {shlex.join(command)}")
    return seconds, usage.ru_maxrss / 1024


class Work:
    """One line of the table."""

    def __init__(self, name, target, peers, ours, pairs, outputs=(), memory=False):
        self.name, self.target, self.peers, self.ours = name, target, peers, ours
        self.pairs, self.outputs, self.memory = pairs, outputs, memory

    def run(self):
        value = 1 if self.memory else 0
        figures = [[] for _ in self.peers]
        ours = []
        for number in range(-1, self.pairs):  # The first pair warms caches and is not counted.
            for figure, peer in zip(figures, self.peers):
                self.clean()
                figure.append(measure(peer)[value])
            self.clean()
            ours.append(measure(self.ours)[value])
            if number < 0:
                ours.clear()
                for figure in figures:
                    figure.clear()
        self.clean()
        # If there are several ways to use the peer, the best one counts.
        best = min(range(len(self.peers)), key=lambda index: statistics.median(figures[index]))
        self.peer_command = self.peers[best]
        self.peer = statistics.median(figures[best])
        self.own = statistics.median(ours)
        self.ratio = self.peer / self.own

    def clean(self):
        for output in self.outputs:
            shutil.rmtree(output, ignore_errors=True)
            Path(output).unlink(missing_ok=True) if not os.path.isdir(output) else None

    def figure(self, value):
        if self.memory:
            return f"{value:.0f} MB"
        return f"{value * 1000:.2f} ms" if value < 0.5 else f"{value:.2f} s"


def shell(text):
    return ["/bin/sh", "-c", text]


def shown(command):
    return command[2] if command[:2] == ["/bin/sh", "-c"] else shlex.join(command)


def passes_sound(respool, preset, file):
    """Returns True if Respool copies the audio of the file, so that the peer must copy it, too."""
    text = subprocess.run(
        [respool, "presets", "explain", preset, file], check=True, capture_output=True, text=True
    ).stdout
    action = re.search(r"^\s*audio\.action:?\s+(\w+)", text, re.MULTILINE)
    return bool(action) and action.group(1) in ("pass", "passThrough", "copy")


def x264_settings(file):
    """Returns the settings that x264 wrote into the file, without those that depend on the number of threads."""
    data = Path(file).read_bytes()
    found = re.search(rb"x264 - core [^\0]*?options: ([^\0]*)", data)
    if not found:
        return "none"
    words = found.group(1).decode("ascii", "replace").split()
    return " ".join(w for w in words if not re.match(r"(lookahead_)?threads=|sliced_threads=", w))


def duration(file):
    text = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", file],
        check=True, capture_output=True, text=True).stdout
    return float(text)


def melt(compose, films, seconds):
    """Returns the task of composing two layers with melt as the peer, or nothing if melt is not installed."""
    if not shutil.which("melt"):
        print("melt is not installed: the row beside it is left out", file=sys.stderr)
        return []
    last = seconds * 30 - 1
    first, second = (f"{film} audio_index=-1 out={last}" for film in films)
    command = (f"QT_QPA_PLATFORM=offscreen melt -silent -profile atsc_720p_30 {first} {second} "
               f"-mix {last} -mixer luma -consumer null real_time=-{CORES} terminate_on_pause=1")
    return [Work("two layers of 720p decoded and composed with an opacity ramp, beside melt", 1,
                 [shell(command)], [compose, *films, str(seconds)], 5)]


def works(respool, inputs, scratch, pairs):
    """Returns the tasks of the table."""
    ff = "ffmpeg -nostdin -v error -y"
    opus = "-vn -c:a libopus -b:a 128k -vbr on -compression_level 10 -application audio -frame_duration 20"
    film, sound = f"{inputs}/1080p.mp4", f"{inputs}/20min.wav"
    clips720 = sorted(Path(inputs, "clips720").glob("*.mp4"))
    # cpu-independent: Respool writes the same bytes on every CPU. This makes x264 2 % slower, and x264 does not
    # write it into its settings.
    x264 = ("-c:v libx264 -preset medium -crf 21 -profile:v high -pix_fmt yuv420p "
            "-x264-params cpu-independent=1")

    def audio(preset, file):
        return "-c:a copy" if passes_sound(respool, preset, str(file)) else "-c:a aac -b:a 160k -ac 2"

    clips1080 = sorted(Path(inputs, "clips1080").glob("*.mp4"))
    short, large = audio("web-720p", clips720[0]), audio("web-720p", clips1080[0])
    fade = (str(clips720[0]), str(clips720[len(clips720) // 2]))
    compose = str(Path(respool).with_name("compose-benchmark"))
    seconds = int(duration(fade[0]))
    long = f"{inputs}/long.mp4"
    start, end = int(duration(long) * 0.1), int(duration(long) * 0.5)
    one, many, target = f"{scratch}/out", f"{scratch}/many", f"{scratch}/one"
    quick = max(pairs, 5) * 20
    return [
        Work("presets list", 1, [["gst-inspect-1.0", "--version"]], [respool, "presets", "list"], quick),
        Work("--help", 1, [["gst-inspect-1.0", "--version"]], [respool, "--help"], quick),
        Work("inspect of one MP4", 4, [["ffprobe", str(clips720[0])]],
             [respool, "inspect", str(clips720[0])], max(pairs, 5) * 4),
        Work(f"{len(list(Path(inputs, 'clips300').glob('*.wav')))} short WAV clips to Opus", 2.5,
             [shell(f"mkdir -p {many} && ls {inputs}/clips300 | xargs -P{CORES} -I{{}} "
                    f"{ff} -i {inputs}/clips300/{{}} {opus} {many}/{{}}.opus")],
             [respool, "batch", f"{inputs}/clips300", "--to", one, "--preset", "opus-128k"],
             pairs, [one, many]),
        Work("long WAV to Opus", 1, [shell(f"{ff} -i {sound} {opus} {target}.opus")],
             [respool, "convert", sound, f"{target}.opus", "--preset", "opus-128k"], pairs,
             [f"{target}.opus"]),
        Work(f"{len(clips720)} clips of 720p H.264 to web-720p", 1,
             [shell(f"mkdir -p {many} && for f in {inputs}/clips720/*.mp4; do {ff} -i $f {x264} {short} "
                    f"-movflags +faststart {many}/$(basename $f); done"),
              shell(f"mkdir -p {many} && ls {inputs}/clips720 | xargs -P{CORES} -I{{}} {ff} -threads 1 "
                    f"-i {inputs}/clips720/{{}} {x264} {short} -threads 1 -movflags +faststart {many}/{{}}")],
             [respool, "batch", f"{inputs}/clips720", "--to", one, "--preset", "web-720p"],
             pairs, [one, many]),
        Work(f"{len(clips1080)} clips of 1080p H.264 to web-720p", 1,
             [shell(f"mkdir -p {many} && for f in {inputs}/clips1080/*.mp4; do {ff} -i $f "
                    f"-vf scale=1280:720:flags=lanczos {x264} {large} "
                    f"-movflags +faststart {many}/$(basename $f); done"),
              shell(f"mkdir -p {many} && ls {inputs}/clips1080 | xargs -P{CORES} -I{{}} {ff} -threads 1 "
                    f"-i {inputs}/clips1080/{{}} -vf scale=1280:720:flags=lanczos {x264} {large} "
                    f"-threads 1 -movflags +faststart {many}/{{}}")],
             [respool, "batch", f"{inputs}/clips1080", "--to", one, "--preset", "web-720p"],
             pairs, [one, many]),
        Work("one film of 1080p H.264 to web-720p", 1,
             [shell(f"exec {ff} -i {film} -vf scale=1280:720:flags=lanczos {x264} {audio('web-720p', film)} "
                    f"-movflags +faststart {target}.mp4")],
             [respool, "convert", film, f"{target}.mp4", "--preset", "web-720p"], pairs,
             [f"{target}.mp4"]),
        Work("two layers of 720p decoded and composed with an opacity ramp, beside ffmpeg", 1,
             [shell(f"{ff} -i {fade[0]} -i {fade[1]} -an -filter_complex '[1:v]format=yuva420p,"
                    f"fade=t=in:st=0:d={seconds}:alpha=1[b];[0:v][b]overlay' -t {seconds} -f null -"),
              shell(f"{ff} -i {fade[0]} -i {fade[1]} -an -filter_complex '[0:v]settb=AVTB,fps=30[a];"
                    f"[1:v]settb=AVTB,fps=30[b];[a][b]xfade=duration={seconds}:offset=0' "
                    f"-t {seconds} -f null -")],
             [compose, *fade, str(seconds)], max(pairs, 5)),
        *melt(compose, fade, seconds),
        Work("a part of a long film passed through, beside ffmpeg", 1,
             [shell(f"{ff} -ss {start} -to {end} -i {long} -c copy -movflags +faststart {target}.mp4"),
              shell(f"{ff} -ss {start} -to {end} -i {long} -c copy {target}.mp4")],
             [respool, "convert", long, f"{target}.mp4", "--preset", "remux-mp4", "--from", str(start),
              "--to", str(end)], max(pairs, 5), [f"{target}.mp4"]),
        Work("a part of a long film passed through, beside writing and syncing as much", 0.5,
             [shell(f"head -c {int(os.stat(long).st_size * (end - start) / duration(long))} {long} "
                    f"> {target}.mp4 && sync {target}.mp4")],
             [respool, "convert", long, f"{target}.mp4", "--preset", "remux-mp4", "--from", str(start),
              "--to", str(end)], max(pairs, 5), [f"{target}.mp4"]),
        Work("12 thumbnails of a 1080p film", 1,
             [shell(f"{ff} -i {film} -vf 'fps={12 / duration(film)},scale=320:-1,tile=4x3' "
                    f"-frames:v 1 {target}.png")],
             [respool, "thumbnails", film, "-o", f"{target}.png", "--count", "12", "--columns", "4"],
             max(pairs, 5), [f"{target}.png"]),
        Work("20 minutes of WAV to a waveform, beside md5sum", 1, [["md5sum", sound]],
             [respool, "waveform", sound, "-o", f"{target}.png"], max(pairs, 5) * 2, [f"{target}.png"]),
        Work("20 minutes of WAV to a waveform, beside showwavespic", 3,
             [shell(f"{ff} -i {sound} -lavfi showwavespic=s=1800x280 -frames:v 1 {target}.png")],
             [respool, "waveform", sound, "-o", f"{target}.png"], max(pairs, 5) * 2, [f"{target}.png"]),
        Work("peak memory of a 1080p conversion", 1,
             [shell(f"exec {ff} -i {film} {x264} {audio('web-1080p', film)} -movflags +faststart {target}.mp4")],
             [respool, "convert", film, f"{target}.mp4", "--preset", "web-1080p"], pairs,
             [f"{target}.mp4"], memory=True),
    ]


def same_settings(respool, inputs, scratch):
    """Returns a sentence stating if the x264 settings in the outputs of both sides are equal."""
    clip = sorted(Path(inputs, "clips720").glob("*.mp4"))[0]
    ours, theirs = f"{scratch}/ours.mp4", f"{scratch}/theirs.mp4"
    subprocess.run([respool, "convert", clip, ours, "--preset", "web-720p", "--quiet"], check=True)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", clip, "-c:v", "libx264", "-preset", "medium",
         "-crf", "21", "-profile:v", "high", "-pix_fmt", "yuv420p", "-an", theirs], check=True)
    a, b = x264_settings(ours), x264_settings(theirs)
    if a == b:
        return "x264's settings, as it writes them into the output, are equal on both sides."
    differing = sorted(set(a.split()) ^ set(b.split()))
    return "x264's settings differ between the sides in: " + ", ".join(differing)


def version(command, pattern):
    text = subprocess.run(command, capture_output=True, text=True).stdout
    found = re.search(pattern, text)
    return found.group(1) if found else "?"


BOUNDARY = "the boundary between host and plugin"


def boundary(respool):
    """Returns the time of one send and receive through the boundary, as a line of the report."""
    program = str(Path(respool).with_name("boundary-benchmark"))
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    nanoseconds = int(text.split()[0])
    mark = "" if nanoseconds <= 250 else " (missed)"
    return f"A send and receive through {BOUNDARY} take {nanoseconds} ns; wanted are at most 250 ns{mark}."


def report(done, inputs, pairs, settings, notes):
    kind = Path(inputs, "kind").read_text().strip()
    ffmpeg = version(["ffmpeg", "-version"], r"version (\S+)")
    gstreamer = version(["gst-inspect-1.0", "--version"], r"version (\S+)")
    swift = version(["swift", "--version"], r"Swift version (\S+)")
    lines = [
        "# Speed, as ratios to the peers", "",
        f"{CORES} cores; {kind}; medians of at least {pairs} pairs, measured in turn in one run. "
        "A ratio above 1: Respool is quicker, or needs less memory.",
        f"ffmpeg {ffmpeg}, gst-inspect {gstreamer}, Swift {swift}. {settings}", "",
        "| work | wanted | ratio | peer | Respool |", "| --- | --- | --- | --- | --- |",
    ]
    for work in done:
        mark = "" if work.ratio >= work.target else " (missed)"
        lines.append(
            f"| {work.name} | {work.target:g}x | {work.ratio:.2f}x{mark} | {work.figure(work.peer)} "
            f"| {work.figure(work.own)} |")
    for note in notes:
        lines += ["", note]
    lines += ["", "The commands, peer first:", "", "```sh"]
    for work in done:
        lines += [f"# {work.name}", shown(work.peer_command), shown(work.ours)]
    return "\n".join(lines + ["```", ""])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("respool")
    parser.add_argument("inputs")
    parser.add_argument("results")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    scratch = tempfile.mkdtemp(prefix="respool-bench-")
    try:
        settings = same_settings(options.respool, options.inputs, scratch)
        done = []
        for work in works(options.respool, options.inputs, scratch, options.pairs):
            if options.only not in work.name:
                continue
            work.run()
            done.append(work)
            print(f"{work.name}: {work.ratio:.2f}x (wanted {work.target:g}x)", file=sys.stderr, flush=True)
        notes = [boundary(options.respool)] if options.only in BOUNDARY else []
        text = report(done, options.inputs, options.pairs, settings, notes)
        compose = str(Path(options.respool).with_name("compose-benchmark"))
        for path, name in ((scratch, "$OUT"), (options.inputs, "$IN"), (options.respool, "respool"),
                           (compose, "compose-benchmark")):
            text = text.replace(str(path), name)
        print(text)
        if options.write:
            Path(options.results).write_text(text)
        missed = [work.name for work in done if work.ratio < work.target]
        if missed:
            print("missed: " + ", ".join(missed), file=sys.stderr)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
