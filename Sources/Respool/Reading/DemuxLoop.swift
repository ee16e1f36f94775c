import RespoolMedia

/// Reads a file from its start to its end and gives every packet to the stage of its track.
struct DemuxLoop {
  let demuxer: DemuxerInstance
  let source: FileSource
  /// One stage to a track; nil: its packets are not wanted.
  let stages: [(any Stage<Packet>)?]
  /// Called now and then.
  var progress: (() -> Void)?

  /// What was wrong with the file, where its undamaged rest could be read.
  private(set) var damage: [MediaError] = []

  init(
    demuxer: DemuxerInstance, source: FileSource, stages: [(any Stage<Packet>)?]
  ) {
    self.demuxer = demuxer
    self.source = source
    self.stages = stages
  }

  /// Runs to the end and finishes every stage.
  ///
  /// Damage inside the file is noted and what lies behind it read on; 16 errors in a row end it. An
  /// error of the storage, or of a stage, is thrown.
  mutating func run() throws(MediaError) {
    try demuxer.select(stages.map { $0 != nil })
    var failures = 0
    var count = 0
    while true {
      let packet: Packet?
      do throws(MediaError) {
        packet = try demuxer.read()
        failures = 0
      } catch {
        guard error.code == .malformed || error.code == .limitExceeded else { throw error }
        damage.append(error)
        failures += 1
        if failures >= 16 { break }
        continue
      }
      guard let packet else { break }
      guard packet.track < stages.count, let stage = stages[packet.track] else { continue }
      try stage.consume(packet)
      count += 1
      if count & 15 == 0 {
        if source.isCancelled { throw MediaError(.cancelled, "stopped") }
        progress?()
      }
    }
    if count == 0, let first = damage.first { throw first }
    for stage in stages { try stage?.finish() }
  }
}
