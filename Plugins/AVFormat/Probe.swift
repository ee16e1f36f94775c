import CAVFormat
import RespoolPlugin

/// Detection of a source's format by libavformat from its first bytes.
enum Probe {
  /// Returns a score from 0 to 100, as `Demuxer.probe` defines.
  static func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    var score: Int32 = 0
    func ask(_ name: String) -> UnsafePointer<AVInputFormat>? {
      // The first bytes of many formats are enough to be sure, and take a tenth of the time.
      let first = inputFormat(
        of: UnsafeRawBufferPointer(rebasing: bytes.prefix(headSize)), name, &score)
      return score == AVPROBE_SCORE_MAX ? first : inputFormat(of: bytes, name, &score)
    }
    var format = ask(name)
    if let known = format, String(cString: known.pointee.name) == "image2" { format = ask("") }
    guard let format, score > 0 else { return 0 }
    do throws(MediaError) {
      try ForeignFiles.check(format: String(cString: format.pointee.name))
    } catch {
      // A low score lets `open` report why the file is refused, and lets other plugins claim it.
      return 1
    }
    // AVPROBE_SCORE_EXTENSION is 50. A score that is not higher counts as a match by file name only.
    switch score {
    case AVPROBE_SCORE_MAX...: return 75
    case (AVPROBE_SCORE_EXTENSION + 1)...: return 50
    case AVPROBE_SCORE_EXTENSION: return 25
    default: return 10
    }
  }

  /// Bytes with which libavformat begins when it opens a file (PROBE_BUF_MIN).
  private static let headSize = 2048

  /// Returns the format of the bytes and its score; `nil` if there is none.
  private static func inputFormat(
    of bytes: UnsafeRawBufferPointer, _ name: String, _ score: inout Int32
  ) -> UnsafePointer<AVInputFormat>? {
    // libavformat reads past the end of the bytes: AVProbeData requires zeros there.
    var padded = [UInt8](unsafeUninitializedCapacity: bytes.count + padding) { buffer, count in
      let whole = UnsafeMutableRawBufferPointer(buffer)
      whole.copyMemory(from: bytes)
      UnsafeMutableRawBufferPointer(rebasing: whole[bytes.count...])
        .initializeMemory(as: UInt8.self, repeating: 0)
      count = bytes.count + padding
    }
    return name.withCString { file in
      padded.withUnsafeMutableBufferPointer { buffer in
        var probe = AVProbeData()
        probe.filename = file
        probe.buf = buffer.baseAddress
        probe.buf_size = Int32(clamping: bytes.count)
        return av_probe_input_format3(&probe, 1, &score)
      }
    }
  }

  private static let padding = Int(AVPROBE_PADDING_SIZE)
}
