import CVerifier
import RespoolMedia

/// Frames that a check sends to an encoder, equal in every run.
struct EncoderInput {
  /// Arrangement of the rows of video in memory.
  enum Rows: Hashable {
    /// Rows follow each other, and the last one ends at an inaccessible page.
    case tight
    /// Other bytes lie between the rows.
    case padded
    /// The last row comes first in memory, so strides are negative.
    case bottomUp
  }

  var track: TrackDescription
  /// Number of frames: more than the lookahead of any encoder.
  var count = 72
  var rows = Rows.tight
  /// Numbers of frames that must be key frames.
  var forcedKeys: Set<Int> = []
  /// Maximum number of frames from one key frame to the next; `nil` if the encoder decides.
  var keyFrameInterval: Int?
  /// Number of the first frame's moment, so that two inputs can differ.
  var firstMoment = 0
  /// Audio: number of audio samples of each frame; `nil` if the encoder's frame size determines it.
  var blocks: [Int]?
  var threads = 1
  var options: [PluginOption] = []
  /// Requested quality, on the scale of the encoder; `nil` if none is requested.
  var quality: Double?
  /// Requested bits per second; `nil` if none are requested.
  var bitRate: Int64?
  /// Video: pass that the encoder makes, and services of its job.
  var pass = EncoderSettings.Pass.only
  var job = PluginJob.none
  /// Video: time of the first frame.
  var start: Int64 = 100

  /// Time base of video: two units to a frame of 25 Hz.
  static let videoBase = Rational(1, 50)

