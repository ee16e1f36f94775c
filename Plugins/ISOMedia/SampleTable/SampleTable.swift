import RespoolPlugin

/// The boxes of `stbl` that tell when and where the samples of a track are.
struct SampleTable {
  var timeToSample = TimeToSampleBox(runs: [])
  var compositionOffset: CompositionOffsetBox?
  /// Nil: every sample is one at which decoding can start.
  var syncSample: SyncSampleBox?
  /// QuickTime's `stps`: samples that are key pictures of open groups.
  var partialSyncSample: SyncSampleBox?
  var sampleToChunk = SampleToChunkBox(runs: [])
  var sampleSize = SampleSizeBox(constantSize: 0, sampleCount: 0)
  var chunkOffsets: [UInt64] = []

  init() {}

  /// Reads the tables out of the payload of `stbl`.
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
  /// False where an offset is beyond 2^28: such tables are damaged, and none is better.
  var isPlausible: Bool {
    runs.dropLast(2).allSatisfy { $0.offset.magnitude <= 1 << 28 }
  }
}
