import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import Synchronization

/// A run that takes images out of one file and writes them.
struct ThumbnailRun {
  /// Times at which images are taken.
  enum Choice {
    /// One image, at the given time.
    case at(MediaTime)
    /// One image in the middle of each of this many equal parts.
    case count(Int)
    /// Images at this interval, from the first frame on.
    case every(MediaTime)
  }

  /// The times and the size of the written images.
  struct Result {
    var times: [MediaTime]
    var files: [String]
    /// Size of an image, or of the sheet, in pixels.
    var width = 0
    var height = 0
  }

  let file: String
  let output: String
  let format: ImageFileFormat
  let replaces: Bool
  let choice: Choice
  let columns: Int
  /// Width of an image in pixels.
  ///
  /// `nil` for 320 on a sheet, else the width of the video.
  let width: Int?
  let showsTimes: Bool

  private let registry = PluginRegistry()

  init(
    file: String, output: String, format: ImageFileFormat, replaces: Bool, choice: Choice,
    columns: Int, width: Int?, showsTimes: Bool
  ) {
    self.file = file
    self.output = output
    self.format = format
    self.replaces = replaces
    self.choice = choice
    self.columns = columns
    self.width = width
    self.showsTimes = showsTimes
  }

  private var isPoster: Bool { if case .at = choice { true } else { false } }

  /// Makes the images.
  ///
  /// `report` is called before the process ends because it took too much memory.
  func run(reporting report: @escaping @Sendable (MediaError) -> Void) throws(MediaError) -> Result
  {
    let numbered = NumberedName(output)
    if numbered == nil {
      try OutputFile(path: output, replaces: replaces).check(reading: [file])
    }
    CommandSandbox.keepPrivate([file])
    try CommandSandbox.enter(
      registry, reading: [file], drawsText: numbered == nil && !isPoster && showsTimes,
      writing: numbered.map { OutputBroker.Outputs(numbered: $0, output, replacing: replaces) }
        ?? OutputBroker.Outputs(output, replacing: replaces), reporting: report)
    var asset = Asset(path: file, registry: registry)
    let media = try asset.mediaDescription()
    if media.endsEarly {
      // The header declares a time for which there is no frame.
      asset = Asset(path: file, registry: registry, prefersPreciseDurationAndTiming: true)
      let reason = media.warning ?? "it is shorter than its header declares"
      CommandError.note("respool: note: \(file): the source ends early: \(reason)")
    }
    var generator = try AssetImageGenerator(asset: asset)
    if !asset.providesPreciseDurationAndTiming, !generator.isOfStillImage,
      let stated = try? generator.timeRange(), try !generator.hasFrame(nearEndOf: stated)
    {
      // Images at times after the last frame would all be that frame.
      asset = Asset(path: file, registry: registry, prefersPreciseDurationAndTiming: true)
      generator = try AssetImageGenerator(asset: asset)
      let end = try generator.timeRange().end
      if (stated.end.seconds - end.seconds) > 1 {
        CommandError.note(
          "respool: note: \(file): the header states \(stated.end.seconds.decimalText) s, and the "
            + "last frame ends at \(end.seconds.decimalText) s")
      }
    }
    generator.appliesPreferredTrackTransform = true
    let isSheet = numbered == nil && !isPoster
    generator.maximumSize = VideoDimensions(width: width ?? (isSheet ? 320 : 0), height: 0)
    let times = try times(generator)
    if let numbered { return try writeEach(times, generator, numbered) }
    return try isSheet ? writeSheet(times, generator) : writePoster(times[0], generator)
  }

  private func times(_ generator: AssetImageGenerator) throws(MediaError) -> [MediaTime] {
    guard !generator.isOfStillImage else { return [.zero] }
    switch choice {
    case .at(let time):
      let range = try? generator.timeRange()
      if let end = range?.end, time >= end {
        throw MediaError(
          .invalidArgument, "the video ends at \(end.seconds) s, before \(time.seconds) s",
          file: file)
      }
      return [time]
    case .count(let count):
      let range = try generator.timeRange()
      let parts = Int32(clamping: count)
      return (0..<parts).map { index in
        range.start + range.duration.multiplied(by: 2 * index + 1, dividedBy: 2 * parts)
      }
    case .every(let distance):
      let range = try generator.timeRange()
      var times: [MediaTime] = []
      var time = range.start
      while time < range.end {
        guard times.count < 100_000 else {
          throw MediaError(
            .invalidArgument, "an image every \(distance.seconds) s makes more than 100000 images")
        }
        times.append(time)
        time += distance
      }
      return times
    }
  }

