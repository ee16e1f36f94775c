/// A request of a browser: GET or HEAD.
public struct WebRequest: Sendable {
  /// Path of the address, without the query; always begins with a slash, and is not decoded.
  public let path: String
  /// Parts of the query by their names, decoded; the last of several with the same name counts.
  public let query: [String: String]
  /// Name in the field Host in lower case, without a port; `nil` if there is none, or several.
  public let hostName: String?
  /// Range of bytes that is wanted of a file; `nil` for all.
  public let range: ByteRange?
  /// User that has sent it, if that is one of this machine and known.
  public let user: UInt32?

  init(target: String, hosts: [String], range: String?, user: UInt32?) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = parts.first.map(String.init) ?? "/"
    query = Dictionary(
      (parts.count > 1 ? parts[1] : "").split(separator: "&").map { part in
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (Self.decoded(pair[0]), pair.count > 1 ? Self.decoded(pair[1]) : "")
      }, uniquingKeysWith: { $1 })
    hostName = hosts.count == 1 ? hosts.first.map { Self.name(of: $0) } : nil
    self.range = range.flatMap(ByteRange.init)
    self.user = user
  }

  /// Returns the name in a field Host (RFC 9110, 7.2), which may end with a dot.
  private static func name(of host: String) -> String {
    if host.hasPrefix("[") { return host.prefix { $0 != "]" } + "]" }
    let name = host.lowercased().prefix { $0 != ":" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }

  /// Returns a part of a query without its percent-encoding (RFC 3986, 2.1).
  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A range of bytes of a file that a browser wants (RFC 9110, 14.1.2).
public enum ByteRange: Hashable, Sendable {
  /// Bytes from one position to another, which belongs to the range; `nil` for the end of the file.
  case from(Int, to: Int?)
  /// The last bytes of a file.
  case last(Int)

  /// Reads the field Range; `nil` for several ranges, other units, and what is no range, all of which may be ignored.
  init?(_ field: String) {
    guard field.hasPrefix("bytes=") else { return nil }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    func number(_ text: Substring) -> Int? {
      text.isEmpty || !text.utf8.allSatisfy { (48...57).contains($0) } ? nil : Int(text)
    }
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty, let count = number(ends[1]) {
      self = .last(count)
    } else if let first = number(ends[0]) {
      let last = number(ends[1])
      guard ends[1].isEmpty || last.map({ $0 >= first }) ?? false else { return nil }
      self = .from(first, to: last)
    } else {
      return nil
    }
  }

  /// Returns the positions in a file of `size` bytes; `nil` if the file has none of them.
  func positions(of size: Int) -> Range<Int>? {
    switch self {
    case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
    case .from(let first, let last):
      first < size ? first..<min(size - 1, last ?? size - 1) + 1 : nil
    }
  }
}
