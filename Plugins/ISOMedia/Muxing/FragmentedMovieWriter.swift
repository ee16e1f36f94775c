import RespoolPlugin

/// A writer of fragmented movies, which are playable after each fragment (ISO/IEC 14496-12 8.8).
///
/// The movie box is written with the first fragment because it depends on packets. At the end it is
/// overwritten with the duration and the edits, and an index of the fragments follows. Movies that are
/// delivered in segments omit both.
final class FragmentedMovieWriter: MovieOutput {
  private let flavor: Flavor
  private let sink: ByteSink
  private let media: MediaDescription
  private let segmentFormat: MuxerSettings.SegmentFormat
  /// Duration of a fragment in seconds.
  private var interval: Double
  /// Duration in seconds of the fragments after the first.
  private let laterInterval: Double
  private let cutsAtDuration: Bool
  /// `true` if fragment times do not depend on the first packet.
  private let isCombinable: Bool
  /// Expected duration of the movie in seconds.
  ///
  /// 0 if unknown.
  private let durationHint: Double
  private var inputs: MovieInputs
  private var tracks: [FragmentTrack] = []
  /// The movie box writer.
  ///
  /// `nil` until the movie box has been written.
  private var movie: MovieBoxWriter?
  private var moviePlace: Int64 = 0
  private var movieSize = 0
  /// Sequence number of the last fragment.
  private var sequenceNumber: UInt32
  private var pendingBytes = 0
  private var gaps = MetadataGaps()
  private var isFinished = false

  /// Maximum number of pending bytes before a fragment is written, regardless of the interval.
  private static let limit = 64 << 20

  /// Seconds of media before the movie's start, for samples that are decoded before it.
  private static let lead: Int64 = 10

  init(
    _ media: MediaDescription, flavor: Flavor, rule: FragmentRule, sink: ByteSink,
    settings: MuxerSettings
  ) throws(MediaError) {
    self.media = media
    self.flavor = flavor
    self.sink = sink
    switch rule {
    case .interval(let later, let first):
      (segmentFormat, interval, laterInterval) = (.none, first, later)
    case .segments(let format):
      (segmentFormat, interval, laterInterval) = (format, .infinity, .infinity)
    }
    cutsAtDuration = settings.cutsAtDuration
    isCombinable = settings.isCombinable
    sequenceNumber = max(1, settings.firstFragmentNumber) - 1
    durationHint = settings.durationHint ?? 0
    var writers: [TrackWriter] = []
    inputs = try MovieInputs(
      media, flavor: flavor, sink: sink, settings: settings, writers: &writers)
    tracks = writers.map { FragmentTrack($0) }
    if let track = media.tracks.firstIndex(where: { !$0.furtherSampleDescriptions.isEmpty }) {
      throw MediaError(
        .unsupported,
        "the track has several sample descriptions, which are only written without fragments",
        track: track)
    }
    var fileType = flavor.fileType(for: writers.map(\.track))
    // Offsets in a fragment are relative to its start, which requires this brand (14496-12 E.7).
    fileType.compatibleBrands.append("iso5")
    if segmentFormat == .cmaf {
      guard tracks.count == 1 else {
        throw MediaError(
          .unsupported, "a CMAF file has one track (ISO/IEC 23000-19 7.3.1), not \(tracks.count)"
        )
      }
      fileType.compatibleBrands += ["iso6", "cmfc"]
    }
    try sink.write(fileType.bytes + ForeignBoxes.bytes(of: media.sideData))
  }

