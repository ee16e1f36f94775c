import RespoolMedia

/// A property of a file in a ``MediaCondition``, named as in `respool inspect --json`.
///
/// `video` is the first track of moving pictures; `audio`, `subtitle`, `attachment` and `data` are the first tracks of
/// their kinds.
public struct MediaProperty: Hashable, Sendable {
  /// Name such as `video.codec`.
  public let name: String
  let kind: Kind
  private let find: @Sendable (MediaDescription, Int64) -> Value?

  /// A value of a property.
  enum Value: Hashable, Sendable {
    case number(Double)
    case text(String)
    case truth(Bool)
  }

  /// Kind of a property, which tells how its values are written.
  enum Kind: Sendable {
    case number
    /// Bytes, or bits per second, such as `700M`: k, M, G and T are powers of 1000, Ki to Ti of 1024.
    case amount
    /// Seconds, such as `90`, `90s`, `10m` or `1.5h`.
    case time
    case text
    /// Name of a container, which has several spellings.
    case container
    case truth
  }

  /// All properties except tags, which are named `metadata.` and the name of the tag, also after a kind of track.
  public static let all: [MediaProperty] =
    ofFile + kinds.flatMap { word, kind in ofTracks(word, kind) }

  private static let kinds: [(word: String, kind: TrackDescription.Kind)] = [
    ("video", .video), ("audio", .audio), ("subtitle", .subtitle), ("attachment", .attachment),
    ("data", .data),
  ]

  private init(
    _ name: String, _ kind: Kind, find: @escaping @Sendable (MediaDescription, Int64) -> Value?
  ) {
    (self.name, self.kind, self.find) = (name, kind, find)
  }

  /// Finds a property by its name; `nil` if there is none.
  init?(_ name: String) {
    if let known = Self.all.first(where: { $0.name.lowercased() == name.lowercased() }) {
      self = known
      return
    }
    let parts = name.split(separator: "metadata.", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    let tag = parts[1].lowercased()
    @Sendable func value(_ entries: [MetadataEntry]) -> Value? {
      entries.first { $0.name.lowercased() == tag }.map { .text($0.value) }
    }
    if parts[0].isEmpty {
      self.init(name, .text) { media, _ in value(media.metadata) }
    } else if let kind = Self.kinds.first(where: { parts[0].lowercased() == $0.word + "." }) {
      self.init(name, .text) { media, _ in
        Self.tracks(kind.kind, media).first.flatMap { value($0.metadata) }
      }
    } else {
      return nil
    }
  }

  public static func == (a: Self, b: Self) -> Bool { a.name == b.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Returns the value that a file of `size` bytes has; `nil` if the property is unknown or does not apply.
  func value(in media: MediaDescription, size: Int64) -> Value? { find(media, size) }

  private static func tracks(_ kind: TrackDescription.Kind, _ media: MediaDescription)
    -> [TrackDescription]
  {
    media.tracks.filter { track in
      switch kind {
      case .video: track.isMovingPicture
      case .data: track.kind == .data || track.kind == .unknown
      default: track.kind == kind
      }
    }
  }

  private static let ofFile: [MediaProperty] = [
    MediaProperty("container", .container) { media, _ in .text(media.containerName) },
    MediaProperty("size", .amount) { _, size in .number(Double(size)) },
    MediaProperty("duration", .time) { media, _ in
      media.duration.map { .number(Double($0) / 1e9) }
    },
    MediaProperty("bitRate", .amount) { media, _ in .positive(media.bitRate) },
    MediaProperty("warning", .text) { media, _ in .nonEmpty(media.warning) },
    MediaProperty("tracks", .number) { media, _ in .number(Double(media.tracks.count)) },
    MediaProperty("chapters", .number) { media, _ in .number(Double(media.chapters.count)) },
    MediaProperty("chapters.title", .text) { media, _ in .joined(media.chapters.map(\.title)) },
    MediaProperty("chapters.language", .text) { media, _ in
      .joined(media.chapters.compactMap(\.language))
    },
    MediaProperty("chapters.start", .time) { media, _ in
      media.chapters.map(\.start).min().map { .number(Double($0) / 1e9) }
    },
    MediaProperty("chapters.end", .time) { media, _ in
      media.chapters.map(\.end).max().map { .number(Double($0) / 1e9) }
    },
  ]

  private static func ofTracks(_ word: String, _ kind: TrackDescription.Kind) -> [MediaProperty] {
    [
      MediaProperty(word, .truth) { media, _ in
        tracks(kind, media).isEmpty ? nil : .truth(true)
      },
      MediaProperty("\(word).count", .number) { media, _ in
        .number(Double(tracks(kind, media).count))
      },
    ]
      + TrackProperty.all.filter { $0.kinds.contains(kind) }.map { property in
        MediaProperty("\(word).\(property.name)", property.kind) { media, _ in
          tracks(kind, media).first.flatMap(property.find)
        }
      }
  }
}

extension MediaProperty.Value {
  /// Returns the number; `nil` if it is 0, which means unknown.
  static func positive(_ number: some BinaryInteger) -> Self? {
    number > 0 ? .number(Double(number)) : nil
  }

  static func nonEmpty(_ text: String?) -> Self? {
    text.flatMap { $0.isEmpty ? nil : .text($0) }
  }

  /// Returns the texts that are not empty with commas between them.
  static func joined(_ texts: [String]) -> Self? {
    nonEmpty(texts.filter { !$0.isEmpty }.joined(separator: ", "))
  }
}
