import RespoolPlugin

/// A builder of the file's description from the elements of its segment.
struct SegmentDescriber {
  let layout: SegmentLayout
  let info: SegmentInfo
  let entries: [TrackEntry]
  let survey: Survey
  let source: ByteSource

  /// Maximum total size of attached files that are kept in memory, in bytes.
  private static let mostAttached = 256 << 20

  /// Duration of a timestamp tick in seconds.
  var tick: Rational { Rational(reducing: info.timestampScale, 1_000_000_000) }

  /// Returns the tracks in file order, without the attached files.
  ///
  /// Throws `unsupported` if another plugin reads a track better.
  func describeTracks() throws(MediaError) -> [(TrackDescription, CodecIdentifier)] {
    var result: [(TrackDescription, CodecIdentifier)] = []
    for (index, entry) in entries.enumerated() {
      let path = "Segment/Tracks/TrackEntry" + (index > 0 ? "[\(index)]" : "")
      guard entry.timestampScale == 1 else {
        throw MediaError(
          .unsupported, "this plugin does not read the obsolete TrackTimestampScale", path: path)
      }
      let describer = TrackDescriber(
        entry: entry, tick: tick, survey: survey.tracks[entry.number] ?? .init(),
        mediaDuration: info.nanoseconds)
      do throws(MediaError) {
        let identifier = try CodecIdentifier(entry)
        result.append((try describer.describe(identifier), identifier))
      } catch { throw error.inElement(path) }
    }
    return result
  }

  /// Returns the tracks of the attached files, and the positions of their pictures.
  func describeAttachments(after count: Int) throws(MediaError) -> (
    tracks: [TrackDescription], covers: [Int: Range<Int64>]
  ) {
    var tracks: [TrackDescription] = []
    var covers: [Int: Range<Int64>] = [:]
    var room = Self.mostAttached
    for (index, file) in layout.attachments.enumerated() {
      let size = Int(clamping: file.data.upperBound - file.data.lowerBound)
      guard size <= room else { continue }
      var track = TrackDescription(kind: .attachment, codec: "", timeBase: tick)
      track.id = Int64(count + index + 1)
      if let codec = file.pictureCodec {
        track.kind = .video
        track.codec = codec
        track.timeBase = Rational(1, 90000)
        track.disposition = .attachedPicture
        track.packetCount = 1
        if codec == "mjpeg",
          let front = try? source.read(at: file.data.lowerBound, count: min(size, 1 << 16)),
          let header = JPEGFrameHeader(front)
        {
          (track.width, track.height) = (header.width, header.height)
          track.pixelFormat = header.pixelFormat
          track.color.range = .full
        }
        covers[count + tracks.count] = file.data
      } else {
        room -= size
        track.codec = file.codec
        track.extradata = try source.readExactly(at: file.data.lowerBound, count: size)
      }
      track.metadata = [
        MetadataEntry("filename", file.name), MetadataEntry("mimetype", file.mediaType),
        MetadataEntry("title", file.description),
      ].filter { !$0.value.isEmpty }
      tracks.append(track)
    }
    return (tracks, covers)
  }

  /// The file's own metadata, by FFmpeg's names.
  var metadata: [MetadataEntry] {
    var result: [MetadataEntry] = []
    if !info.title.isEmpty { result.append(MetadataEntry("title", info.title)) }
    if let date = info.date {
      let (microseconds, overflow) = (date / 1000).addingReportingOverflow(Self.epoch)
      if !overflow, let text = MetadataDate.text(microseconds: microseconds) {
        result.append(MetadataEntry(MetadataDate.creationTime, text))
      }
    }
    return result
  }

  /// Microseconds from 1970 to 2001-01-01, the origin of DateUTC.
  static let epoch: Int64 = 978_307_200_000_000

  /// Adds missing chapter ends: the start of the next chapter, or the end of the file.
  static func complete(_ chapters: [MediaDescription.Chapter], duration: Int64?)
    -> [MediaDescription.Chapter]
  {
    chapters.enumerated().map { index, chapter in
      guard chapter.end == chapter.start else { return chapter }
      var chapter = chapter
      let ends = [index + 1 < chapters.count ? chapters[index + 1].start : nil, duration]
      chapter.end = max(chapter.start, ends.compactMap { $0 }.min() ?? 0)
      return chapter
    }
  }
}
