import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

@Suite struct Segments {
  /// A delegate that keeps the segments of a writer.
  final class Collector: AssetWriterDelegate {
    let parts = Mutex<[(data: [UInt8], report: AssetSegmentReport)]>([])

    func assetWriter(
      _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
      segmentType: AssetSegmentType, segmentReport: AssetSegmentReport?
    ) {
      guard let segmentReport else { return }
      parts.withLock { $0.append((segmentData, segmentReport)) }
    }

    var header: [UInt8] { parts.withLock { $0.first?.data ?? [] } }
    var segments: [(data: [UInt8], report: AssetSegmentReport)] {
      parts.withLock { $0.filter { $0.report.segmentType == .separable } }
    }
  }

  let scratch: Scratch
  let collector = Collector()

  init() throws { scratch = try Scratch() }

  private func writer(every interval: MediaTime, from start: MediaTime = .zero) throws
    -> AssetWriter
  {
    let writer = try AssetWriter(container: "mp4", registry: Pipeline.registry)
    writer.delegate = collector
    writer.preferredOutputSegmentInterval = interval
    writer.initialSegmentStartTime = start
    return writer
  }

  private func start(_ writer: AssetWriter, _ inputs: [AssetWriterInput], at time: MediaTime)
    throws
  {
    for input in inputs { try writer.add(input) }
    try #require(writer.startWriting(), "\(String(describing: writer.error))")
    writer.startSession(atSourceTime: time)
  }

  /// Feeds frames and a tone from second `first` on.
  private func feed(_ inputs: [AssetWriterInput], from first: Int = 0, _ numbers: Range<Int>)
    throws
  {
    for number in numbers {
      for input in inputs {
        let sample =
          try input.mediaType == .video
          ? Writing.picture(first * 25 + number, gray: UInt8(number % 200))
          : Writing.tone(first * 48000 + number * 1920)
        try #require(input.append(sample))
      }
    }
  }

  /// Writes the header and all segments to one file, and returns its path.
  private func joined(_ segments: [[UInt8]]) throws -> String {
    let path = scratch.path("joined\(segments.count).mp4")
    try Data(collector.header + segments.joined()).write(to: URL(filePath: path))
    return path
  }

  @Test(.rule) func `a segment begins at a multiple of the preferred interval, with a sync sample`()
    throws
  {
    let writer = try writer(every: MediaTime(value: 1, timescale: 1))
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try start(writer, inputs, at: .zero)
    try feed(inputs, 0..<75)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    let segments = collector.segments
    #expect(collector.parts.withLock { $0.first?.report.segmentType } == .initialization)
    #expect(segments.count == 3)
    for (number, segment) in segments.enumerated() {
      let pictures = try #require(segment.report.trackReports.first { $0.mediaType == .video })
      #expect(pictures.earliestPresentationTimeStamp == Writing.time(number * 25))
      #expect(pictures.duration == Writing.time(25))
      let first = try #require(pictures.firstVideoSampleInformation)
      #expect(first.isSyncSample)
      #expect(first.presentationTimeStamp == Writing.time(number * 25))
      // An H.264 sample consists of NAL units with their lengths in front (ISO/IEC 14496-15), without a gap.
      var place = first.offset
      while place < first.offset + first.length {
        place += 4 + segment.data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(place == first.offset + first.length)
      #expect(segment.report.trackReports.contains { $0.mediaType == .audio })

      // The header and this segment alone can be played.
      let path = try joined([segment.data])
      let count = try Writing.probe(
        path,
        ["-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames"])
      #expect(Int(count.filter(\.isNumber)) == 25)
      try FileManager.default.removeItem(atPath: path)
    }

    let path = try joined(segments.map(\.data))
    #expect(
      try Pipeline.pictures(path).map(\.presentationTimeStamp) == (0..<75).map { Writing.time($0) })
    let sound = try Pipeline.sound(path)
    #expect(sound.start == .zero)
    #expect((144000..<145024).contains(sound.count))
    #expect(abs(sound.power(of: 1000, channel: 0) - 0.0625) < 0.006)
  }

