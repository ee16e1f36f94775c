package import RespoolMedia
import Synchronization

/// Settings that encoders have accepted, so that the files of a folder ask for the same ones only once.
///
/// Opening an encoder to ask takes longer than reading a small file.
package final class AcceptedSettings: Sendable {
  private struct Key: Hashable {
    let factory: PluginFactory
    let track: TrackDescription
    let threads: Int
    let bitRate: Int64?
    let quality: Double?
    let keyFrameInterval: Int?
    let isLowDelay: Bool
    let pass: EncoderSettings.Pass
    let options: [PluginOption]

    init(_ factory: PluginFactory, _ settings: EncoderSettings) {
      self.factory = factory
      var track = settings.track
      // Text differs from file to file, and no encoder depends on it.
      (track.id, track.language, track.metadata) = (0, nil, [])
      self.track = track
      (threads, bitRate, quality) = (settings.threads, settings.bitRate, settings.quality)
      (keyFrameInterval, isLowDelay) = (settings.keyFrameInterval, settings.isLowDelay)
      (pass, options) = (settings.pass, settings.options)
    }
  }

  /// Bytes of memory that encoders take with settings that they have accepted.
  private let known = Mutex<[Key: Int64]>([:])
  /// Maximum number of settings that are known.
  private static let most = 256

  init() {}

  /// Number of settings that are known.
  var count: Int { known.withLock { $0.count } }

  /// Throws the error with which an encoder refuses settings.
  ///
  /// Returns about how many bytes of memory the encoder takes; 0 if this is unknown.
  package func check(_ settings: EncoderSettings, of factory: PluginFactory)
    throws(MediaError) -> Int64
  {
    let key = Key(factory, settings)
    if let memory = known.withLock({ $0[key] }) { return memory }
    try factory.checkEncoder(settings)
    let memory = try factory.encoderMemory(settings) ?? 0
    known.withLock {
      if $0.count >= Self.most { $0 = [:] }
      $0[key] = memory
    }
    return memory
  }
}
