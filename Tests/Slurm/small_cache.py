#!/usr/bin/python3
"""Mounts a folder as the client of an object store or a file server does whose local cache is small.

    small_cache.py FOLDER MOUNT BYTES

All that is written is in FOLDER, and other machines see it. After BYTES have been written, each further write ends with
ENOSPC until files are removed, as if the disk of the cache was full. Needs the Debian package python3-fusepy and
/dev/fuse. Locks are only those of this mount, as with most of such clients.
"""

import errno
import os
import sys
import threading

import fusepy as fuse


class SmallCache(fuse.Operations):
    def __init__(self, root, room):
        self.root, self.room, self.sizes, self.mutex = root, room, {}, threading.Lock()

    def at(self, path):
        return self.root + path

    def grow(self, inode, size):
        """Counts the size of a file that this mount has written to; raises ENOSPC if there is no room."""
        with self.mutex:
            others = sum(self.sizes.values()) - self.sizes.get(inode, 0)
            if size > self.sizes.get(inode, 0) and others + size > self.room:
                raise fuse.FuseOSError(errno.ENOSPC)
            self.sizes[inode] = size

    def getattr(self, path, handle=None):
        status = os.lstat(self.at(path)) if handle is None else os.fstat(handle)
        names = ("st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid", "st_ino")
        return {name: getattr(status, name) for name in names}

    def access(self, path, mode):
        if not os.access(self.at(path), mode):
            raise fuse.FuseOSError(errno.EACCES)

    def statfs(self, path):
        status = os.statvfs(self.root)
        with self.mutex:
            left = max(0, self.room - sum(self.sizes.values())) // status.f_frsize
        return {"f_bsize": status.f_bsize, "f_frsize": status.f_frsize, "f_blocks": self.room // status.f_frsize,
                "f_bfree": left, "f_bavail": left, "f_files": status.f_files, "f_ffree": status.f_ffree,
                "f_favail": status.f_favail, "f_namemax": status.f_namemax}

    def readdir(self, path, handle):
        return [".", "..", *os.listdir(self.at(path))]

    def readlink(self, path):
        return os.readlink(self.at(path))

    def mkdir(self, path, mode):
        return os.mkdir(self.at(path), mode)

    def rmdir(self, path):
        return os.rmdir(self.at(path))

    def unlink(self, path):
        with self.mutex:
            status = os.lstat(self.at(path))
            if status.st_nlink == 1:
                self.sizes.pop(status.st_ino, None)
        return os.unlink(self.at(path))

    def rename(self, old, new):
        return os.rename(self.at(old), self.at(new))

    def link(self, target, source):
        return os.link(self.at(source), self.at(target))

    def chmod(self, path, mode):
        return os.chmod(self.at(path), mode)

    def chown(self, path, user, group):
        return os.chown(self.at(path), user, group, follow_symlinks=False)

    def utimens(self, path, times=None):
        return os.utime(self.at(path), times)

    def open(self, path, flags):
        return os.open(self.at(path), flags)

    def create(self, path, mode, info=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, size, offset, handle):
        return os.pread(handle, size, offset)

    def write(self, path, data, offset, handle):
        status = os.fstat(handle)
        self.grow(status.st_ino, max(status.st_size, offset + len(data)))
        return os.pwrite(handle, data, offset)

    def truncate(self, path, size, handle=None):
        if handle is None:
            self.grow(os.stat(self.at(path)).st_ino, size)
            return os.truncate(self.at(path), size)
        self.grow(os.fstat(handle).st_ino, size)
        return os.ftruncate(handle, size)

    def flush(self, path, handle):
        return 0

    def fsync(self, path, data_only, handle):
        return os.fsync(handle)

    def release(self, path, handle):
        return os.close(handle)


if __name__ == "__main__":
    fuse.FUSE(SmallCache(sys.argv[1], int(sys.argv[3])), sys.argv[2], foreground=True, nothreads=True, use_ino=True, nonempty=True, hard_remove=True,
              attr_timeout=0, entry_timeout=0, negative_timeout=0)
