public import RespoolMedia

/// Buffers with several stored samples, or with none.
extension SampleBuffer {
  /// Creates a buffer of stored samples that follow each other in `dataBuffer`, whose memory is shared.
  ///
  /// `sampleTimings` has an entry for each sample, or one entry for all, or none. With one entry, each sample is
  /// shown after the one before. `sampleSizes` has the bytes of each sample, or one number for all. It may be empty
  /// for a single sample, which then has all bytes. Every sample is a sync sample unless `sampleAttachments` is
  /// changed.
  ///
  /// A buffer of 0 samples is a marker: it has no bytes, at most one timing and attachments of its own. Writers
  /// accept it and write nothing.
  ///
  /// Throws `invalidArgument`:
  /// - for other numbers of entries,
  /// - for sizes that are negative or exceed the data,
  /// - for times that are not numeric,
  /// - for one timing for several samples that has no duration or has a decoding time (CMSampleBufferCreate).
  public convenience init(
    dataBuffer: MediaBuffer, formatDescription: FormatDescription, numSamples: Int,
    sampleTimings: [SampleTiming], sampleSizes: [Int]
  ) throws(MediaError) {
    let places = try Self.places(sampleSizes, of: numSamples, in: dataBuffer.count)
    let times = try Self.times(sampleTimings, of: numSamples)
    let untimed = SampleTiming(presentationTimeStamp: .invalid)
    let stated = formatDescription.track.timeBase
    let base = stated.isPositive ? stated : Self.timeBase(of: times)
    if places.count <= 1 {
      let timing = times.first ?? untimed
      let bytes = places.first.map(dataBuffer.part) ?? MediaBuffer(count: 0)
      self.init(
        .packet(Packet(bytes, timing, base)), format: formatDescription, timeBase: base,
        timing: timing, isMarker: places.isEmpty)
      return
    }
    let parts = places.indices.map { number in
      let timing = times.isEmpty ? untimed : times[number]
      return SampleBuffer(
        .packet(Packet(dataBuffer.part(places[number]), timing, base)), format: formatDescription,
        timeBase: base, timing: timing)
    }
    let whole = Self.whole(times)
    self.init(
      .packet(Packet(dataBuffer, whole, base)), format: formatDescription, timeBase: base,
      timing: whole, parts: parts)
  }

  /// Attachments of each stored sample.
  ///
  /// One entry for decoded media; none after invalidation.
  ///
  /// Setting a different number of entries changes nothing.
  public var sampleAttachments: [Attachments] {
    get {
      guard isValid, !isMarker else { return [] }
      return parts.isEmpty ? [attachments] : parts.map(\.attachments)
    }
    set {
      guard newValue.count == max(isMarker ? 0 : 1, parts.count) else { return }
      if isMarker { return }
      if parts.isEmpty { attachments = newValue[0] }
      for (part, said) in zip(parts, newValue) { part.attachments = said }
    }
  }

  /// Returns a buffer for each stored sample that shares the bytes of this one; none for a marker or after
  /// invalidation.
  ///
  /// Their attachments and validity are independent. A buffer without several stored samples returns itself: blocks
  /// of decoded audio stay whole.
  public func singleSampleBuffers() -> [SampleBuffer] {
    guard isValid, !isMarker else { return [] }
    guard !parts.isEmpty else { return [self] }
    let samples = parts.compactMap { $0.withTiming($0.timing) }
    // Fewer if another thread has invalidated the buffer meanwhile.
    return samples.count == parts.count ? samples : []
  }

  /// The times of the buffer.
  var timing: SampleTiming {
    SampleTiming(
      duration: duration, presentationTimeStamp: presentationTimeStamp,
      decodeTimeStamp: decodeTimeStamp)
  }

  /// `true` if the buffer is valid and its samples have times; either all of them have times or none has.
  var isTimed: Bool { isValid && presentationTimeStamp.isValid }

  /// Returns the samples with other times or bytes; `nil` if the times do not fit or the buffer is invalid.
  func several(_ timings: [SampleTiming], _ bytes: (MediaBuffer) -> MediaBuffer) -> SampleBuffer? {
    guard let data = dataBuffer else { return nil }
    var timings = timings
    if timings.count == 1, !timings[0].duration.isValid,
      parts.allSatisfy({ $0.duration == parts[0].duration })
    {
      timings[0].duration = parts[0].duration
    }
    let sample = try? SampleBuffer(
      dataBuffer: bytes(data), formatDescription: formatDescription, numSamples: parts.count,
      sampleTimings: timings, sampleSizes: parts.map(\.totalSampleSize))
    sample?.sampleAttachments = parts.map(\.attachments)
    // Invalidation empties the parts after the whole. If the whole is still valid, the parts were valid when read.
    return isValid ? sample : nil
  }

