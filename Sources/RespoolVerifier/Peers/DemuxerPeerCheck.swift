import RespoolHost
import RespoolMedia

/// Check that a demuxer reads from a sample what the demuxer of another plugin reads.
struct DemuxerPeerCheck {
  let trial: DemuxerTrial
  let finder: CodecFinder
  let tracks: DemuxerTrackChecks
  let name: String

  func run(_ report: Report) {
    report.check("\(name): another demuxer") { () throws(Finding) in
      guard let peer = finder.peer(trial.source) else {
        throw .skipped("no other plugin reads the file, so its content is compared with nothing")
      }
      // Other checks examine the plugin's own packets.
      try tracks.requireAll()
      let file = try trial.file.get()
      let reader = peer.factory.plugin.name
      let other: ReadFile
      do throws(Finding) { other = try ReadFile(peer) } catch {
        throw .skipped("\(reader) does not read the file to its end: \(error.words)")
      }
      var comparison = PeerComparison(
        own: PeerFile(file, trial.factory.description.name), other: PeerFile(other, reader),
        finder: finder)
      // A fallback may count times from the first packet instead of the start of the movie.
      if peer.factory.description.tier == .fallback { comparison.alignStarts() }
      return try comparison.check()
    }
  }
}

/// A file as a demuxer reads it, with a name for messages.
struct PeerFile {
  let file: ReadFile
  let name: String
  /// Seconds by which all times are later than those of the other demuxer.
  var shift = 0.0

  init(_ file: ReadFile, _ name: String) { (self.file, self.name) = (file, name) }

  /// Tracks of moving video, or of audio.
  func tracks(_ kind: TrackDescription.Kind) -> [PeerTrack] {
    file.media.tracks.enumerated().compactMap { index, track in
      guard kind == .video ? track.isMovingPicture : track.kind == kind else { return nil }
      return PeerTrack(
        name: name, number: index, track: track, packets: file.packets(of: index), shift: shift)
    }
  }
}

/// A track as a demuxer reads it.
struct PeerTrack {
  /// Name of the demuxer.
  let name: String
  let number: Int
  let track: TrackDescription
  let packets: [Packet]
  let shift: Double

  /// Returns the presentation time of a packet in seconds; `nil` if it has none.
  func seconds(_ packet: Packet) -> Double? {
    packet.pts.map { Double($0) * track.timeBase.doubleValue - shift }
  }

  /// Longest duration of a packet in seconds.
  var longest: Double {
    Double(packets.map(\.duration).max() ?? 0) * track.timeBase.doubleValue
  }

  /// Difference of times that rounding explains, in seconds.
  ///
  /// A time is rounded once to the unit of each track. Some containers store milliseconds, and times of laced frames
  /// are computed.
  func tolerance(to other: PeerTrack) -> Double {
    max(track.timeBase.doubleValue, other.track.timeBase.doubleValue, 0.002) * 1.01
  }

  /// Returns the place of a packet for messages.
  func place(_ index: Int) -> String {
    let time = packets.indices.contains(index) ? seconds(packets[index]) : nil
    return "packet \(index)" + (time.map { " (\(PeerComparison.text($0)) s)" } ?? "")
  }
}

/// Comparison of a file as two demuxers read it.
struct PeerComparison {
  var own: PeerFile
  let other: PeerFile
  let finder: CodecFinder

  /// Counts the own times from where the other demuxer counts them.
  mutating func alignStarts() {
    for kind in [TrackDescription.Kind.video, .audio] {
      guard let mine = own.tracks(kind).first, let theirs = other.tracks(kind).first,
        let first = mine.packets.first, let another = theirs.packets.first,
        let start = mine.seconds(first), let begin = theirs.seconds(another)
      else { continue }
      if abs(begin) < 0.001, start > begin + mine.tolerance(to: theirs) {
        own.shift = start - begin
      }
      return
    }
  }

  /// Throws if the two disagree; returns what was compared.
  func check() throws(Finding) -> String {
    var compared: [String] = []
    for (kind, word) in [(TrackDescription.Kind.video, "video"), (.audio, "audio")] {
      let (mine, theirs) = (own.tracks(kind), other.tracks(kind))
      guard mine.count == theirs.count else {
        throw Finding(
          "\(own.name) reads \(mine.count.counting("track")) of \(word), \(other.name) reads "
            + "\(theirs.count)")
      }
      for (one, another) in zip(mine, theirs) {
        do throws(Finding) {
          try PeerFacts(own: one, other: another).check()
          let content = PeerContent(own: one, other: another, finder: finder)
          compared.append("\(one.track.codec): \(try content.check())")
        } catch {
          if error.isSkip { throw error }
          throw Finding("\(TrackNumber(index: one.number)): \(error.words)")
        }
      }
    }
    guard !compared.isEmpty else { throw .skipped("the file has no video and no audio") }
    let shift = own.shift > 0 ? ", \(Self.text(own.shift)) s earlier" : ""
    return "\(other.name) reads the same\(shift): \(compared.joined(separator: "; "))"
  }

  /// Returns seconds with at most 6 digits after the point.
  static func text(_ seconds: Double) -> String {
    ((seconds * 1e6).rounded() / 1e6).decimalText
  }
}
