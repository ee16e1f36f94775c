/// Frames without a tag, picture or chapter, stored as side data of a file: frames of version 2.4 in sequence.
extension ID3Frame {
  /// Creates the side data of a file that has these frames.
  public static func records(_ frames: [ID3Frame]) -> [SideData] {
    let groups = [
      (FourCC.id3Frames, frames.filter { !$0.storesTimes }),
      (.id3Places, frames.filter(\.storesTimes)),
    ]
    return groups.filter { !$0.1.isEmpty }.map { type, frames in
      SideData(type, frames.compactMap(\.bytes).flatMap { $0 })
    }
  }

  /// Reads the frames of a record, as far as they are whole; empty for a record of another type.
  public static func frames(in record: SideData) -> [ID3Frame] {
    guard [.id3Frames, .id3Places].contains(record.type) else { return [] }
    var reader = ID3FrameReader(record.bytes[...], version: 4, isUnsynchronised: false)
    var frames: [ID3Frame] = []
    while let frame = try? reader.next() { frames.append(frame) }
    return frames
  }

  /// `true` for frames whose times are those of the whole file: synchronised lyrics, events, tempos, chapters.
  private var storesTimes: Bool {
    ["SYLT", "ETCO", "SYTC", "POSS", "CHAP", "CTOC"].contains(name)
  }
}

extension FourCC {
  /// Side data of a file: frames of an ID3v2 tag that are carried as they are.
  public static let id3Frames: FourCC = "ID3f"
  /// Side data of a file: the same, of frames that tell times.
  public static let id3Places: FourCC = "ID3p"
}
