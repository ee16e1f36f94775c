import RespoolMedia
import Synchronization

/// The path of the samples of one input to the muxer, from the start of writing on.
///
/// A client's thread passes samples to the intake, which puts them into the queue. The thread of the queue encodes
/// them.
final class InputPipeline: Sendable {
  let queue: AppendQueue
  /// Progress of the client that appends samples.
  let pace = FeedPace()
  private weak let writer: AssetWriter?
  /// Destination of the packets in the muxer.
  private let port: TrackOutput
  /// Limit for the lead over other inputs.
  private let lead: FeedLead
  private let isRealTime: Bool
  /// Locked while a sample is appended, even while it waits for room in the queue.
  private let intake: Mutex<SampleIntake>

  /// Connects an input to the muxer.
  ///
  /// `leads`: `true` if this input determines where segments end.
  init(
    of input: AssetWriterInput, index: Int, leads: Bool, writer: AssetWriter, output: WriterOutput
  ) throws(MediaError) {
    let (registry, passes, pace) = (output.registry, input.passes, self.pace)
    let encoding = try InputEncoding(of: input, registry: registry)
    let timeBase = TrackTimeBase(of: input, isCombinable: output.isCombinable)
    port = TrackOutput(output.interleaver, index: index, adjust: input.adjust)
    (self.writer, lead) = (writer, output.lead)
    isRealTime = input.expectsMediaDataInRealTime
    queue = AppendQueue {
      [weak writer, port, schedule = output.schedule, delivery = output.delivery] in
      InputEncoder(
        encoding, passes: passes, schedule: schedule, delivery: delivery, writer: writer, to: port)
    } whenDone: { [weak writer] in
      pace.note()
      writer?.noteReadiness()
    }
    intake = Mutex(
      SampleIntake(of: input, leads: leads, output, timeBase, pace: pace, queue: queue))

    if input.mediaDataLocation == .beforeMainMediaDataNotInterleaved { port.putFirst() }
    if let encoding {
      port.announce { () throws(MediaError) in
        // The first sample determines the time base; until then any time base serves.
        let settings = try encoding.settings(
          for: nil, timeBase: timeBase.fallback, pass: passes.encodingPass)
        return try registry.openEncoder(encoding.factory, settings).track
      }
    } else if var track = input.sourceFormatHint?.track {
      track.timeBase = timeBase.announced(of: track)
      port.announce(track)
    } else {
      port.announce { () throws(MediaError) in
        throw MediaError(
          .limitExceeded,
          "a pass-through input received no sample while others continued; set its format hint")
      }
    }
  }

  var isFinished: Bool { pace.progress.isFinished }

  /// `true` if a sample can be appended now; never waits for an encoder or a file.
  ///
  /// `pipelines`: those of all inputs of the writer.
  func isReady(among pipelines: [InputPipeline]) -> Bool {
    guard !isFinished else { return false }
    // A live source cannot wait for other inputs. It drops single samples when the queue is full.
    if isRealTime { return queue.isBelowBounds && !port.isOverfull }
    return queue.hasRoom && !lead.shouldWait(self, among: pipelines, isPiledUp: port.isPiledUp)
  }

  /// Calls `body` to append media; an error of `body` fails the writer.
  ///
  /// Returns `false` if `body` throws or the input accepts no more samples.
  func admit(_ body: @Sendable (SampleIntake) throws(MediaError) -> Void) -> Bool {
    guard let writer else { return false }
    return intake.withLock { intake in
      guard writer.status == .writing, !isFinished else { return false }
      do throws(MediaError) {
        intake.origin = try writer.session.movieStart()
        try body(intake)
        return true
      } catch {
        writer.fail(error)
        return false
      }
    }
  }

  /// Finishes the input after its waiting samples; returns `false` if it was finished before or the writer has ended.
  func finish() -> Bool {
    guard let writer else { return false }
    return intake.withLock { intake in
      guard writer.status == .writing, pace.finish() else { return false }
      do throws(MediaError) { try intake.finish() } catch { writer.fail(error) }
      return true
    }
  }

  /// Ends the first of two passes after its waiting samples.
  func finishFirstPass() {
    intake.withLock { intake in
      do throws(MediaError) { try intake.finishFirstPass() } catch { writer?.fail(error) }
    }
  }
}

extension AssetWriterInput {
  /// Function that applies the configuration to the track description of the input's encoder or source.
  fileprivate var adjust: @Sendable (TrackDescription) -> TrackDescription {
    let isPassedThrough = settings == nil
    let (transform, isEnabled) = (transform, marksOutputTrackAsEnabled)
    let language = extendedLanguageTag ?? languageCode
    let metadata = MetadataItem.entries(metadata)
    let stated = settings?.video?.cleanAperture
    return { track in
      var track = track
      if !isPassedThrough || transform != .identity { track.displayMatrix = transform }
      if let language { track.language = language }
      for entry in metadata {
        track.metadata.removeAll { $0.name == entry.name }
        track.metadata.append(entry)
      }
      if let stated { track.cleanAperture = stated }
      track.disposition.remove(isEnabled ? .disabled : .default)
      track.disposition.insert(isEnabled ? .default : .disabled)
      return track
    }
  }
}
