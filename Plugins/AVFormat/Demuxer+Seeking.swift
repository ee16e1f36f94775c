import CAVFormat
import FFmpeg
import RespoolPlugin

extension AVFormatDemuxer {
  /// Seeks to a sync sample from which a time of the track can be shown.
  func seek(track: Int, to time: Int64) throws(MediaError) {
    guard media.tracks.indices.contains(track) else {
      throw MediaError(.invalidArgument, "there is no such track", track: track)
    }
    // libavformat ends the process if asked to seek in the cover of an Ogg stream.
    guard !media.tracks[track].disposition.contains(.attachedPicture) else {
      throw MediaError(.unsupported, "a cover has no time to seek to", track: track)
    }
    if let chained { return try chained.seek(to: time) }
    let target = clocks[track].streamTime(time).subtractingClamped(maximumDisplayDelay(track))
    // Streams without an index are searched by time, which may lead to a packet that is not a sync sample.
    for milliseconds in Self.millisecondsBack {
      let back = Rational(1, 1000).convert(milliseconds, to: media.tracks[track].timeBase)
      let (earlier, overflow) = target.subtractingReportingOverflow(back)
      let result = av_seek_frame(
        context.pointer, Int32(track), overflow ? .min : earlier, AVSEEK_FLAG_BACKWARD)
      guard result >= 0 else {
        if milliseconds > 0 { return }
        throw .library(result, "seeking in the file failed")
      }
      forgetPosition()
      if try reachesSyncSample(before: target, track: track) { return }
    }
  }

  /// Returns the maximum time by which a frame is displayed later than libavformat reports.
  ///
  /// In the time base of the stream.
  private func maximumDisplayDelay(_ track: Int) -> Int64 {
    guard derivesPresentationTimes(of: track), let stream = context.stream(track)?.pointee else {
      return 0
    }
    let rate = media.tracks[track].frameRate
    guard rate.isPositive else { return 0 }
    return rate.inverse.convert(
      Int64(media.tracks[track].reorderDepth), to: Rational(stream.time_base), rounding: .up)
  }

  /// Milliseconds by which each attempt seeks back if the one before did not find a sync sample in time.
  private static let millisecondsBack: [Int64] = [
    0, 250, 500, 1000, 2000, 10_000, 60_000, 600_000,
  ]

  /// Returns `true` if the next sync sample of the track is at or before a time of the stream.
  ///
  /// The packets read for this test are read ahead: they are returned later, without those of the track before the
  /// sync sample, which cannot be decoded.
  private func reachesSyncSample(before target: Int64, track: Int) throws(MediaError) -> Bool {
    var seen: [UnsafeMutablePointer<AVPacket>] = []
    defer {
      readAhead = seen
      hasEnded = false
    }
    var bytes = 0
    while bytes < Self.longestSearch {
      guard let packet = try next() else { return false }
      seen.append(packet)
      bytes += Int(packet.pointee.size)
      guard packet.pointee.stream_index == Int32(track), packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      else { continue }
      let time = packet.pointee.pts != ffmpeg_no_time ? packet.pointee.pts : packet.pointee.dts
      guard time == ffmpeg_no_time || time <= target else { return false }
      seen = seen.filter { earlier in
        if earlier == packet || earlier.pointee.stream_index != Int32(track) { return true }
        var left: UnsafeMutablePointer<AVPacket>? = earlier
        av_packet_free(&left)
        return false
      }
      return true
    }
    return true
  }

  /// Bytes after which the search for a sync sample ends.
  private static let longestSearch = 16 << 20

  private func forgetPosition() {
    while let packet = readAhead.popLast() {
      var packet: UnsafeMutablePointer<AVPacket>? = packet
      av_packet_free(&packet)
    }
    discardOrderedPackets()
    timeLine.reset()
    for index in clocks.indices {
      clocks[index].reset()
      carriedTrims[index] = 0
    }
    hasEnded = false
    emptyPackets = 0
  }
}
