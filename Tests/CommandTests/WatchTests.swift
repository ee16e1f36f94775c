import Foundation
import Glibc
import Testing

/// Folders that are watched.
@Suite struct WatchTests {
  private let folder = TemporaryFolder()

  private func start(_ more: [String] = []) throws -> Running {
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    return try Respool.start(
      ["watch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--json"] + more)
  }

  /// Waits until outputs are there.
  private func await(_ names: [String], _ running: Running) throws {
    try running.wait(until: "\(names) are converted") {
      names.allSatisfy { FileManager.default.fileExists(atPath: folder("out/\($0)")) }
    }
  }

  /// Ends the watch and returns its events.
  private func end(_ running: Running) throws -> BatchRun {
    // What comes twice would come now.
    usleep(1_500_000)
    kill(running.identifier, SIGTERM)
    let run = try BatchRun(running.wait())
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  /// Names of the files that were converted, one for each time.
  private func converted(_ run: BatchRun) -> [String] {
    run.events.filter {
      $0["event"] as? String == "finished" && $0["status"] as? String == "converted"
    }
    .map { (($0["input"] as? String ?? "") as NSString).lastPathComponent }.sorted()
  }

  private var sound: Data {
    get throws {
      try #require(FileManager.default.contents(atPath: Respool.media + "/speech.wav"))
    }
  }

  @Test func `files that are there and files that come are converted once`() throws {
    try folder.add("speech.wav", as: "in/old.wav")
    let running = try start()
    try self.await(["old.opus"], running)
    // Renamed into the folder, a hard link, a copy, and one in a new folder.
    try folder.add("speech.wav", as: "else/moved.wav")
    try folder.add("speech.wav", as: "else/linked.wav")
    try #require(rename(folder("else/moved.wav"), folder("in/moved.wav")) == 0)
    try #require(link(folder("else/linked.wav"), folder("in/linked.wav")) == 0)
    try folder.add("speech.wav", as: "in/copied.wav")
    try folder.add("speech.wav", as: "in/new/deep/below.wav")
    try self.await(["moved.opus", "linked.opus", "copied.opus", "new/deep/below.opus"], running)
    let run = try end(running)
    #expect(
      converted(run) == ["below.wav", "copied.wav", "linked.wav", "moved.wav", "old.wav"])
  }

  @Test func `a file that is being written is left until it is complete`() throws {
    let running = try start()
    let bytes = try sound
    let file = try #require(fopen(folder("in/slow.wav"), "w"))
    // Parts that look like complete files to those who only wait for a pause.
    for part in 0..<4 {
      let start = bytes.count * part / 4
      let chunk = [UInt8](bytes[start..<(bytes.count * (part + 1) / 4)])
      #expect(fwrite(chunk, 1, chunk.count, file) == chunk.count)
      fflush(file)
      usleep(1_200_000)
      #expect(!FileManager.default.fileExists(atPath: folder("out/slow.opus")))
    }
    fclose(file)
    try self.await(["slow.opus"], running)
    #expect(converted(try end(running)) == ["slow.wav"])
    let whole = try Respool.run("inspect", "--json", folder("out/slow.opus"))
    #expect(whole.output.contains("\"duration\""))
  }

  /// Starts a watch as a user who owns only the folder of the outputs.
  private func startAsOther() throws -> Running {
    chmod(folder.path, 0o755)
    for name in ["in", "out"] {
      try FileManager.default.createDirectory(
        atPath: folder(name), withIntermediateDirectories: true)
    }
    try #require(chown(folder("out"), 65534, 65534) == 0)
    return try Running(
      [
        "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", Respool.executable,
        "watch", folder("in"), "--to", folder("out"), "--preset", "opus-64k", "--json",
      ], environment: Respool.environment + ["HOME=\(folder("out"))"], folder: nil)
  }

