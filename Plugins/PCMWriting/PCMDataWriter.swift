package import RespoolPlugin

/// Writes the packets of a PCM track as the data of a file that stores no times and hides no samples.
///
/// Hidden samples are left out, and audio that starts late begins with silence.
package struct PCMDataWriter {
  /// Samples of each channel that were written.
  package private(set) var count: Int64 = 0

  private let track: TrackDescription
  private let index: Int
  private let blockAlign: Int
  private let silence: UInt8
  private let format: String
  private let sink: ByteSink
  private var hasStarted = false

  /// Maximum duration of the silence in seconds.
  private static let silenceLimit = 3600

  /// Creates a writer for the track with this index, whose times count samples.
  ///
  /// `silence` is the value of every byte of silence. `format` is the name of the file format in errors.
  package init(
    _ track: TrackDescription, _ index: Int, bytesPerSample: Int, silence: UInt8, format: String,
    to sink: ByteSink
  ) {
    (self.track, self.index, self.silence) = (track, index, silence)
    (self.format, self.sink) = (format, sink)
    blockAlign = max(1, bytesPerSample * track.channelLayout.channelCount)
  }

  package mutating func write(_ packet: Packet) throws(MediaError) {
    guard !packet.flags.contains(.discard) else { return }
    let samples = Int64(packet.size / blockAlign)
    let start = packet.pts ?? 0
    let before = start < 0 ? Int64(clamping: start.magnitude) : 0
    let front = min(samples, max(before, packet.trimStart, 0))
    let shown = max(0, samples - front - max(0, packet.trimEnd))
    guard shown > 0 else { return }
    if !hasStarted {
      hasStarted = true
      try writeSilence(Int64(clamping: Int128(start) + Int128(front)))
    }
    try write(packet, from: Int(front) * blockAlign, count: Int(shown) * blockAlign)
    count += shown
  }

  private func write(_ packet: Packet, from: Int, count: Int) throws(MediaError) {
    if from == 0, count == packet.size { return try sink.write(payloadOf: packet) }
    switch packet.payload {
    case .bytes(let buffer): try sink.write(Array(buffer.readOnly[from..<from + count]))
    case .range(let offset, _):
      var part = packet
      part.payload = .range(offset: offset + Int64(from), length: Int64(count))
      try sink.write(payloadOf: part)
    }
  }

  /// Fills the gap before audio that starts late.
  private mutating func writeSilence(_ samples: Int64) throws(MediaError) {
    guard samples > 0 else { return }
    guard samples / Int64(max(1, track.sampleRate)) <= Self.silenceLimit else {
      throw MediaError(
        .limitExceeded,
        "the audio starts \(samples / Int64(max(1, track.sampleRate))) seconds late; "
          + "\(format) can begin with at most \(Self.silenceLimit) seconds of silence", track: index
      )
    }
    var left = samples
    while left > 0 {
      let part = Int(min(left, 4096))
      try sink.write(Array(repeating: silence, count: part * blockAlign))
      left -= Int64(part)
    }
    count += samples
  }
}
