import RespoolPlugin

/// The grouping of audio with a constant sample size, such as PCM, into packets.
struct AudioPacking {
  /// Bytes of `samplesPerFrame` audio samples of all channels.
  var bytesPerFrame: Int
  /// Audio samples per frame: 1 for PCM, 64 for ima4.
  var samplesPerFrame = 1

  /// Audio samples in one packet, unless the chunk ends earlier.
  var samplesPerPacket: Int {
    samplesPerFrame >= 160 ? samplesPerFrame : max(1, 1024 / samplesPerFrame) * samplesPerFrame
  }
}

extension SampleIndex {
  /// Expands the tables.
  ///
  /// The number of samples is limited by the file size, because a constant size takes no bytes in the table.
  init(
    _ table: SampleTable, packing: AudioPacking?, everySampleIsKey: Bool, fileSize: Int64?
  ) throws(MediaError) {
    hasCompositionOffsets = !(table.compositionOffset?.runs.isEmpty ?? true)
    if let packing, packing.bytesPerFrame > 0, table.timeToSample.runs.count == 1,
      table.timeToSample.runs[0].duration == 1
    {
      try expandAudio(table, packing, fileSize: fileSize)
    } else {
      try expandSamples(table, everySampleIsKey: everySampleIsKey, fileSize: fileSize)
      decodeShift = measuredDecodeShift(table.compositionOffset?.runs ?? [])
    }
  }

  /// Returns the maximum by which composition times lie below decoding times, in units of the media.
  ///
  /// 0 if none do.
  ///
  /// Some writers end `ctts` with garbage, so FFmpeg ignores the last two runs. A clip of a few frames may
  /// have negative offsets only there. They count if the sample is not shown before all others.
  private func measuredDecodeShift(_ runs: [CompositionOffsetBox.Run]) -> Int64 {
    guard hasCompositionOffsets else { return 0 }
    let trusted = runs.dropLast(2)
    let known = min(trusted.reduce(0) { $0 + Int($1.count) }, samples.count)
    var lowest: Int64 = 0
    for number in 0..<known { lowest = min(lowest, compositionTime(number)) }
    var shift = trusted.lazy.filter { $0.count > 0 }.map { -Int64($0.offset) }.max() ?? 0
    for number in known..<samples.count where compositionTime(number) >= lowest {
      shift = max(shift, -Int64(samples[number].compositionOffset))
    }
    return max(0, shift)
  }

  private mutating func expandSamples(
    _ table: SampleTable, everySampleIsKey: Bool, fileSize: Int64?
  ) throws(MediaError) {
    guard !table.isEmpty else { return }
    guard !table.timeToSample.runs.isEmpty else {
      throw MediaError(.malformed, "there are samples without times", path: "stbl/stts")
    }
    guard !table.sampleToChunk.runs.isEmpty else {
      throw MediaError(.malformed, "the samples are not assigned to chunks", path: "stbl/stsc")
    }
    let constant = table.sampleSize.constantSize
    var limit = Int(table.sampleSize.sampleCount)
    if constant > 0 { limit = min(limit, Int((fileSize ?? 1 << 32) / Int64(constant)) + 1) }
    samples.reserveCapacity(limit)

    var times = RunCursor(table.timeToSample.runs.map { ($0.count, Int64($0.duration)) })
    var offsets = RunCursor(
      (table.compositionOffset?.runs ?? []).map { ($0.count, Int64($0.offset)) })
    var sync = KeyCursor(table.syncSample?.sampleNumbers)
    var partial = KeyCursor(table.partialSyncSample?.sampleNumbers ?? [])
    var decodeTime: Int64 = 0
    var run = 0
    let runs = table.sampleToChunk.runs
    chunks: for (chunk, start) in table.chunkOffsets.enumerated() {
      while run + 1 < runs.count, Int(runs[run + 1].firstChunk) <= chunk + 1 { run += 1 }
      note(description: Int(runs[run].descriptionIndex) - 1)
      var place = Int64(clamping: start)
      for _ in 0..<runs[run].samplesPerChunk {
        let number = samples.count
        guard number < limit else { break chunks }
        let size = constant > 0 ? constant : table.sampleSize.sizes[number]
        // An impossible size places the sample outside the file: the reader reports it and continues after
        // it.
        let isPossible = size <= IndexedSample.largestSize
        let isSync = sync.contains(number)
        let isPartial = partial.contains(number)
        samples.append(
          IndexedSample(
            offset: isPossible ? place : .max, decodeTime: decodeTime,
            compositionOffset: Int32(clamping: offsets.next() ?? 0), size: size,
            isKey: everySampleIsKey || isSync || isPartial))
        place = place.addingClamped(Int64(size))
        decodeTime = min(decodeTime + times.nextOrLast(), MediaEdit.latest)
      }
    }
    end = decodeTime
  }

