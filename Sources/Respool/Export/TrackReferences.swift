import RespoolMedia

extension MediaDescription {
  /// Returns the references of each output track to other output tracks, whose indices are those of output tracks.
  ///
  /// An example is the reference from timed metadata to the video that it describes.
  func references(of settings: ResolvedSettings) -> [[MuxerSettings.Reference]] {
    let kept = settings.outputTracks.map(\.source)
    // The chapters of a file are written as chapters. Those of a composition are a track like any other.
    let namesChapters = format == MediaDescription.editedFormat && chapters.isEmpty
    return kept.map { index in
      // 0 stands for no track (ISO/IEC 14496-12 8.3.3.3).
      let stated = references.filter {
        $0.track == index && ($0.type != "chap" || namesChapters) && $0.trackID != 0
          && $0.type.consistsOfLetters
      }
      return stated.compactMap { reference in
        kept.firstIndex { tracks[$0].id == reference.trackID }
          .map { MuxerSettings.Reference(type: reference.type, track: $0) }
      }
    }
  }
}

extension FourCC {
  /// `false` for types that no specification has: a damaged file may contain any four bytes.
  fileprivate var consistsOfLetters: Bool {
    let code = description
    return code.utf8.count == 4
      && code.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || $0 == " " }
  }
}
