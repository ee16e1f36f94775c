import RespoolHost
import RespoolMedia

/// A decoder with packets that are known to be intact, and its frames, made once for several checks.
final class DecoderTrial {
  /// Packets of a track.
  struct Source {
    var track: TrackDescription
    var packets: [Packet]
    /// The frames that were encoded; `nil` for the packets of a file.
    var encoding: Encoding?
  }

  let factory: PluginFactory
  /// Name of the codec or of the file.
  let name: String
  private let makeSource: () throws(Finding) -> Source

  init(
    factory: PluginFactory, name: String, source: @escaping () throws(Finding) -> Source
  ) {
    self.factory = factory
    self.name = name
    makeSource = source
  }

  lazy var source: Result<Source, Finding> = {
    do throws(Finding) { return .success(try makeSource()) } catch {
      return .failure(Finding("there are no packets to decode: \(error.words)", cause: error.cause))
    }
  }()

  lazy var decoding: Result<Decoding, Finding> = decode()

  /// Returns the frames; throws if they have changed since they were returned.
  func unchanged() throws(Finding) -> Decoding {
    let decoding = try decoding.get()
    try decoding.checkUnchanged()
    return decoding
  }

  func decode(threads: Int = 1) -> Result<Decoding, Finding> {
    do throws(Finding) {
      let source = try source.get()
      return .success(try Decoding(factory, source.track, source.packets, threads: threads))
    } catch { return .failure(error) }
  }
}

extension DecoderTrial.Source {
  /// Maximum number of packets of a file that are decoded.
  private static let maximumPackets = 120

  /// The first packets of a track.
  init(file: FileSource, track index: Int, demuxer factory: PluginFactory) throws(Finding) {
    let demuxer = try open("the file") { () throws(MediaError) in
      try DemuxerInstance(factory, FileSource(again: file), reason: "")
    }
    var packets: [Packet] = []
    do throws(MediaError) {
      while packets.count < Self.maximumPackets, let packet = try demuxer.read() {
        if packet.track == index { packets.append(try demuxer.source.bytes(of: packet)) }
      }
    } catch { throw Finding("the file cannot be read: \(error)") }
    self.init(track: demuxer.media.tracks[index], packets: packets, encoding: nil)
  }
}