  @Test(.rule) func `with an indefinite interval a segment ends when it is flushed`() throws {
    let writer = try writer(every: .indefinite)
    let input = Writing.videoInput()
    try start(writer, [input], at: .zero)
    try feed([input], 0..<10)
    writer.flushSegment()
    writer.flushSegment()
    try feed([input], 10..<17)
    writer.flushSegment()
    try feed([input], 17..<30)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let reports = collector.segments.compactMap(\.report.trackReports.first)
    #expect(
      reports.map(\.earliestPresentationTimeStamp)
        == [Writing.time(0), Writing.time(10), Writing.time(17)])
    #expect(reports.allSatisfy { $0.firstVideoSampleInformation?.isSyncSample == true })
  }

  @Test func `audio alone is segmented, too`() throws {
    let writer = try writer(every: MediaTime(value: 1, timescale: 2))
    let input = Writing.audioInput()
    try start(writer, [input], at: .zero)
    try feed([input], 0..<50)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(collector.segments.count == 4)
    let path = try joined(collector.segments.map(\.data))
    #expect((96000..<97024).contains(try Pipeline.sound(path).count))
  }

  @Test(.rule) func `the HLS profile has no edit lists, and samples keep their times`() throws {
    let ten = MediaTime(value: 10, timescale: 1)
    let writer = try writer(every: MediaTime(value: 1, timescale: 1), from: ten)
    writer.outputFileTypeProfile = .mpeg4AppleHLS
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try start(writer, inputs, at: ten)
    try feed(inputs, from: 10, 0..<50)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(Data(collector.header).range(of: Data("elst".utf8)) == nil)
    let reports = collector.segments.compactMap(\.report.trackReports.first)
    #expect(reports.map(\.earliestPresentationTimeStamp) == [ten, Writing.time(275)])
    let path = try joined(collector.segments.map(\.data))
    let times = try Writing.probe(
      path, ["-select_streams", "v", "-show_entries", "frame=pts_time"]
    ).split(separator: "\n").compactMap { Double($0.filter { $0.isNumber || $0 == "." }) }
    #expect(times.first == 10)
    #expect(times.count == 50)
  }

  @Test func `an HLS session that starts too early is rejected`() throws {
    let writer = try writer(every: MediaTime(value: 1, timescale: 1))
    writer.outputFileTypeProfile = .mpeg4AppleHLS
    let inputs = [Writing.audioInput()]
    try start(writer, inputs, at: .zero)
    for number in 0..<50 { _ = try inputs[0].append(Writing.tone(number * 1920)) }
    writer.finishWritingAndWait()
    #expect(writer.status == .failed)
    #expect(writer.error?.message.contains("has to start that much later") == true)
  }

  @Test(.rule) func `the CMAF profile is for one track`() throws {
    for count in 1...2 {
      let writer = try writer(every: MediaTime(value: 1, timescale: 1))
      writer.outputFileTypeProfile = .mpeg4CMAFCompliant
      let inputs = [Writing.videoInput(), Writing.audioInput()].prefix(count)
      for input in inputs { try writer.add(input) }
      writer.startWriting()
      writer.startSession(atSourceTime: .zero)
      for number in 0..<25 {
        for input in inputs {
          try input.append(
            input.mediaType == .video ? Writing.picture(number) : Writing.tone(number * 1920))
        }
      }
      writer.finishWritingAndWait()
      #expect((writer.status == .completed) == (count == 1))
      if count == 1 {
        #expect(Data(collector.header.prefix(64)).range(of: Data("cmfc".utf8)) != nil)
      } else {
        #expect(writer.error?.message.contains("one track") == true)
      }
    }
  }

  @Test func `samples in pass-through are segmented at their own sync samples`() throws {
    // Every tenth sample is a sync sample.
    let first = try writer(every: Writing.time(10))
    let pictures = Writing.videoInput()
    try start(first, [pictures], at: .zero)
    try feed([pictures], 0..<35)
    first.finishWritingAndWait()
    let source = URLAsset(
      path: try joined(collector.segments.map(\.data)), registry: Pipeline.registry)
    collector.parts.withLock { $0 = [] }

    let track = try #require(try source.tracks(withMediaType: .video).first)
    let reader = try AssetReader(asset: source)
    let output = AssetReaderTrackOutput(track: track, settings: nil)
    try reader.add(output)
    reader.startReading()
    let writer = try writer(every: MediaTime(value: 1, timescale: 1000))
    let input = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: track.formatDescription)
    try start(writer, [input], at: .zero)
    var keys = 0
    while let sample = output.copyNextSampleBuffer() {
      if sample.attachments.isSync { keys += 1 }
      try #require(input.append(sample))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(keys == 4)
    #expect(collector.segments.count == keys)
  }

  @Test(.rule("A numeric interval requires the start time of the first segment"))
  func `missing and invalid settings fail the start`() throws {
    func failure(_ configure: (AssetWriter) -> Void) throws -> String? {
      let writer = try writer(every: MediaTime(value: 1, timescale: 1))
      configure(writer)
      try writer.add(Writing.audioInput())
      #expect(!writer.startWriting())
      return writer.error?.message
    }
    #expect(try failure { $0.delegate = nil }?.contains("delegate") == true)
    #expect(
      try failure { $0.preferredOutputSegmentInterval = .invalid }?.contains("positive") == true)
    #expect(
      try failure { $0.initialSegmentStartTime = .invalid }?.contains("initialSegmentStartTime")
        == true)
    #expect(throws: MediaError.self) {
      try AssetWriter(container: "mkv", registry: Pipeline.registry)
    }
    let timed = try writer(every: MediaTime(value: 1, timescale: 1))
    try start(timed, [Writing.audioInput()], at: .zero)
    timed.flushSegment()
    #expect(timed.status == .failed)
    #expect(timed.error?.message.contains("indefinite") == true)
  }

  @Test func `after canceling no more segments come`() throws {
    let writer = try writer(every: MediaTime(value: 1, timescale: 10))
    let input = Writing.audioInput()
    try start(writer, [input], at: .zero)
    try feed([input], 0..<50)
    writer.cancelWriting()
    let count = collector.segments.count
    #expect(writer.status == .cancelled)
    Thread.sleep(forTimeInterval: 0.05)
    #expect(collector.segments.count <= count + 1)
    #expect(!input.append(try Writing.tone(50 * 1920)))
  }
}
