import Foundation
package import Respool
package import RespoolMedia
import TestFixtures

/// Decoded audio of a whole track.
package struct Sound {
  package var start: MediaTime
  package var rate: Int
  package var channels: [[Float]]
  package var layout: ChannelLayout

  package var count: Int { channels[0].count }

  /// Joins decoded samples.
  ///
  /// Throws if one does not begin at the end of the previous one.
  package init(_ samples: [SampleBuffer]) throws {
    let first = try required(samples.first, "no samples")
    start = first.presentationTimeStamp
    var next = start
    var format: Frame?
    var channels: [[Float]] = []
    for sample in samples {
      guard case .frame(let frame) = sample.content else { throw MediaError(.internal, "a packet") }
      guard sample.presentationTimeStamp == next else { throw FixtureError("blocks leave a hole") }
      next = next + sample.duration
      if format == nil {
        format = frame
        channels = Array(repeating: [], count: frame.channelLayout.channelCount)
      }
      for (channel, plane) in frame.planes.enumerated() {
        channels[channel] += Array(
          UnsafeBufferPointer(
            start: plane.base.assumingMemoryBound(to: Float.self), count: frame.sampleCount))
      }
      withExtendedLifetime(frame) {}
    }
    let frame = try required(format, "no frame")
    (rate, layout, self.channels) = (frame.sampleRate, frame.channelLayout, channels)
  }

  /// Returns the times, in seconds, at which the first channel becomes loud after a tenth of a second of silence.
  package func onsets(threshold: Float = 0.25) -> [Double] {
    var onsets: [Double] = []
    var quiet = rate
    for (index, value) in channels[0].enumerated() {
      if abs(value) < threshold {
        quiet += 1
      } else {
        if quiet > rate / 10 { onsets.append(start.seconds + Double(index) / Double(rate)) }
        quiet = 0
      }
    }
    return onsets
  }

  /// Returns the power of a tone in a channel: the square of half its amplitude.
  package func power(of frequency: Double, channel: Int) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, value) in channels[channel].enumerated() {
      let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
      real += Double(value) * cos(angle)
      imaginary += Double(value) * sin(angle)
    }
    let count = Double(channels[channel].count)
    return (real * real + imaginary * imaginary) / (count * count)
  }
}

extension SampleBuffer {
  package var frame: Frame? { if case .frame(let frame) = content { frame } else { nil } }
  package var packet: Packet? { if case .packet(let packet) = content { packet } else { nil } }

  /// Returns the mean luma, 0 to 255, of a part of the frame.
  ///
  /// The part is given in fractions of the frame's width and height.
  package func brightness(x: Range<Double> = 0..<1, y: Range<Double> = 0..<1) throws -> Double {
    let frame = try required(frame, "no frame")
    let columns = Int(x.lowerBound * Double(frame.width))..<Int(x.upperBound * Double(frame.width))
    let rows = Int(y.lowerBound * Double(frame.height))..<Int(y.upperBound * Double(frame.height))
    var sum = 0
    for row in rows {
      let line = frame.planes[0].base + row * frame.planes[0].stride
      for column in columns { sum += Int(line.load(fromByteOffset: column, as: UInt8.self)) }
    }
    withExtendedLifetime(frame) {}
    return Double(sum) / Double(columns.count * rows.count)
  }
}

extension [SampleBuffer] {
  /// Returns the presentation times, in seconds, of the first frame of each flash.
  package func flashes() throws -> [Double] {
    var flashes: [Double] = []
    var wasBright = false
    for sample in self {
      let isBright = try sample.brightness() > 128
      if isBright, !wasBright { flashes.append(sample.presentationTimeStamp.seconds) }
      wasBright = isBright
    }
    return flashes
  }
}
