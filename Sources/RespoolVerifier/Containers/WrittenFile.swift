import CVerifier
import RespoolHost
import RespoolMedia

/// A file that a muxer wrote in memory.
struct WrittenFile {
  var bytes: [UInt8]
  var tracks: [TrackDescription]
  /// Packets of each track as they were written, with times in the muxer's time base.
  var packets: [[Packet]]
  var timeBases: [Rational]
  /// `true` if the file cannot state the delay of an audio encoder.
  let presentsDelay: Bool

  /// Writes the media, completes the file and closes the muxer.
  ///
  /// The packets are lent in guarded memory. They are written `rounds` times, one after another.
  init(_ factory: PluginFactory, _ media: [Encoding]) throws(Finding) {
    presentsDelay = factory.description.flags.contains(.presentsDelay)
    var run: MuxerRun? = try MuxerRun(factory, media)
    let order = run?.order ?? []
    for place in order { try run?.write(place) }
    try run?.finish()
    bytes = try run?.take() ?? []
    (tracks, packets, timeBases) = (media.map(\.track), run?.packets ?? [], run?.timeBases ?? [])
    PluginCall.run("close") { run = nil }
  }
}

/// A muxer that is being fed.
final class MuxerRun {
  /// Packets of each track, with times in the muxer's time base.
  private(set) var packets: [[Packet]] = []
  private(set) var timeBases: [Rational] = []
  let sink: FileSink
  private let media: MediaDescription
  private let muxer: MuxerInstance

  init(_ factory: PluginFactory, _ media: [Encoding]) throws(Finding) {
    do throws(MediaError) { sink = try FileSink() } catch {
      throw Finding("the output of the check cannot be created: \(error)")
    }
    let sink = sink
    let description = MediaDescription(
      format: factory.description.name, tracks: media.map(\.track))
    self.media = description
    muxer = try open("the muxer") { () throws(MediaError) in
      try MuxerInstance(factory, media: description, sink: sink, settings: .init())
    }
    for (index, encoding) in media.enumerated() {
      let muxer = muxer
      let base = PluginCall.run("time_base") { muxer.timeBase(ofTrack: index) }
      guard base.isPositive else { throw Finding("the muxer's time base is \(base)") }
      timeBases.append(base)
      packets.append(
        encoding.packets.map { packet in
          let own = encoding.track.timeBase
          var copy = packet
          copy.track = index
          copy.pts = packet.pts.map { own.convert($0, to: base) }
          copy.dts = packet.dts.map { own.convert($0, to: base) }
          copy.duration = own.convert(packet.duration, to: base)
          copy.trimEnd = own.convert(packet.trimEnd, to: base)
          return copy
        })
    }
  }

  /// Track and index of each packet, interleaved by decoding time.
  var order: [(track: Int, index: Int)] {
    var list: [(seconds: Double, track: Int, index: Int)] = []
    for (track, packets) in packets.enumerated() {
      for (index, packet) in packets.enumerated() {
        list.append((Double(packet.dts ?? 0) * timeBases[track].doubleValue, track, index))
      }
    }
    return list.sorted { ($0.seconds, $0.track, $0.index) < ($1.seconds, $1.track, $1.index) }
      .map { ($0.track, $0.index) }
  }

  /// Writes one packet, `shift` seconds later.
  func write(_ place: (track: Int, index: Int), shift: Int64 = 0) throws(Finding) {
    do throws(MediaError) { try attempt(place, shift: shift) } catch {
      _ = try message(of: error)
      throw Finding("packet \(place.index) of \(TrackNumber(index: place.track)): \(error)")
    }
  }

  func attempt(_ place: (track: Int, index: Int), shift: Int64 = 0) throws(MediaError) {
    var packet = packets[place.track][place.index]
    guard let buffer = packet.buffer,
      let memory = buffer.withBytes({ bytes in
        GuardedMemory([bytes.count], "a lent packet") { regions in
          UnsafeMutableRawBufferPointer(start: regions[0], count: bytes.count).copyMemory(
            from: bytes)
        }
      })
    else { throw MediaError(.limitExceeded, "there is no memory for a packet") }
    let ticks = Rational(1, 1).convert(shift, to: timeBases[place.track])
    packet.pts = packet.pts.map { $0 + ticks }
    packet.dts = packet.dts.map { $0 + ticks }
    packet.payload = .bytes(memory.buffer)
    defer { withExtendedLifetime(packet) { memory.end() } }
    let muxer = muxer
    try PluginCall.run("write") { () throws(MediaError) in try muxer.write(packet) }
  }

  func finish() throws(Finding) {
    do throws(MediaError) { try attemptFinish() } catch {
      _ = try message(of: error)
      throw Finding("finish: \(error)")
    }
  }

  func attemptFinish() throws(MediaError) {
    let (muxer, media) = (muxer, media)
    try PluginCall.run("finish") { () throws(MediaError) in try muxer.finish(media) }
  }

  /// Returns the bytes of the file.
  func take() throws(Finding) -> [UInt8] {
    do throws(MediaError) { return try sink.take() } catch {
      throw Finding("the output of the check cannot be read: \(error)")
    }
  }
}
