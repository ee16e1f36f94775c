import RespoolMedia

/// A property of a file in a ``MediaCondition``, named as in `respool inspect --json`.
///
/// `video` is the first track of moving pictures; `audio`, `subtitle`, `attachment` and `data` are the first tracks of
/// their kinds. A condition on one track has the properties of the track, without the name of its kind, too.
public struct MediaProperty: Hashable, Sendable {
  /// Name such as `video.codec`.
  public let name: String
  let kind: Kind
  private let find: @Sendable (Subject) -> Value?

  /// The media whose properties are read.
  struct Subject {
    let media: MediaDescription
    /// Size of the file in bytes; `nil` if there is no file.
    var size: Int64?
    /// The track that a condition on one track is about.
    var track: TrackDescription?
  }

  /// A value of a property.
  enum Value: Hashable, Sendable {
    case number(Double)
    case text(String)
    /// Code or tag of a language, which has several spellings.
    case language(String)
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
    case language
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
    _ name: String, _ kind: Kind, find: @escaping @Sendable (Subject) -> Value?
  ) {
    (self.name, self.kind, self.find) = (name, kind, find)
  }

  /// Properties of the track that a condition is about.
  static func ofTrack(_ kind: TrackDescription.Kind) -> [MediaProperty] {
    TrackProperty.all.filter { $0.kinds.contains(kind) }.map { property in
      MediaProperty(property.name, property.kind) { $0.track.flatMap(property.find) }
    }
  }

  /// Finds a property by its name; `nil` if there is none.
  ///
  /// `kind` is that of the track that the condition is about, if it is about one.
  init?(_ name: String, ofTrack kind: TrackDescription.Kind? = nil) {
    if let kind {
      if let known = Self.ofTrack(kind).first(where: { $0.name.lowercased() == name.lowercased() })
      {
        self = known
        return
      }
      let prefix = "metadata."
      if name.lowercased().hasPrefix(prefix), name.count > prefix.count {
        let tag = name.dropFirst(prefix.count).lowercased()
        self.init(name, .text) { $0.track.flatMap { Self.tag(tag, in: $0.metadata) } }
        return
      }
    }
    if let known = Self.all.first(where: { $0.name.lowercased() == name.lowercased() }) {
      self = known
      return
    }
    let parts = name.split(separator: "metadata.", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    let tag = parts[1].lowercased()
    if parts[0].isEmpty {
      self.init(name, .text) { Self.tag(tag, in: $0.media.metadata) }
    } else if let kind = Self.kinds.first(where: { parts[0].lowercased() == $0.word + "." }) {
      self.init(name, .text) { subject in
        Self.tracks(kind.kind, subject.media).first.flatMap { Self.tag(tag, in: $0.metadata) }
      }
    } else {
      return nil
    }
  }

  private static func tag(_ name: String, in entries: [MetadataEntry]) -> Value? {
    entries.first { $0.name.lowercased() == name }.map { .text($0.value) }
  }

  public static func == (a: Self, b: Self) -> Bool { a.name == b.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Returns the value; `nil` if the property is unknown or does not apply.
  func value(of subject: Subject) -> Value? { find(subject) }

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
    MediaProperty("container", .container) { .text($0.media.containerName) },
    MediaProperty("size", .amount) { $0.size.map { .number(Double($0)) } },
    MediaProperty("duration", .time) {
      $0.media.duration.map { .number(Double($0) / 1e9) }
    },
    MediaProperty("bitRate", .amount) { .positive($0.media.bitRate) },
    MediaProperty("warning", .text) { .nonEmpty($0.media.warning) },
    MediaProperty("tracks", .number) { .number(Double($0.media.tracks.count)) },
    MediaProperty("chapters", .number) { .number(Double($0.media.chapters.count)) },
    MediaProperty("chapters.title", .text) { .joined($0.media.chapters.map(\.title)) },
    MediaProperty("chapters.language", .text) {
      .joined($0.media.chapters.compactMap(\.language))
    },
    MediaProperty("chapters.start", .time) {
      $0.media.chapters.map(\.start).min().map { .number(Double($0) / 1e9) }
    },
    MediaProperty("chapters.end", .time) {
      $0.media.chapters.map(\.end).max().map { .number(Double($0) / 1e9) }
    },
  ]

  private static func ofTracks(_ word: String, _ kind: TrackDescription.Kind) -> [MediaProperty] {
    [
      MediaProperty(word, .truth) {
        tracks(kind, $0.media).isEmpty ? nil : .truth(true)
      },
      MediaProperty("\(word).count", .number) {
        .number(Double(tracks(kind, $0.media).count))
      },
    ]
      + TrackProperty.all.filter { $0.kinds.contains(kind) }.map { property in
        MediaProperty("\(word).\(property.name)", property.kind) {
          tracks(kind, $0.media).first.flatMap(property.find)
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
