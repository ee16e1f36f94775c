package import RespoolMedia

/// The ID3 tag of a file with one audio track, which needs the packets of all covers.
package struct FileTag {
  /// Option of the muxers.
  package static let option = OptionSchema(
    "id3", .choice(["2.4", "2.3", "none"]), default: "2.4",
    help: "version of the ID3 tag; 2.3: for old players")

  private let media: MediaDescription
  private let audio: Int
  /// `nil`: no tag.
  private let version: ID3Version?
  private let coverCount: Int
  private var covers: [Int: [UInt8]] = [:]

  package init(_ media: MediaDescription, audio: Int, settings: MuxerSettings) {
    (self.media, self.audio) = (media, audio)
    switch settings.options.last(where: { $0.name == Self.option.name })?.value {
    case "none": version = nil
    case "2.3": version = .v3
    default: version = .v4
    }
    coverCount = media.tracks.count { $0.disposition.contains(.attachedPicture) }
  }

  /// Returns the index of the only audio track; throws if there is another number of them.
  package static func audioTrack(of media: MediaDescription, _ format: String) throws(MediaError)
    -> Int
  {
    let tracks = media.tracks.indices.filter { media.tracks[$0].kind == .audio }
    guard tracks.count == 1 else {
      throw MediaError(
        .unsupported, "\(tracks.count.counting("audio track")); \(format) takes exactly one")
    }
    return tracks[0]
  }

  /// Throws `unsupported` unless a tag can store the track as a picture.
  package static func check(_ track: TrackDescription, _ format: String) throws(MediaError) {
    guard ID3TagWriter.mimeType(ofPicture: track) == nil else { return }
    let picture = track.kind == .attachment || track.disposition.contains(.attachedPicture)
    throw MediaError(
      .unsupported,
      picture
        ? "\(format) carries pictures, not attachments of \(track.codec)"
        : "\(format) does not carry \(track.codec)")
  }

  package static let pictureCodecs = ["mjpeg", "png", "gif", "webp", "bmp", "tiff", "bin_data"]

  package var isComplete: Bool { covers.count == coverCount }

  /// Keeps the first packet of a cover.
  package mutating func take(_ packet: Packet, _ buffer: MediaBuffer) {
    guard media.tracks.indices.contains(packet.track), covers[packet.track] == nil else { return }
    covers[packet.track] = Array(buffer.readOnly)
  }

  /// The tag; empty if there is nothing to write.
  package var bytes: [UInt8] {
    guard let version else { return [] }
    var writer = ID3TagWriter(media, version: version)
    let names = Set(media.metadata.map { $0.name.lowercased() })
    let ofTrack = media.tracks[audio].metadata.filter { !names.contains($0.name.lowercased()) }
    let language = media.tracks[audio].language.map { [MetadataEntry("language", $0)] } ?? []
    let known = media.metadata + ofTrack
    let entries =
      known + (known.contains { $0.name.lowercased() == "language" } ? [] : language)
    writer.add(entries.filter { $0.name.lowercased() != "language" || $0.value != "und" })
    let records = media.sideData.flatMap { ID3Frame.frames(in: $0) }
    writer.add(records.filter { $0.name != "CHAP" && $0.name != "CTOC" })
    writer.add(chapters: media.chapters, records: records)
    for (index, track) in media.tracks.enumerated() where index != audio {
      let isAttachment = track.kind == .attachment
      guard let picture = isAttachment ? track.extradata : covers[index] else { continue }
      writer.add(picture: picture, of: track)
    }
    return writer.tag ?? []
  }
}
