import RespoolMedia

/// Receives the segments of a movie as they are written.
///
/// A writer calls it in the order of the segments, from one thread at a time, which is not a thread that appends
/// samples. `finishWriting` ends after the last call has returned. A delegate that wants to finish the writer
/// uses the form with a completion handler. If calls take long, appending waits.
public protocol AssetWriterDelegate: AnyObject, Sendable {
  /// Receives a complete segment: first the movie's header, then media.
  ///
  /// `segmentReport` describes its contents. The default implementation calls the method without a report.
  func assetWriter(
    _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
    segmentType: AssetSegmentType, segmentReport: AssetSegmentReport?)

  /// Receives a complete segment, without a report.
  func assetWriter(
    _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
    segmentType: AssetSegmentType)
}

extension AssetWriterDelegate {
  public func assetWriter(
    _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
    segmentType: AssetSegmentType, segmentReport: AssetSegmentReport?
  ) {
    assetWriter(writer, didOutputSegmentData: segmentData, segmentType: segmentType)
  }

  public func assetWriter(
    _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
    segmentType: AssetSegmentType
  ) {}
}

/// Kind of data that a delegate receives: the header or media.
public enum AssetSegmentType: Int, Sendable {
  /// Header that a player needs before any media. In MP4: the boxes `ftyp` and `moov`.
  case initialization = 1
  /// Media that can be played once the header is known.
  case separable
}

/// Description of a segment's contents.
public struct AssetSegmentReport: Sendable {
  public let segmentType: AssetSegmentType
  /// Reports of the tracks that have samples in the segment; empty for the header.
  public let trackReports: [AssetSegmentTrackReport]
}

/// Description of a track's samples in a segment.
public struct AssetSegmentTrackReport: Sendable {
  /// Track ID in the movie.
  public let trackID: Int64
  public let mediaType: MediaType
  /// Earliest presentation time, in the movie's times.
  public let earliestPresentationTimeStamp: MediaTime
  /// Time from the earliest presentation time to the end of the sample that is presented last.
  public let duration: MediaTime
  /// First frame in decoding order; `nil` for other media, and for video tracks after the first.
  public let firstVideoSampleInformation: AssetSegmentReportSampleInformation?
}

/// Position of a frame in a segment.
public struct AssetSegmentReportSampleInformation: Sendable {
  /// Presentation time, in the movie's times.
  public let presentationTimeStamp: MediaTime
  /// Offset from the start of the segment, in bytes.
  public let offset: Int
  /// Size of the frame, in bytes.
  public let length: Int
  /// `true` if decoding can begin with the frame.
  public let isSyncSample: Bool
}

/// Specification that a movie in segments conforms to.
public enum FileTypeProfile: Sendable {
  /// HTTP Live Streaming (RFC 8216): samples keep the times that they were appended with, and there are no edit
  /// lists.
  ///
  /// An encoder may put priming before the first sample, which needs a time as well. Therefore a session cannot
  /// start at zero; ten seconds are usual.
  case mpeg4AppleHLS
  /// The Common Media Application Format (ISO/IEC 23000-19): one track to a file.
  case mpeg4CMAFCompliant
}
