import Glibc

/// Conversion of path names between bytes and text, without loss.
///
/// A path on Linux is any bytes but zero; a Swift `String` is Unicode. Bytes that are not UTF-8 become characters of
/// a private plane, U+10FF00 + byte, which no real name uses. A name with such characters is converted byte by byte.
/// Every path in Respool is therefore a `String`, and only calls into the system convert it to bytes.
public enum PathName {
  static let firstByteScalar: UInt32 = 0x10FF00

  /// Returns the text that represents the bytes of a path.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value >= firstByteScalar })
    {
      return text
    }
    var scalars = String.UnicodeScalarView()
    var rest = Array(bytes)[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      if let text = String(validating: rest.prefix(length), as: UTF8.self),
        let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1,
        scalar.value < firstByteScalar
      {
        scalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let scalar = Unicode.Scalar(firstByteScalar + UInt32(first)) { scalars.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return String(scalars)
  }

  /// Returns the bytes of the path that `text` represents.
  public static func bytes(_ text: String) -> [UInt8] {
    if !text.unicodeScalars.contains(where: { $0.value >= firstByteScalar }) {
      return Array(text.utf8)
    }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.value >= firstByteScalar, scalar.value <= firstByteScalar + 0xFF {
        bytes.append(UInt8(scalar.value - firstByteScalar))
      } else {
        bytes.append(contentsOf: Array(String(scalar).utf8))
      }
    }
    return bytes
  }

  /// Calls `body` with the path as the system takes it.
  package static func withSystemPath<R>(_ path: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
    let bytes = bytes(path).map { CChar(bitPattern: $0) } + [0]
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return body("") }
      return body(base)
    }
  }

  /// Returns the text of a zero-terminated name from the system.
  package static func text(system name: UnsafePointer<CChar>) -> String {
    let count = strlen(name)
    return name.withMemoryRebound(to: UInt8.self, capacity: count) {
      text(UnsafeBufferPointer(start: $0, count: count))
    }
  }
}

/// The parts of a path, which `/` separates.
extension PathName {
  /// Returns the part after the last slash.
  package static func last(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Returns the part before the last slash; `.` if the path has no slash.
  package static func folder(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name without its last extension, and that extension in lower case without the dot.
  ///
  /// A dot at the start of a name starts no extension, nor does one in front of one or two digits: `v1.2`.
  package static func splitExtension(_ name: String) -> (stem: String, extension: String) {
    let bytes = Array(name.utf8)
    let count = bytes.withUnsafeBytes { stemLength(of: $0) }
    guard count < bytes.count else { return (name, "") }
    let dot = name.utf8.index(name.startIndex, offsetBy: count)
    return (String(name[..<dot]), name[name.utf8.index(after: dot)...].lowercased())
  }

  /// Returns the number of bytes of a name before its last extension; of all if it has none.
  ///
  /// The rules are those of `splitExtension`.
  package static func stemLength(of name: UnsafeRawBufferPointer) -> Int {
    var dot = name.count - 1
    while dot >= 0, name[dot] != UInt8(ascii: ".") { dot -= 1 }
    guard dot > 0 else { return name.count }
    let digits = name[(dot + 1)...]
    let isNumber = 1...2 ~= digits.count && digits.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? name.count : dot
  }

  /// Returns the absolute path, without `.`, `..` and empty parts.
  ///
  /// Links are not followed.
  package static func absolute(_ path: String) -> String {
    let slash = UInt8(ascii: "/")
    var whole = bytes(path)
    if whole.first != slash, let folder = getcwd(nil, 0) {
      whole = bytes(text(system: folder)) + [slash] + whole
      free(folder)
    }
    var parts: [ArraySlice<UInt8>] = []
    for part in whole.split(separator: slash) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    return text([slash] + parts.joined(separator: [slash]))
  }

  /// Returns the path that a symbolic link has as its content; `nil` if it cannot be read or is no link.
  package static func linkTarget(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { (buffer) -> Int in
      guard let base = buffer.baseAddress else { return 0 }
      return withSystemPath(path) {
        readlink($0, base.assumingMemoryBound(to: CChar.self), buffer.count)
      }
    }
    return count > 0 ? text(buffer[..<count]) : nil
  }

  package static func join(_ folder: String, _ name: String) -> String {
    if folder.isEmpty || folder == "." { return name }
    return folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
