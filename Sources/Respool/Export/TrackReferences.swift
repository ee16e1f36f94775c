import RespoolMedia

/// References between the source's tracks that are kept if both tracks are.
///
/// An example is the reference from timed metadata to the video that it describes.
struct TrackReferences: Sendable {
  /// References of each output track, with indices of output tracks as targets.
  private let references: [[(type: FourCC, track: Int)]]

  /// Creates the references; none if the muxer has no option for them.
  init(
    _ settings: ResolvedSettings, _ source: MediaDescription, _ muxer: FactoryDescription
  ) {
    guard muxer.options.contains(where: { $0.name == "tracks" }),
      !settings.containerOptions.contains(where: { $0.name == "tracks" })
    else {
      references = []
      return
    }
    let kept = settings.outputTracks.map(\.source)
    // The chapters of a file are written as chapters. Those of a composition are a track like any other.
    let namesChapters = source.format == MediaDescription.editedFormat && source.chapters.isEmpty
    references = kept.map { index in
      // 0 stands for no track (ISO/IEC 14496-12 8.3.3.3).
      let stated = source.references.filter {
        $0.track == index && ($0.type != "chap" || namesChapters) && $0.trackID != 0
          && Self.canBeStored($0.type)
      }
      return stated.compactMap { reference in
        kept.firstIndex { source.tracks[$0].id == reference.trackID }.map { (reference.type, $0) }
      }
    }
  }

  /// Returns `true` if the option can express the type: a damaged file may have any four bytes.
  private static func canBeStored(_ type: FourCC) -> Bool {
    let code = type.description
    return code.utf8.count == 4
      && code.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || $0 == " " }
  }

  /// Returns the muxer's option for a file that has these tracks, in that order.
  func entries(for included: [Int]) -> [MetadataEntry] {
    guard !references.isEmpty else { return [] }
    let words = included.map { index in
      // Covers that are not tracks of the source come last.
      (references.indices.contains(index) ? references[index] : []).compactMap { type, track in
        included.firstIndex(of: track).map { "ref=\(type):\($0)" }
      }.joined(separator: ",")
    }
    guard words.contains(where: { !$0.isEmpty }) else { return [] }
    return [MetadataEntry("tracks", words.joined(separator: ";"))]
  }
}
