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
  /// Grouping types of sample groups (`sgpd`, ISO/IEC 14496-12 8.9.3).
  var groups: Set<FourCC> = []

  /// Groups that repeat what the samples say.
  ///
  /// They are pre-roll, random access points, temporal and HEVC's layers (ISO/IEC 14496-12 10; 14496-15 8 and 9).
  /// `sdtp` and `cslg` repeat it too, so they are not named as lost either.
  static let groupsInSamples: Set<FourCC> = [
    "roll", "prol", "rap ", "sap ", "sync", "tele", "tscl", "tsas", "stsa", "scnm", "scif", "oinf",
    "linf", "spor", "sulm", "vipr", "opth", "dtrt", "pss1", "pase", "subg", "aps ", "minp",
  ]

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
        case "sgpd":
          if (try? payload.versionAndFlags()) != nil, let type = try? payload.big(UInt32.self) {
            groups.insert(FourCC(rawValue: type))
          }
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
