#!/usr/bin/env python3
"""Makes pages as `respool report` does, of made-up data for tests, and the hashes of the page's style and script.

The page is head.html, a noscript block, a summary, rows and tail.html of Sources/RespoolBatch/Page. Rows are arrays:
number, path, address of the source and of the output, result, reason, losses, settings with values and reasons, bytes
before and after, seconds of work and of media, [width, height, codec] before and after, pictures, waveform. The reason
of a file that was converted or copied is why its source is incomplete. After them, as far as one follows, stand: name
of the output, marks (4 output gone, 8 changed, 16 source gone, 32 changed, 64 losses unknown), name of the preset, words
on a replaced source, text that stands for the row on a served page.

    generate.py --rows 300 --out report.html     a sample report
    generate.py --hostile --out hostile.html     names that try to break the page
    generate.py --seal                           after an edit: new hashes into head.html
"""
import argparse
import base64
import hashlib
import html
import json
import pathlib
import random
import re
import struct
import unicodedata
import urllib.parse
import zlib

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "Sources/RespoolBatch/Page"
CHUNK = 1000
OUTPUT_GONE, OUTPUT_CHANGED, SOURCE_GONE, SOURCE_CHANGED, LOSSES_UNKNOWN = 4, 8, 16, 32, 64
FAILURES_WITHOUT_SCRIPTS = 1000


# As PageWriter and BatchPage do

def data_line(kind, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return f'<script type="application/json" class="{kind}">{text}</script>\n'


def plain_text(text):
    """Text for the part without scripts: HTML escaped, unseen characters spelled out."""
    unseen = lambda c: unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(c) in (
        "LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI") or c in "\u061c\u200b\u200e\u200f\ufeff"
    return html.escape("".join(f"[U+{ord(c):04X}]" if unseen(c) else c for c in text))


def plain_block(summary, failures):
    counts = summary["counts"]
    words = ", ".join(f"{number} {name}" for name, number in counts.items())
    saved = summary["sourceBytes"] - summary["outputBytes"]
    lines = [f"<noscript>\n<h2>{plain_text(summary['title'])}</h2>",
             f"<p>Preset {plain_text(summary['preset'] or '')}. Files: {words}. Space saved: {saved / 1e9:.1f} GB.</p>"]
    if failures:
        lines += ["<h2>Failed files</h2>", "<ul>"]
        lines += [f"<li><bdi>{plain_text(row[1])}</bdi>: {plain_text(row[5])}</li>"
                  for row in failures[:FAILURES_WITHOUT_SCRIPTS]]
        lines += ["</ul>"]
    if len(failures) > FAILURES_WITHOUT_SCRIPTS:
        lines += [f"<p>And {len(failures) - FAILURES_WITHOUT_SCRIPTS} more.</p>"]
    return "\n".join(lines) + "\n</noscript>\n"


def write_report(path, summary, rows, failures=()):
    """Rows may be any iterable: no more than a chunk of them is held."""
    with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as out:
        out.write((PAGE / "head.html").read_text("utf-8"))
        out.write(plain_block(summary, failures))
        out.write(data_line("summary", summary))
        chunk = []
        for row in rows:
            chunk.append(row)
            if len(chunk) == CHUNK:
                out.write(data_line("rows", chunk))
                chunk = []
        if chunk:
            out.write(data_line("rows", chunk))
        out.write((PAGE / "tail.html").read_text("utf-8"))


# The constant hashes of the style and the script, which stand in head.html

def hashes(head):
    parts = {}
    for tag in ("script", "style"):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", head, re.S).group(1)
        parts[tag] = "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return parts


def seal():
    path = PAGE / "head.html"
    head = path.read_text("utf-8")
    for tag, value in hashes(head).items():
        head = re.sub(rf"{tag}-src 'sha256-[^']*'", f"{tag}-src '{value}'", head)
    path.write_text(head, "utf-8", newline="\n")
    return hashes(head)


# Made-up data

def picture(seed, soft):
    """A small PNG that looks like a hazy landscape."""
    wide, high, rng = 192, 108, random.Random(seed)
    sky, land = [[rng.randint(60, 220) for _ in range(3)] for _ in range(2)]
    ridge, slope = high * rng.uniform(0.4, 0.7), rng.uniform(-0.2, 0.2)
    lines = b""
    for y in range(high):
        line = bytearray()
        for x in range(wide):
            far = min(1.0, max(0.0, (y - ridge - slope * (x - wide / 2)) / soft + 0.5))
            line += bytes(int((a * (1 - far) + b * far) * (0.75 + 0.25 * y / high)) for a, b in zip(sky, land))
        lines += b"\0" + line
    part = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    png = (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0))
           + part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(png).decode()


