package import RespoolMedia

/// The covers of a file, which are written in the header, and the audio that waits for them.
package struct WaitingCovers {
  /// Maximum number of packets of audio that wait for a missing cover: some seconds.
  private static let mostWaiting = 1000

  private let tracks: [TrackDescription]
  private let count: Int
  private var found: [Int: FLACPicture] = [:]
  private var waiting: [Packet] = []
  private var isReleased = false

  /// Creates the list for the tracks of a file, of which one is audio.
  package init(_ tracks: [TrackDescription]) {
    self.tracks = tracks
    count = tracks.count { $0.disposition.contains(.attachedPicture) }
  }

  /// Covers in the order of their tracks.
  package var pictures: [FLACPicture] { found.sorted { $0.key < $1.key }.map(\.value) }

  /// Adds a cover or a packet of audio, and returns the audio that can be written now.
  package mutating func add(_ packet: Packet, isAudio: Bool) -> [Packet] {
    guard !isAudio else {
      guard !isReleased else { return [packet] }
      waiting.append(packet)
      return found.count == count || waiting.count > Self.mostWaiting ? release() : []
    }
    let track = tracks[packet.track]
    // A cover after the header has no place.
    guard !isReleased, found[packet.track] == nil, let buffer = packet.buffer,
      let mimeType = FLACPicture.mimeType(ofCodec: track.codec)
    else { return [] }
    var picture = FLACPicture(
      mimeType: mimeType, width: track.width, height: track.height, data: Array(buffer.readOnly))
    picture.type = UInt32(PictureKind.number(in: track.metadata) ?? PictureKind.frontCover)
    picture.description = track.metadata.first { $0.name.lowercased() == "title" }?.value ?? ""
    found[packet.track] = picture
    return found.count == count && !waiting.isEmpty ? release() : []
  }

  /// Returns the audio that waits; the header can be written now.
  package mutating func release() -> [Packet] {
    isReleased = true
    defer { waiting = [] }
    return waiting
  }
}
