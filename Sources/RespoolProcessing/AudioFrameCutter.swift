package import RespoolMedia

/// Divides audio into blocks of a fixed size, as most encoders need them.
///
/// Times are in 1/rate; each block has the time of its first audio sample. Usable from one thread at a time.
package struct AudioFrameCutter {
  /// Audio samples of each output block.
  ///
  /// 0: input blocks are returned unchanged.
  package let frameSize: Int
  private var queue: [Frame] = []
  /// Audio samples of the first frame that have been returned already.
  private var taken = 0
  private var held = 0
  private let pool: FramePool

  package init(frameSize: Int, pool: FramePool = FramePool(limit: 16 << 20)) {
    self.frameSize = max(0, frameSize)
    self.pool = pool
  }

  /// Number of waiting audio samples of each channel.
  package var sampleCount: Int { held }

  /// Adds a block.
  ///
  /// Throws `invalidArgument` if its format differs from that of the waiting blocks.
  package mutating func push(_ frame: Frame) throws(MediaError) {
    guard frame.kind == .audio, frame.sampleCount > 0, frame.channelLayout.channelCount > 0,
      frame.sampleFormat.bytesPerSample > 0,
      frame.planes.count >= (frame.sampleFormat.isPlanar ? frame.channelLayout.channelCount : 1)
    else { throw MediaError(.invalidArgument, "a block to cut has no audio") }
    if let first = queue.first, AudioFormat(first) != AudioFormat(frame) {
      throw MediaError(
        .invalidArgument,
        "received audio of \(AudioFormat(frame)); expected \(AudioFormat(first))")
    }
    queue.append(frame)
    held += frame.sampleCount
  }

  /// Returns the next whole block, or `nil` if there are too few audio samples for one.
  package mutating func next() throws(MediaError) -> Frame? {
    guard held > 0, held >= frameSize else { return nil }
    return try cut(frameSize == 0 ? queue[0].sampleCount : frameSize)
  }

  /// Returns the remaining audio, block by block, or `nil` if none is left; only the last block may be
  /// shorter.
  package mutating func finish() throws(MediaError) -> Frame? {
    if let whole = try next() { return whole }
    return held > 0 ? try cut(held) : nil
  }

  private mutating func cut(_ count: Int) throws(MediaError) -> Frame? {
    let first = queue[0]
    if taken == 0 && first.sampleCount == count {
      queue.removeFirst()
      held -= count
      return first
    }
    guard
      var result = pool.audio(
        sampleFormat: first.sampleFormat, channelLayout: first.channelLayout,
        sampleRate: first.sampleRate, sampleCount: count,
        pts: first.pts?.addingReportingOverflow(Int64(taken)).partialValue)
    else { throw MediaError(.internal, "no memory for \(count) samples") }
    result.duration = Int64(count)
    result.flags = first.flags
    let format = first.sampleFormat
    let unit = format.bytesPerSample * (format.isPlanar ? 1 : first.channelLayout.channelCount)
    let planes = format.isPlanar ? first.channelLayout.channelCount : 1
    var done = 0
    while done < count {
      let frame = queue[0]
      let length = min(count - done, frame.sampleCount - taken)
      // Both frames have `planes` planes of at least this many audio samples: `push` checks it for the input,
      // and the pool makes the output so.
      for plane in 0..<planes {
        (result.planes[plane].base + done * unit).copyMemory(
          from: frame.planes[plane].base + taken * unit, byteCount: length * unit)
      }
      done += length
      taken += length
      if taken == frame.sampleCount {
        queue.removeFirst()
        taken = 0
      }
    }
    held -= count
    return result
  }
}