  private func writePoster(_ time: MediaTime, _ generator: AssetImageGenerator)
    throws(MediaError) -> Result
  {
    try write(try generator.copyImage(at: time).image, [time])
  }

  private func writeSheet(_ times: [MediaTime], _ generator: AssetImageGenerator)
    throws(MediaError) -> Result
  {
    let plan = ImageSheet(columns: columns)
    // Checked first, so that nothing is decoded for a sheet that cannot be drawn.
    if let size = generator.imageSize { _ = try plan.size(of: times.count, size) }
    let made = Mutex<[Int: PixelBuffer]>([:])
    let stop = ReadCancellation()
    try StopSignal.watch { stop.cancel() }
    try generator.images(at: times, threads: coreCount(), cancelledBy: stop) {
      (index, image) throws(MediaError) in
      made.withLock { $0[index] = image }
    }
    let images = made.withLock { $0 }
    let hasFractions = times.contains { $0.value % Int64(max(1, $0.timescale)) != 0 }
    let isShort = (times.last?.seconds ?? 0) < 60 * Double(max(1, times.count)) / 4
    let sheet = try plan.draw(
      times.indices.compactMap { index in
        images[index].map {
          let time = times[index]
          return ($0, showsTimes ? Self.label(time, tenths: hasFractions && isShort) : "")
        }
      })
    return try write(sheet, times)
  }

  private func write(_ image: PixelBuffer, _ times: [MediaTime]) throws(MediaError) -> Result {
    try OutputFile(path: output, replaces: replaces).write(
      try format.encode(image, registry: registry))
    return Result(times: times, files: [output], width: image.width, height: image.height)
  }

  private func writeEach(
    _ times: [MediaTime], _ generator: AssetImageGenerator, _ name: NumberedName
  ) throws(MediaError) -> Result {
    let names = times.indices.map { name[$0 + 1] }
    for name in names { try OutputFile(path: name, replaces: replaces).check(reading: [file]) }
    for folder in Set(names.map { PathName.folder($0) }) { try Self.makeOutputFolder(folder) }
    let set = try PendingSet(for: names)
    defer { set.end() }
    let outputs = set.files.map { OutputFile($0, replaces: replaces) }
    var completed = 0
    let size = Mutex((width: 0, height: 0))
    do throws(MediaError) {
      let stop = ReadCancellation()
      try StopSignal.watch {
        stop.cancel()
      } discarding: {
        set.discard()
      }
      try generator.images(at: times, threads: coreCount(), cancelledBy: stop) {
        (index, image) throws(MediaError) in
        size.withLock { $0 = (image.width, image.height) }
        try outputs[index].prepare(try format.encode(image, registry: registry))
      }
      for output in outputs {
        try output.complete()
        completed += 1
      }
    } catch {
      // An incomplete set would look like a complete one, and would block the next run.
      for output in outputs[completed...] { output.discard() }
      if !replaces { for output in outputs[..<completed] { output.remove() } }
      throw error
    }
    let (width, height) = size.withLock { $0 }
    return Result(times: times, files: outputs.map(\.path), width: width, height: height)
  }

  private static func makeOutputFolder(_ path: String) throws(MediaError) {
    guard !makeFolder(path) else { return }
    throw MediaError(
      .io, "the folder cannot be created", file: path, cause: String(cString: strerror(errno)))
  }

  /// Returns the time as `m:ss` or `h:mm:ss`, cut to whole seconds or tenths.
  private static func label(_ time: MediaTime, tenths: Bool) -> String {
    let parts = time.convertScale(10, method: .roundTowardZero).value
    let seconds = parts / 10
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
      + (tenths ? ".\(parts % 10)" : "")
  }
}
