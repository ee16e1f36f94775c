import PluginHost
import RespoolPlugin

extension Coding {
  /// Returns frames of `size` audio samples, each larger than the previous sample by `step`.
  static func ramp(_ track: TrackDescription, total: Int, size: Int, step: Int) -> [Frame] {
    stride(from: 0, to: total, by: size).compactMap { start in
      guard
        let frame = Frame(
          sampleFormat: track.sampleFormat, channelLayout: track.channelLayout,
          sampleRate: track.sampleRate, sampleCount: min(size, total - start), pts: Int64(start))
      else { return nil }
      let channels = track.channelLayout.channelCount
      for index in 0..<frame.sampleCount * (track.sampleFormat.isPlanar ? 1 : channels) {
        let value = Int16(
          truncatingIfNeeded: (start * (track.sampleFormat.isPlanar ? 1 : channels) + index)
            &* step)
        for plane in frame.planes {
          if track.sampleFormat.interleaved == .flt {
            plane.base.storeBytes(
              of: Float(value) / 40000, toByteOffset: index * 4, as: Float.self)
          } else {
            plane.base.storeBytes(of: value, toByteOffset: index * 2, as: Int16.self)
          }
        }
      }
      return frame
    }
  }

  /// Returns the bytes of each plane without the padding of its rows.
  static func pixels(_ frame: Frame) -> [[UInt8]] {
    guard let layout = frame.pixelFormat.layout else { return [] }
    return (0..<layout.planeCount).map { plane in
      (0..<layout.height(ofPlane: plane, for: frame.height)).flatMap { row in
        Array(
          UnsafeRawBufferPointer(
            start: frame.planes[plane].base + row * frame.planes[plane].stride,
            count: layout.rowBytes(ofPlane: plane, for: frame.width)))
      }
    }
  }
}
