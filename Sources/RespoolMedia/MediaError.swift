/// An error with a message for users and the place where it happened.
///
/// This is the only error type of the project. `message` is a sentence without a full stop that states what was
/// found and what was expected. `description` adds the place.
public struct MediaError: Error, Hashable, Sendable {
  /// The kind of failure.
  ///
  /// Extensible: compare it with the constants, but expect other values.
  public struct Code: Hashable, Sendable, RawRepresentable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The file could not be read or written.
    public static let io = Code(rawValue: -1)
    /// The input breaks its own format.
    public static let malformed = Code(rawValue: -2)
    /// The input is well formed, but neither Respool nor a plugin supports it.
    public static let unsupported = Code(rawValue: -3)
    /// A stated limit would be exceeded.
    public static let limitExceeded = Code(rawValue: -4)
    /// The caller asked for something invalid.
    public static let invalidArgument = Code(rawValue: -5)
    /// A plugin, or a library below it, failed.
    public static let pluginFailure = Code(rawValue: -6)
    /// The job was cancelled.
    public static let cancelled = Code(rawValue: -7)
    /// A defect in this program.
    public static let `internal` = Code(rawValue: -8)
  }

  /// A condition that a program can handle without reading the message; most names are those of AVFoundation.
  public enum Detail: String, Hashable, Sendable {
    case fileAlreadyExists, fileNotFound, noPermission, diskFull
    /// No plugin reads the file, or it is not a media file.
    case fileFormatNotRecognized
    case decoderNotFound, encoderNotFound
    /// The media is encrypted.
    case contentIsProtected
    case invalidVideoComposition
    /// The source is shorter than it declares.
    case endsEarly
  }

  public var code: Code
  /// The condition, if the failure is a known one.
  ///
  /// `nil` if it is not.
  public var detail: Detail?
  public var message: String
  /// The file, as the user named it.
  public var file: String?
  /// Index of the track, from 0.
  public var track: Int?
  /// Byte offset in the file.
  public var offset: Int64?
  /// Path of the element, such as `moov/trak[1]/stbl/stts`.
  public var path: String?
  /// Name of the plugin whose message this is; `nil` if the message is of Respool itself.
  public var plugin: String?
  /// Underlying cause, such as a library's own message.
  public var cause: String?

  public init(
    _ code: Code, _ message: String, file: String? = nil, track: Int? = nil, offset: Int64? = nil,
    path: String? = nil, cause: String? = nil, detail: Detail? = nil
  ) {
    self.code = code
    self.detail = detail
    self.message = message
    self.file = file
    self.track = track
    self.offset = offset
    self.path = path
    self.cause = cause
  }

  /// Returns the error with `file` as its file, unless it already names one.
  package func inFile(_ file: String) -> MediaError {
    var error = self
    if error.file == nil { error.file = file }
    return error
  }
}

extension MediaError: CustomStringConvertible {
  /// Text of the form `file: message (path, track, byte offset, plugin): cause`.
  public var description: String {
    var text = ""
    if let file { text += "\(file): " }
    text += message
    var place: [String] = []
    if let path, !path.isEmpty { place.append(path) }
    if let track { place.append("\(TrackNumber(index: track))") }
    if let offset, offset >= 0 { place.append("byte \(offset)") }
    if let plugin { place.append("plugin \(plugin)") }
    if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
    if let cause { text += ": \(cause)" }
    return text
  }
}
