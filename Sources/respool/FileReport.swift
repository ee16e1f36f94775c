import Respool
import RespoolMedia

/// Contents of a file as `respool inspect` reports them; in JSON, keys that do not apply are left out.
struct FileReport {
  struct Chapter {
    var title: String
    /// Start in seconds.
    var start: Double
    var end: Double
    var language: String?
  }

  var path: String
  var container: String?
  var size: Int64?
  /// Duration in seconds.
  var duration: Double?
  /// Bit rate in bits per second.
  var bitRate: Int64?
  var metadata: [String: String]?
  var tracks: [Track]?
  var chapters: [Chapter]?
  var warning: String?
  var error: String?

  /// The plugin that reads the file, and the reason for its choice.
  var reason: String?

  init(_ path: String, registry: PluginRegistry) {
    self.path = path
    do throws(MediaError) {
      let source = try FileSource(path: path)
      size = source.size
      let demuxer = try registry.openDemuxer(source)
      var media = demuxer.media
      for (index, order) in try registry.unstatedFieldOrders(of: source, media) {
        media.tracks[index].fieldOrder = order
      }
      fill(media)
      reason = demuxer.reason
    } catch {
      var error = error
      error.file = nil
      self.error = error.description
    }
  }

  private mutating func fill(_ media: MediaDescription) {
    container = media.containerName
    duration = media.duration.map { Self.rounded(Double($0) / 1e9) }
    bitRate = media.bitRate > 0 ? media.bitRate : nil
    metadata = Self.dictionary(media.metadata)
    tracks = media.tracks.enumerated().map { Track($1, TrackNumber(index: $0)) }
    if !media.chapters.isEmpty {
      chapters = media.chapters.map {
        Chapter(
          title: $0.title, start: Self.rounded(Double($0.start) / 1e9),
          end: Self.rounded(Double($0.end) / 1e9), language: $0.language)
      }
    }
    warning = media.warning
  }

  /// Returns the value of the first entry of each name.
  static func dictionary(_ entries: [MetadataEntry]) -> [String: String] {
    Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns a number rounded to six decimals: times are reported to the microsecond.
  static func rounded(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
