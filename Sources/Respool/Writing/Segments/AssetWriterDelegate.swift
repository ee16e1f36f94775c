import RespoolMedia

/// Gets the segments of a movie as they are written.
///
/// A writer calls it from one thread at a time, which is none of those that bring samples, in the order
/// of the segments. `finishWriting` ends when the last call has returned: a delegate that wants to finish
/// uses the form with a completion handler. Where calls take long, appending waits.
public protocol AssetWriterDelegate: AnyObject, Sendable {
  /// A segment is complete: the movie's header first, then media.
  ///
  /// `segmentReport` says what is in it. The default hands it on to the method without one.
  func assetWriter(
    _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
    segmentType: AssetSegmentType, segmentReport: AssetSegmentReport?)

  /// The same for who needs no report.
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

public enum AssetSegmentType: Int, Sendable {
  /// What a player needs before any media: for MP4 the boxes `ftyp` and `moov`.
  case initialization = 1
  /// Media that can be played once the header is known.
  case separable
}

/// What is in a segment.
public struct AssetSegmentReport: Sendable {
  public let segmentType: AssetSegmentType
  /// One for each track of which there is something; none for the header.
  public let trackReports: [AssetSegmentTrackReport]
}

/// What a segment has of a track.
public struct AssetSegmentTrackReport: Sendable {
  /// As the movie numbers it.
  public let trackID: Int64
  public let mediaType: MediaType
  /// In the movie's times.
  public let earliestPresentationTimeStamp: MediaTime
  /// From there to the end of what is presented last.
  public let duration: MediaTime
  /// Of the first picture in decoding order; nil for other media, and of the second and further tracks of
  /// pictures.
  public let firstVideoSampleInformation: AssetSegmentReportSampleInformation?
}

/// Where a segment has a picture.
public struct AssetSegmentReportSampleInformation: Sendable {
  /// In the movie's times.
  public let presentationTimeStamp: MediaTime
  /// Bytes from the start of the segment.
  public let offset: Int
  /// In bytes.
  public let length: Int
  /// Whether decoding can begin with it.
  public let isSyncSample: Bool
}

/// What a movie in segments is made for.
public enum FileTypeProfile: Sendable {
  /// HTTP Live Streaming (RFC 8216): samples keep the times that they were appended with, and there are
  /// no edit lists.
  ///
  /// What an encoder puts before the first sample has to have a time as well, so that a session cannot start
  /// at zero: ten seconds are usual.
  case mpeg4AppleHLS
  /// The Common Media Application Format (ISO/IEC 23000-19): one track to a file.
  case mpeg4CMAFCompliant
}
