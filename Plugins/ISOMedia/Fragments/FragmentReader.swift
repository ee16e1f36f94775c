import RespoolPlugin

/// A parser of movie fragments (ISO/IEC 14496-12 8.8).
struct FragmentReader {
  /// One sample of a fragment, on its track's media time line.
  struct Sample {
    var offset: Int64
    var size: UInt32
    var decodeTime: Int64
    var compositionOffset: Int32
    var duration: UInt32
    var isKey: Bool
  }

  /// The samples of one track in one fragment.
  struct Run {
    var trackID: UInt32
    var samples: [Sample]
    /// Decoding time at the end of the last sample.
    var end: Int64
    /// Index of the sample description, from 0.
    var description: Int
  }

  /// Parses the payload of `moof`.
  ///
  /// `start` is the file offset of the box. `times` holds the next decoding time of each track.
  static func read(
    _ reader: ByteReader, start: Int64, extends: [UInt32: TrackExtendsBox],
    times: [UInt32: Int64]
  ) throws(MediaError) -> [Run] {
    var reader = reader
    var runs: [Run] = []
    /// File offset of the next data: a track without an own offset continues after the one before (8.8.7.1).
    var place = start
    var number = 0
    while let (type, payload) = try reader.nextBox() {
      guard type == "traf" else { continue }
      do throws(MediaError) {
        if let run = try read(
          track: payload, start: start, place: &place, isFirst: number == 0, extends: extends,
          times: times)
        {
          runs.append(run)
        }
      } catch {
        var error = error
        if error.path == nil { error.path = "moof/traf[\(number)]" }
        throw error
      }
      number += 1
    }
    return runs
  }

  private static func read(
    track reader: ByteReader, start: Int64, place: inout Int64, isFirst: Bool,
    extends: [UInt32: TrackExtendsBox], times: [UInt32: Int64]
  ) throws(MediaError) -> Run? {
    guard var payload = try reader.firstBox(TrackFragmentHeaderBox.type) else {
      throw MediaError(.malformed, "a track fragment has no header", offset: reader.origin)
    }
    let header = try TrackFragmentHeaderBox(from: &payload)
    let defaults = extends[header.trackID] ?? TrackExtendsBox(trackID: header.trackID)
    var base = isFirst ? start : place
    if header.otherFlags & TrackFragmentHeaderBox.baseIsMovieFragment != 0 { base = start }
    if let stated = header.baseDataOffset {
      guard let value = Int64(exactly: stated) else {
        throw MediaError(
          .malformed, "the data offset of a track fragment, \(stated), is too large",
          offset: reader.origin)
      }
      base = value
    }
    var time = times[header.trackID] ?? 0
    if var box = try reader.firstBox(TrackFragmentDecodeTimeBox.type) {
      time = min(
        Int64(clamping: try TrackFragmentDecodeTimeBox(from: &box).decodeTime), MediaEdit.latest)
    }
    var samples: [Sample] = []
    place = base
    var reader = reader
    while case (let type, var payload)? = try reader.nextBox() {
      guard type == TrackRunBox.type else { continue }
      let run = try TrackRunBox(from: &payload)
      if let offset = run.dataOffset { place = base.addingClamped(Int64(offset)) }
      for (number, sample) in run.samples.enumerated() {
        let duration = sample.duration ?? header.duration ?? defaults.duration
        let size = sample.size ?? header.size ?? defaults.size
        let first = number == 0 ? run.firstSampleFlags : nil
        let flags = first ?? sample.flags ?? header.flags ?? defaults.flags
        samples.append(
          Sample(
            offset: place, size: size, decodeTime: time,
            compositionOffset: sample.compositionOffset ?? 0, duration: duration,
            isKey: flags & 0x1_0000 == 0 && flags & 0x300_0000 != 0x100_0000))
        place = place.addingClamped(Int64(size))
        time = min(time + Int64(duration), MediaEdit.latest)
      }
    }
    return Run(
      trackID: header.trackID, samples: samples, end: time,
      description: Int(header.descriptionIndex ?? defaults.descriptionIndex) - 1)
  }
}
