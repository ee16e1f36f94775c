import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct CombinableSegments {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a writer of one-second segments that can be combined with those of other writers.
  private func writer(
    _ collector: Segments.Collector, number: Int = 1, container: String = "mp4"
  ) throws -> AssetWriter {
    let writer = try AssetWriter(container: container, registry: Pipeline.registry)
    writer.delegate = collector
    writer.preferredOutputSegmentInterval = Writing.time(25)
    writer.initialSegmentStartTime = .zero
    writer.initialMovieFragmentSequenceNumber = number
    writer.producesCombinableFragments = true
    return writer
  }

  private func finish(_ writer: AssetWriter) throws {
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
  }

  /// Writes a file with the header of the first collector and the segments of all, and returns its path.
  private func joined(_ name: String, _ parts: [Segments.Collector]) throws -> String {
    let path = scratch.path(name)
    let segments = parts.flatMap { $0.segments.flatMap(\.data) }
    try Data((parts.first?.header ?? []) + segments).write(to: URL(filePath: path))
    return path
  }

  /// Passes through the samples of a clip's tracks for which `isIn` returns `true`.
  private func copy(
    _ name: String, _ collector: Segments.Collector, number: Int = 1, isCombinable: Bool = true,
    in container: String = "mp4", where isIn: (SampleBuffer) -> Bool
  ) throws {
    let writer = try writer(collector, number: number, container: container)
    writer.producesCombinableFragments = isCombinable
    let samples = try AssetFixture.asset(name).tracks().map { track in
      (Writing.copyingInput(track), try Writing.stored(track).filter(isIn))
    }
    try Writing.start(writer, samples.map(\.0))
    try Writing.append(samples)
    try finish(writer)
  }

  private func packets(_ path: String) throws -> [String] {
    let fields = "packet=stream_index,pts,dts,duration,size,flags,data_hash"
    let lines = try Writing.probe(
      path, ["-show_packets", "-show_data_hash", "md5", "-show_entries", fields])
    return lines.split(separator: "\n").map(String.init).sorted()
  }

  @Test(.rule("Combinable fragments of several writers make one movie"))
  func `halves of two writers equal the whole of one`() throws {
    let clip = "clap-and-flash.mp4"
    // Presentation time of the second sync sample. All samples after it in decoding order are shown after it.
    let cut = MediaTime(value: 19456, timescale: 12800)
    let (whole, first, second) = (
      Segments.Collector(), Segments.Collector(), Segments.Collector()
    )
    try copy(clip, whole) { _ in true }
    try copy(clip, first) { $0.presentationTimeStamp < cut }
    try copy(clip, second, number: first.segments.count + 1) { $0.presentationTimeStamp >= cut }
    #expect(whole.header == first.header && whole.header == second.header)

    let one = try joined("one.mp4", [whole])
    let both = try joined("both.mp4", [first, second])
    let expected = try packets(one)
    #expect(expected.count == 145)
    #expect(try packets(both) == expected)
    let hashes = try Writing.frameHashes(one).sorted()
    #expect(hashes.count > 100)
    #expect(try Writing.frameHashes(both).sorted() == hashes)
    // A writer without combinable segments writes another header, but the same media.
    let plain = Segments.Collector()
    try copy(clip, plain, isCombinable: false) { _ in true }
    #expect((plain.header == whole.header) as Bool == false)
    #expect(try Writing.frameHashes(joined("plain.mp4", [plain])).sorted() == hashes)
    // The presentation times are those of the source.
    #expect(
      try Pipeline.pictures(both).map(\.presentationTimeStamp)
        == Pipeline.pictures(Pipeline.clip(clip)).map(\.presentationTimeStamp))

    let data = [UInt8](try Data(contentsOf: URL(filePath: both)))
    let numbers = Writing.boxes("moof/mfhd", in: data[...]).map { $0.last }
    #expect(numbers == [1, 2, 3].prefix(numbers.count).map { $0 } && numbers.count >= 2)
  }

  @Test(arguments: [FileTypeProfile?.none, .mpeg4AppleHLS])
  func `encoded parts join without a seam`(profile: FileTypeProfile?) throws {
    var parts: [Segments.Collector] = []
    // Without edit lists, no sample can have a decode time before 0. The frames begin at 10 s then.
    let start = profile == nil ? 0 : 250
    for part in 0..<2 {
      let collector = Segments.Collector()
      let writer = try writer(collector, number: part + 1)
      writer.outputFileTypeProfile = profile
      let inputs = [Writing.videoInput(), Writing.audioInput()]
      try Writing.start(writer, inputs)
      for number in (start + part * 25)..<(start + part * 25 + 25) {
        try #require(inputs[0].append(Writing.picture(number, gray: UInt8(40 + number % 100))))
        try #require(inputs[1].append(Writing.tone(number * 1920)))
      }
      try finish(writer)
      parts.append(collector)
    }
    #expect((parts[0].header == parts[1].header) as Bool)
    let pictures = try Pipeline.pictures(try joined("parts.mp4", parts))
    #expect(pictures.map(\.presentationTimeStamp) == (start..<start + 50).map { Writing.time($0) })
  }

  @Test func `audio of a later part is heard at its time`() throws {
    let second = MediaTime(value: 1, timescale: 1)
    let isEarly = { (sample: SampleBuffer) in sample.presentationTimeStamp < second }
    let isLate = { (sample: SampleBuffer) in sample.presentationTimeStamp >= second + second }
    let (whole, first, last) = (Segments.Collector(), Segments.Collector(), Segments.Collector())
    try copy("speech.wav", whole, in: "mov") { isEarly($0) || isLate($0) }
    try copy("speech.wav", first, in: "mov", where: isEarly)
    try copy("speech.wav", last, number: 2, in: "mov", where: isLate)
    #expect(whole.header == first.header && whole.header == last.header)
    let both = try packets(joined("both.mov", [first, last]))
    #expect(both.count > 20000)
    #expect(Set(try packets(joined("one.mov", [whole]))).symmetricDifference(both) == [])
    let times = both.compactMap { Int($0.split(separator: ",")[1]) }
    #expect(times.min() == 0 && times.contains { $0 >= 44100 })
    #expect(!times.contains { (24000..<44100).contains($0) })
  }

  @Test func `an input without samples keeps its track`() throws {
    let (whole, sound) = (Segments.Collector(), Segments.Collector())
    try copy("clap-and-flash.mp4", whole) { _ in true }
    try copy("clap-and-flash.mp4", sound) { $0.formatDescription.mediaType == .audio }
    #expect((whole.header == sound.header) as Bool)
    #expect(sound.segments.allSatisfy { $0.report.trackReports.map(\.trackID) == [2] })
    let lines = try Writing.probe(
      try joined("sound.mp4", [sound]), ["-v", "error", "-show_entries", "packet=stream_index"])
    #expect(Set(lines.split(separator: "\n")) == ["1"])
  }

  @Test func `a frame that is decoded long before the session fails the writer`() throws {
    let collector = Segments.Collector()
    let (writer, input) = (try writer(collector), Writing.videoInput())
    try Writing.start(writer, [input])
    input.append(try Writing.picture(-275))
    writer.finishWritingAndWait()
    #expect(writer.status == .failed)
    #expect(writer.error?.message.contains("has to start that much later") == true)
  }

  @Test(.rule) func `fragments are combinable only if that is set before writing starts`() throws {
    let writer = try AssetWriter(container: "mp4", registry: Pipeline.registry)
    #expect(!writer.producesCombinableFragments)
    let collector = Segments.Collector()
    writer.delegate = collector
    writer.preferredOutputSegmentInterval = .indefinite
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    writer.producesCombinableFragments = true
    #expect(!writer.producesCombinableFragments)
    try #require(input.append(Writing.picture(25)))
    try finish(writer)
    // An empty edit states that the first frame is late, which is true for this writer only.
    let edit = Writing.boxes("moov/trak/edts/elst", in: collector.header[...]).first
    #expect(edit?.dropFirst(4).prefix(4).last == 2)
  }
}
