import Respool
import RespoolMedia

/// What `respool inspect` tells of a file; as JSON, keys that do not apply are left out.
struct FileReport {
  struct Track {
    var id: Int64
    var type: String
    var codec: String?
    /// Seconds.
    var duration: Double?
    var language: String?
    var width: Int?
    var height: Int?
    var pixelFormat: String?
    /// Pictures a second on average.
    var frameRate: Double?
    /// Degrees clockwise by which the picture is to be turned.
    var rotation: Int?
    var sampleRate: Int?
    var channels: Int?
    var channelLayout: String?
    /// Bits a second.
    var bitRate: Int64?
    var disposition: [String]?
    /// What a track of timed metadata may tell, such as `mdta/com.apple.quicktime.location.ISO6709`.
    var keys: [String]?
    /// What follows in the track where it is not coded in one way throughout.
    var furtherFormats: [Track]?
  }

  struct Chapter {
    var title: String
    /// Seconds.
    var start: Double
    var end: Double
  }

  var path: String
  var container: String?
  var size: Int64?
  /// Seconds.
  var duration: Double?
  var metadata: [String: String]?
  var tracks: [Track]?
  var chapters: [Chapter]?
  var warning: String?
  var error: String?

  /// Why this plugin reads it.
  var reason: String?

  init(_ path: String, registry: PluginRegistry) {
    self.path = path
    do throws(MediaError) {
      let source = try FileSource(path: path)
      size = source.size
      let demuxer = try registry.openDemuxer(source)
      fill(demuxer.media)
      reason = demuxer.reason
    } catch {
      var error = error
      error.file = nil
      self.error = error.description
    }
  }

  private mutating func fill(_ media: MediaDescription) {
    container = media.format
    duration = media.duration.map { rounded(Double($0) / 1e9) }
    metadata = Dictionary(media.metadata.map { ($0.name, $0.value) }) { first, _ in first }
    tracks = media.tracks.map { Track($0) }
    if !media.chapters.isEmpty {
      chapters = media.chapters.map {
        Chapter(
          title: $0.title, start: rounded(Double($0.start) / 1e9),
          end: rounded(Double($0.end) / 1e9))
      }
    }
    warning = media.warning
  }
}

/// To the microsecond: what times of media are told in.
private func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }

extension FileReport.Track {
  init(_ track: TrackDescription) {
    id = track.id
    switch track.kind {
    case .video: type = "video"
    case .audio: type = "audio"
    case .subtitle: type = "subtitle"
    case .attachment: type = "attachment"
    case .data, .unknown: type = "data"
    }
    codec = track.codec.isEmpty ? nil : track.codec
    duration = track.duration.map { rounded(Double($0) * track.timeBase.doubleValue) }
    language = track.language
    bitRate = track.bitRate > 0 ? track.bitRate : nil
    let names = track.disposition.names
    disposition = names.isEmpty ? nil : names
    if track.isTimedMetadata {
      keys = FormatDescription(track).metadataSpecifications.map(\.identifier.rawValue)
    }
    if track.kind == .video {
      width = track.width
      height = track.height
      pixelFormat = track.pixelFormat == .none ? nil : track.pixelFormatName
      frameRate = track.frameRate.isPositive ? rounded(track.frameRate.doubleValue) : nil
      let turn = track.displayMatrix.orientation.clockwiseDegrees
      rotation = turn == 0 ? nil : turn
    }
    if track.kind == .audio {
      sampleRate = track.sampleRate
      channels = track.channelLayout.channelCount
      channelLayout = track.channelLayout.mask == 0 ? nil : track.channelLayout.description
    }
    if !track.furtherFormats.isEmpty { furtherFormats = track.formats.dropFirst().map { Self($0) } }
  }
}

extension TrackDescription {
  /// As ffprobe spells it: full range YUV has names of its own there.
  fileprivate var pixelFormatName: String {
    let name = pixelFormat.name
    guard color.range == .full, pixelFormat.layout?.family == .yuv, name.hasPrefix("yuv4"),
      pixelFormat.layout?.depth == 8
    else { return name }
    return "yuvj" + name.dropFirst(3)
  }
}

extension TrackDescription.Disposition {
  fileprivate var names: [String] {
    let all: [(TrackDescription.Disposition, String)] = [
      (.default, "default"), (.forced, "forced"), (.attachedPicture, "attached_pic"),
      (.commentary, "comment"), (.hearingImpaired, "hearing_impaired"),
      (.visualImpaired, "visual_impaired"), (.original, "original"),
      (.stillImage, "still_image"), (.disabled, "disabled"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension FileReport {
  /// For people.
  var text: String {
    if let error { return "\(path): \(error)" }
    var lines = ["\(path): \(container ?? "")"]
    if let duration { lines[0] += ", \(duration) s" }
    if let size { lines[0] += ", \(size) bytes" }
    for track in tracks ?? [] { lines.append("  \(track.text)") }
    for chapter in chapters ?? [] {
      lines.append("  chapter \(chapter.start) s: \(chapter.title)")
    }
    for (name, value) in (metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(value)")
    }
    if let warning { lines.append("  note: \(warning)") }
    return lines.joined(separator: "\n")
  }
}

extension FileReport.Track {
  fileprivate var text: String {
    var parts = ["\(type) \(id): \(codec ?? "unknown")"]
    if let keys, !keys.isEmpty { parts.append(keys.joined(separator: " ")) }
    parts += shape
    for format in furtherFormats ?? [] {
      parts.append("then \(format.codec ?? "unknown") \(format.shape.joined(separator: " "))")
    }
    if let frameRate { parts.append("\(frameRate) fps") }
    if let rotation { parts.append("turned \(rotation) degrees") }
    if let bitRate { parts.append("\(bitRate / 1000) kb/s") }
    if let duration { parts.append("\(duration) s") }
    if let language { parts.append(language) }
    if let disposition { parts.append(disposition.joined(separator: " ")) }
    return parts.joined(separator: ", ")
  }

  /// What its pictures or its sound are, which may change within a track.
  private var shape: [String] {
    var parts: [String] = []
    if let width, let height { parts.append("\(width)x\(height)") }
    if let pixelFormat { parts.append(pixelFormat) }
    if let sampleRate { parts.append("\(sampleRate) Hz") }
    if let channels { parts.append(channelLayout ?? "\(channels) channels") }
    return parts
  }
}
