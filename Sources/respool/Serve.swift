import ArgumentParser
import Glibc
import RespoolBatch
import RespoolMedia
import RespoolServer

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Shows a page about an output folder in browsers.",
    discussion: """
      Shows the page of `respool report` for an output folder, and keeps it up to date while a batch, a \
      watch or the machines of a plan work on the folder. Files are looked into one after the other, \
      after all other work of the machine.

      Only browsers of the same user on this machine get answers. With --address, other users and \
      machines get them too if they know a token: it is part of the address that is printed. \
      Connections are not encrypted. Sources and outputs are shown as long as they are those of the \
      ledger.

      Example:
        respool serve ~/Converted

      Exit status: 0 ended by Ctrl-C or SIGTERM, 1 the page cannot be shown, 2 wrong usage.
      """)

  @Argument(help: "The output folder of a batch, a watch or a plan.", completion: .directory)
  var folder: String

  @Option(help: "Port to listen at; 0 takes any that is free.")
  var port = 8080

  @Option(help: "Address of this machine to listen at, for browsers of other machines too.")
  var address: String?

  @Option(
    help: ArgumentHelp(
      "Word of at least 16 letters, digits, - and _ that browsers have to know (default: with --address, a random one). Other users can see it among the processes of this machine."
    ))
  var token: String?

  @Option(help: "Maximum number of files that are looked into; 0 takes what the ledger has.")
  var looks = BatchPage.usualLooks

  private static let loopback = "127.0.0.1"

  func validate() throws {
    if !(0...65_535).contains(port) {
      throw ValidationError("--port is \(port); it takes 0 to 65535")
    }
    if !(0...1_000_000).contains(looks) {
      throw ValidationError("--looks is \(looks); it takes 0 to 1000000")
    }
    if let token, token.utf8.count < 16 || !token.utf8.allSatisfy(Self.isOfToken) {
      throw ValidationError("--token takes at least 16 letters, digits, - and _")
    }
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    let letter = Unicode.Scalar(byte)
    return letter.isASCII && (letter.properties.isAlphabetic || ("0"..."9").contains(letter))
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let token = token ?? (address == nil ? nil : Self.randomToken())
      let suffix = token.map { "?token=" + $0 } ?? ""
      let live = try LiveFolder(folder, suffix: suffix)
      let pages = FolderPages(live, token: token, isLocal: address == nil)
      let host = address ?? Self.loopback
      var server: WebServer?
      defer { server?.stop() }
      try live.follow(
        executable: CommandLine.executablePath, most: looks, patience: Patience.seconds
      ) { () throws(MediaError) in
        do {
          let begun = try WebServer(address: host, port: port) { pages.answer($0) }
          CommandOutput.show("http://\(Self.name(of: host)):\(begun.port)/\(suffix)")
          server = begun
        } catch {
          throw failure(error as? ListeningFailure, host)
        }
      }
    }
  }

  private func failure(_ failure: ListeningFailure?, _ host: String) -> MediaError {
    guard let number = failure?.number else {
      return MediaError(.io, "\(host) is no address of this machine")
    }
    return number == EADDRINUSE
      ? MediaError(.io, "another program uses port \(port) of \(host); --port names another one")
      : MediaError(
        .io, "port \(port) of \(host) cannot be opened", cause: String(cString: strerror(number)))
  }

  /// Returns the name by which browsers reach an address: that of this machine for all of its addresses.
  private static func name(of address: String) -> String {
    guard ["0.0.0.0", "::"].contains(address) else {
      return address.contains(":") ? "[\(address)]" : address
    }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return address }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func randomToken() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    var random = SystemRandomNumberGenerator()
    return String((0..<26).map { _ in letters[Int(random.next() & 31)] })
  }
}
