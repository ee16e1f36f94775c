import CAVFormat
import FFmpeg
import RespoolPlugin

/// A demuxer for all formats that libavformat reads and no other plugin claims.
final class AVFormatDemuxer: Demuxer {
  static let description: FactoryDescription = {
    var value = FactoryDescription(
      kind: .demuxer, name: "avformat", longName: "Any container that FFmpeg's libavformat reads")
    value.tier = .fallback
    value.flags = [.anyCodec, .shownStart, .shownTimes]
    value.extensions = Extensions.all
    value.options = [
      OptionSchema(
        "strict", .bool, default: "false",
        help: "Report bytes after the last audio frame that are no tag.")
    ]
    return value
  }()

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    Probe.score(bytes, name: name)
  }

  let media: MediaDescription
  let context: FormatContext
  var timeLine: TimeLine
  var clocks: [TrackClock]
  /// `true` for tracks whose packets `read` returns, by track index.
  private(set) var isSelected: [Bool]
  /// Packets that are returned before libavformat reads on.
  ///
  /// They were read to detect a still image or to test a seek, or belong after damage that was reported.
  var readAhead: [UnsafeMutablePointer<AVPacket>] = []
  private var coverWasRead: [Bool]
  /// The current configuration record of each track's packets.
  private var currentExtradata: [[UInt8]] = []
  var hasEnded = false
  /// `true` if the last packet is the start of a frame.
  private var endsWithinFrame = false
  /// `true` if time 0 is the first audible audio sample.
  private let startsAfterEncoderDelay: Bool
  var emptyPackets = 0
  /// Part of the encoder delay that is longer than the packets so far, by track index.
  var carriedTrims: [Int64]
  /// Frame ordering by track, for tracks whose container does not store presentation times.
  private var orders: [Int: FrameOrdering] = [:]
  /// Packets whose presentation times are known, in decoding order.
  private var orderedPackets: [Packet] = []
  /// `true` until a packet is returned or a seek begins.
  ///
  /// If it still is at the end, libavformat may have dropped all packets.
  private var awaitsFirstPacket = true
  /// The streams of a chained Ogg file, which are read instead of `context`.
  private(set) var chained: ChainedStreams?
  private var checks: DamageChecks
  private let trim: AudioPacketTrim?
  /// Units of the stream by which libavformat's times of Vorbis are late.
  private let lateness: Int64

  /// Maximum number of consecutive empty packets, after which the file counts as ended.
  ///
  /// Damaged files may never stop.
  private static let maximumEmptyPackets = 10_000

  /// Maximum number of attempts to read a packet while libavformat asks to try again.
  ///
  /// It asks if it has read bytes without a packet. Damaged files may never stop.
  private static let maximumReadAttempts = 100

  convenience init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    try self.init(source: source, settings: settings, isPart: false)
  }

  /// Opens a file.
  ///
  /// `isPart` is `true` for a stream of a chained Ogg file, which is not searched for further streams.
  init(source: ByteSource, settings: DemuxerSettings, isPart: Bool) throws(MediaError) {
    if source.isSeekable { try FLACBlocks.checkCount(in: source) }
    var chain = isPart ? nil : try OggChain(source)
    let first = try chain?.openFirst(in: source)
    let context = if let first { first } else { try FormatContext(source: source) }
    guard context.streamCount > 0 else {
      throw MediaError(.unsupported, "not a media file that can be read: there are no tracks")
    }
    let startsAfterEncoderDelay = settings.timing.contains(.shownStart)
    let timeLine = TimeLine(context: context, afterEncoderDelay: startsAfterEncoderDelay)
    let clocks = try Self.makeClocks(context, timeLine)
    var media = MediaDescription(context: context, timeLine: timeLine, clocks: clocks)
    try Self.addFormatTags(to: &media, context, source)
    if let chain, let first = media.tracks.first {
      let chained = try ChainedStreams(chain, of: first, in: source, settings)
      media.describe(chained, of: chain)
      self.chained = chained
    }
    let isStrict = settings[option: "strict"] == "true"
    lateness = try OnePageVorbis.lateness(context, in: source, &readAhead)
    checks = try DamageChecks(context, source: source, isStrict: isStrict)
    trim = AudioPacketTrim(format: context.name)
    self.context = context
    self.startsAfterEncoderDelay = startsAfterEncoderDelay
    self.timeLine = timeLine
    self.clocks = clocks
    isSelected = Array(repeating: true, count: media.tracks.count)
    coverWasRead = Array(repeating: false, count: clocks.count)
    carriedTrims = Array(repeating: 0, count: clocks.count)
    try StillImages.mark(&media, context, readAhead: &readAhead)
    Palettes.take(&media, context, readAhead: &readAhead)
    DVFrames.takeDate(&media, context, readAhead: &readAhead)
    currentExtradata = media.tracks.map(\.extradata)
    self.media = media
    if settings.timing.contains(.shownTimes) { orders = FrameOrdering.all(of: context) }
  }

  private static func makeClocks(_ context: FormatContext, _ timeLine: TimeLine)
    throws(MediaError) -> [TrackClock]
  {
    var clocks: [TrackClock] = []
    for index in 0..<context.streamCount {
      guard let stream = context.stream(index)?.pointee else {
        throw MediaError(.internal, "libavformat lost a track", track: index)
      }
      let base = Rational(stream.time_base)
      clocks.append(
        TrackClock(
          stream: stream, offset: base.isPositive ? timeLine.offset(for: base) : 0,
          allowsDiscontinuities: context.allowsDiscontinuities,
          allowsOverlaps: context.name != "avi"))
    }
    return clocks
  }

  /// Adds tags that libavformat does not read.
  private static func addFormatTags(
    to media: inout MediaDescription, _ context: FormatContext, _ source: ByteSource
  ) throws(MediaError) {
    if context.name == "asf" { media.take(try ASFHeader(source)) }
    if context.name == "avi" { media.take(try AVIHeader(source)) }
    if context.isMatroska {
      let names = MatroskaGaps(source).names
      if !names.isEmpty { media.sideData.append(SideData(unwrittenElements: names)) }
    }
    try AudioFileTags(media, in: source).add(to: &media)
  }

  deinit {
    for packet in readAhead {
      var packet: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&packet)
    }
  }

  func select(_ isSelected: [Bool]) throws(MediaError) {
    try TrackDescription.check(selection: isSelected, trackCount: media.tracks.count)
    self.isSelected = isSelected
    for (index, isSelected) in isSelected.enumerated() {
      context.stream(index)?.pointee.discard = isSelected ? AVDISCARD_DEFAULT : AVDISCARD_ALL
    }
  }

  func read() throws(MediaError) -> Packet? {
    if let chained {
      while let packet = try chained.read() {
        if isSelected[packet.track] { return packet }
      }
      return nil
    }
    while orderedPackets.isEmpty, !hasEnded {
      guard let packet = try next() else {
        if let damage = try checks.damageAtEnd() { throw damage }
        break
      }
      let isCover = isCover(packet)
      guard isCover || trim?.trim(packet) ?? true else {
        discard(packet)
        continue
      }
      if !isCover, let damage = try checks.damage(at: packet) {
        if try isCutFrame(packet) {
          discard(packet)
          throw Self.endsWithinPacket(at: context.input.offset, media.warning)
        }
        readAhead.insert(packet, at: 0)
        throw damage
      }
      guard !lacksADTSHeader(packet) else {
        discard(packet)
        throw MediaError(
          .malformed, "an AAC packet begins without an ADTS header and is left out")
      }
      let position = displayPosition(of: packet)
      if let result = makePacket(packet, isCover: isCover) {
        awaitsFirstPacket = false
        guard let position else { return result }
        orders[result.track]?.order.add(result, at: position, to: &orderedPackets)
        continue
      }
      discard(packet)
    }
    if orderedPackets.isEmpty {
      hasEnded = true
      for track in orders.keys.sorted() { orders[track]?.order.finish(to: &orderedPackets) }
      if awaitsFirstPacket, let reason = droppedPacketsError() {
        awaitsFirstPacket = false
        throw reason
      }
    }
    return orderedPackets.isEmpty ? nil : orderedPackets.removeFirst()
  }

  private func discard(_ packet: UnsafeMutablePointer<AVPacket>) {
    var packet: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&packet)
  }

  /// Returns the position of a frame in display order.
  ///
  /// `nil` unless times are derived from it.
  private func displayPosition(of packet: UnsafeMutablePointer<AVPacket>) -> PictureOrder.Position?
  {
    let index = Int(packet.pointee.stream_index)
    guard isSelected.indices.contains(index), isSelected[index] else { return nil }
    return orders[index]?.parser.displayPosition(of: packet)
  }

  /// Returns `true` if presentation times come from the display order, because the container stores none.
  func derivesPresentationTimes(of track: Int) -> Bool { orders[track] != nil }

  /// Discards packets whose order was being determined, and the state of the damage checks, for a seek.
  ///
  /// `readAhead` is kept.
  func discardOrderedPackets() {
    orderedPackets = []
    awaitsFirstPacket = false
    checks.reset()
    if !orders.isEmpty { orders = FrameOrdering.all(of: context) }
  }

  /// Returns libavformat's next packet, which the caller frees.
  ///
  /// `nil` at the end.
  func next() throws(MediaError) -> UnsafeMutablePointer<AVPacket>? {
    if !readAhead.isEmpty { return readAhead.removeFirst() }
    guard let packet = av_packet_alloc() else {
      throw MediaError(.limitExceeded, "there is no memory for a packet")
    }
    var result = av_read_frame(context.pointer, packet)
    var attempts = 0
    while result == ffmpeg_error_again, attempts < Self.maximumReadAttempts {
      attempts += 1
      result = av_read_frame(context.pointer, packet)
    }
    if result >= 0 {
      emptyPackets = packet.pointee.size > 0 ? 0 : emptyPackets + 1
      if isCutOff(packet), !isPartOfFrame(packet) {
        result = ffmpeg_error_io
      } else {
        endsWithinFrame = endsWithinFrame || isCutOff(packet)
        if emptyPackets <= Self.maximumEmptyPackets { return packet }
        result = ffmpeg_error_invalid_data
      }
    }
    var unused: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&unused)
    hasEnded = true
    if let failure = context.input.failure { throw failure }
    if result == ffmpeg_error_end, endsWithinFrame {
      endsWithinFrame = false
      throw Self.endsWithinPacket(at: context.input.offset)
    }
    if result == ffmpeg_error_end || hasReachedTrailingTag { return nil }
    // The source itself has not failed: the file ends earlier than expected.
    if result == ffmpeg_error_io { throw Self.endsWithinPacket(at: context.input.offset) }
    throw .library(
      result, "the file cannot be read any further", offset: context.input.offset)
  }

  private static func endsWithinPacket(at offset: Int64, _ reason: String? = nil) -> MediaError {
    MediaError(
      .malformed, reason ?? "the file ends within a packet", offset: offset, detail: .endsEarly)
  }

  /// Makes a packet.
  ///
  /// Takes ownership of `packet` only if it returns one.
  private func makePacket(_ packet: UnsafeMutablePointer<AVPacket>, isCover: Bool) -> Packet? {
    let index = Int(packet.pointee.stream_index)
    guard isSelected.indices.contains(index), isSelected[index], let stream = context.stream(index)
    else {
      return nil
    }
    if isCover {
      if coverWasRead[index] { return nil }
      coverWasRead[index] = true
    }
    var side = PacketSideData(packet)
    var times = TimeLine.Times(
      pts: time(packet.pointee.pts), dts: time(packet.pointee.dts),
      duration: max(0, packet.pointee.duration))
    if lateness > 0, !isCover {
      times.pts = times.pts?.subtractingClamped(lateness)
      times.dts = times.dts?.subtractingClamped(lateness)
      let part = min(lateness, side.skipEnd)
      times.duration = times.duration.addingClamped(part)
      side.skipEnd -= part
    }
    // In an Ogg stream that ends before its last packet begins, libavformat's length wraps around at 32 bits.
    // libavcodec then trims nothing.
    if times.duration > Int64(Int32.max), times.duration <= Int64(UInt32.max), side.skipEnd > 0 {
      times.duration = 0
      side.skipEnd = 0
    }
    if isCover {
      times.pts = times.pts ?? 0
      times.dts = times.dts ?? 0
    } else {
      timeLine.shift(&times, of: index, stream.pointee)
    }
    guard let parameters = stream.pointee.codecpar else { return nil }
    let rate = parameters.pointee.sample_rate
    // Without a start time, no packet is known to be the first one.
    let isFirst =
      packet.pointee.pts != ffmpeg_no_time && packet.pointee.pts == stream.pointee.start_time
    var preSkip = isFirst ? AudioLength.preSkip(parameters.pointee) : 0
    if startsAfterEncoderDelay, isFirst, preSkip == 0, let pts = times.pts, pts < 0 {
      // Matroska's CodecDelay, which libavformat reports for all codecs but trims only for Opus.
      preSkip = Int64(max(0, parameters.pointee.initial_padding))
    }
    let trimStart = clocks[index].samples(max(side.skipStart, preSkip), rate: rate)
    let length = AudioLength.samples(of: packet, parameters)
    times = clocks[index].convert(times, length: length, trimStart: trimStart)
    var flags: Packet.Flags = []
    if packet.pointee.flags & AV_PKT_FLAG_KEY != 0 { flags.insert(.key) }
    if packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 { flags.insert(.discard) }
    if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { flags.insert(.corrupt) }
    var result = Packet(
      track: index, pts: times.pts, dts: times.dts, duration: times.duration, flags: flags,
      payload: .bytes(payload(packet, side, index)))
    // A frame of MP3 or of AAC at low rates is shorter than the encoder delay, which continues in the next one.
    let delay = carriedTrims[index].addingClamped(trimStart)
    result.trimStart = times.duration > 0 ? min(delay, times.duration) : delay
    carriedTrims[index] = delay - result.trimStart
    result.trimEnd = clocks[index].samples(side.skipEnd, rate: rate)
    // For Ogg, where pages determine the length, libavformat's duration excludes the trimmed samples.
    let whole = result.duration + result.trimEnd
    if context.isOgg, result.duration > 0, length == 0 || whole <= length {
      result.duration = whole
    }
    result.sideData = side.blockAddition
    return result
  }

  /// Returns the packet's bytes.
  ///
  /// Takes ownership of `packet`.
  private func payload(
    _ packet: UnsafeMutablePointer<AVPacket>, _ side: PacketSideData, _ index: Int
  )
    -> MediaBuffer
  {
    // The packet is only freed from now on, and its bytes are reference-counted.
    nonisolated(unsafe) let owned = packet
    let free: @Sendable () -> Void = {
      var packet: UnsafeMutablePointer<AVPacket>? = owned
      av_packet_free(&packet)
    }
    let bytes = UnsafeMutableRawBufferPointer(
      start: packet.pointee.data, count: Int(max(0, packet.pointee.size)))
    guard !side.newExtradata.isEmpty, side.newExtradata != currentExtradata[index] else {
      return MediaBuffer(borrowing: bytes, onRelease: free)
    }
    currentExtradata[index] = side.newExtradata
    let codec = media.tracks[index].codec
    guard
      let size = ParameterSets.lengthSize(codec: codec, record: media.tracks[index].extradata),
      let sets = ParameterSets.inBand(codec: codec, record: side.newExtradata, lengthSize: size)
    else { return MediaBuffer(borrowing: bytes, onRelease: free) }
    defer { free() }
    return MediaBuffer(sets + bytes)
  }

  private func time(_ value: Int64) -> Int64? { value == ffmpeg_no_time ? nil : value }
}
