/// A tag as a container has it: where it stands, and by what name.
public struct NativeTag: Hashable, Sendable {
  /// What kind of value it is; `value` is text in any case.
  public enum Kind: UInt32, Hashable, Sendable {
    case text = 0
    case integer
    case real
  }

  /// Of what the key is one: `itsk`, `mdta`, `udta`, `org.id3` and others.
  public var keySpace: String
  /// As the container spells it, such as `\u{A9}nam`.
  public var key: String
  /// As FFmpeg spells it; empty where it has no name for it.
  public var name: String
  public var value: String
  public var kind: Kind
  /// BCP 47 or ISO 639-2; nil where the container does not say.
  public var language: String?
  /// The index of the track that it is of; nil: of the whole file.
  public var track: Int?

  public init(
    keySpace: String, key: String, name: String = "", value: String, kind: Kind = .text,
    language: String? = nil, track: Int? = nil
  ) {
    self.keySpace = keySpace
    self.key = key
    self.name = name
    self.value = value
    self.kind = kind
    self.language = language
    self.track = track
  }
}
