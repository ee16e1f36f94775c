import RespoolMedia

/// The references among a source's tracks that are kept where both tracks are, such as that of timed
/// metadata to the pictures that it is about.
struct TrackReferences: Sendable {
  /// For each track of the output the ones that it refers to, as indices of the output's.
  private let references: [[(type: FourCC, track: Int)]]

  /// None where the muxer cannot be told.
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
    // A file's chapters are written as such; those of a composition are a track like any other.
    let namesChapters = source.format == MediaDescription.editedFormat && source.chapters.isEmpty
    references = kept.map { index in
      // 0 stands for no track (ISO/IEC 14496-12 8.3.3.3).
      let told = source.references.filter {
        $0.track == index && ($0.type != "chap" || namesChapters) && $0.trackID != 0
          && Self.canBeTold($0.type)
      }
      return told.compactMap { reference in
        kept.firstIndex { source.tracks[$0].id == reference.trackID }.map { (reference.type, $0) }
      }
    }
  }

  /// Whether the option has words for it: a damaged file may have any four bytes.
  private static func canBeTold(_ type: FourCC) -> Bool {
    let code = type.description
    return code.utf8.count == 4
      && code.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || $0 == " " }
  }

  /// The muxer's option for a file that has these of the tracks, in that order.
  func entries(for included: [Int]) -> [MetadataEntry] {
    guard !references.isEmpty else { return [] }
    let words = included.map { index in
      // Covers that are no tracks of the source come behind.
      (references.indices.contains(index) ? references[index] : []).compactMap { type, track in
        included.firstIndex(of: track).map { "ref=\(type):\($0)" }
      }.joined(separator: ",")
    }
    guard words.contains(where: { !$0.isEmpty }) else { return [] }
    return [MetadataEntry("tracks", words.joined(separator: ";"))]
  }
}
