import Glibc
import Respool
import RespoolMedia

/// The outputs that batches have finished in a folder, each with its source and preset.
///
/// Stored as lines of tab-separated fields after a line that names the format. A line for an output
/// replaces the earlier ones, so lines are only appended. A line that a power failure cut off is ignored.
struct BatchRecord {
  /// One finished output.
  struct Entry: Hashable {
    /// Path of the output below the output folder.
    var output: String
    /// Absolute path of the source.
    var source: String
    var sourceStamp: FileStamp
    var outputStamp: FileStamp
    /// Identity of the preset's content.
    var preset: String
    /// Number of reported losses.
    var losses: Int
    /// `true` if the source ended early; such an output is never final.
    var isIncomplete: Bool
    /// `nil` in entries of earlier versions, and for a file that could not be read.
    var sourceMark: ContentMark?
    /// `nil` as for the source.
    var outputMark: ContentMark?
  }

  /// Entries by the output's path below the folder.
  private(set) var entries: [PathKey: Entry] = [:]
  /// Entries by the source's absolute path.
  private var sources: [PathKey: Entry] = [:]
  /// Number of lines read, including superseded ones.
  private(set) var lineCount = 0

  static let header = Array("respool batch record 1\n".utf8)

  init() {}

  /// Reads the content of a record file; a file of another format counts as empty.
  init(bytes: [UInt8]) {
    guard bytes.starts(with: Self.header) else { return }
    for line in bytes.dropFirst(Self.header.count).split(separator: 0x0A) {
      lineCount += 1
      if let entry = Entry(line: line) { put(entry) }
    }
  }

  /// The entry of an output.
  subscript(output: String) -> Entry? { entries[PathKey(output)] }

  /// Returns the entry of the output that was made last from the source at an absolute path.
  func entry(ofSource path: String) -> Entry? { sources[PathKey(path)] }

  mutating func put(_ entry: Entry) {
    entries[PathKey(entry.output)] = entry
    sources[PathKey(entry.source)] = entry
  }

  /// Content of the whole file, without superseded lines.
  var bytes: [UInt8] {
    entries.values.sorted { $0.output < $1.output }.reduce(into: Self.header) { $0 += $1.line }
  }
}

extension BatchRecord.Entry {
  fileprivate init?(line: some Sequence<UInt8>) {
    var fields = MessageFields(line: line)
    guard let output = fields.text(), let source = fields.text(),
      let sourceStamp = FileStamp(&fields), let outputStamp = FileStamp(&fields),
      let preset = fields.text(), let losses: Int = fields.value(),
      let isIncomplete: Bool = fields.value(), var last = fields.text()
    else { return nil }
    var marks: [ContentMark?] = [nil, nil]
    // Entries of earlier versions end here.
    if last != "end" {
      for index in marks.indices {
        guard let samples = fields.text() else { return nil }
        marks[index] = Int64(last).map { ContentMark(changed: $0, samples: samples) }
        guard let next = fields.text() else { return nil }
        last = next
      }
      guard last == "end" else { return nil }
    }
    self.init(
      output: output, source: source, sourceStamp: sourceStamp, outputStamp: outputStamp,
      preset: preset, losses: losses, isIncomplete: isIncomplete, sourceMark: marks[0],
      outputMark: marks[1])
  }

  var line: [UInt8] {
    var fields = MessageFields()
    fields.put(output)
    fields.put(source)
    sourceStamp.put(into: &fields)
    outputStamp.put(into: &fields)
    fields.put(preset)
    fields.put(losses)
    fields.put(isIncomplete)
    for mark in [sourceMark, outputMark] {
      fields.put(mark.map { "\($0.changed)" } ?? "-")
      fields.put(mark?.samples ?? "-")
    }
    // Marks a line as complete.
    fields.put("end")
    return fields.line
  }
}

/// Size and modification time of a file, by which a change is detected.
struct FileStamp: Hashable {
  /// Size in bytes.
  var size: Int64
  /// Modification time in nanoseconds since 1970.
  var modified: Int64

  init(size: Int64, modified: Int64) { (self.size, self.modified) = (size, modified) }

  init(_ status: stat) { self.init(size: Int64(status.st_size), modified: status.modified) }

  fileprivate init?(_ fields: inout MessageFields) {
    guard let size: Int64 = fields.value(), let modified: Int64 = fields.value() else { return nil }
    self.init(size: size, modified: modified)
  }

  fileprivate func put(into fields: inout MessageFields) {
    fields.put(size)
    fields.put(modified)
  }

  /// Returns `true` if the file is probably unchanged.
  ///
  /// Some file systems store only whole seconds, so a file copied to one has lost the fraction.
  func matches(_ other: FileStamp) -> Bool {
    let second: Int64 = 1_000_000_000
    guard size == other.size else { return false }
    return modified == other.modified
      || modified / second == other.modified / second
        && (modified % second == 0 || other.modified % second == 0)
  }
}

extension stat {
  /// Time of the last change of the content, in nanoseconds since 1970.
  var modified: Int64 { Self.nanoseconds(st_mtim) }
  /// Time of the last change of content or attributes, in nanoseconds since 1970.
  var changed: Int64 { Self.nanoseconds(st_ctim) }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
