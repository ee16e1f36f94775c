import RespoolPlugin

/// A writer of movies without fragments: first the media, then the movie box, moved to the front by default.
final class MovieWriter: MovieOutput {
  private let flavor: Flavor
  private let sink: ByteSink
  private let movesToFront: Bool
  private let hasChapterTrack: Bool
  private let cutsAtDuration: Bool
  private var media: MediaDescription
  private var inputs: MovieInputs
  private var tracks: [TrackWriter] = []
  /// End of the last text of a track, and `true` if text was shown until then.
  private var textEnds: [Int: (time: Int64, isShown: Bool)] = [:]
  /// Size in bytes of the file type box and of boxes that do not depend on the media.
  private let fileTypeSize: Int64
  /// Bytes reserved for the movie box after the file type box.
  private let room: Int64
  private var isFinished = false
  private var gaps = MetadataGaps()
  private let alignment: ChunkAlignment

  init(
    _ media: MediaDescription, flavor: Flavor, sink: ByteSink, settings: MuxerSettings
  ) throws(MediaError) {
    self.media = media
    self.flavor = flavor
    self.sink = sink
    movesToFront =
      settings.isOptimizedForNetwork ?? (settings.value(of: "faststart") != "false")
    hasChapterTrack =
      settings.value(of: "chapter-track").map { $0 == "true" }
      ?? (flavor == .mov || media.sideData[.chapterTrack] != nil)
    cutsAtDuration = settings.cutsAtDuration
    inputs = try MovieInputs(
      media, flavor: flavor, sink: sink, settings: settings, writers: &tracks)
    alignment = try ChunkAlignment(tracks)
    let fileType =
      flavor.fileType(for: tracks.map(\.track)).bytes + ForeignBoxes.bytes(of: media.sideData)
    fileTypeSize = Int64(fileType.count)
    room = movesToFront ? MovieRoom.size(for: media) : 0
    var header = BoxWriter()
    header.raw(fileType)
    if room > 0 { header.raw(Self.filler(room)) }
    // The free box reserves room for a 64-bit size of the media data box.
    header.box(flavor == .mov ? "wide" : "free") { _ in }
    header.box("mdat") { _ in }
    try sink.write(header.bytes)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    inputs.number(ofTrack: track).map { tracks[$0].timeBase } ?? Rational(1, 90000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard let number = try inputs.take(packet) else { return }
    if !tracks[number].settings.precedesMainMediaData {
      for other in tracks.indices where tracks[other].settings.precedesMainMediaData {
        try flush(other)
      }
    }
    if let gap = gaps.gap(before: packet, number, of: tracks[number].track),
      try tracks[number].append(gap)
    {
      try flush(number)
    }
    if tracks[number].track.codec == "mov_text" { try fillGap(before: packet, number) }
    try append(packet, number)
  }

  private func append(_ packet: Packet, _ number: Int) throws(MediaError) {
    guard packet.flags.contains(.isReference) else {
      tracks[number].admit(packet.sampleDescriptionIndex)
      if tracks[number].isChunkOver(before: packet) { try flush(number) }
      if try tracks[number].append(packet) { try flush(number) }
      return
    }
    guard flavor == .mov else {
      throw MediaError(
        .unsupported, "\(flavor.name) does not refer to media in other files; mov does")
    }
    try flush(number)
    try tracks[number].refer(packet)
  }

  /// Writes an empty sample before a text that does not follow directly, since text samples are contiguous
  /// (14496-17 5.2).
  private func fillGap(before packet: Packet, _ number: Int) throws(MediaError) {
    let time = packet.pts ?? packet.dts ?? 0
    if let end = textEnds[number], time > end.time {
      try writeGap(number, from: end.time, to: time)
    }
    textEnds[number] = (time + max(0, packet.duration), packet.size > 2)
  }

  private func writeGap(_ number: Int, from start: Int64, to end: Int64) throws(MediaError) {
    let gap = Packet(
      track: number, pts: start, dts: start, duration: end - start, flags: .key,
      payload: .bytes(MediaBuffer([0, 0])))
    if try tracks[number].append(gap) { try flush(number) }
  }

  private func flush(_ number: Int) throws(MediaError) {
    guard !tracks[number].pending.isEmpty else { return }
    let gap = ChunkAlignment.gap(at: sink.size, tracks[number])
    if gap > 0 { try sink.write([UInt8](repeating: 0, count: gap)) }
    for packet in tracks[number].takeChunk(at: sink.size) {
      try sink.write(payloadOf: packet)
    }
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    guard !isFinished else { throw MediaError(.invalidArgument, "the file is complete already") }
    isFinished = true
    guard media.tracks.count == inputs.numbers.count else {
      throw MediaError(
        .invalidArgument,
        "\(media.tracks.count.counting("track")) at the end, but \(inputs.numbers.count) at the "
          + "start"
      )
    }
    self.media = media
    for (index, number) in inputs.numbers.enumerated() {
      guard let number else { continue }
      let (stated, used) = (
        media.tracks[index].sampleDescriptions.count, tracks[number].configurations.count
      )
      guard stated == used else {
        throw MediaError(
          .invalidArgument,
          "\(stated) sample descriptions at the end, but \(used) before", track: index)
      }
      tracks[number].track = media.tracks[index]
    }
    let end = Self.end(of: tracks)
    for number in tracks.indices {
      // Without a final empty sample, FFmpeg shows the last text until the end of the movie.
      if let end = textEnds[number], end.isShown {
        try writeGap(number, from: end.time, to: end.time + 1)
      }
      try flush(number)
      if tracks[number].isOpen { tracks[number].last(until: end) }
      if cutsAtDuration, let duration = media.duration {
        let base = tracks[number].timeBase
        tracks[number].end(at: Rational.nanoseconds.convert(duration, to: base))
      }
      try tracks[number].close()
    }
    let chapters = try writeChapterTexts()
    try closeMediaData()
    try writeMovie(chapters)
  }

  /// Returns the latest end, in nanoseconds, of the tracks with known durations.
  static func end(of tracks: [TrackWriter]) -> Int64 {
    let ends = tracks.lazy.filter { !$0.isOpen }.map {
      $0.timeBase.convert($0.shownEnd, to: .nanoseconds)
    }
    return ends.max() ?? 0
  }

  /// Writes the chapter titles as a text track, which QuickTime shows.
  private func writeChapterTexts() throws(MediaError) -> TrackWriter? {
    guard hasChapterTrack, !media.chapters.isEmpty else { return nil }
    let nanoseconds = Rational.nanoseconds
    var description = TrackDescription(
      kind: .subtitle, codec: "text", timeBase: Rational(1, 1000))
    description.language = media.chapters.first?.language
    var track = TrackWriter(description, flavor: flavor, trackID: UInt32(tracks.count + 1))
    let sorted = media.chapters.sorted { $0.start < $1.start }
    for (index, chapter) in sorted.enumerated() {
      let start = nanoseconds.convert(max(0, chapter.start), to: track.timeBase)
      let next = index + 1 < sorted.count ? sorted[index + 1].start : chapter.end
      let end = nanoseconds.convert(next, to: track.timeBase)
      let packet = Packet(
        track: 0, pts: start, dts: start, duration: max(1, end - start), flags: .key,
        payload: .bytes(MediaBuffer(ChapterText.sample(chapter.title))))
      _ = try track.append(packet)
    }
    for packet in track.takeChunk(at: sink.size) { try sink.write(payloadOf: packet) }
    try track.close()
    return track
  }

  private func closeMediaData() throws(MediaError) {
    let start = fileTypeSize + room
    let size = sink.size - start - 8
    var header = BoxWriter()
    if let small = UInt32(exactly: size) {
      header.u32(small)
      header.code("mdat")
      try sink.overwrite(at: start + 8, with: header.bytes)
    } else {
      header.u32(1)
      header.code("mdat")
      header.u64(UInt64(size + 8))
      try sink.overwrite(at: start, with: header.bytes)
    }
  }

  private func writeMovie(_ chapters: TrackWriter?) throws(MediaError) {
    var box = MovieBoxWriter(
      media: media, flavor: flavor, tracks: tracks, chapters: chapters,
      timeScale: inputs.timeScale)
    box.covers = inputs.covers
    guard movesToFront else {
      try sink.write(try box.bytes(shift: 0, usesCo64: sink.size > Int64(UInt32.max)))
      return
    }
    if room > 0 {
      var front = try box.bytes(shift: 0, usesCo64: sink.size > Int64(UInt32.max))
      let left = room - Int64(front.count)
      if left >= 8 {
        front += Self.filler(left)
        return try sink.overwrite(at: fileTypeSize, with: front)
      }
    }
    var usesCo64 = false
    var size = Int64(try box.bytes(shift: 0, usesCo64: false).count)
    if sink.size + size + alignment.step + 8192 > Int64(UInt32.max) {
      usesCo64 = true
      size = Int64(try box.bytes(shift: 0, usesCo64: true).count)
    }
    let padding = alignment.padding(after: size, before: sink.size)
    var front = try box.bytes(shift: size + padding, usesCo64: usesCo64)
    if padding > 0 { front += Self.filler(padding) }
    try sink.insert(front, at: fileTypeSize)
  }

  /// Returns an empty box of `size` bytes, at least 8.
  private static func filler(_ size: Int64) -> [UInt8] {
    var filler = BoxWriter()
    filler.box("free") { $0.zeros(Int(size) - 8) }
    return filler.bytes
  }
}

/// The sample format of a QuickTime chapter track.
enum ChapterText {
  /// Returns a sample: length, text, and a box that marks the text as UTF-8.
  static func sample(_ title: String) -> [UInt8] {
    let text = Array(title.utf8.prefix(1024))
    var writer = BoxWriter()
    writer.u16(UInt16(text.count))
    writer.raw(text)
    writer.box("encd") { $0.u32(0x100) }
    return writer.bytes
  }
}
