package import RespoolMedia

extension Packet {
  /// Removes the part before a time, because players differ in hiding it; returns `false` if nothing is left.
  package mutating func cut(before time: Int64) -> Bool {
    guard let start = pts, start < time else { return true }
    guard duration == 0 || duration > time - start else { return false }
    duration = max(0, duration - (time - start))
    (pts, dts) = (time, time)
    return true
  }

  /// Removes the PCM before time 0; returns `false` if nothing is left.
  ///
  /// Samples of PCM do not depend on each other, and not every container can hide the first ones.
  package mutating func cutPCM(of track: TrackDescription) -> Bool {
    guard let start = pts, start < 0, track.blockAlign > 0, track.sampleRate > 0 else {
      return true
    }
    let perSecond = Rational(1, Int32(clamping: track.sampleRate))
    let hidden = track.timeBase.convert(start.magnitude < Int64.max ? -start : .max, to: perSecond)
    let (bytes, overflow) = hidden.multipliedReportingOverflow(by: Int64(track.blockAlign))
    guard !overflow, bytes < size else { return false }
    switch payload {
    case .bytes(let buffer):
      payload = .bytes(MediaBuffer(buffer.withBytes { [UInt8]($0.dropFirst(Int(bytes))) }))
    case .range(let offset, let length):
      payload = .range(offset: offset + bytes, length: length - bytes)
    }
    duration = max(0, duration + start)
    trimStart = max(0, trimStart + start)
    (pts, dts) = (0, 0)
    return true
  }
}
