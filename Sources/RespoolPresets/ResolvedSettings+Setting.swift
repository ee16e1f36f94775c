public import RespoolMedia

extension ResolvedSettings {
  /// The setting that a decision is about: a property of the output or of one of its tracks.
  ///
  /// Its description is its name in explanations, such as `video.size`, or `audio#2.codec` for the second track of a
  /// kind.
  public struct Setting: Hashable, Sendable, CustomStringConvertible {
    /// Owner of the setting.
    public enum Subject: Hashable, Sendable {
      case output
      /// A video or audio track, by its number among the tracks of its kind, from 1.
      case video(Int)
      case audio(Int)
      /// Another track of the source.
      case track(TrackNumber)
    }

    /// Property of the subject.
    public enum Property: Hashable, Sendable {
      /// The track is copied.
      case copying
      /// The track is re-encoded.
      case encoding
      /// The treatment of a track as a whole that is neither copied nor re-encoded.
      case treatment
      case named(String)
    }

    public var subject: Subject
    public var property: Property

    public init(_ subject: Subject, _ property: Property) {
      (self.subject, self.property) = (subject, property)
    }

    /// `true` if the setting belongs to an audio track.
    public var isForAudio: Bool { if case .audio = subject { true } else { false } }

    public var description: String {
      let name =
        switch property {
        case .copying, .encoding: "action"
        case .treatment: ""
        case .named(let name): name
        }
      return [subject.description, name].filter { !$0.isEmpty }.joined(separator: ".")
    }
  }
}

extension ResolvedSettings.Setting.Subject: CustomStringConvertible {
  public var description: String {
    switch self {
    case .output: ""
    case .video(1): "video"
    case .audio(1): "audio"
    case .video(let number): "video#\(number)"
    case .audio(let number): "audio#\(number)"
    case .track(let number): "\(number)"
    }
  }
}