  func timeBase(ofTrack track: Int) -> Rational {
    inputs.number(ofTrack: track).map { tracks[$0].writer.timeBase } ?? Rational(1, 90000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard !packet.flags.contains(.isReference) else {
      throw MediaError(.unsupported, "a fragmented movie does not refer to media in other files")
    }
    guard let number = try inputs.take(packet) else { return }
    guard !packet.flags.contains(.startsPiece) else {
      throw MediaError(
        .unsupported, "a fragmented movie cannot join clips: their edit list is written too early",
        track: packet.track)
    }
    if let gap = gaps.gap(before: packet, number, of: tracks[number].writer.track) {
      try tracks[number].append(gap)
      pendingBytes += gap.size
    }
    try tracks[number].append(packet)
    pendingBytes += packet.size
    if segmentFormat != .none, packet.flags.contains(.startsSegment) {
      try writeFragment(before: number)
    } else if tracks[number].pendingSeconds >= interval || pendingBytes >= Self.limit {
      try writeFragment { _ in false }
    }
  }

  /// Writes all packets except the last one of track `number`, which starts the next segment.
  private func writeFragment(before number: Int) throws(MediaError) {
    try writeFragment { $0 != number }
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    guard !isFinished else { throw MediaError(.invalidArgument, "the file is complete already") }
    isFinished = true
    let stated = cutsAtDuration ? media.duration : nil
    let end = stated ?? tracks.compactMap(\.statedEnd).max() ?? 0
    for index in tracks.indices {
      tracks[index].last(until: end)
      guard let stated else { continue }
      let base = tracks[index].writer.timeBase
      tracks[index].end(at: Rational.nanoseconds.convert(stated, to: base))
    }
    try writeFragment { _ in true }
    guard segmentFormat == .none else { return }
    try writeIndex()
    guard var movie else { return }
    try updateDescriptions(of: &movie)
    for index in tracks.indices { tracks[index].close() }
    movie.fragments?.edits = tracks.map { $0.edits(movieScale: movie.scale) }
    movie.fragments?.duration = UInt64(
      max(0, tracks.map { $0.movieEnd(scale: movie.scale) }.max() ?? 0))
    let bytes = try movie.bytes(shift: 0, usesCo64: false)
    // The sizes are equal by construction; a box of another size would overwrite the first fragment.
    if bytes.count == movieSize { try sink.overwrite(at: moviePlace, with: bytes) }
  }

  /// Writes a fragment.
  ///
  /// `takesAll` returns `true` if the last packet of a track is written too, before the next one is known.
  private func writeFragment(takesAll: (Int) -> Bool) throws(MediaError) {
    if movie == nil { try writeMovie() }
    interval = laterInterval
    var runs: [(track: Int, packets: [FragmentTrack.Sample])] = []
    for index in order {
      let samples = tracks[index].take(all: takesAll(index))
      if !samples.isEmpty { runs.append((index, samples)) }
    }
    pendingBytes = tracks.reduce(0) { $0 + $1.pendingBytes }
    guard !runs.isEmpty else { return }
    sequenceNumber += 1
    let place = sink.size
    // The size of the header does not depend on the offsets in it.
    let size = try header(of: runs, firstByte: 0).count
    for (number, run) in runs.enumerated() {
      tracks[run.track].index(run.packets, at: place, trackNumber: number + 1)
    }
    try sink.write(try header(of: runs, firstByte: size + 8))
    let bytes = runs.reduce(0) { $0 + $1.packets.reduce(0) { $0 + $1.packet.size } }
    var media = BoxWriter()
    media.u32(UInt32(clamping: bytes + 8))
    media.code("mdat")
    try sink.write(media.bytes)
    for run in runs {
      for sample in run.packets { try sink.write(payloadOf: sample.packet) }
    }
  }

  /// Track order in a fragment.
  ///
  /// In segments, video comes first, so that the first frame is complete as early as possible.
  private var order: [Int] {
    guard segmentFormat != .none else { return Array(tracks.indices) }
    let pictures = tracks.indices.filter { tracks[$0].writer.track.kind == .video }
    return pictures + tracks.indices.filter { !pictures.contains($0) }
  }

  /// Returns the `moof` box.
  ///
  /// `firstByte` is the offset of the media from the start of the box.
  private func header(of runs: [(track: Int, packets: [FragmentTrack.Sample])], firstByte: Int)
    throws(MediaError) -> [UInt8]
  {
    var writer = BoxWriter()
    var place = firstByte
    var isTooLarge = false
    writer.box("moof") { moof in
      moof.write(MovieFragmentHeaderBox(sequenceNumber: sequenceNumber))
      for run in runs {
        moof.box("traf") { traf in
          guard let offset = Int32(exactly: place) else {
            isTooLarge = true
            return
          }
          tracks[run.track].write(run.packets, firstByte: offset, to: &traf)
        }
        place += run.packets.reduce(0) { $0 + $1.packet.size }
      }
    }
    guard !isTooLarge else {
      throw MediaError(.limitExceeded, "a fragment of \(place) bytes; the most is 2147483647")
    }
    return writer.bytes
  }

  private func writeMovie() throws(MediaError) {
    for index in tracks.indices {
      switch (segmentFormat, isCombinable) {
      case (.appleHLS, _): try tracks[index].settle(withZeroAt: 0)
      case (.none, _), (_, false): tracks[index].settle()
      case (_, true): try tracks[index].settle(withZeroAt: Self.lead)
      }
    }
    var movie = MovieBoxWriter(
      media: media, flavor: flavor, tracks: tracks.map(\.writer), chapters: nil,
      timeScale: inputs.timeScale)
    movie.covers = inputs.covers
    movie.fragments = .init(
      edits: tracks.map { $0.edits(movieScale: movie.scale) },
      descriptions: try descriptions(for: movie),
      duration: segmentFormat == .none || durationHint > 0
        ? UInt64((durationHint * Double(movie.scale)).rounded()) : nil,
      isOverwrittenAtEnd: segmentFormat == .none)
    moviePlace = sink.size
    let bytes = try movie.bytes(shift: 0, usesCo64: false)
    movieSize = bytes.count
    try sink.write(bytes)
    self.movie = movie
  }

  /// Replaces the sample descriptions that packets of later fragments changed.
  ///
  /// Further parameter sets change the type of an entry, but not its size. An entry of another size has no room in the
  /// file.
  private func updateDescriptions(of movie: inout MovieBoxWriter) throws(MediaError) {
    for (index, later) in try descriptions(for: movie).enumerated() {
      let sizes = movie.fragments?.descriptions[index].entries.map(\.payload.count)
      guard sizes == later.entries.map(\.payload.count) else { continue }
      movie.fragments?.descriptions[index] = later
    }
  }

  /// Returns the sample descriptions of all tracks.
  private func descriptions(for movie: MovieBoxWriter) throws(MediaError) -> [SampleDescriptionBox]
  {
    var descriptions: [SampleDescriptionBox] = []
    for (index, track) in tracks.enumerated() {
      do throws(MediaError) {
        var writer = SampleEntryWriter(track.writer)
        writer.storesBitRate = !isCombinable
        descriptions.append(try writer.description())
      } catch {
        var error = error
        error.track = error.track ?? movie.mediaTrack(ofNumber: index)
        throw error
      }
    }
    return descriptions
  }

  /// Writes the random access index (14496-12 8.8.9).
  private func writeIndex() throws(MediaError) {
    var writer = BoxWriter()
    writer.box("mfra") { mfra in
      for track in tracks where !track.entries.isEmpty {
        mfra.write(
          TrackFragmentRandomAccessBox(trackID: track.writer.trackID, entries: track.entries))
      }
      let size = mfra.bytes.count
      mfra.box("mfro") {
        $0.versionAndFlags(0)
        // The size of the whole box including this one, so that readers can find it from the end of the file.
        $0.u32(UInt32(clamping: size + 16))
      }
    }
    try sink.write(writer.bytes)
  }
}
