import RespoolMedia

extension FileReport {
  /// Text for people.
  ///
  /// Line feeds in names and tags are escaped, so that no tag can look like a line of the report.
  var text: String {
    if let error { return "\(path.printable()): \(error.printable())" }
    var head = "\(path.printable()): \(container ?? "")"
    if let duration { head += ", \(duration) s" }
    if let size { head += ", \(size.counting("byte"))" }
    var lines = [head]
    for track in tracks ?? [] { lines += track.lines }
    for chapter in chapters ?? [] {
      let language = chapter.language.map { " [\($0)]" } ?? ""
      lines.append("  chapter \(chapter.start) s to \(chapter.end) s\(language): \(chapter.title)")
    }
    for (name, value) in (metadata ?? [:]).sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): \(value)")
    }
    if let warning { lines.append("  note: \(warning)") }
    return lines.map { $0.printable() }.joined(separator: "\n")
  }
}

extension FileReport.Track {
  /// One line for the track, and more lines for its color, its dynamic range and its tags.
  fileprivate var lines: [String] {
    var lines = ["  \(type) \(number.value): " + parts.joined(separator: ", ")]
    if let color = colorText { lines.append("    color: \(color)") }
    lines += (dynamicRange?.lines ?? []).map { "    \($0)" }
    for (name, value) in (metadata ?? [:]).sorted(by: { $0.key < $1.key })
    where name != "language" && !MetadataEntry(name, value).describesSourceFile {
      lines.append("    \(name): \(value)")
    }
    return lines
  }

  private var parts: [String] {
    var parts = [codec ?? "unknown"]
    if let keys, !keys.isEmpty { parts.append(keys.joined(separator: " ")) }
    parts += format
    for format in furtherFormats ?? [] {
      parts.append("then \(format.codec ?? "unknown") \(format.format.joined(separator: " "))")
    }
    if let frameRate { parts.append("\(frameRate) fps") }
    if let fieldOrder, fieldOrder != "progressive" { parts.append("interlaced, \(fieldOrder)") }
    if isMirrored == true { parts.append("mirrored") }
    if let rotation { parts.append("rotated \(rotation) degrees clockwise") }
    if let bitRate { parts.append("\(bitRate / 1000) kb/s") }
    if let duration { parts.append("\(duration) s") }
    if let language { parts.append(language) }
    if let disposition { parts.append(disposition.joined(separator: " ")) }
    return parts
  }

  /// The part of the description that may change within a track.
  private var format: [String] {
    var parts: [String] = []
    if let width, let height { parts.append("\(width)x\(height)") }
    if let sampleAspect { parts.append("pixels \(sampleAspect)") }
    if let pixelFormat { parts.append(pixelFormat) }
    if let sampleRate { parts.append("\(sampleRate) Hz") }
    if let channels { parts.append(channelLayout ?? channels.counting("channel")) }
    if let bitsPerSample { parts.append(bitsPerSample.counting("bit")) }
    return parts
  }

  private var colorText: String? {
    guard let color else { return nil }
    let parts = [
      color.primariesName.map { "primaries \($0)" },
      color.transferName.map { name in
        "transfer \(name)" + (color.highDynamicRangeName.map { " (\($0))" } ?? "")
      },
      color.matrixName.map { "matrix \($0)" }, color.rangeName.map { "\($0) range" },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
