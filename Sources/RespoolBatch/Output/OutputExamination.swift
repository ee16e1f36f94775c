import Respool
import RespoolMedia

/// The result of opening an output that is not in the record.
enum OutputExamination: Equatable {
  /// The output can be read, and no problem was found.
  case whole
  /// The output cannot be read, with the reason.
  case unreadable(String)
  /// The output is shorter than its header declares, with the reason.
  case cut(String)
  /// The output is longer or shorter than its source, with both durations as part of a sentence.
  case ofAnotherLength(String)
  /// The output has other tracks than the preset makes, with both as part of a sentence.
  case ofOtherTracks(String)
}

extension OutputExamination {
  /// Opens the output and its source.
  ///
  /// Calls `step` repeatedly while it works.
  init(
    of output: String, madeOf source: String, _ sidecars: [SubtitleFile] = [],
    with preset: Preset, _ registry: PluginRegistry,
    step: () -> Void
  ) {
    let media: MediaDescription
    do throws(MediaError) {
      media = try registry.openDemuxer(FileSource(path: output)).media
      if media.endsEarly {
        self = .cut(media.warning ?? "it is shorter than its header declares")
        return
      }
    } catch {
      var error = error
      error.file = nil
      self = .unreadable(error.description)
      return
    }
    // A source that cannot be read gives no information about the output.
    if let expected = try? Self.tracks(of: source, sidecars, preset, registry),
      let difference = expected.difference(from: media)
    {
      self = .ofOtherTracks(difference)
      return
    }
    let comparison = LengthComparison(of: output, with: source, registry)
    self = (try? comparison.difference(step: step)).map { .ofAnotherLength($0) } ?? .whole
  }

  private static func tracks(
    of source: String, _ sidecars: [SubtitleFile], _ preset: Preset, _ registry: PluginRegistry
  ) throws(MediaError) -> TrackComparison? {
    let session = try ExportSession(input: source, preset: preset, registry: registry)
    session.isOneOfMany = true
    session.subtitleFiles = sidecars
    let settings = try session.prepare()
    return session.media.map { TrackComparison(settings, of: $0) }
  }

  init?(_ fields: inout MessageFields) {
    guard let kind = fields.text(), let words = fields.text() else { return nil }
    switch kind {
    case "whole": self = .whole
    case "unreadable": self = .unreadable(words)
    case "cut": self = .cut(words)
    case "length": self = .ofAnotherLength(words)
    case "tracks": self = .ofOtherTracks(words)
    default: return nil
    }
  }

  func put(into fields: inout MessageFields) {
    let (kind, words) =
      switch self {
      case .whole: ("whole", "")
      case .unreadable(let words): ("unreadable", words)
      case .cut(let words): ("cut", words)
      case .ofAnotherLength(let words): ("length", words)
      case .ofOtherTracks(let words): ("tracks", words)
      }
    fields.put(kind)
    fields.put(words)
  }
}
