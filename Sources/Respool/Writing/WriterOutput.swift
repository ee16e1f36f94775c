import Glibc
import RespoolMedia

/// The file or the segments that a writer writes, from the start of writing on.
struct WriterOutput: Sendable {
  let muxer: PluginFactory
  let registry: PluginRegistry
  let interleaver: Interleaver
  /// Schedule of the segments; `nil` if a file is written.
  let schedule: SegmentSchedule?
  /// Delivery of the segments to the writer's delegate; `nil` if a file is written.
  let delivery: SegmentDelivery?
  /// Lead that the inputs may have over each other.
  let lead = FeedLead()
  /// `true` if the muxer writes fragments or segments.
  let isFragmented: Bool
  /// `true` if segments can be joined with those of other writers.
  let isCombinable: Bool

  /// Creates the file of a writer, or the sink of its segments.
  static func sink(of writer: AssetWriter, _ configuration: AssetWriter.Configuration)
    throws(MediaError) -> FileSink
  {
    if let folder = configuration.temporaryDirectory { try checkDirectory(folder) }
    return configuration.isSegmented ? try FileSink() : try FileSink(path: writer.path, source: nil)
  }

  /// Connects the writer's inputs to the muxer, which writes to `sink`.
  init(of writer: AssetWriter, _ configuration: AssetWriter.Configuration, sink: FileSink)
    throws(MediaError)
  {
    let (muxer, registry, inputs) = (writer.muxer, writer.registry, configuration.inputs)
    (self.muxer, self.registry) = (muxer, registry)
    let isSegmented = configuration.isSegmented
    let segments = isSegmented ? try SegmentOutput(of: writer, configuration, sink: sink) : nil
    (schedule, delivery) = (segments?.schedule, segments?.delivery)
    isFragmented = isSegmented || configuration.isInFragments
    isCombinable = configuration.isCombinable
    let tags = FileTags(configuration.metadata, for: muxer.description) { track in
      // The movie box of segments is written once and is small.
      if isSegmented { return "segments cannot have covers" }
      do throws(MediaError) {
        try registry.checkMuxer(muxer, track: track)
        return nil
      } catch { return error.message }
    }
    var media = MediaDescription(format: writer.container)
    (media.metadata, media.nativeTags) = (tags.entries, tags.native)
    for (index, input) in inputs.enumerated() {
      media.nativeTags += NativeTag.tags(input.metadata, track: index)
    }
    interleaver = ChainBuilder(registry: registry).interleaver(
      muxer, media: media, trackCount: inputs.count + tags.covers.count, sink: sink,
      settings: MuxerSettings(configuration), limit: 32 << 20,
      isDurable: !isSegmented && configuration.isInFragments,
      keepsEmptyTracks: isSegmented && isCombinable, segments: segments)
    let leading = inputs.firstIndex { $0.mediaType == .video } ?? 0
    for (index, input) in inputs.enumerated() {
      input.begin(
        try InputPipeline(
          of: input, index: index, leads: index == leading, writer: writer, output: self))
    }
    try tags.write(to: interleaver, after: inputs.count)
  }

  private static func checkDirectory(_ directory: String) throws(MediaError) {
    var status = stat()
    let isThere = PathName.withSystemPath(directory) { stat($0, &status) } == 0
    guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
      throw MediaError(
        .io,
        "the directory for temporary files does not exist or is not a directory", file: directory)
    }
    guard PathName.withSystemPath(directory, { access($0, W_OK | X_OK) }) == 0 else {
      throw .system("cannot be written to", errno, file: directory)
    }
  }
}
