import ID3
import RespoolPlugin

/// Decisions about tags of wave files, which have three places for them.
extension ID3TagWriter {
  /// Returns `true` for a tag that neither an `INFO` list nor a `bext` chunk can store.
  static func isNeeded(for entry: MetadataEntry) -> Bool {
    isWrittenToWave(entry) && !InfoList.holds(entry.name)
  }

  /// Returns `true` if tags have several values or a language, which an `INFO` list cannot store.
  static func saysMoreThanAList(_ media: MediaDescription) -> Bool {
    let (entries, values) = (media.metadata.filter(isWrittenToWave), TagValues(media))
    let names = Set(entries.map { $0.name.lowercased() })
    return names.count < entries.count || entries.contains { values[$0].count > 1 }
      || media.nativeTags.contains { $0.language != nil }
  }

  /// Returns `true` for a tag that the ID3 tag of a wave file may have.
  static func isWrittenToWave(_ entry: MetadataEntry) -> Bool {
    isWritten(entry) && !BroadcastExtension.holds(entry.name.lowercased())
  }
}