PLACES = ["Iceland", "Kyōto", "Grandma's 80th", "São Miguel", "Wedding (second day)", "Drone", "Interviews"]
KINDS = [  # codec, ending, new codec, new ending, part of the size that stays, speed, weight
    ("h264", "MP4", "hevc", "mp4", 0.42, 5.0, 40), ("prores", "mov", "hevc", "mp4", 0.07, 1.6, 10),
    ("mjpeg", "AVI", "hevc", "mp4", 0.15, 3.0, 8), ("dvvideo", "dv", "hevc", "mp4", 0.12, 11.0, 6),
    ("jpeg", "JPG", "avif", "avif", 0.45, None, 22), ("pcm_s16le", "WAV", "flac", "flac", 0.58, 70.0, 8),
    ("mpeg2video", "MPG", "hevc", "mp4", 0.3, 8.0, 4), ("tiff", "tif", "avif", "avif", 0.08, None, 2)]
ERRORS = ["The source ends early: 12 of 98 MB can be read.", "The encoder stopped with code 1: out of memory.",
          "The output is 14 s shorter than the source, so it was removed.", "No space is left on the target disk."]
EARLY = ["The source ends early: the last 3 of 98 s are missing.", "The source ends early: its index is cut off."]
LOSSES = ["The second sound track was left out.", "Subtitles (dvb_subtitle) were left out.",
          "Colors were narrowed from 10 to 8 bits.", "The GPS track was left out."]
SETTINGS = [["codec", "hevc", "The preset asks for small files."], ["crf", "22", "Chosen by measured quality: VMAF 95.3."],
            ["preset", "slow", "More than 8 cores are free."], ["pixel format", "yuv420p10le", "The source has 10 bits."],
            ["sound", "copy", "The source has AAC at 192 kbit/s already."], ["rotation", "kept", "The camera was held upright."]]


def sample_rows(many, seed=1):
    rng = random.Random(seed)
    pictures = [[picture(n, 6), picture(n, 8)] for n in range(6)]
    for number in range(1, many + 1):
        yield sample_row(number, rng, pictures)


