import RespoolMedia
import Synchronization

/// A movable position among the samples of a track, with properties of the sample there.
///
/// Times are on the asset's time line, as those of stored samples from a reader. Usable from any thread.
public final class SampleCursor: Sendable {
  /// Sync property of a sample.
  public struct SyncInfo: Hashable, Sendable {
    public var sampleIsFullSync: Bool
  }

  /// A range of bytes in a file.
  public struct StorageRange: Hashable, Sendable {
    public var offset: Int64
    public var length: Int64
  }

  let track: AssetTrack
  let index: SampleIndex
  /// Index of the sample in decoding order.
  let position: Mutex<Int>

  init(_ track: AssetTrack, _ index: SampleIndex, at position: Int) {
    self.track = track
    self.index = index
    self.position = Mutex(position)
  }

  /// Returns another cursor at the same position.
  public func copy() -> SampleCursor {
    SampleCursor(track, index, at: position.withLock { $0 })
  }

  var sample: SampleIndex.Entry { index.entries[position.withLock { $0 }] }

  func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, track.description.timeBase) }

  public var presentationTimeStamp: MediaTime { time(sample.presentation) }
  public var decodeTimeStamp: MediaTime { time(sample.decode) }
  /// Duration of the sample.
  ///
  /// Zero if unknown.
  public var currentSampleDuration: MediaTime { time(sample.duration) }
  public var currentSampleFormatDescription: FormatDescription {
    track.formatDescriptions[Int(sample.format)]
  }

  public var currentSampleSyncInfo: SyncInfo {
    SyncInfo(
      sampleIsFullSync: sample.isSync)
  }

  /// Location of the sample in the asset's file.
  ///
  /// `nil` if its bytes are not stored there as one unmodified range.
  public var currentSampleStorageRange: StorageRange? {
    let sample = sample
    return sample.offset >= 0
      ? StorageRange(offset: sample.offset, length: Int64(sample.size)) : nil
  }
}
