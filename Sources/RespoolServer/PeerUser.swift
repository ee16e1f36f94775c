import Glibc

/// The user of a program that is connected to this one over the loopback interface.
enum PeerUser {
  /// Returns the user of the program at the other end of a connection over IPv4; `nil` if it is on another machine or not
  /// known.
  ///
  /// `peer` is its address and `port` its port.
  static func user(of peer: String, _ port: Int) -> UInt32? {
    var address = in_addr()
    guard inet_pton(AF_INET, peer, &address) == 1 else { return nil }
    // The kernel writes the address as a number in the order of its bytes in memory.
    let wanted = hexadecimal(UInt64(address.s_addr), 8) + ":" + hexadecimal(UInt64(port), 4)
    for line in lines(of: "/proc/net/tcp") {
      // Number, local address, other address, state, queues, timer, retransmissions, user (proc_net_tcp.txt of the kernel).
      let fields = line.split(separator: " ")
      guard fields.count > 7, fields[1] == wanted else { continue }
      return UInt32(fields[7])
    }
    return nil
  }

  private static func lines(of path: String) -> [Substring] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count > 0 { text += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().map(\.self)
  }

  private static func hexadecimal(_ value: UInt64, _ digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