  private static func places(_ sizes: [Int], of count: Int, in bytes: Int) throws(MediaError)
    -> [Range<Int>]
  {
    guard count != 0 else {
      guard bytes == 0, sizes.isEmpty else {
        throw MediaError(
          .invalidArgument,
          "a buffer without samples has \(bytes.counting("byte")) and "
            + "\(sizes.count.counting("size"))"
        )
      }
      return []
    }
    guard count > 0 else {
      throw MediaError(.invalidArgument, "a buffer cannot have \(count.counting("sample"))")
    }
    let sizes = count == 1 && sizes.isEmpty ? [bytes] : sizes
    guard sizes.count == count || sizes.count == 1 else {
      throw MediaError(
        .invalidArgument,
        "\(sizes.count.counting("size")) for \(count.counting("sample")); expected one for all "
          + "or one for each"
      )
    }
    // With one size for all samples, only the bytes limit their number.
    if sizes.count < count, sizes[0] <= 0 || count > bytes / sizes[0] {
      throw MediaError(
        .invalidArgument,
        "\(count.counting("sample")) of \(sizes[0].counting("byte")) each do not fit the "
          + "\(bytes.counting("byte")) of data"
      )
    }
    var places: [Range<Int>] = []
    places.reserveCapacity(count)
    var end = 0
    for number in 0..<count {
      let size = sizes[sizes.count == 1 ? 0 : number]
      guard size >= 0, size <= bytes - end else {
        throw MediaError(
          .invalidArgument,
          "sample \(number) of \(size.counting("byte")) exceeds the "
            + "\((bytes - end).counting("byte")) that are left"
        )
      }
      places.append(end..<end + size)
      end += size
    }
    return places
  }

  /// Returns a time base in which all times are whole numbers, or else the one of the first time.
  private static func timeBase(of times: [SampleTiming]) -> Rational {
    let all = times.flatMap { [$0.presentationTimeStamp, $0.decodeTimeStamp, $0.duration] }
    let scale = times.first?.presentationTimeStamp.timescale ?? 1
    return Rational(exactFor: all) ?? Rational(1, max(1, scale))
  }

  /// Returns the times of each sample, or none; for a marker its own.
  private static func times(_ timings: [SampleTiming], of count: Int) throws(MediaError)
    -> [SampleTiming]
  {
    guard timings.count <= 1 || timings.count == count else {
      throw MediaError(
        .invalidArgument,
        "\(timings.count.counting("timing")) for \(count.counting("sample")); expected none, "
          + "one for all or one for each"
      )
    }
    for timing in timings {
      guard timing.presentationTimeStamp.isComputable,
        timing.decodeTimeStamp.isComputable || !timing.decodeTimeStamp.isValid,
        timing.duration.isComputable || !timing.duration.isValid,
        timing.duration >= .zero
      else {
        throw MediaError(
          .invalidArgument,
          "a sample has no valid time: presentation \(timing.presentationTimeStamp), "
            + "decode \(timing.decodeTimeStamp), duration \(timing.duration)")
      }
    }
    guard timings.count < count, var next = timings.first else { return timings }
    guard next.duration.isValid, !next.decodeTimeStamp.isValid else {
      throw MediaError(
        .invalidArgument,
        "one timing for \(count.counting("sample")) must have a duration and no decode time")
    }
    var times: [SampleTiming] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      guard next.presentationTimeStamp.isComputable else {
        throw MediaError(
          .invalidArgument,
          "\(count.counting("sample")) of \(next.duration) end later than a time can represent")
      }
      times.append(next)
      next.presentationTimeStamp += next.duration
    }
    return times
  }

  /// Returns the earliest of the times and the sum of the durations.
  private static func whole(_ times: [SampleTiming]) -> SampleTiming {
    guard let shown = times.map(\.presentationTimeStamp).min() else {
      return SampleTiming(presentationTimeStamp: .invalid)
    }
    let decoded = times.map {
      $0.decodeTimeStamp.isValid ? $0.decodeTimeStamp : $0.presentationTimeStamp
    }
    let first = decoded.min() ?? shown
    return SampleTiming(
      duration: times.reduce(.zero) { $0 + $1.duration }, presentationTimeStamp: shown,
      decodeTimeStamp: first == shown ? .invalid : first)
  }
}

extension Packet {
  fileprivate init(_ bytes: MediaBuffer, _ timing: SampleTiming, _ base: Rational) {
    let shown = timing.presentationTimeStamp.ticks(base)
    self.init(
      track: 0, pts: shown, dts: timing.decodeTimeStamp.ticks(base) ?? shown,
      duration: max(0, timing.duration.ticks(base) ?? 0), flags: .key, payload: .bytes(bytes))
  }
}
