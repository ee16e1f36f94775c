package import Respool
package import RespoolMedia
package import TestFixtures

extension Pipeline {
  /// Returns all samples of a file's first track of a media type.
  ///
  /// They are not decoded if `settings` is `nil`.
  package static func samples(
    _ path: String, _ type: MediaType, _ settings: AssetReaderTrackOutput.Settings?
  )
    throws -> [SampleBuffer]
  {
    try samples(of: Asset(path: path, registry: registry), type, settings)
  }

  /// Returns all samples of an asset's first track of a media type.
  ///
  /// They are not decoded if `settings` is `nil`.
  package static func samples(
    of asset: Asset, _ type: MediaType, _ settings: AssetReaderTrackOutput.Settings?
  )
    throws -> [SampleBuffer]
  {
    let track = try required(try asset.tracks(withMediaType: type).first, "no \(type)")
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderTrackOutput(track: track, settings: settings)
    try reader.add(output)
    guard reader.startReading() else { throw FixtureError("\(String(describing: reader.error))") }
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    guard reader.status == .completed else {
      throw FixtureError("\(String(describing: reader.error))")
    }
    return samples
  }

  package static func pictures(_ path: String) throws -> [SampleBuffer] {
    try samples(path, .video, .video(pixelFormat: .yuv420p))
  }

  package static func sound(_ path: String, rate: Int? = nil, layout: ChannelLayout? = nil) throws
    -> Sound
  {
    try Sound(
      samples(
        path, .audio, .audio(sampleFormat: .fltp, sampleRate: rate, channelLayout: layout)))
  }
}
