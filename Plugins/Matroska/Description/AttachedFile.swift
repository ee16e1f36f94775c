import RespoolPlugin

/// An attached file, such as a font or a cover (RFC 9559 5.1.6.1).
struct AttachedFile {
  var uid: UInt64 = 0
  var name = ""
  var mediaType = ""
  var description = ""
  /// The range of its bytes in the source.
  var data: Range<Int64>

  /// Maximum number of files: a file may have a few hundred fonts.
  private static let most = 1000

  /// Parses the AttachedFile elements in an Attachments element of `size` bytes at `start`.
  static func all(from start: Int64, size: Int64, _ window: SourceWindow) throws(MediaError)
    -> [AttachedFile]
  {
    var files: [AttachedFile] = []
    var position = start
    let end = start.addingClamped(size)
    while position < end, files.count < most, let header = try window.header(at: position) {
      let payload = position + Int64(header.length)
      guard let size = header.size, size <= end - payload else {
        throw MediaError(
          .malformed, "\(header.id) is larger than the rest of Attachments", offset: position,
          path: "Segment/Attachments")
      }
      if header.id == .attachedFile {
        let path = "Segment/Attachments/AttachedFile" + (files.isEmpty ? "" : "[\(files.count)]")
        do throws(MediaError) {
          if let file = try one(from: payload, to: payload + size, window) { files.append(file) }
        } catch { throw error.inElement(path) }
      }
      position = payload + size
    }
    return files
  }

  /// Parses an AttachedFile element.
  ///
  /// Returns `nil` if FileData is missing or incomplete.
  private static func one(from start: Int64, to end: Int64, _ window: SourceWindow)
    throws(MediaError) -> AttachedFile?
  {
    var file = AttachedFile(data: 0..<0)
    var position = start
    for _ in 0..<100 {
      guard position < end, let header = try window.header(at: position) else { break }
      let payload = position + Int64(header.length)
      guard let size = header.size, size <= end - payload else {
        throw MediaError(
          .malformed, "\(header.id) is larger than the rest of AttachedFile", offset: position)
      }
      position = payload + size
      if header.id == .fileData {
        if let whole = window.source.size, payload + size > whole {
          throw MediaError(
            .malformed, "FileData has \(size.counting("byte")), more than the file has left",
            offset: payload)
        }
        file.data = payload..<payload + size
        continue
      }
      guard size <= 1 << 16 else { continue }
      let bytes = try window.bytes(at: payload, count: Int(size))
      let part = EBMLElement(header.id, in: "", payload: ByteReader(bytes, origin: payload))
      switch header.id {
      case .fileUID: file.uid = try part.unsigned
      case .fileName: file.name = part.text
      case .fileMediaType: file.mediaType = part.text
      case .fileDescription: file.description = part.text
      default: break
      }
    }
    return file.data.isEmpty ? nil : file
  }

  /// FFmpeg's codec name if the file is a picture, otherwise `nil`.
  var pictureCodec: String? {
    switch mediaType.lowercased() {
    case "image/jpeg", "image/jpg", "image/pjpeg": "mjpeg"
    case "image/png", "image/x-png": "png"
    case "image/gif": "gif"
    case "image/tiff": "tiff"
    case "image/webp": "webp"
    case "image/bmp", "image/x-ms-bmp": "bmp"
    default: nil
    }
  }

  /// FFmpeg's codec name for the file type.
  ///
  /// `bin_data` for most.
  var codec: String {
    let type = mediaType.lowercased()
    let suffix = name.lowercased().suffix(4)
    if type.hasSuffix("opentype") || type.hasSuffix("otf") || suffix == ".otf" { return "otf" }
    if type.hasSuffix("truetype-font") || type.hasSuffix("ttf") || suffix == ".ttf" { return "ttf" }
    return "bin_data"
  }
}
