import RespoolPlugin

/// The chunks of a wave file that are passed through unchanged.
struct WaveRecords {
  /// Chunks that describe the file: `iXML`, `axml`, `bext`, `cart`, `inst` and all unknown ones.
  private var chunks: [RIFFChunks.Chunk] = []
  /// Chunks whose numbers count samples: cue points with their notes and regions, and the loops of samplers.
  private var places: [RIFFChunks.Chunk] = []
  private var size = 0
  /// `true` if `places` has more information than the chapters made from it.
  private var hasMoreThanChapters = false

  /// Maximum total size of the chunks in bytes.
  ///
  /// Further chunks are omitted.
  ///
  /// The object descriptions in `axml` (ITU-R BS.2076) take a few MiB.
  private static let largest = 32 << 20
  /// Chunks that describe the bytes of this file, or properties of its samples that are written again.
  private static let ofLayout: Set<String> = [
    "fmt ", "data", "fact", "ds64", "JUNK", "junk", "PAD ", "pad ", "FLLR", "wavl", "slnt", "PEAK",
    "levl", "\0\0\0\0",
  ]

  /// Returns `true` if a chunk of this type and size should be read and added.
  func takes(_ type: String, size: Int64) -> Bool {
    !Self.ofLayout.contains(type) && size <= Int64(Self.largest - self.size)
      && chunks.count + places.count < 256
  }

  /// Adds a complete chunk.
  mutating func add(_ type: [UInt8], _ body: [UInt8]) {
    size += body.count
    let code = FourCC(rawValue: type.reduce(0) { $0 << 8 | UInt32($1) })
    let chunk = RIFFChunks.Chunk(code, body[...])
    switch code {
    case "cue ": places.append(chunk)
    case "LIST" where body.starts(with: Array("adtl".utf8)):
      places.append(chunk)
      hasMoreThanChapters = hasMoreThanChapters || CuePoints.hasMoreThanLabels(body)
    // The other values of the chunk are tags.
    case "bext" where !BroadcastExtension.hasCodedValues(body): break
    case "smpl", "plst":
      places.append(chunk)
      hasMoreThanChapters = true
    default: chunks.append(chunk)
    }
  }

  /// Returns the side data of a file with this audio.
  func sideData(of track: TrackDescription) -> [SideData] {
    func record(_ type: FourCC, _ chunks: [RIFFChunks.Chunk]) -> SideData {
      SideData(
        type,
        RIFFChunks(
          sampleRate: track.sampleRate, channelCount: track.channelLayout.channelCount,
          chunks: chunks
        ).bytes)
    }
    return (chunks.isEmpty ? [] : [record(.riffChunks, chunks)])
      + (hasMoreThanChapters ? [record(.riffPlaces, places)] : [])
  }
}

/// The pass-through chunks of the source that a muxer uses.
struct WaveSourceRecords {
  /// The body of `bext`.
  private(set) var broadcast: ArraySlice<UInt8>?
  private(set) var chunks: [RIFFChunks.Chunk] = []
  /// Chunks whose numbers count samples.
  ///
  /// `nil` if the source has none that are valid for the output.
  private(set) var places: [RIFFChunks.Chunk]?

  /// Takes the chunks that are valid for `track`.
  ///
  /// Sample numbers are valid at the same sample rate, channel numbers for the same number of channels.
  init(_ sideData: [SideData], for track: TrackDescription) {
    if let record = sideData[.riffChunks].flatMap({ RIFFChunks($0) }) {
      let isSame = Int(record.channelCount) == track.channelLayout.channelCount
      broadcast = record.chunks.first { $0.type == "bext" }?.body
      chunks = record.chunks.filter {
        $0.type != "bext" && (isSame || !["chna", "axml"].contains($0.type))
      }
    }
    if let record = sideData[.riffPlaces].flatMap({ RIFFChunks($0) }),
      Int(record.sampleRate) == track.sampleRate
    {
      places = record.chunks
    }
  }
}
