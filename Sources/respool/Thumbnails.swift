import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct ThumbnailsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnails",
    abstract: "Extracts images from a video, singly or as a sheet.",
    discussion: """
      Images are taken at equal intervals and rotated as players show the video. --at takes one \
      image, as large as the video unless --width is given. If the output's name contains a \
      number, such as %03d, each image gets its own file, of the same size. The extension selects \
      the format: png or jpg.

      Example:
        respool thumbnails holiday.mov -o sheet.png
        respool thumbnails film.mkv -o poster.jpg --at 1:02:30
        respool thumbnails film.mkv -o sheet.png --every 60 --columns 6 --width 240
        respool thumbnails film.mkv -o stills/%03d.png --count 8
        respool thumbnails ~/Videos --to ~/Sheets
      """)

  @Argument(help: "The file to read, or several files and folders.", completion: .file())
  var files: [String]

  @Option(
    name: .shortAndLong, help: "The image to write, or a name with a number for many.",
    completion: .file())
  var output: String?

  @Option(help: "A folder for the images of several files and folders.", completion: .directory)
  var to: String?

  @Option(help: "Take one image at this time, as seconds, m:ss or h:mm:ss.")
  var at: TimeArgument?

  @Option(help: "Number of images (default: 12).")
  var count: Int?

  @Option(help: "Interval between images in seconds, from the start.")
  var every: TimeArgument?

  @Option(help: "Images per row of a sheet (default: 4).")
  var columns: Int?

  @Option(help: "Maximum width of an image in pixels (default: 320 on a sheet).")
  var width: Int?

  @Option(help: "Format of the images with --to (default: png).")
  var format: ImageFileFormat?

  @Flag(help: "Do not write times on the images of a sheet.")
  var noTimes = false

  @OptionGroup
  var target: FolderArguments

  func validate() throws {
    if (output == nil) == (to == nil) {
      throw ValidationError("name the output with -o, or a folder for the outputs with --to")
    }
    if output != nil, FolderArguments.isMany(files) {
      throw ValidationError("-o takes one input file; for several, name a folder with --to")
    }
    if let output { try target.check(files, output) }
    if [count != nil, every != nil, at != nil].count(where: { $0 }) > 1 {
      throw ValidationError("--at, --count and --every exclude each other")
    }
    if let count, !(1...100_000).contains(count) {
      throw ValidationError("--count is \(count); it takes 1 to 100000")
    }
    if let every, every.time <= .zero { throw ValidationError("--every must be more than 0") }
    if let columns, !(1...1000).contains(columns) {
      throw ValidationError("--columns is \(columns); it takes 1 to 1000")
    }
    if let width, !(8...16384).contains(width) {
      throw ValidationError("--width is \(width); it takes 8 to 16384")
    }
    if let output, ImageFileFormat(output: output) == nil {
      throw ValidationError(
        "the output \"\(PathName.last(output))\" has another extension than .png or .jpg")
    }
    try refuseIneffectiveOptions()
  }

  private func refuseIneffectiveOptions() throws {
    let ofSheets: KeyValuePairs = ["--columns": columns != nil, "--no-times": noTimes]
    if at != nil {
      try IneffectiveOptions.refuse(ofSheets, "with --at, which takes one image and makes no sheet")
    }
    guard let output else { return }
    if NumberedName(output) != nil {
      try IneffectiveOptions.refuse(
        ofSheets, "with a number in the output's name: each image gets a file of its own")
    }
    try IneffectiveOptions.refuse(
      ["--format": format != nil], "with -o; the extension of the output selects the format")
  }

  func run() throws {
    if let folder = to {
      return try target.runFolders(
        files, to: folder, fileExtension: (format ?? .png).rawValue, jobs: 1, command: "thumbnails",
        options: words)
    }
    guard let output else { return }
    let report = OutputReport(
      inputs: files, output: output, json: target.json, isOneOfMany: target.oneOfMany)
    try report.reporting { () throws(MediaError) in
      let made = try ThumbnailRun(
        file: files[0], output: output, format: ImageFileFormat(output: output) ?? .png,
        replaces: target.replace, choice: choice, columns: columns ?? 4, width: width,
        showsTimes: !noTimes
      ).run(reporting: report.reportingFatal())
      return [
        "status": .string("converted"), "images": .integer(Int64(made.times.count)),
        "times": .array(
          made.times.map { .number(FileReport.rounded($0.seconds)) }),
        "files": made.files.count > 1 ? .strings(made.files) : nil,
        "width": .integer(Int64(made.width)), "height": .integer(Int64(made.height)),
      ]
    }
  }

  private var choice: ThumbnailRun.Choice {
    if let at { return .at(at.time) }
    if let every { return .every(every.time) }
    return .count(count ?? 12)
  }

  /// Options as command-line arguments, for one file of a folder.
  private var words: [String] {
    var words: [String] = []
    func add(_ name: String, _ value: String?) { if let value { words += [name, value] } }
    add("--columns", columns.map(String.init))
    add("--at", at?.text)
    add("--count", count.map(String.init))
    add("--every", every?.text)
    add("--width", width.map(String.init))
    return words + (noTimes ? ["--no-times"] : [])
  }
}