  @Test(.enabled(if: getuid() == 0, "needs another user"))
  func `a file that another user writes is left until it is closed`() throws {
    try folder.add("speech.wav", as: "in/old.wav")
    let running = try startAsOther()
    try self.await(["old.opus"], running)
    let bytes = try [UInt8](sound)
    let file = try #require(fopen(folder("in/slow.wav.part"), "w"))
    let half = bytes.count / 2
    #expect(fwrite(bytes, 1, half, file) == half)
    fflush(file)
    // The process writes on after it has renamed the file.
    usleep(500_000)
    try #require(rename(folder("in/slow.wav.part"), folder("in/slow.wav")) == 0)
    usleep(13_000_000)
    #expect(!FileManager.default.fileExists(atPath: folder("out/slow.opus")))
    #expect(fwrite(Array(bytes[half...]), 1, bytes.count - half, file) == bytes.count - half)
    fclose(file)
    try self.await(["slow.opus"], running)
    #expect(converted(try end(running)) == ["old.wav", "slow.wav"])
  }

  @Test(.enabled(if: getuid() == 0, "needs another user"))
  func `complete files of another user are converted soon`() throws {
    try folder.add("speech.wav", as: "in/old.wav")
    let running = try startAsOther()
    try self.await(["old.opus"], running)
    try folder.add("speech.wav", as: "else/moved.wav")
    // There is no notice of a file that comes with its folder, so that it has to stay as it is for longer.
    try folder.add("speech.wav", as: "else/folder/late.wav")
    try #require(rename(folder("else/folder"), folder("in/folder")) == 0)
    try folder.add("speech.wav", as: "in/copied.wav")
    try #require(rename(folder("else/moved.wav"), folder("in/moved.wav")) == 0)
    try self.await(["copied.opus", "moved.opus", "folder/late.opus"], running)
    let run = try end(running)
    let order = run.events.filter { $0["status"] as? String == "converted" }.compactMap {
      ($0["input"] as? String).map { ($0 as NSString).lastPathComponent }
    }
    #expect(order.last == "late.wav", "\(order)")
  }

  @Test(arguments: [false, true])
  func `a folder that was removed is watched again when it is there again`(isMoved: Bool) throws {
    try folder.add("speech.wav", as: "in/old.wav")
    let running = try start(["--sweep", "3600"])
    try self.await(["old.opus"], running)
    if isMoved {
      try FileManager.default.moveItem(atPath: folder("in"), toPath: folder("elsewhere"))
    } else {
      try FileManager.default.removeItem(atPath: folder("in"))
    }
    usleep(1_500_000)
    try folder.add("speech.wav", as: "in/new.wav")
    try self.await(["new.opus"], running)
    _ = try end(running)
    #expect(running.output.contains("is there again, and is watched"), "\(running.output)")
  }

  @Test func `a folder that does not exist is named at once`() throws {
    let result = try Respool.run(
      "watch", folder("nowhere"), "--to", folder("out"), "--preset", "opus-64k")
    #expect(result.status == 1)
    #expect(result.errors.contains("there is no such folder to watch"), "\(result.errors)")
  }

  @Test func `temporary names are left until they are final`() throws {
    let running = try start()
    for name in ["a.wav.part", "b.wav.crdownload", "c.wav~", "_UNPACK_d/d.wav"] {
      try folder.add("speech.wav", as: "in/\(name)")
    }
    try folder.add("speech.wav", as: "in/sign.wav")
    try self.await(["sign.opus"], running)
    try #require(rename(folder("in/a.wav.part"), folder("in/a.wav")) == 0)
    try #require(rename(folder("in/_UNPACK_d"), folder("in/d")) == 0)
    try self.await(["a.opus", "d/d.opus"], running)
    #expect(converted(try end(running)) == ["a.wav", "d.wav", "sign.wav"])
  }

  @Test func `a restart converts nothing again, and what came meanwhile`() throws {
    try folder.add("speech.wav", as: "in/first.wav")
    var running = try start()
    try self.await(["first.opus"], running)
    #expect(converted(try end(running)) == ["first.wav"])
    try folder.add("speech.wav", as: "in/second.wav")
    running = try start()
    try self.await(["second.opus"], running)
    #expect(converted(try end(running)) == ["second.wav"])
    // Killed, and started again.
    running = try start()
    try folder.addLongSound(as: "in/third.wav", seconds: 600)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    kill(-running.identifier, SIGKILL)
    _ = try running.wait()
    running = try start()
    try self.await(["third.opus"], running)
    #expect(converted(try end(running)) == ["third.wav"])
  }

