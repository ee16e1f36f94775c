import CAVFormat
import FFmpeg
import RespoolPlugin

extension MediaDescription {
  /// Creates the description from the container.
  ///
  /// `clocks` has one entry for each stream.
  init(context: FormatContext, timeLine: TimeLine, clocks: [TrackClock]) {
    let value = context.pointer.pointee
    self.init(format: context.name)
    for (index, clock) in clocks.enumerated() {
      guard let stream = context.stream(index) else { continue }
      var track = TrackDescription(stream: stream, index: index, clock: clock)
      if context.name.hasPrefix("matroska") {
        track.takeFields(ofMatroska: stream.pointee.codecpar.pointee)
      }
      tracks.append(track)
    }
    // AVI and other formats number streams from 0 or not at all. IDs that several tracks share are replaced.
    if Set(tracks.map(\.id)).count < tracks.count {
      for index in tracks.indices { tracks[index].id = Int64(index) + 1 }
    }
    metadata = MetadataEntry.all(in: value.metadata)
    if context.name == "ogg" { takeComments() }
    for index in 0..<Int(value.nb_programs) {
      let program = MetadataEntry.all(in: value.programs[index]?.pointee.metadata)
      for entry in ServiceTags.tags(of: program) where !metadata.contains(entry) {
        metadata.append(entry)
      }
    }
    let audio = tracks.indices.filter { tracks[$0].kind == .audio }
    if audio.count == 1, let stream = context.stream(audio[0]),
      !(metadata + tracks[audio[0]].metadata).contains(where: \.isReplayGain)
    {
      metadata += MetadataEntry.replayGain(of: stream)
    }
    if value.duration != ffmpeg_no_time, value.duration >= 0 {
      duration = Rational(1, Int32(AV_TIME_BASE)).convert(value.duration, to: .nanoseconds)
    }
    declaresDuration = context.declaresDuration
    if let missing = context.missing { (warning, endsEarly) = (missing, true) }
    bitRate = max(0, value.bit_rate)
    let offset = timeLine.startInNanoseconds
    for index in 0..<Int(value.nb_chapters) {
      guard let chapter = value.chapters[index]?.pointee else { continue }
      let base = Rational(chapter.time_base)
      guard base.isPositive else { continue }
      let texts = MetadataEntry.all(in: chapter.metadata)
      let start = base.convert(chapter.start, to: .nanoseconds).subtractingClamped(offset)
      let end =
        chapter.end == ffmpeg_no_time
        ? start : base.convert(chapter.end, to: .nanoseconds).subtractingClamped(offset)
      chapters.append(
        Chapter(
          id: chapter.id, start: max(0, start), end: max(0, start, end),
          title: texts.first { $0.name == "title" }?.value ?? "",
          language: texts.first { $0.name == "language" }?.value))
    }
    takeTagLanguages()
  }
}

extension MediaDescription {
  /// Moves the comments of the first Ogg track that has some to the file.
  ///
  /// Ogg stores tags only in tracks. The track keeps its title.
  private mutating func takeComments() {
    guard let first = tracks.firstIndex(where: { !$0.metadata.isEmpty }) else { return }
    let names = Set(metadata.map { $0.name.lowercased() })
    metadata += tracks[first].metadata.filter { !names.contains($0.name.lowercased()) }
    tracks[first].metadata.removeAll { $0.name.lowercased() != "title" }
  }
}

extension MetadataEntry {
  fileprivate var isReplayGain: Bool { name.lowercased().hasPrefix("replaygain_") }

  /// Returns the entries of an FFmpeg dictionary.
  static func all(in dictionary: OpaquePointer?) -> [MetadataEntry] {
    var result: [MetadataEntry] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while true {
      entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
      guard let entry, let key = entry.pointee.key, let value = entry.pointee.value else { break }
      result.append(MetadataEntry(String(cString: key), String(cString: value)))
    }
    return result
  }
}

// `Int64.min` is FFmpeg's `AV_NOPTS_VALUE`, which is not a time.
extension Int64 {
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min + 1) : sum
  }

  func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min + 1) : difference
  }
}
