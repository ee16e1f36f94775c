"""A model of a disk: what may be left of the recorded calls of a command after a power cut.

A crash leaves a part of the operations. Those that were synced are always left. Two models say which of the others
may be: *journal* (ext4 and others) keeps names and attributes in their order, and any fsync also stores all earlier
ones; *weak* (POSIX) promises nothing that was not synced, and a name only after fsync of its folder. Both lose any
content that was not synced. A rename is one step in both.
"""

import os
import shutil
import stat

FILE, FOLDER = "file", "folder"


class Disk:
    """The files of a folder, and the operations that change them, by numbers of inodes."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.kinds, self.initial, self.contents, self.attributes = {}, {}, {}, {}
        self.operations = []
        self.paths = {}
        self.scan(self.root)
        self.names = {number: dict(entries) for number, entries in self.initial.items()}
        self.live = {number: bytearray(content) for number, content in self.contents.items()}

    def scan(self, path):
        status = os.lstat(path)
        number = self.add(FOLDER if stat.S_ISDIR(status.st_mode) else FILE)
        self.attributes[number] = (stat.S_IMODE(status.st_mode), status.st_mtime_ns)
        if self.kinds[number] == FILE:
            with open(path, "rb") as file:
                self.contents[number] = file.read()
        else:
            self.initial[number] = {name: self.scan(os.path.join(path, name)) for name in sorted(os.listdir(path))}
        return number

    def add(self, kind):
        number = len(self.kinds)
        self.kinds[number] = kind
        return number

    # Recording

    def find(self, path):
        """Returns the inode of a path, or None."""
        path = os.path.normpath(path)
        if path == self.root:
            return 0
        if not path.startswith(self.root + "/"):
            return None
        number = 0
        for part in path[len(self.root) + 1:].split("/"):
            number = self.names.get(number, {}).get(part)
            if number is None:
                return None
        return number

    def place(self, path):
        """Returns the inode of the folder of a path, and the name in it."""
        return self.find(os.path.dirname(os.path.normpath(path))), os.path.basename(path)

    def note(self, *operation):
        self.operations.append(operation)
        apply_name(self.names, operation)

    def create(self, path, kind, mode):
        folder, name = self.place(path)
        if folder is None:
            return
        number = self.add(kind)
        if kind == FOLDER:
            self.names[number] = {}
        self.live[number] = bytearray()
        self.note("create", folder, name, number, mode & ~0o022)

    def write(self, path, offset, content):
        number = self.find(path)
        if number is None:
            return
        self.change("write", number, offset, content)

    def change(self, *operation):
        change_content(self.live, operation)
        self.operations.append(operation)

    def take(self, call):
        """Adds the operation of a call."""
        name = call.name
        if name in ("openat", "open", "creat"):
            at = 0 if name == "openat" else None
            path, flags = call.text(1 if name == "openat" else 0, at), " ".join(call.words)
            if "O_TMPFILE" in flags:
                return
            number = self.find(path)
            if number is None and ("O_CREAT" in flags or name == "creat"):
                self.create(path, FILE, int(call.words[-1], 8))
            elif number is not None and ("O_TRUNC" in flags or name == "creat"):
                self.change("truncate", number, 0)
        elif name in ("write", "pwrite64"):
            number = self.find(call.path(0) or "")
            if number is not None:
                content = call.bytes(1)[:call.result]
                # write(2) is used only for new files from their start.
                self.write(call.path(0), call.number(3) if name == "pwrite64" else len(self.live[number]), content)
        elif name in ("ftruncate", "truncate"):
            number = self.find(call.path(0) if name == "ftruncate" else call.text(0))
            if number is not None:
                self.change("truncate", number, call.number(1))
        elif name == "copy_file_range":
            number = self.find(call.path(2))
            if number is not None:
                start = int(call.words[1].strip("[]"))
                content = self.live[self.find(call.path(0))][start:start + call.result]
                self.write(call.path(2), int(call.words[3].strip("[]")), bytes(content))
        elif name in ("rename", "renameat", "renameat2"):
            shift = 0 if name == "rename" else 1
            old = call.text(shift, 0 if shift else None)
            new = call.text(1 + 2 * shift, 2 if shift else None)
            (folder, first), (other, second) = self.place(old), self.place(new)
            number = self.find(old)
            if number is None or other is None:
                return
            is_exchange = "RENAME_EXCHANGE" in call.words[-1]
            self.note("rename", folder, first, other, second, number, self.find(new) if is_exchange else None)
        elif name in ("unlink", "rmdir", "unlinkat"):
            path = call.text(1, 0) if name == "unlinkat" else call.text(0)
            if self.find(path) is not None:
                self.note("unlink", *self.place(path), self.find(path))
        elif name in ("mkdir", "mkdirat"):
            path = call.text(1, 0) if name == "mkdirat" else call.text(0)
            self.create(path, FOLDER, int(call.words[-1], 8))
        elif name in ("link", "linkat"):
            old, new = (call.text(0), call.text(1)) if name == "link" else (call.text(1, 0), call.text(3, 2))
            if self.find(old) is not None and self.place(new)[0] is not None:
                self.note("link", *self.place(new), self.find(old))
        elif name in ("fsync", "fdatasync"):
            number = self.find(call.path(0) or "")
            if number is not None:
                self.note("sync", number)
        elif name in ("fchmod", "chmod", "fchmodat"):
            number = self.find(call.path(0) if name == "fchmod" else call.text(0 if name == "chmod" else 1))
            if number is not None:
                self.note("mode", number, int(call.words[1 if name != "fchmodat" else 2], 8))
        elif name == "utimensat":
            path = call.path(0) if call.words[1] == "NULL" else call.text(1, 0)
            if self.find(path) is not None:
                self.note("time", self.find(path), times(call.words[2])[1])
        elif name == "mmap":
            if "PROT_WRITE" in call.words[2] and "MAP_SHARED" in call.words[3]:
                path = call.path(4) or ""
                # The memory that processes share beside a write-ahead log is made again after a crash.
                if self.find(path) is not None and not path.endswith("-shm"):
                    raise RuntimeError(f"{path} is written to in memory, which is not recorded")
        elif name in ("fchown", "chown", "lchown", "fchownat", "fsetxattr", "setxattr", "lsetxattr", "fremovexattr"):
            pass
        elif name in ("writev", "pwritev", "pwritev2", "sendfile", "symlink", "symlinkat", "syncfs", "sync"):
            path = call.path(0) if "<" in call.words[0] else None
            if path and self.find(path) is not None:
                raise RuntimeError(f"{name} on {path} is not recorded")

    # Crashes

    def is_content(self, operation):
        return operation[0] in ("write", "truncate")

    def synced(self, end, is_weak):
        """Returns the operations before `end` that are durable, as a set of indexes."""
        durable = set()
        synced = set()
        journal = False
        for index in range(end - 1, -1, -1):
            operation = self.operations[index]
            kind = operation[0]
            if kind == "sync":
                synced.add(operation[1])
                journal = True
            elif self.is_content(operation):
                if operation[1] in synced:
                    durable.add(index)
            elif kind in ("mode", "time"):
                if operation[1] in synced or journal and not is_weak:
                    durable.add(index)
            elif journal and not is_weak or all(folder in synced for folder in folders_of(operation)):
                durable.add(index)
        return durable

    def state(self, kept):
        """Returns the files that operations with the indexes `kept` leave: a tree of values."""
        names = {number: dict(entries) for number, entries in self.initial.items()}
        contents = {number: bytearray(content) for number, content in self.contents.items()}
        attributes = dict(self.attributes)
        for index in kept:
            operation = self.operations[index]
            kind = operation[0]
            if self.is_content(operation):
                change_content(contents, operation)
            elif kind == "mode":
                attributes[operation[1]] = (operation[2], attributes.get(operation[1], (0, None))[1])
            elif kind == "time":
                attributes[operation[1]] = (attributes.get(operation[1], (0o600, 0))[0], operation[2])
            else:
                if kind == "create":
                    attributes.setdefault(operation[3], (operation[4], None))
                apply_name(names, operation)
        return self.tree(0, names, contents, attributes, set())

    def tree(self, number, names, contents, attributes, above):
        mode, time = attributes.get(number, (0o600, None))
        if self.kinds[number] == FILE:
            return (mode, time, bytes(contents.get(number, b"")))
        # Lost renames must not make a folder its own parent.
        entries = {
            name: self.tree(entry, names, contents, attributes, above | {number})
            for name, entry in sorted(names.get(number, {}).items()) if entry not in above}
        return (mode, entries)


def folders_of(operation):
    """Returns the folders whose entries an operation changes."""
    return {operation[1], operation[3]} if operation[0] == "rename" else {operation[1]}


def apply_name(names, operation):
    """Applies an operation to the entries of folders, even if earlier ones were lost."""
    kind = operation[0]
    if kind == "create" or kind == "link":
        _, folder, name, number = operation[:4]
        names.setdefault(folder, {})[name] = number
        if kind == "create":
            names.setdefault(number, names.get(number, {}))
    elif kind == "unlink":
        _, folder, name, number = operation
        if names.get(folder, {}).get(name) == number:
            del names[folder][name]
    elif kind == "rename":
        _, folder, name, other, target, number, exchanged = operation
        if names.get(folder, {}).get(name) == number:
            del names[folder][name]
        names.setdefault(other, {})[target] = number
        if exchanged is not None:
            names.setdefault(folder, {})[name] = exchanged


def change_content(contents, operation):
    room = contents.setdefault(operation[1], bytearray())
    offset = operation[2]
    if operation[0] == "write":
        room.extend(b"\0" * (offset - len(room)))
        room[offset:offset + len(operation[3])] = operation[3]
    else:
        del room[offset:]
        room.extend(b"\0" * (offset - len(room)))


def times(text):
    """Returns the nanoseconds of both times of utimensat."""
    words = text.replace("{", "").replace("}", "").replace("[", "").replace("]", "")
    values = [int(part.split("=")[1].split(" ")[0]) for part in words.split(",") if "=" in part]
    return [values[0] * 10**9 + values[1], values[2] * 10**9 + values[3]]


def build(path, state, fixed=()):
    """Makes the files of a state below a path, which is emptied first but for the names `fixed`.

    What no operation changes can stay; the ledger knows the inodes of sources.
    """
    for name in set(os.listdir(path)) - set(fixed):
        entry = os.path.join(path, name)
        shutil.rmtree(entry) if os.path.isdir(entry) else os.unlink(entry)
    build_entries(path, state, fixed)


def build_entries(path, state, fixed=()):
    for name, entry in state[1].items():
        if name in fixed:
            continue
        place = os.path.join(path, name)
        if len(entry) == 2:
            os.mkdir(place)
            build_entries(place, entry)
            os.chmod(place, entry[0])
        else:
            with open(place, "wb") as file:
                file.write(entry[2])
            os.chmod(place, entry[0])
            if entry[1] is not None:
                os.utime(place, ns=(entry[1], entry[1]))
