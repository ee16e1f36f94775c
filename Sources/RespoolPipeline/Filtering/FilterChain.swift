package import RespoolMedia
import RespoolProcessing

/// The filters of one track, open and in order.
package final class FilterChain {
  /// A filter to open, with its options.
  package struct Step {
    package var factory: PluginFactory
    package var options: [PluginOption]

    package init(_ factory: PluginFactory, options: [PluginOption]) {
      (self.factory, self.options) = (factory, options)
    }
  }

  /// Opens filters for one run.
  private struct Opening {
    var registry: PluginRegistry
    var threads: Int
    var monitor: JobMonitor

    func open(_ step: Step, _ input: TrackDescription) throws(MediaError) -> FilterInstance {
      let isFixed = step.factory.description.flags.contains(.threadsChangeOutput)
      var settings = FilterSettings(
        track: input, threads: isFixed ? 1 : threads, options: step.options)
      settings.job = monitor.job(for: step.factory.description.name)
      return try registry.openFilter(step.factory, settings)
    }
  }

  /// An open filter, the frames that it was opened for, and the frames that come out of the filter before it.
  private struct Opened {
    var filter: FilterInstance
    var input: TrackDescription
    var before: TrackDescription

    /// Format of the audio to convert to before the filter; `nil` if nothing is to be converted.
    var conversion: AudioFormat? {
      guard input.kind == .audio,
        (input.sampleFormat, input.sampleRate) != (before.sampleFormat, before.sampleRate)
          || input.channelLayout != before.channelLayout
      else { return nil }
      return AudioFormat(
        sampleFormat: input.sampleFormat, sampleRate: input.sampleRate,
        channelLayout: input.channelLayout)
    }
  }

  /// Description of the frames that come out.
  package let output: TrackDescription
  private let steps: [Step]
  private let opening: Opening
  private var opened: [Opened] = []
  private var stages: [FilterStage] = []

  /// Opens the filters for the frames of `track`, with times in its time base.
  package init(
    _ steps: [Step], of track: TrackDescription, registry: PluginRegistry, threads: Int,
    monitor: JobMonitor = JobMonitor()
  ) throws(MediaError) {
    (self.steps, opening) = (steps, Opening(registry: registry, threads: threads, monitor: monitor))
    var track = track
    for step in steps {
      let input = track.accepted(by: step.factory.description)
      let filter = try opening.open(step, input)
      opened.append(Opened(filter: filter, input: input, before: track))
      if !step.factory.description.flags.contains(.measuresOnly) {
        track = filter.track
      } else if track.kind == .audio {
        track = input
      }
    }
    output = track
  }

  /// Returns the first stage of the chain, which passes the frames that come out to `next`.
  package func stage(to next: any Stage<Frame>) -> any Stage<Frame> {
    // Only video has durations that the stages after this one use.
    var next: any Stage<Frame> = output.kind == .video ? DurationStage(to: next) : next
    for (step, opened) in zip(steps, opened).reversed() {
      let stage = FilterStage(opened.filter, input: opened.input, to: next) {
        [opening] (input) throws(MediaError) in try opening.open(step, input)
      }
      stages.insert(stage, at: 0)
      next = stage
      if let format = opened.conversion {
        next = AudioConversionStage(output: format, timeBase: opened.before.timeBase, to: next)
      }
    }
    opened = []
    return next
  }

  /// Number of frames left out because their times did not increase.
  package var outOfOrderCount: Int { stages.reduce(0) { $0 + $1.outOfOrderCount } }

  /// Measurements of filters that have any, complete after the chain has finished.
  package var results: [(filter: String, results: [FilterResult])] {
    zip(steps, stages).map { ($0.factory.description.name, $1.results) }
      .filter { !$0.results.isEmpty }
  }
}
