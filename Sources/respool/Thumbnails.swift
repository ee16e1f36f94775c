import ArgumentParser
import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import Synchronization

struct ThumbnailsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnails",
    abstract: "Shows a film as a sheet of small pictures.",
    discussion: """
      Pictures are taken at even distances and stand upright. Where the output's name has a number in it, \
      such as %03d, each gets a file of its own, as large as the film unless --width says other.

      Example:
        respool thumbnails holiday.mov -o sheet.png
        respool thumbnails film.mkv -o sheet.png --every 60 --columns 6 --width 240
        respool thumbnails film.mkv -o stills/%03d.png --count 8
      """)

  @Argument(help: "The file to read.", completion: .file())
  var file: String

  @Option(
    name: .shortAndLong, help: "The PNG to write, or many with a number in their name.",
    completion: .file())
  var output: String

  @Option(help: "How many pictures to take (default: 12).")
  var count: Int?

  @Option(help: "Take a picture every so many seconds, from the first one on.")
  var every: TimeArgument?

  @Option(help: "How many pictures lie in a row.")
  var columns = 4

  @Option(help: "How wide a picture is at most (default: 320 on a sheet).")
  var width: Int?

  @Flag(help: "Write no times on the pictures of a sheet.")
  var noTimes = false

  @Flag(help: "Replace the output where it is there already.")
  var replace = false

  func validate() throws {
    if count != nil, every != nil {
      throw ValidationError("--count and --every exclude each other")
    }
    if let count, !(1...100_000).contains(count) {
      throw ValidationError("--count is \(count); it takes 1 to 100000")
    }
    if let every, every.time <= .zero { throw ValidationError("--every has to be more than 0") }
    if !(1...1000).contains(columns) {
      throw ValidationError("--columns is \(columns); it takes 1 to 1000")
    }
    if let width, !(8...16384).contains(width) {
      throw ValidationError("--width is \(width); it takes 8 to 16384")
    }
    if FileName.splitExtension(FileName.last(output)).extension != "png" {
      throw ValidationError(
        "\"\(FileName.last(output))\" does not end in .png, which is what is written")
    }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let numbered = NumberedName(output)
      if numbered == nil {
        try OutputFile(path: output, replaces: replace).check(reading: [file])
      }
      let asset = Asset(path: file, registry: PluginRegistry())
      var generator = try AssetImageGenerator(asset: asset)
      generator.appliesPreferredTrackTransform = true
      let most = width ?? (numbered == nil ? 320 : 0)
      generator.maximumSize = VideoDimensions(width: most, height: 0)
      let times = try times(in: try generator.timeRange())
      if let numbered {
        try writeEach(times, generator, numbered)
      } else {
        try writeSheet(times, generator)
      }
    }
  }

  /// In the middle of as many equal parts, or from the start on.
  private func times(in range: TimeRange) throws(MediaError) -> [MediaTime] {
    guard let every else {
      let parts = Int32(clamping: count ?? 12)
      return (0..<parts).map { index in
        range.start + range.duration.multiplied(by: 2 * index + 1, dividedBy: 2 * parts)
      }
    }
    var times: [MediaTime] = []
    var time = range.start
    while time < range.end {
      guard times.count < 100_000 else {
        throw MediaError(
          .invalidArgument, "a picture every \(every.time.seconds) s makes more than 100000")
      }
      times.append(time)
      time += every.time
    }
    return times
  }

  private func writeSheet(_ times: [MediaTime], _ generator: AssetImageGenerator)
    throws(MediaError)
  {
    let plan = ImageSheet(columns: columns)
    // So that nothing is decoded for a sheet that cannot be drawn.
    if let size = generator.pictureSize { _ = try plan.size(of: times.count, size) }
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
          return ($0, noTimes ? "" : Self.label(time, tenths: hasFractions && isShort))
        }
      })
    try OutputFile(path: output, replaces: replace).write(try PNGWriter.bytes(sheet))
  }

  private func writeEach(
    _ times: [MediaTime], _ generator: AssetImageGenerator, _ name: NumberedName
  ) throws(MediaError) {
    let outputs = times.indices.map {
      OutputFile(path: name[$0 + 1], replaces: replace, number: $0)
    }
    for output in outputs { try output.check(reading: [file]) }
    var completed = 0
    do throws(MediaError) {
      let stop = ReadCancellation()
      try StopSignal.watch { stop.cancel() }
      try generator.images(at: times, threads: coreCount(), cancelledBy: stop) {
        (index, image) throws(MediaError) in
        try outputs[index].prepare(try PNGWriter.bytes(image))
      }
      for output in outputs {
        try output.complete()
        completed += 1
      }
    } catch {
      // A part of a set would look like one, and be in the way of the next run.
      for output in outputs[completed...] { output.discard() }
      if !replace { for output in outputs[..<completed] { output.remove() } }
      throw error
    }
  }

  /// As `m:ss` or `h:mm:ss`, cut to whole seconds or tenths.
  private static func label(_ time: MediaTime, tenths: Bool) -> String {
    let parts = time.convertScale(10, method: .roundTowardZero).value
    let seconds = parts / 10
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
      + (tenths ? ".\(parts % 10)" : "")
  }
}

/// A name with a number in it, as `%d` or, with leading zeros, `%03d`.
struct NumberedName: Sendable {
  private let before: String
  private let after: String
  private let digits: Int

  /// Nil for a name without.
  init?(_ name: String) {
    for start in name.indices where name[start] == "%" {
      let rest = name[name.index(after: start)...]
      let width = rest.prefix { $0.isASCII && $0.isNumber }
      guard rest.dropFirst(width.count).first == "d", width.isEmpty || width.first == "0",
        width.count <= 3, let digits = width.isEmpty ? 1 : Int(width), digits <= 19
      else { continue }
      before = String(name[..<start])
      after = String(rest.dropFirst(width.count + 1))
      self.digits = digits
      return
    }
    return nil
  }

  subscript(number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }
}
