import CRespool
import Glibc
import RespoolMedia

/// Descriptions of plugins, stored between runs.
///
/// The file is used only if its checksum and all lengths in it are right; otherwise it counts as empty and
/// is written again. If it cannot be written, plugins are described at every start.
struct DescriptionCache {
  /// Properties of the plugin file by which a stored description is matched.
  ///
  /// A replaced file has another identity.
  struct Identity: Hashable, Sendable {
    var size: Int64
    var modified: Int64
    var changed: Int64
    var inode: UInt64

    init?(ofFileAt path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      size = Int64(status.st_size)
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
      inode = UInt64(status.st_ino)
    }

    init(size: Int64, modified: Int64, changed: Int64, inode: UInt64) {
      self.size = size
      self.modified = modified
      self.changed = changed
      self.inode = inode
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
  }

  /// A stored description, which is decoded only if it is asked for: the cache may have the plugins of many folders.
  struct Entry: Sendable {
    var identity: Identity
    var description: [UInt8]
  }

  let path: String
  private(set) var entries: [String: Entry] = [:]

  /// Version of the encoding and of the recorded values; increased whenever either changes.
  private static let version: UInt8 = 6
  private static var header: [UInt8] {
    Array("respool plugins ".utf8)
      + [version, UInt8(RSP_ABI_MAJOR), UInt8(RSP_ABI_MINOR), 10]
  }
  private static let maximumSize = 64 << 20

  /// File name that contains the architecture, for home folders that several machines share.
  static var fileName: String {
    #if arch(arm64)
      let machine = "aarch64"
    #else
      let machine = "x86_64"
    #endif
    return "plugins-\(RSP_ABI_MAJOR).\(RSP_ABI_MINOR)-\(machine).cache"
  }

  init(folder: String) {
    path = folder + "/" + Self.fileName
    load()
  }

  /// Returns the stored description of the file that is at `path` now; `nil` if there is none.
  func description(of path: String, _ identity: Identity) -> PluginDescription? {
    guard let entry = entries[path], entry.identity == identity else { return nil }
    return entry.description.withUnsafeBytes { bytes in
      var decoder = DescriptionDecoder(bytes)
      return decoder.pluginDescription()
    }
  }

  mutating func set(_ description: PluginDescription, for path: String, _ identity: Identity) {
    var encoder = DescriptionEncoder()
    encoder.put(description)
    entries[path] = Entry(identity: identity, description: encoder.bytes)
  }

  mutating func remove(_ path: String) { entries[path] = nil }

  private mutating func load() {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= Self.maximumSize
    else { return }
    let size = Int(status.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = max(0, Glibc.read(descriptor, base, size))
    }
    entries = bytes.withUnsafeBytes { Self.decode($0) } ?? [:]
  }

  static func decode(_ bytes: UnsafeRawBufferPointer) -> [String: Entry]? {
    let header = header
    guard bytes.count >= header.count + 8, bytes.starts(with: header) else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[header.count..<bytes.count - 8])
    let sum = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    guard UInt64(littleEndian: sum) == checksum(body) else { return nil }
    var decoder = DescriptionDecoder(body)
    var entries: [String: Entry] = [:]
    while !decoder.isAtEnd {
      let path = decoder.text()
      let identity = Identity(
        size: decoder.number(), modified: decoder.number(), changed: decoder.number(),
        inode: decoder.number())
      entries[path] = Entry(identity: identity, description: decoder.data())
      guard decoder.isValid else { return nil }
    }
    return entries
  }

  func encoded() -> [UInt8] {
    var encoder = DescriptionEncoder()
    for path in entries.keys.sorted() {
      guard let entry = entries[path] else { continue }
      encoder.put(path)
      encoder.put(entry.identity.size)
      encoder.put(entry.identity.modified)
      encoder.put(entry.identity.changed)
      encoder.put(entry.identity.inode)
      encoder.put(entry.description)
    }
    var bytes = Self.header + encoder.bytes
    let sum = encoder.bytes.withUnsafeBytes { checksum($0) }
    withUnsafeBytes(of: sum.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Writes the cache beside itself and renames it, so that no process reads half a file.
  ///
  /// Leaves out plugins that are no longer on the disk. Returns `true` if it worked.
  @discardableResult
  mutating func save() -> Bool {
    for path in entries.keys where access(path, F_OK) != 0 { entries[path] = nil }
    let folder = PluginSearchPath.parent(of: path)
    guard makeFolder(folder, mode: 0o700) else { return false }
    PendingFile.removeAbandoned(in: folder)
    let pending = PendingFile(for: path)
    do throws(MediaError) {
      let sink = try FileSink(path: pending.path, source: nil, permissions: 0o600)
      try sink.write(encoded())
      try sink.finish()
      try pending.complete(replacing: true, syncingFolder: false)
      return true
    } catch { return false }
  }
}
