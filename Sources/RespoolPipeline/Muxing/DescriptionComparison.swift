import RespoolMedia

/// Comparison of what a file states about a track with what was written.
struct DescriptionComparison {
  private let readback: TrackReadback
  private var before: TrackDescription { readback.written.track }
  private var after: TrackDescription { readback.track }

  init(_ readback: TrackReadback) { self.readback = readback }

  /// The difference; `nil` if there is none.
  ///
  /// A source may state something else than its media, which a reader of the copy may prefer.
  var difference: OutputComparison.Difference? {
    guard readback.written.storesTimes || readback.written.digest != nil,
      let text = codecDifference ?? (after.kind == .video ? videoDifference : audioDifference)
        ?? recordDifference
    else { return nil }
    return readback.written.digest == nil ? .loss(text) : .wrong(text)
  }

  private var codecDifference: String? {
    guard !readback.written.isRepacketized, after.codec != before.codec else { return nil }
    return "is \(after.codec); \(before.codec) was written"
  }

  private var videoDifference: String? {
    if after.width != before.width || after.height != before.height {
      return "has \(after.width)x\(after.height) pixels; "
        + "\(before.width)x\(before.height) were written"
    }
    // Square pixels need not be stated.
    let (aspect, written) = (aspect(of: after), aspect(of: before))
    guard readback.written.storesTimes, !aspect.isClose(to: written) else { return nil }
    return "has pixels of \(aspect); \(written) was written"
  }

  private func aspect(of track: TrackDescription) -> Rational {
    track.sampleAspect.isPositive ? track.sampleAspect.reduced : Rational(1, 1)
  }

  private var audioDifference: String? {
    guard after.kind == .audio else { return nil }
    if after.sampleRate > 0, after.sampleRate != before.sampleRate {
      return "has \(after.sampleRate) Hz; \(before.sampleRate) Hz were written"
    }
    let (channels, written) = (after.channelLayout.channelCount, before.channelLayout.channelCount)
    guard channels > 0, written > 0, channels != written else { return nil }
    return "has \(channels.counting("channel")); \(written) were written"
  }

  /// Containers have their own forms of some records, with another length.
  private var recordDifference: String? {
    // Matroska has no header of TTA: readers make one.
    guard after.kind == .audio || after.kind == .video, before.codec != "tta",
      after.extradata.count == before.extradata.count
    else { return nil }
    // Files state the pre-skip in their own way too; it is part of the times.
    let ignored = before.codec == "opus" ? 10..<12 : 0..<0
    let place = after.extradata.indices.first {
      !ignored.contains($0) && after.extradata[$0] != before.extradata[$0]
    }
    return place.map { "has another configuration record than was written, from byte \($0) on" }
  }
}

extension Rational {
  /// Returns `true` if the numbers are equal but for rounding to whole pixels.
  fileprivate func isClose(to other: Rational) -> Bool {
    abs(doubleValue / other.doubleValue - 1) < 0.002
  }
}
