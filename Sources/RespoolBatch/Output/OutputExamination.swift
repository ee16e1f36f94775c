import Respool
import RespoolMedia

/// The result of opening an output that no record vouches for.
enum OutputExamination: Equatable {
  /// It can be read, and nothing speaks against it.
  case whole
  /// It cannot be read, for the reason given.
  case unreadable(String)
  /// It is shorter than its header declares, by the reason given.
  case cut(String)
  /// It lasts longer or shorter than its source; a part of a sentence names both durations.
  case ofAnotherLength(String)
}

extension OutputExamination {
  /// Opens the output and its source; calls `step` often if that takes long.
  init(
    of output: String, madeOf source: String, _ registry: PluginRegistry, step: () -> Void
  ) {
    do throws(MediaError) {
      let media = try registry.openDemuxer(FileSource(path: output)).media
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
    // A source that cannot be read says nothing about the output.
    let comparison = LengthComparison(of: output, with: source, registry)
    self = (try? comparison.difference(step: step)).map { .ofAnotherLength($0) } ?? .whole
  }

  init?(_ fields: inout MessageFields) {
    guard let kind = fields.text(), let words = fields.text() else { return nil }
    switch kind {
    case "whole": self = .whole
    case "unreadable": self = .unreadable(words)
    case "cut": self = .cut(words)
    case "length": self = .ofAnotherLength(words)
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
      }
    fields.put(kind)
    fields.put(words)
  }
}