  private mutating func expandAudio(
    _ table: SampleTable, _ packing: AudioPacking, fileSize: Int64?
  ) throws(MediaError) {
    let runs = table.sampleToChunk.runs
    guard !runs.isEmpty else { return }
    hasCompositionOffsets = false
    var run = 0
    var decodeTime: Int64 = 0
    for (chunk, start) in table.chunkOffsets.enumerated() {
      while run + 1 < runs.count, Int(runs[run + 1].firstChunk) <= chunk + 1 { run += 1 }
      note(description: Int(runs[run].descriptionIndex) - 1)
      guard var place = Int64(exactly: start) else { break }
      var left = Int(runs[run].samplesPerChunk)
      while left > 0 {
        // Samples after the end of the file cannot be read, so they are not indexed.
        if let fileSize, place >= fileSize { break }
        let count =
          packing.samplesPerFrame >= 160
          ? packing.samplesPerFrame : min(left, packing.samplesPerPacket)
        let size = count / packing.samplesPerFrame * packing.bytesPerFrame
        let (next, overflow) = place.addingReportingOverflow(Int64(size))
        guard size > 0, size <= Int(IndexedSample.largestSize), !overflow else { break }
        samples.append(
          IndexedSample(
            offset: place, decodeTime: decodeTime, compositionOffset: 0, size: UInt32(size),
            isKey: true))
        place = next
        decodeTime = min(decodeTime + Int64(count), MediaEdit.latest)
        left -= count
      }
    }
    end = decodeTime
  }
}

/// An iterator over run-length coded values.
private struct RunCursor {
  let runs: [(count: UInt32, value: Int64)]
  var run = 0
  var used: UInt32 = 0

  init(_ runs: [(count: UInt32, value: Int64)]) { self.runs = runs }

  /// Returns the next value, or `nil` after the last run.
  mutating func next() -> Int64? {
    while run < runs.count, used >= runs[run].count {
      run += 1
      used = 0
    }
    guard run < runs.count else { return nil }
    used += 1
    return runs[run].value
  }

  /// Returns the next value.
  ///
  /// Repeats the last one if the runs are too short.
  mutating func nextOrLast() -> Int64 { next() ?? runs.last?.value ?? 0 }
}

/// An iterator over sync sample numbers.
private struct KeyCursor {
  /// Sync sample numbers.
  ///
  /// `nil` if all samples are sync samples.
  let numbers: [UInt32]?
  var next = 0
  /// Number of the first sample.
  ///
  /// Some writers count from 0.
  let base: Int

  init(_ numbers: [UInt32]?) {
    self.numbers = numbers
    base = numbers?.first == 0 ? 0 : 1
  }

  mutating func contains(_ index: Int) -> Bool {
    guard let numbers else { return true }
    while next < numbers.count, Int(numbers[next]) < index + base { next += 1 }
    return next < numbers.count && Int(numbers[next]) == index + base
  }
}
