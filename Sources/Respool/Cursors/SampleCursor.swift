import RespoolMedia
import Synchronization

/// A place among the samples of a track, that tells about the sample there and can be moved.
///
/// Times are those of the asset's time line, as stored samples of a reader have them. Usable from any
/// thread.
public final class SampleCursor: Sendable {
  /// Whether decoding can start at a sample.
  public struct SyncInfo: Hashable, Sendable {
    public var sampleIsFullSync: Bool
  }

  /// Bytes of a file.
  public struct StorageRange: Hashable, Sendable {
    public var offset: Int64
    public var length: Int64
  }

  let track: AssetTrack
  let index: SampleIndex
  /// The sample, counted in decoding order.
  let position: Mutex<Int>

  init(_ track: AssetTrack, _ index: SampleIndex, at position: Int) {
    self.track = track
    self.index = index
    self.position = Mutex(position)
  }

  /// Another cursor at the same place.
  public func copy() -> SampleCursor {
    SampleCursor(track, index, at: position.withLock { $0 })
  }

  var sample: SampleIndex.Entry { index.entries[position.withLock { $0 }] }

  func time(_ ticks: Int64) -> MediaTime { MediaTime(ticks, track.description.timeBase) }

  public var presentationTimeStamp: MediaTime { time(sample.presentation) }
  public var decodeTimeStamp: MediaTime { time(sample.decode) }
  /// Zero where not known.
  public var currentSampleDuration: MediaTime { time(sample.duration) }
  public var currentSampleFormatDescription: FormatDescription {
    track.formatDescriptions[Int(sample.format)]
  }

  public var currentSampleSyncInfo: SyncInfo {
    SyncInfo(
      sampleIsFullSync: sample.isSync)
  }

  /// Where the sample lies in the asset's file; nil where its bytes do not lie there as they are.
  public var currentSampleStorageRange: StorageRange? {
    let sample = sample
    return sample.offset >= 0
      ? StorageRange(offset: sample.offset, length: Int64(sample.size)) : nil
  }
}
