import Foundation
import Testing

/// Tests that convert images and look at them with other programs.
protocol ImageTests {
  var folder: TemporaryFolder { get }
}

extension ImageTests {
  func run(_ program: String, _ arguments: [String]) throws -> String {
    let result = try Running(
      ["/usr/bin/" + program] + arguments, environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    try #require(result.status == 0, "\(program) \(arguments): \(result.errors)")
    return result.output
  }

  func ffmpeg(_ arguments: [String]) throws {
    _ = try run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
  }

  /// Makes a photo with few straight lines.
  func photo(_ name: String, size: String = "320x200", format: String = "yuvj420p") throws {
    try FileManager.default.createDirectory(
      atPath: (folder(name) as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true)
    try ffmpeg([
      "-f", "lavfi", "-i", "mandelbrot=s=\(size):start_scale=0.3,gblur=sigma=3", "-frames:v", "1",
      "-pix_fmt",
      format, "-q:v", "2", folder(name),
    ])
  }

  /// Converts an image, and returns it as PNG as another program shows it.
  func converted(_ name: String, _ format: String) throws -> String {
    let preset = (format as NSString).deletingPathExtension
    let output = folder("out-" + (name as NSString).deletingPathExtension + "-" + format)
    let result = try Respool.run("convert", folder(name), output, "--preset", preset)
    try #require(result.status == 0, "\(result.errors)")
    return output
  }

  /// Returns an image as PNG, upright.
  func shown(_ path: String) throws -> String {
    let output = path + ".shown.png"
    switch (path as NSString).pathExtension {
    case "avif", "heic": _ = try run("heif-convert", [path, output])
    case "jxl": _ = try run("djxl", [path, output])
    default: try ffmpeg(["-i", path, output])
    }
    return output
  }

  /// Returns the similarity of two images in dB, with a filter for the second one.
  func similarity(_ path: String, _ other: String, filter: String = "null") throws
    -> Double
  {
    let text = try Running(
      [
        "/usr/bin/ffmpeg", "-nostdin", "-v", "info", "-i", path, "-i", other, "-lavfi",
        "[0]format=gbrp[a];[1]\(filter),format=gbrp[b];[a][b]psnr", "-f", "null", "-",
      ], environment: ["PATH=/usr/bin:/bin"], folder: nil
    ).wait()
    let value = try #require(
      text.errors.components(separatedBy: "average:").last?.split(separator: " ").first,
      "\(text.errors)")
    return value == "inf" ? .infinity : try #require(Double(value))
  }
}
