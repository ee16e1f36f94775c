import RespoolPlugin

/// The boxes of `stbl` that store times and file offsets of a track's samples.
struct SampleTable {
  var timeToSample = TimeToSampleBox(runs: [])
  var compositionOffset: CompositionOffsetBox?
  /// Sync samples.
  ///
  /// `nil` if every sample is a sync sample.
  var syncSample: SyncSampleBox?
  /// QuickTime's `stps`: sync samples of open GOPs.
  var partialSyncSample: SyncSampleBox?
  var sampleToChunk = SampleToChunkBox(runs: [])
  var sampleSize = SampleSizeBox(constantSize: 0, sampleCount: 0)
  var chunkOffsets: [UInt64] = []

  init() {}

  /// Parses the tables from the payload of `stbl`.
  init(from reader: ByteReader, path: String) throws(MediaError) {
    var reader = reader
    while let (type, payload) = try reader.nextBox() {
      var payload = payload
      do throws(MediaError) {
        switch type {
        case TimeToSampleBox.type: timeToSample = try TimeToSampleBox(from: &payload)
        case CompositionOffsetBox.type:
          let box = try CompositionOffsetBox(from: &payload)
          compositionOffset = box.isPlausible ? box : nil
        case SyncSampleBox.type: syncSample = try SyncSampleBox(from: &payload)
        case "stps": partialSyncSample = try SyncSampleBox(from: &payload)
        case SampleToChunkBox.type: sampleToChunk = try SampleToChunkBox(from: &payload)
        case SampleSizeBox.type: sampleSize = try SampleSizeBox(from: &payload)
        case "stz2": sampleSize = try SampleSizeBox(compactFrom: &payload)
        case ChunkOffsetBox.type:
          chunkOffsets = try ChunkOffsetBox(from: &payload).offsets.map { UInt64($0) }
        case LargeChunkOffsetBox.type:
          chunkOffsets = try LargeChunkOffsetBox(from: &payload).offsets
        default: break
        }
      } catch {
        var error = error
        error.path = "\(path)/\(type)"
        throw error
      }
    }
  }

  var isEmpty: Bool { sampleSize.sampleCount == 0 || chunkOffsets.isEmpty }
}

extension CompositionOffsetBox {
  /// `false` if an offset is larger than 2^28: such a table is damaged and is ignored.
  var isPlausible: Bool {
    runs.dropLast(2).allSatisfy { $0.offset.magnitude <= 1 << 28 }
  }
}
