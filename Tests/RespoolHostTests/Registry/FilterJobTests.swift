import RespoolMedia
import Synchronization
import TestFixtures
import Testing

@testable import RespoolHost

/// The job in the settings of filters (filter.h).
@Suite struct FilterJobTests {
  let workshop: PluginWorkshop

  init() throws { workshop = try PluginWorkshop() }

  private func filter(job: PluginJob?) throws -> FilterInstance {
    try workshop.build("filter_job.c", as: "filter-job.so")
    let factory = try #require(workshop.registry().filter(named: "filter-job", of: .audio))
    var track = TrackDescription(kind: .audio, codec: "", timeBase: Rational(1, 48_000))
    (track.sampleRate, track.channelLayout, track.sampleFormat) = (48_000, .stereo, .flt)
    var settings = FilterSettings(track: track)
    if let job { settings.job = job }
    return try FilterInstance(factory, settings)
  }

  @Test func `a filter that is opened for its description gets no job`() throws {
    #expect(try filter(job: nil).results.map(\.value) == ["no"])
    #expect(try filter(job: PluginJob.none).results.map(\.value) == ["no"])
  }

  @Test func `the warnings of a filter reach its job`() throws {
    let warnings = Mutex<[String]>([])
    let job = PluginJob(
      isCancelled: { false }, warn: { message in warnings.withLock { $0.append(message) } })
    #expect(try filter(job: job).results.map(\.value) == ["yes"])
    #expect(warnings.withLock { $0 } == ["opened"])
  }
}
