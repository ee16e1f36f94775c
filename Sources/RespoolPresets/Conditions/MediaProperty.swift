import RespoolMedia

/// A property of a file in a ``MediaCondition``, named as in `respool inspect --json`.
///
/// `video` is the first track of moving pictures, `audio` and `subtitle` are the first tracks of their kinds.
public struct MediaProperty: Hashable, Sendable {
  /// Name such as `video.codec`.
  public let name: String
  private let source: Source

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
    case truth
  }

  private enum Source: Hashable, Sendable {
    case file(File)
    case track(TrackDescription.Kind, Track)
    /// A tag of the file.
    case tag(String)
  }

  private enum File: String, CaseIterable {
    case container, size, duration, bitRate, tracks, chapters
  }

  private enum Track: String, CaseIterable {
    case exists = "", count, codec, duration, bitRate, language
    case width, height, frameRate, pixelFormat, bitDepth, rotation, interlaced, hdr
    case sampleRate, channels, channelLayout, bitsPerSample

    /// Kinds of tracks that have the property.
    var kinds: [TrackDescription.Kind] {
      switch self {
      case .exists, .count, .codec, .duration, .bitRate, .language: [.video, .audio, .subtitle]
      case .width, .height, .frameRate, .pixelFormat, .bitDepth, .rotation, .interlaced, .hdr:
        [.video]
      case .sampleRate, .channels, .channelLayout, .bitsPerSample: [.audio]
      }
    }
  }

  private static let kinds: [(word: String, kind: TrackDescription.Kind)] = [
    ("video", .video), ("audio", .audio), ("subtitle", .subtitle),
  ]

  /// All properties except tags, which are named `metadata.` and the name of the tag.
  public static let all: [MediaProperty] =
    File.allCases.map { MediaProperty(name: $0.rawValue, source: .file($0)) }
    + kinds.flatMap { word, kind in
      Track.allCases.filter { $0.kinds.contains(kind) }.map {
        MediaProperty(
          name: $0 == .exists ? word : "\(word).\($0.rawValue)", source: .track(kind, $0))
      }
    }

  private init(name: String, source: Source) { (self.name, self.source) = (name, source) }

  /// Finds a property by its name; `nil` if there is none.
  init?(_ name: String) {
    if let known = Self.all.first(where: { $0.name.lowercased() == name.lowercased() }) {
      self = known
    } else if name.hasPrefix("metadata."), name.count > 9 {
      self.init(name: name, source: .tag(name.dropFirst(9).lowercased()))
    } else {
      return nil
    }
  }

  var kind: Kind {
    switch source {
    case .tag: .text
    case .file(let property):
      switch property {
      case .container: .text
      case .size, .bitRate: .amount
      case .duration: .time
      case .tracks, .chapters: .number
      }
    case .track(_, let property):
      switch property {
      case .exists, .interlaced, .hdr: .truth
      case .codec, .language, .pixelFormat, .channelLayout: .text
      case .duration: .time
      case .bitRate: .amount
      case .count, .width, .height, .frameRate, .bitDepth, .rotation, .sampleRate, .channels,
        .bitsPerSample:
        .number
      }
    }
  }

  /// Returns the value that a file of `size` bytes has; `nil` if the property is unknown or does not apply.
  func value(in media: MediaDescription, size: Int64) -> Value? {
    switch source {
    case .tag(let name):
      return media.metadata.first { $0.name.lowercased() == name }.map { .text($0.value) }
    case .file(let property):
      switch property {
      case .container: return .text(media.format)
      case .size: return .number(Double(size))
      case .duration: return media.duration.map { .number(Double($0) / 1e9) }
      case .bitRate: return media.bitRate > 0 ? .number(Double(media.bitRate)) : nil
      case .tracks: return .number(Double(media.tracks.count))
      case .chapters: return .number(Double(media.chapters.count))
      }
    case .track(let kind, let property):
      let tracks = media.tracks.filter { kind == .video ? $0.isMovingPicture : $0.kind == kind }
      if property == .count { return .number(Double(tracks.count)) }
      guard let track = tracks.first else { return nil }
      return Self.value(of: property, in: track)
    }
  }

  private static func value(of property: Track, in track: TrackDescription) -> Value? {
    func positive(_ number: some BinaryInteger) -> Value? {
      number > 0 ? .number(Double(number)) : nil
    }
    func nonEmpty(_ text: String?) -> Value? {
      text.flatMap { $0.isEmpty ? nil : .text($0) }
    }
    switch property {
    case .exists: return .truth(true)
    case .count: return nil
    case .codec: return nonEmpty(track.codec)
    case .duration:
      return track.duration.map { .number(Double($0) * track.timeBase.doubleValue) }
    case .bitRate: return positive(track.bitRate)
    case .language: return nonEmpty(track.language)
    case .width: return positive(track.width)
    case .height: return positive(track.height)
    case .frameRate:
      return track.frameRate.isPositive ? .number(track.frameRate.doubleValue) : nil
    case .pixelFormat: return track.pixelFormat == .none ? nil : .text(track.pixelFormat.name)
    case .bitDepth: return track.pixelFormat.layout.map { .number(Double($0.depth)) }
    case .rotation: return .number(Double(track.displayMatrix.displayedDegrees))
    case .interlaced:
      return track.fieldOrder == .unknown ? nil : .truth(track.fieldOrder != .progressive)
    case .hdr: return .truth(track.color.isHighDynamicRange)
    case .sampleRate: return positive(track.sampleRate)
    case .channels: return positive(track.channelLayout.channelCount)
    case .channelLayout:
      return track.channelLayout.mask == 0 ? nil : .text(track.channelLayout.description)
    case .bitsPerSample: return positive(track.bitsPerSample)
    }
  }
}