def sample_row(number, rng, pictures):
    codec, ending, new, new_ending, stays, speed, _ = rng.choices(KINDS, [kind[-1] for kind in KINDS])[0]
    folder = f"{rng.randint(2004, 2026)}/{rng.choice(PLACES)}"
    stem = f"{folder}/{rng.choice(['DSC', 'MVI', 'clip ', 'GX01'])}_{number:05d}"
    result = rng.choices(["converted", "copied", "skipped", "failed"], [86, 8, 4, 2])[0]
    media = rng.lognormvariate(4.3, 1.0) if speed else None
    before = int((media or 1) * rng.lognormvariate(14.6, 0.6)) if speed else int(rng.lognormvariate(15.4, 0.5))
    after = int(before * stays * rng.uniform(0.6, 1.5))
    work = media / (speed * rng.lognormvariate(0, 0.5)) if speed else rng.uniform(0.3, 2.5)
    size = rng.choice([(1920, 1080), (3840, 2160), (720, 576)]) if codec != "pcm_s16le" else (0, 0)
    lost = rng.sample(LOSSES, rng.choice([0, 0, 0, 1, 2])) if result == "converted" else []
    early = rng.choice(EARLY) if rng.random() < 0.02 else ""
    reason = {"converted": early, "copied": early, "skipped": "An output of this name is there already.",
              "failed": rng.choice(ERRORS)}[result]
    if result == "copied":
        new, new_ending, after, work = codec, ending, before, 0.2
    done = result in ("converted", "copied")
    quote = urllib.parse.quote
    wave = [round(abs(rng.gauss(0, 1)) * 22 + 18 * (1 + (n // 20) % 3)) % 101 for n in range(200)]
    row = [number, f"{stem}.{ending}", quote(f"../source/{stem}.{ending}"), quote(f"{stem}.{new_ending}") if done else None,
           result, reason, lost, SETTINGS if result == "converted" else [], before, after if done else None,
           round(work, 2) if done else None, round(media, 2) if media else None, [*size, codec], [*size, new] if done else None]
    if result == "converted" and size[0] and rng.random() < 0.02 + 20 / (number + 20):
        row.append(rng.choice(pictures))
    if speed and rng.random() < 0.05 + 20 / (number + 20):
        row += [None] * (15 - len(row)) + [[*wave]]
    if done:
        row += [None] * (16 - len(row)) + [f"{stem}.{new_ending}", None, "Archive, small"]
    if done and rng.random() < 0.01:
        mark(row, OUTPUT_GONE)
    return row


def mark(row, marks):
    """Marks what has become of the files of a row since."""
    row += [None] * (18 - len(row))
    row[17] = (row[17] or 0) | marks
    if marks & OUTPUT_GONE:
        row[3] = None
    if marks & SOURCE_GONE:
        row[2] = None


def hostile_rows():
    names = ["<script>alert(1)</script>.mp4", '"><img src=x onerror=alert(1)>', "</script><script>alert(1)</script>", "two\nlines\tand a tab.mov",
             "photo\u202egnp.exe", "x" * 250 + ".mp4 ", "日本語/家族👨‍👩‍👧‍👦🏝️.mov", "عربي/فيديو.mp4", "half \ud83d pair.mov",
             "<!-- <script> -->.mp4", "&lt;b&gt; &amp; ${1+1}.mov", "a\u0000b\u001b[31mred\u2028.mp4", "../../etc/passwd", "", "__proto__", "e\u0301te\u0301.mov"]
    bad = ["javascript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)", "data:text/html,<script>alert(1)</script>",
           "vbscript:x", "file:///tmp/a%3Cb%3E.mp4", "https://example.org/x", "a%20b.mp4"]
    for number, name in enumerate(names, 1):
        href = bad[number % len(bad)]
        yield [number, name, href, href, "failed" if number % 2 else "converted", name, [name, name], [[name, name, name]],
               10 ** number, 10 ** number // 2, 3.5, 60, [1920, 1080, name], [1920, 1080, "hevc"],
               ["javascript:alert(1)", "data:image/svg+xml;base64,PHN2Zy8+"], [0, 50, 100, 7]]


def summary_of(rows, title="Family films", **more):
    counts = {name: sum(row[4] == name for row in rows) for name in ("converted", "copied", "skipped", "failed")}
    done = [row for row in rows if row[9] is not None]
    work, media = sum(row[10] or 0 for row in done), sum(row[11] or 0 for row in done)
    return {"format": 1, "title": title, "preset": "Archive, small", "started": 1795700000, "ended": 1795700000 + round(work / 3.4),
            "counts": {**counts, "remaining": 0}, "sourceBytes": sum(row[8] for row in done), "outputBytes": sum(row[9] for row in done),
            "workSeconds": round(work), "mediaSeconds": round(media), "live": False, "machines": [], **more}


def make(path, rows, **more):
    rows = list(rows)
    summary = summary_of(rows, **more)
    write_report(path, summary, rows, [row for row in rows if row[4] == "failed"])
    return summary, rows


if __name__ == "__main__":
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--rows", type=int, default=300)
    flags.add_argument("--out", default="report.html")
    flags.add_argument("--hostile", action="store_true")
    flags.add_argument("--seal", action="store_true")
    given = flags.parse_args()
    if given.seal:
        print(*seal().items(), sep="\n")
    else:
        make(given.out, hostile_rows() if given.hostile else sample_rows(given.rows))
