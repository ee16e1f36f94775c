import Respool
import RespoolMedia

extension FileReport {
  struct Track {
    var number: TrackNumber
    /// Identifier of the track in the file.
    var id: Int64
    var type: String
    var codec: String?
    /// Duration in seconds.
    var duration: Double?
    var language: String?
    var title: String?
    /// Name of an attached file.
    var fileName: String?
    /// All tags of the track, including title and file name.
    var metadata: [String: String]?
    var width: Int?
    var height: Int?
    /// Width of a pixel divided by its height; `nil` if square or unknown.
    var sampleAspect: String?
    var pixelFormat: String?
    /// Average frames per second.
    var frameRate: Double?
    /// Clockwise rotation by a player, in degrees.
    var rotation: Int?
    /// `true` if a player mirrors the frames, left and right exchanged, before it rotates them.
    var isMirrored: Bool?
    /// `progressive`, `top field first` or `bottom field first`.
    var fieldOrder: String?
    var color: ColorDescription?
    var dynamicRange: HighDynamicRange?
    var sampleRate: Int?
    var channels: Int?
    var channelLayout: String?
    var bitsPerSample: Int?
    /// Bit rate in bits per second.
    var bitRate: Int64?
    var disposition: [String]?
    /// Keys that occur in a track of timed metadata, such as `mdta/com.apple.quicktime.location.ISO6709`.
    var keys: [String]?
    /// Additional sample descriptions, in file order.
    var furtherFormats: [Track]?
  }
}

extension FileReport.Track {
  init(_ track: TrackDescription, _ number: TrackNumber) {
    self.number = number
    id = track.id
    switch track.kind {
    case .video: type = "video"
    case .audio: type = "audio"
    case .subtitle: type = "subtitle"
    case .attachment: type = "attachment"
    case .data, .unknown: type = "data"
    }
    codec = track.codec.isEmpty ? nil : track.codec
    duration = track.duration.map {
      FileReport.rounded(Double($0) * track.timeBase.doubleValue)
    }
    language = track.language
    bitRate = track.bitRate > 0 ? track.bitRate : nil
    let names = track.disposition.names
    disposition = names.isEmpty ? nil : names
    let metadata = FileReport.dictionary(track.metadata)
    if !metadata.isEmpty { self.metadata = metadata }
    title = metadata["title"]
    fileName = metadata["filename"]
    if track.isTimedMetadata {
      keys = FormatDescription(track).metadataSpecifications.map(\.identifier.rawValue)
    }
    if track.kind == .video { fill(video: track) }
    if track.kind == .audio { fill(audio: track) }
    if !track.furtherSampleDescriptions.isEmpty {
      furtherFormats = track.sampleDescriptions.dropFirst().map { Self($0, number) }
    }
  }

  private mutating func fill(video track: TrackDescription) {
    // The size of a cover is in its own file.
    (width, height) = track.width > 0 ? (track.width, track.height) : (nil, nil)
    if track.sampleAspect.isPositive, track.sampleAspect.doubleValue != 1 {
      sampleAspect = track.sampleAspect.description
    }
    pixelFormat = track.pixelFormat == .none ? nil : track.pixelFormatName
    frameRate =
      track.frameRate.isPositive && track.isMovingPicture
      ? FileReport.rounded(track.frameRate.doubleValue) : nil
    let matrix = track.displayMatrix
    rotation = matrix.displayedDegrees == 0 ? nil : matrix.displayedDegrees
    isMirrored = matrix.isMirrored ? true : nil
    fieldOrder = track.fieldOrderName
    if track.color != .unspecified { color = track.color }
    dynamicRange = HighDynamicRange(track)
  }

  private mutating func fill(audio track: TrackDescription) {
    sampleRate = track.sampleRate
    channels = track.channelLayout.channelCount
    channelLayout = track.channelLayout.mask == 0 ? nil : track.channelLayout.description
    bitsPerSample = track.bitsPerSample > 0 ? track.bitsPerSample : nil
  }
}
