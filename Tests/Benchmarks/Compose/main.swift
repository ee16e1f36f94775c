import Respool
import RespoolMedia

/// Reads a composition in which one video fades into another, discards the frames and returns their number.
///
/// The fade lasts as long as the composition. This measures decoding and composing without an encoder.
///
///     compose-benchmark FIRST SECOND SECONDS
func compose(_ arguments: [String]) throws -> Int {
  guard arguments.count == 4, let seconds = Double(arguments[3]), seconds > 0 else {
    throw MediaError(.invalidArgument, "usage: compose-benchmark FIRST SECOND SECONDS")
  }
  let registry = PluginRegistry()
  let range = TimeRange(
    start: .zero, duration: MediaTime(seconds: seconds, preferredTimescale: 60000))
  let composition = MutableComposition()
  var layers: [MutableVideoCompositionLayerInstruction] = []
  for path in arguments[1...2] {
    let asset = Asset(path: path, registry: registry)
    guard let film = try asset.tracks(withMediaType: .video).first,
      let track = composition.addMutableTrack(withMediaType: .video)
    else { throw MediaError(.malformed, "\(path) has no picture") }
    try track.insertTimeRange(range, of: film, at: .zero)
    layers.append(MutableVideoCompositionLayerInstruction(trackID: track.trackID))
  }
  try layers[0].setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: range)
  let fade = MutableVideoComposition(
    try VideoComposition(propertiesOf: composition))
  fade.instructions = [
    MutableVideoCompositionInstruction(timeRange: range, layerInstructions: layers)
  ]
  let output = AssetReaderVideoCompositionOutput(
    videoTracks: try composition.tracks(withMediaType: .video))
  output.videoComposition = fade
  output.alwaysCopiesSampleData = false
  let reader = try AssetReader(asset: composition)
  try reader.add(output)
  reader.startReading()
  var count = 0
  while output.copyNextSampleBuffer() != nil { count += 1 }
  if let error = reader.error { throw error }
  return count
}

print("\(try compose(CommandLine.arguments)) pictures")
