"""The system calls of a command that change files, recorded with strace."""

import os
import re
import subprocess

CALLS = """openat open creat write pwrite64 writev pwritev pwritev2 ftruncate truncate fallocate rename renameat renameat2
unlink unlinkat mkdir mkdirat rmdir link linkat symlink symlinkat fsync fdatasync sync_file_range sync syncfs fchmod
fchown chmod chown lchown fchmodat fchownat utimensat fsetxattr setxattr lsetxattr fremovexattr copy_file_range sendfile
ioctl mmap""".split()
# Calls on files of the recorded folders that are not understood end the recording.
IGNORED = {"sync_file_range", "fallocate", "ioctl"}
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)(?:<.*>)?$")
UNFINISHED = re.compile(r"^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>(.*)$")


def decoded(text):
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())


def arguments(text):
    """Splits the arguments of a call at commas that are not within strings or brackets."""
    parts, depth, start, quoted = [], 0, 0, False
    for index, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "[{<":
            depth += 1
        elif not quoted and letter in "]}>":
            depth -= 1
        elif not quoted and depth == 0 and letter == ",":
            parts.append(text[start:index].strip())
            start = index + 1
    return parts + [text[start:].strip()]


class Call:
    """A call with its number, its decoded arguments, and the absolute paths of descriptors and names."""

    def __init__(self, name, words, folder):
        self.name, self.words, self.folder = name, words, folder

    def path(self, index):
        """Returns the path of a descriptor."""
        match = re.match(r"^-?\w+<(.*?)>", self.words[index])
        return decoded(match[1]).decode("utf-8", "surrogateescape").removesuffix(" (deleted)") if match else None

    def bytes(self, index):
        text = self.words[index]
        return decoded(text[text.index('"') + 1:text.rindex('"')])

    def text(self, index, at=None):
        """Returns the absolute path of a name, relative to the descriptor of the argument `at`."""
        name = self.bytes(index).decode("utf-8", "surrogateescape")
        base = self.path(at) if at is not None else None
        return os.path.normpath(os.path.join(base or self.folder, name))

    def number(self, index):
        return int(self.words[index], 0)


def calls(log, folder):
    """Yields the successful calls in the order of their ends."""
    unfinished = {}
    with open(log, encoding="ascii", errors="surrogateescape") as file:
        for line in file:
            line = line.rstrip("\n")
            if match := UNFINISHED.match(line):
                unfinished[match[1], match[2]] = match[3]
                continue
            if match := RESUMED.match(line):
                line = f"{match[1]} {match[2]}({unfinished.pop((match[1], match[2]), '')}{match[3]}"
            if (match := LINE.match(line)) and not match[4].startswith("-"):
                call = Call(match[2], arguments(match[3]), folder)
                call.result = int(match[4], 0)
                yield call


def record(command, log, environment, folder):
    """Runs a command and writes its calls to `log`; returns its status and its output."""
    result = subprocess.run(
        ["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", "trace=" + ",".join(CALLS), "-o", log, *command],
        env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr
