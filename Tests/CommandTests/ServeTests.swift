import Foundation
import Glibc
import Testing

/// The page of an output folder in browsers.
@Suite struct ServeTests {
  private let folder = TemporaryFolder()

  private func convert() throws {
    let run = try Respool.run(
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--quiet")
    #expect(run.status <= 1, "\(run.errors)")
  }

  /// Starts a server, and returns it with its port and what follows the address.
  private func serve(_ more: [String] = []) throws -> (Running, port: Int, query: String) {
    let running = try Respool.start(["serve", folder("out"), "--port", "0"] + more)
    try running.wait(until: "an address") { running.output.hasSuffix("\n") }
    let address = try #require(
      URLComponents(string: running.output.trimmingCharacters(in: .newlines)))
    #expect(address.path == "/")
    return (running, try #require(address.port), address.query ?? "")
  }

  private struct Answer {
    var status: Int
    var fields: [String: String]
    var body: [UInt8]

    var json: [String: Any] {
      get throws {
        try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
      }
    }
    var rows: [[Any]] { get throws { try #require(json["rows"] as? [[Any]]) } }
    var counts: [String: Int] {
      get throws {
        try #require((json["summary"] as? [String: Any])?["counts"] as? [String: Int])
      }
    }
  }

  /// Returns a socket that is connected to the server.
  private func connected(_ port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    return descriptor
  }

  /// Sends a request, and returns the answer.
  private func ask(
    _ target: String, _ port: Int, method: String = "GET", host: String = "localhost",
    fields: [String] = []
  ) throws -> Answer {
    let descriptor = try connected(port)
    defer { close(descriptor) }
    let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
    let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    try #require(write(descriptor, request, request.count) == request.count)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    let end = try #require(Data(bytes).range(of: Data("\r\n\r\n".utf8)))
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(
      separatedBy: "\r\n")
    var found: [String: String] = [:]
    for line in head.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      found[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let status = try #require(
      head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return Answer(status: status, fields: found, body: Array(bytes[end.upperBound...]))
  }

  /// Asks for all rows until a condition holds.
  private func rows(
    _ port: Int, after: Int = 0, until what: String, _ running: Running,
    _ condition: @escaping ([[Any]]) -> Bool
  ) throws -> Answer {
    var answer: Answer?
    try running.wait(until: what) {
      answer = try? ask("/data.json?after=\(after)", port)
      return (try? answer?.rows).map { condition($0) } ?? false
    }
    return try #require(answer)
  }

  @Test func `rows, totals and both files of each row are served`() throws {
    try folder.add("speech.wav", as: "in/a <b>&.wav")
    try Data("no media".utf8).write(to: URL(fileURLWithPath: folder("in/broken.wav")))
    try convert()
    let (running, port, _) = try serve()
    let answer = try rows(port, until: "two rows", running) { $0.count == 2 }
    #expect(try answer.counts["converted"] == 1)
    #expect(try answer.counts["failed"] == 1)
    let row = try #require(try answer.rows.first { $0[4] as? String == "converted" })
    let made = try #require(FileManager.default.contents(atPath: folder("out/a <b>&.opus")))
    let link = "/" + (try #require(row[3] as? String))
    let file = try ask(link, port)
    #expect(file.body == Array(made))
    #expect(file.fields["content-type"] == "audio/ogg")
    let source = try ask("/" + (try #require(row[2] as? String)), port)
    #expect(Data(source.body) == FileManager.default.contents(atPath: folder("in/a <b>&.wav")))
    let part = try ask(link, port, fields: ["Range: bytes=10-19"])
    #expect(part.status == 206)
    #expect(part.body == Array(made[10..<20]))
    #expect(part.fields["content-range"] == "bytes 10-19/\(made.count)")
    #expect(try ask(link, port, fields: ["Range: bytes=-4"]).body == Array(made.suffix(4)))
    #expect(try ask(link, port, fields: ["Range: bytes=9999999-"]).status == 416)
    let head = try ask(link, port, method: "HEAD")
    #expect(head.body.isEmpty && head.fields["content-length"] == "\(made.count)")
    let page = try ask("/", port)
    #expect(page.status == 200)
    #expect(String(decoding: page.body, as: UTF8.self).contains("1 converted"))
  }

  @Test func `a link stays valid when its row comes again with details`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve()
    try running.wait(until: "details of the file") {
      (try? ask("/data.json?after=1", port).rows.count) == 1
    }
    for number in 0...1 {
      let file = try ask("/output/\(number)/a.opus", port)
      #expect(file.status == 200)
      #expect(
        file.fields["content-security-policy"]?.hasPrefix(
          "sandbox allow-same-origin; default-src 'none';")
          == true)
    }
    #expect(try ask("/output/2/a.opus", port).status == 404)
  }

  @Test func `only the files of the ledger are served, not what is in their places later`() throws {
    for name in ["a.wav", "b.wav"] { try folder.add("speech.wav", as: "in/" + name) }
    try Data("a secret".utf8).write(to: URL(fileURLWithPath: folder("secret")))
    try FileManager.default.createSymbolicLink(
      atPath: folder("in/c.wav"), withDestinationPath: folder("secret"))
    try Data("no media".utf8).write(to: URL(fileURLWithPath: folder("in/bad \\xFF.wav")))
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    let answer = try rows(port, until: "all rows", running) { $0.count == 4 }
    for row in try answer.rows where row[4] as? String != "converted" {
      #expect(row[2] is NSNull && row[3] is NSNull, "\(row)")
      let number = try #require(row[0] as? Int) - 1
      for side in ["source", "output"] {
        #expect(try ask("/\(side)/\(number)/x", port).status == 404)
      }
    }
    let links = try answer.rows.filter { $0[4] as? String == "converted" }.map {
      try ["/" + #require($0[2] as? String), "/" + #require($0[3] as? String)]
    }
    #expect(links.count == 2)
    for link in links.joined() { #expect(try ask(link, port).status == 200) }
    for name in ["out/a.opus", "out/b.opus", "in/a.wav", "in/b.wav"] {
      try FileManager.default.removeItem(atPath: folder(name))
      if name.contains("a.") {
        try FileManager.default.createSymbolicLink(
          atPath: folder(name), withDestinationPath: folder("secret"))
      } else {
        try FileManager.default.linkItem(atPath: folder("secret"), toPath: folder(name))
      }
    }
    for link in links.joined() {
      let answer = try ask(link, port)
      #expect(answer.status == 404)
      #expect(
        String(decoding: answer.body, as: UTF8.self).contains("not the one that the ledger has"))
    }
  }

  @Test func `requests that are never whole do not keep others out`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    var open: [Int32] = []
    defer { for descriptor in open { close(descriptor) } }
    for _ in 0..<600 {
      let descriptor = try connected(port)
      open.append(descriptor)
      let begin = Array("GET / HTTP/1.1\r\nHo".utf8)
      _ = send(descriptor, begin, begin.count, Int32(MSG_NOSIGNAL))
    }
    #expect(try ask("/", port).status == 200)
    kill(running.identifier, SIGTERM)
  }

  @Test func `only what the page needs is answered`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    _ = try rows(port, until: "a row", running) { $0.count == 1 }
    #expect(try ask("/", port, method: "POST").status == 405)
    #expect(try ask("/", port, host: "evil.example").status == 403)
    #expect(try ask("/data.json?after=x", port).status == 400)
    for target in [
      "/out", "/source/1/x", "/source/-1/x", "/source/9999999999999999999999/x",
      "/source/0/../../etc/passwd", "//etc/passwd", "/../../etc/passwd", "/output/x/y",
    ] {
      #expect(try ask(target, port).status == 404, "\(target)")
    }
    #expect(try ask("/source/0/" + String(repeating: "a", count: 200_000), port).status == 400)
    #expect(try ask("/", port).status == 200)
    kill(running.identifier, SIGTERM)
    #expect(try running.wait().status == 0)
  }

  @Test func `a token is needed if there is one`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, query) = try serve(["--token", "0123456789abcdef"])
    #expect(query == "token=0123456789abcdef")
    #expect(try ask("/", port).status == 403)
    #expect(try ask("/?token=0123456789abcdeg", port).status == 403)
    // It is still for this machine and user alone.
    #expect(try ask("/?\(query)", port, host: "machine.example:80").status == 403)
    #expect(try ask("/?\(query)", port, host: "LocalHost.:80").status == 200)
    var link = ""
    try running.wait(until: "a row") {
      let answer = try? ask("/data.json?\(query)", port)
      link = (try? answer?.rows.first?[3] as? String) ?? ""
      return !link.isEmpty
    }
    #expect(try ask("/" + link, port).status == 200)
    #expect(try ask("/" + link.prefix { $0 != "?" }, port).status == 403)
    let (other, open, random) = try serve(["--address", "127.0.0.1"])
    #expect(try ask("/?\(random)", open, host: "machine.example:80").status == 200)
    kill(other.identifier, SIGTERM)
    #expect(random.hasPrefix("token=") && random.count == 32, "\(random)")
  }

  @Test func `files of a later batch come as new rows, and those made again as changed ones`()
    throws
  {
    try folder.add("speech.wav", as: "in/a.wav")
    try Data("no media".utf8).write(to: URL(fileURLWithPath: folder("in/b.wav")))
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    let first = try rows(port, until: "two rows", running) { $0.count == 2 }
    let cursor = try #require(first.json["cursor"] as? Int)
    try FileManager.default.removeItem(atPath: folder("in/b.wav"))
    try folder.add("speech.wav", as: "in/b.wav")
    try folder.add("speech.wav", as: "in/c.wav")
    try convert()
    let later = try rows(port, after: cursor, until: "two more", running) { $0.count == 2 }
    #expect(try later.rows.allSatisfy { $0[4] as? String == "converted" })
    #expect(try later.counts["converted"] == 3)
    #expect(try later.counts["failed"] == 0)
    #expect(try ask("/data.json?after=0", port).rows.count == 3)
  }

  @Test func `a failed file that was removed leaves the page after the next batch`() throws {
    try folder.add("speech.wav", as: "in/one.wav")
    try folder.write("no audio", as: "in/two.wav")
    try convert()
    let (server, port, _) = try serve()
    func answer() throws -> Answer { try ask("/data.json?after=0", port) }
    func session() throws -> Int? {
      (try answer().json["summary"] as? [String: Any])?["session"] as? Int
    }
    try server.wait(until: "both rows") { (try? answer().counts["failed"]) == 1 }
    let before = try session()
    try FileManager.default.removeItem(atPath: folder("in/two.wav"))
    try convert()
    try server.wait(until: "one row") {
      (try? answer().counts["failed"]) == 0 && (try? answer().rows.count) == 1
    }
    // Pages that are open begin again.
    #expect(try session() != before)
  }

  @Test func `what a running batch does is shown`() throws {
    // Longer than a batch that leaves no sign of what it does.
    for number in 0..<200 { try folder.add("speech.wav", as: "in/\(number).wav") }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--jobs", "1",
      "--quiet",
    ])
    let working = folder("out/.respool/working")
    try batch.wait(until: "a sign") {
      !((try? FileManager.default.contentsOfDirectory(atPath: working)) ?? []).isEmpty
    }
    let (running, port, _) = try serve(["--looks", "0"])
    let summary = try #require(try ask("/data.json", port).json["summary"] as? [String: Any])
    #expect(summary["live"] as? Bool == true)
    let machines = try #require(summary["machines"] as? [[String: Any]])
    #expect(machines.count == 1)
    batch.interrupt()
    _ = try batch.wait()
    try running.wait(until: "the end") {
      ((try? ask("/data.json", port).json["summary"]) as? [String: Any])?["live"] as? Bool == false
    }
    #expect(!FileManager.default.fileExists(atPath: working))
    running.interrupt()
    #expect(try running.wait().status == 0)
  }

  @Test func `pages of a folder that is gone get a sentence`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve()
    _ = try rows(port, until: "a row", running) { $0.count == 1 }
    try FileManager.default.removeItem(atPath: folder("out"))
    let answer = try ask("/data.json", port)
    #expect(answer.status == 503)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("the output folder is gone"))
  }

  @Test func `an output that is removed is marked while its page is open`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    _ = try rows(port, until: "a row", running) { $0.count == 1 }
    try FileManager.default.removeItem(atPath: folder("out/a.opus"))
    try running.wait(until: "its mark") {
      let rows = (try? ask("/data.json?after=1", port).json["rows"]) as? [[Any]]
      return rows?.first?[17] as? Int == 4
    }
  }

  @Test func `pages of a damaged ledger get a sentence`() throws {
    try folder.add("speech.wav", as: "in/a.wav")
    try convert()
    let (running, port, _) = try serve()
    _ = try rows(port, until: "a row", running) { $0.count == 1 }
    try folder.write(String(repeating: "damage ", count: 4000), as: "out/.respool/ledger")
    try running.wait(until: "a sentence") {
      guard let answer = try? ask("/data.json", port), answer.status == 503 else { return false }
      return String(decoding: answer.body, as: UTF8.self).contains("the ledger cannot be read: ")
    }
  }

  @Test func `the page of a killed batch says that it was stopped`() throws {
    for number in 0..<200 { try folder.add("speech.wav", as: "in/\(number).wav") }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--jobs", "1", "--json",
    ])
    try batch.wait(until: "a result") { batch.output.contains("\"finished\"") }
    kill(-batch.identifier, SIGKILL)
    _ = try batch.wait()
    let (running, port, _) = try serve(["--looks", "0"])
    let summary = try #require(try ask("/data.json", port).json["summary"] as? [String: Any])
    #expect(summary["live"] as? Bool == false && summary["cut"] as? Bool == true, "\(summary)")
    #expect(summary["ended"] == nil, "\(summary)")
    running.interrupt()
  }

  @Test func `all results are there once a batch has ended`() throws {
    for number in 0..<60 { try folder.add("speech.wav", as: "in/\(number).wav") }
    try convert()
    let (running, port, _) = try serve(["--looks", "0"])
    for number in 60..<260 { try folder.add("speech.wav", as: "in/\(number).wav") }
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--jobs", "1",
      "--quiet",
    ])
    var (wasLive, answers) = (false, 0)
    try running.wait(until: "the end") {
      guard let answer = try? ask("/data.json?after=9999", port),
        let summary = try? answer.json["summary"] as? [String: Any],
        let isLive = summary["live"] as? Bool, let counts = try? answer.counts
      else { return false }
      answers += 1
      wasLive = wasLive || isLive
      guard wasLive, !isLive else { return false }
      #expect(counts["converted"] == 260)
      #expect(counts["remaining"] == 0)
      return true
    }
    #expect(answers > 1)
    #expect(try batch.wait().status == 0)
    running.interrupt()
    #expect(try running.wait().status == 0)
  }

  @Test func `a folder without a ledger gets a sentence`() throws {
    let run = try Respool.run("serve", folder.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("has no ledger"))
  }
}
