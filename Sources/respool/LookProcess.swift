import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import RespoolWaveform

/// A process that looks into a source and its output in a sandbox, and prints what the page of a batch shows of them.
enum LookProcess {
  /// Width of the pictures in pixels.
  private static let width = 240
  /// Number of peaks of a waveform.
  private static let peaks = 160
  /// Seconds of audio for which a waveform is made: longer ones take long to decode.
  private static let longestWaveform = 1800.0

  /// Looks into the files, and ends the process; `source` or `output` is empty if it is not there as it was.
  static func run(source: String, output: String, preset: String) -> Never {
    let answers = FileProcessChild.begin()
    let registry = PluginRegistry()
    let chosen = try? PresetLibrary.standard.preset(preset, available: registry.availablePlugins)
    ReceivedFiles.open([source, output].filter { !$0.isEmpty })
    _ = Sandbox.enter(opening: registry)
    func send(_ details: FileDetails) {
      for line in details.lines { line.withUnsafeBytes { _ = writeAll($0, to: answers) } }
    }
    // Each part is sent when it is known, so that a hang or a crash costs only those after it.
    let before = source.isEmpty ? nil : Asset(path: source, registry: registry)
    let after = output.isEmpty ? nil : Asset(path: output, registry: registry)
    let (media, made) = (try? before?.mediaDescription(), try? after?.mediaDescription())
    var facts = FileDetails()
    if let chosen, before != nil { facts.settings = settings(of: source, chosen, registry) }
    // A source that ends early may state a greater duration.
    facts.duration = (made?.duration ?? media?.duration).map { Double($0) / 1e9 }
    (facts.before, facts.after) = (media.flatMap(track), made.flatMap(track))
    send(facts)
    let time = (facts.duration ?? 0) / 3
    var pictures = FileDetails()
    pictures.pictureBefore = before.flatMap { picture(of: $0, at: time, registry) }
    pictures.pictureAfter = after.flatMap { picture(of: $0, at: time, registry) }
    send(pictures)
    if let after, let made, made.tracks.contains(where: { $0.kind == .audio }),
      Double(made.duration ?? 0) / 1e9 <= longestWaveform
    {
      var audio = FileDetails()
      audio.waveform = waveform(of: after)
      send(audio)
    }
    // Threads of plugins need not end.
    _exit(0)
  }

  /// Returns the settings that a preset has for a source; none if it cannot be read.
  private static func settings(of source: String, _ preset: Preset, _ registry: PluginRegistry)
    -> [FileDetails.Setting]
  {
    guard
      let session = try? ExportSession(input: source, preset: preset, registry: registry),
      let settings = try? session.prepare()
    else { return [] }
    return settings.decisions.map {
      FileDetails.Setting(name: "\($0.setting)", value: $0.value, reason: $0.reason)
    }
  }

  private static func track(of media: MediaDescription) -> FileDetails.Track? {
    guard
      let track = media.tracks.first(where: {
        $0.kind == .video && !$0.disposition.contains(.attachedPicture)
      }) ?? media.tracks.first(where: { $0.kind == .audio })
    else { return nil }
    let isVideo = track.kind == .video
    return FileDetails.Track(
      width: isVideo ? track.width : 0, height: isVideo ? track.height : 0, codec: track.codec)
  }

  /// Returns a JPEG file with the frame at a time in seconds; `nil` if there is none.
  private static func picture(of asset: Asset, at seconds: Double, _ registry: PluginRegistry)
    -> [UInt8]?
  {
    guard var generator = try? AssetImageGenerator(asset: asset) else { return nil }
    generator.appliesPreferredTrackTransform = true
    generator.maximumSize = VideoDimensions(width: width, height: width)
    let time = MediaTime(value: Int64(seconds * 1000), timescale: 1000)
    guard let image = try? generator.copyImage(at: time).image else { return nil }
    return try? JPEGWriter.bytes(image, registry: registry)
  }

  /// Returns the peaks of an asset's audio, from 0 to 100; none if it cannot be read.
  private static func waveform(of asset: Asset) -> [Int] {
    var settings = WaveformReader.Settings()
    settings.resolution = .bins(peaks)
    settings.mixesChannels = true
    guard let waveform = try? WaveformReader(asset: asset, settings: settings).read(),
      let channel = waveform.channels.first
    else { return [] }
    return zip(channel.minima, channel.maxima).map { low, high in
      Int((min(1, max(abs(low), abs(high))) * 100).rounded())
    }
  }
}