  /// Video of a small size with all kinds of frame.
  static func video(
    _ codec: String, _ format: PixelFormat, width: Int = 64, height: Int = 48
  ) -> EncoderInput {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: videoBase)
    track.width = width
    track.height = height
    track.pixelFormat = format
    track.frameRate = Rational(25, 1)
    track.baseFrameRate = Rational(25, 1)
    track.sampleAspect = Rational(1, 1)
    return EncoderInput(track: track)
  }

  /// Returns the same video in another size.
  func sized(_ width: Int, _ height: Int) -> EncoderInput {
    var input = self
    (input.track.width, input.track.height) = (width, height)
    return input
  }

  static func audio(
    _ codec: String, _ format: SampleFormat, rate: Int = 48000, layout: ChannelLayout = .stereo
  ) -> EncoderInput {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(clamping: rate)))
    track.sampleRate = rate
    track.channelLayout = layout
    track.sampleFormat = format
    track.bitsPerSample = format.bytesPerSample * 8
    return EncoderInput(track: track, count: 40)
  }

  /// Settings with which an encoder is opened for this input.
  var settings: EncoderSettings {
    var settings = EncoderSettings(track: track, threads: threads, options: options)
    settings.track.start = nil
    settings.keyFrameInterval = keyFrameInterval
    (settings.quality, settings.bitRate) = (quality, bitRate)
    (settings.pass, settings.job) = (pass, job)
    return settings
  }

  /// Time of a video frame: two units after the one before, with a gap after frame 40.
  func time(_ number: Int) -> Int64 { start + Int64(number) * 2 + (number > 40 ? 4 : 0) }

  private func duration(_ number: Int) -> Int64 { time(number + 1) - time(number) }

  /// Number of audio samples of a frame; the last frame is shorter than a whole one.
  func sampleCount(_ number: Int, frameSize: Int) -> Int {
    if let blocks { return blocks[number % blocks.count] }
    let whole = frameSize > 0 ? frameSize : 1024
    return number < count - 1 ? whole : max(1, whole * 37 / 100)
  }

  /// Returns a frame in guarded memory; `nil` if the format is unknown or there is no memory.
  ///
  /// `position` is the number of audio samples before the frame.
  func frame(_ number: Int, position: Int64, frameSize: Int) -> GuardedFrame? {
    track.kind == .video
      ? videoFrame(number)
      : audioFrame(position, count: sampleCount(number, frameSize: frameSize))
  }

  private func videoFrame(_ number: Int) -> GuardedFrame? {
    guard let grid = FrameGrid(track.pixelFormat, width: track.width, height: track.height) else {
      return nil
    }
    let distances = grid.rowBytes.map { rows == .tight ? $0 : ($0 + 63) & ~63 + 64 }
    let sizes = grid.planes.indices.map {
      distances[$0] * (Int(grid.planes[$0].rows) - 1) + grid.rowBytes[$0]
    }
    var planes: [Frame.Plane] = []
    let memory = GuardedMemory(sizes, "a lent frame") { regions in
      for (index, region) in regions.enumerated() {
        // Bytes between the rows are unlike those in the rows.
        for offset in 0..<(rows == .tight ? 0 : sizes[index]) { region[offset] = 0xFB }
        let isBottomUp = rows == .bottomUp
        let offset = isBottomUp ? distances[index] * (Int(grid.planes[index].rows) - 1) : 0
        let stride = isBottomUp ? -distances[index] : distances[index]
        grid.fill(index, at: region + offset, stride: stride, time: firstMoment + number)
        planes.append(Frame.Plane(base: region + offset, stride: stride))
      }
    }
    guard let memory else { return nil }
    var frame = Frame(kind: .video, pts: time(number), planes: planes, buffer: memory.buffer)
    frame.pixelFormat = track.pixelFormat
    frame.width = track.width
    frame.height = track.height
    frame.duration = duration(number)
    (frame.sampleAspect, frame.color) = (track.sampleAspect, track.color)
    if forcedKeys.contains(number) { frame.flags = .mustBeKey }
    return GuardedFrame(frame: frame, memory: memory)
  }

  private func audioFrame(_ position: Int64, count: Int) -> GuardedFrame? {
    let format = track.sampleFormat
    let channels = track.channelLayout.channelCount
    let width = format.bytesPerSample
    guard width > 0, channels > 0 else { return nil }
    // The boundary has pointers for eight planes. If there are more, they lie in one region.
    let isSplit = format.isPlanar && channels <= 8
    let sizes =
      isSplit ? Array(repeating: count * width, count: channels) : [count * width * channels]
    var planes: [Frame.Plane] = []
    let memory = GuardedMemory(sizes, "a lent frame") { regions in
      for channel in 0..<channels {
        let plane =
          isSplit ? regions[channel] : regions[0] + (format.isPlanar ? channel * count * width : 0)
        let isInterleaved = !format.isPlanar
        measure_fill_tone(
          Int32(channel), track.channelLayout.isLowFrequency(channel) ? 1 : 0,
          Int32(track.sampleRate), position + Int64(firstMoment * 1000), Int32(count),
          Int32(format.interleaved.rawValue), plane + (isInterleaved ? channel * width : 0),
          isInterleaved ? channels * width : width)
        if channel == 0 || format.isPlanar {
          planes.append(
            Frame.Plane(base: plane, stride: count * width * (isInterleaved ? channels : 1)))
        }
      }
    }
    guard let memory else { return nil }
    var frame = Frame(kind: .audio, pts: position, planes: planes, buffer: memory.buffer)
    frame.sampleFormat = format
    frame.sampleRate = track.sampleRate
    frame.channelLayout = track.channelLayout
    frame.sampleCount = count
    frame.duration = Int64(count)
    return GuardedFrame(frame: frame, memory: memory)
  }
}

/// A frame whose memory the host still holds.
struct GuardedFrame {
  let frame: Frame
  let memory: GuardedMemory
}

extension ChannelLayout {
  /// `true` if the channel at `index` is for low frequencies, of which codecs keep only the lowest.
  func isLowFrequency(_ index: Int) -> Bool {
    guard mask & 8 != 0 else { return false }
    return (mask & 7).nonzeroBitCount == index
  }
}