  @Test func `a file that changes is converted again, and one that fails is not`() throws {
    try folder.write("RIFF....WAVEfmt ", as: "in/broken.wav")
    try folder.add("speech.wav", as: "in/changing.wav")
    let running = try start(["--sweep", "1"])
    try self.await(["changing.opus"], running)
    let before = try folder.status("out/changing.opus")
    try folder.addLongSound(as: "in/changing.wav", seconds: 3)
    try running.wait(until: "it is converted again") {
      (try? folder.status("out/changing.opus").st_ino) != before.st_ino
    }
    // A program that another test has started may have the file open for writing.
    try running.wait(until: "a failure") { running.output.contains("\"failed\"") }
    let run = try end(running)
    #expect(converted(run) == ["changing.wav", "changing.wav"])
    let failures = run.events.filter { $0["status"] as? String == "failed" }
    #expect(failures.count == 1, "\(failures)")
  }

  @Test func `a conversion may end after SIGTERM`() throws {
    let running = try start()
    try folder.addLongSound(as: "in/long.wav", seconds: 900)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    kill(running.identifier, SIGTERM)
    let run = try BatchRun(running.wait())
    #expect(run.status == 0, "\(run.errors)")
    #expect(converted(run) == ["long.wav"])
    #expect(FileManager.default.fileExists(atPath: folder("out/long.opus")))
  }

  @Test func `a file that is moved while it is converted has one output`() throws {
    let running = try start()
    try folder.addLongSound(as: "in/long.wav", seconds: 900)
    try running.wait(until: "it converts") { running.output.contains("\"progress\"") }
    try #require(rename(folder("in/long.wav"), folder("in/renamed.wav")) == 0)
    try self.await(["renamed.opus"], running)
    let run = try end(running)
    #expect(converted(run) == ["long.wav"])
    let moved = run.events.first { $0["movedFrom"] != nil }
    #expect(moved?["movedFrom"] as? String == "long.opus")
    #expect(!FileManager.default.fileExists(atPath: folder("out/long.opus")))
    #expect(try BatchRun(folder("in"), to: folder("out"), preset: "opus-64k").status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder("out")).filter {
        !$0.hasPrefix(".")
      } == ["renamed.opus"])
  }

  @Test func `a preset that has changed is read again on SIGHUP`() throws {
    func write(_ codec: String) throws {
      try folder.write(
        "summary: own\ncontainer: mka\nvideo: none\naudio: {codec: \(codec)}\n", as: "own.yaml")
    }
    try write("flac")
    try folder.add("speech.wav", as: "in/one.wav")
    let running = try Respool.start([
      "watch", folder("in"), "--to", folder("out"), "--preset", folder("own.yaml"), "--json",
    ])
    try self.await(["one.mka"], running)
    // A mistake does not end the watch.
    try write("none of them")
    kill(running.identifier, SIGHUP)
    usleep(2_000_000)
    try write("opus")
    kill(running.identifier, SIGHUP)
    try running.wait(until: "it is made again") {
      (try? Respool.run("inspect", folder("out/one.mka")).output.contains("opus")) ?? false
    }
    try folder.add("speech.wav", as: "in/two.wav")
    try self.await(["two.mka"], running)
    #expect(converted(try end(running)) == ["one.wav", "one.wav", "two.wav"])
  }

  @Test func `a search finds what gives no notice`() throws {
    // Names of folders that begin with a dot are not watched; the search of an input itself is.
    try folder.add("speech.wav", as: "in/one.wav")
    let running = try start(["--sweep", "1"])
    try self.await(["one.opus"], running)
    try folder.add("speech.wav", as: "else/two.wav")
    // A mount of another folder gives no events of what was in it before.
    try #require(rename(folder("else"), folder("in/else")) == 0)
    try self.await(["else/two.opus"], running)
    #expect(converted(try end(running)) == ["one.wav", "two.wav"])
  }
}
