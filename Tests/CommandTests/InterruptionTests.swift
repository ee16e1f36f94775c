import Foundation
import Glibc
import Testing

@Suite struct InterruptionTests {
  @Test func `an interrupted batch leaves no temporary file`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder("in"), withIntermediateDirectories: true)
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    #expect(!TemporaryFolder.contents(of: folder("out")).isEmpty)
    batch.interrupt()
    let result = try batch.wait()
    #expect(result.status == 130)
    #expect(TemporaryFolder.contents(of: folder("out")).isEmpty)
    let last = try #require(try result.events().last)
    #expect(last["event"] as? String == "summary")
    #expect(last["converted"] as? Int == 0)
  }

  @Test func `a killed batch continues when it is run again`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/short.wav")
    try folder.addLongSound(as: "in/long.wav")
    let arguments = [
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json", "--jobs",
      "1",
    ]
    let batch = try Respool.start(arguments)
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    let worker = try #require(batch.children.first)
    // Like a power failure: no process can clean up.
    kill(worker, SIGSTOP)
    kill(batch.identifier, SIGKILL)
    kill(worker, SIGKILL)
    #expect(try batch.wait().status != 0)
    #expect(TemporaryFolder.contents(of: folder("out")).count { $0.hasSuffix(".part") } == 1)
    // A shorter file is enough to test that the batch resumes.
    try FileManager.default.removeItem(atPath: folder("in/long.wav"))
    try folder.add("speech.wav", as: "in/long.wav")
    let again = try Respool.start(arguments)
    #expect(try again.wait().status == 0)
    #expect(TemporaryFolder.outputs(in: folder("out")) == ["long.opus", "short.opus"])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `an interrupted conversion leaves nothing`(_ signal: Int32) throws {
    let folder = TemporaryFolder()
    try folder.addLongSound(as: "long.wav")
    let conversion = try Respool.start(["convert", folder("long.wav"), folder("long.opus")])
    try conversion.wait(until: "it writes") { folder.contents.count == 2 }
    kill(-conversion.identifier, signal)
    #expect(try conversion.wait().status == 130)
    #expect(folder.contents == ["long.wav"])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP], ["batch", "convert", "concat"])
  func `a command that is interrupted before its work reports it`(
    _ signal: Int32, _ command: String
  ) throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "in/a.wav")
    // The command describes plugins before all other work.
    let plugin = try CPlugin("broken.c", defining: ["HANG"])
    let process = try Respool.start(
      Self.words(command, folder, "in/a.wav"), environment: plugin.environment)
    try process.wait(until: "it describes plugins") { !process.children.isEmpty }
    kill(process.identifier, signal)
    let result = try process.wait()
    #expect(result.status == 130)
    #expect(result.errors == "respool: stopped before anything was written\n")
    #expect(folder.contents == ["in", "in/a.wav"])
  }

  @Test(arguments: [SIGINT, SIGTERM], ["batch", "convert", "concat"])
  func `a signal at any moment of the start leaves nothing`(_ signal: Int32, _ command: String)
    throws
  {
    let folder = TemporaryFolder()
    try folder.write("", as: "in/empty")
    try folder.addLongSound(as: "in/long.wav")
    for milliseconds in stride(from: 0, through: 80, by: 5) {
      let process = try Respool.start(Self.words(command, folder, "in/long.wav"))
      usleep(UInt32(milliseconds * 1000))
      kill(process.identifier, signal)
      let result = try process.wait()
      if result.status == 128 + signal, result.status != 130 || result.errors.isEmpty {
        // The signal came before the program's own code ran.
        #expect(result.errors.isEmpty && result.output.isEmpty, "after \(milliseconds) ms")
      } else {
        #expect(result.status == 130, "after \(milliseconds) ms: \(result.errors)")
        #expect(
          result.errors.contains("stopped") || result.errors.contains("; interrupted"),
          "after \(milliseconds) ms: \(result.errors)")
      }
      let outputs = folder.contents.filter {
        !$0.hasPrefix("in") && $0 != "out" && !$0.hasPrefix("out/.respool")
      }
      #expect(outputs.isEmpty, "after \(milliseconds) ms: \(outputs)")
    }
  }

  /// Returns a command line that converts an input into `out`.
  private static func words(_ command: String, _ folder: TemporaryFolder, _ input: String)
    -> [String]
  {
    switch command {
    case "batch": ["batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k"]
    case "convert": ["convert", folder(input), folder("out.opus")]
    default: [command, folder(input), folder(input), folder("out.opus")]
    }
  }

  @Test func `two signals at once leave nothing of a conversion`() throws {
    let folder = TemporaryFolder()
    try folder.addLongSound(as: "long.wav")
    // timeout(1) sends the signal to the process and again to its group.
    let conversion = try Running(
      [
        "/usr/bin/timeout", "2", Respool.executable, "convert", folder("long.wav"),
        folder("long.opus"),
      ],
      environment: Respool.environment, folder: nil)
    #expect(try conversion.wait().status == 124)
    usleep(200_000)
    #expect(folder.contents == ["long.wav"])
  }

  @Test func `a second request does not wait for a hanging plugin and leaves nothing`() throws {
    let folder = TemporaryFolder()
    let plugin = try CPlugin("unruly.c", linking: ["-lpthread"])
    try folder.write("HANGREAD", as: "in.x")
    let conversion = try Respool.start(
      ["convert", folder("in.x"), folder("out.opus")],
      environment: plugin.environment)
    try conversion.wait(until: "it writes") { folder.contents.count == 2 }
    usleep(500_000)
    conversion.interrupt()
    usleep(1_500_000)
    #expect(folder.contents.count == 2)
    conversion.interrupt()
    #expect(try conversion.wait().status == 130)
    #expect(folder.contents == ["in.x"])
  }

  @Test func `a file that reaches the size limit is an error with its reason`() throws {
    let folder = TemporaryFolder()
    try folder.add("speech.wav", as: "speech.wav")
    let words = ["convert", folder("speech.wav"), folder("out.wav"), "--preset", "wav"]
    let conversion = try Running(
      ["/bin/sh", "-c", "ulimit -f 8; exec \"$0\" \"$@\"", Respool.executable] + words,
      environment: Respool.environment, folder: nil)
    let result = try conversion.wait()
    #expect(result.status == 1)
    #expect(result.errors.contains("file too large"), "\(result.errors)")
    #expect(folder.contents == ["speech.wav"])
  }

  @Test func `a closed terminal does not stop a command that ignores it`() throws {
    let folder = TemporaryFolder()
    try folder.addLongSound(as: "long.wav")
    let conversion = try Running(
      ["/usr/bin/nohup", Respool.executable, "convert", folder("long.wav"), folder("long.opus")],
      environment: Respool.environment, folder: nil)
    func size() -> Int {
      folder.contents.filter { $0.hasSuffix(".part") }.map {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder($0))
        return attributes?[.size] as? Int ?? 0
      }.reduce(0, +)
    }
    try conversion.wait(until: "it writes") { size() > 0 }
    kill(-conversion.identifier, SIGHUP)
    let before = size()
    try conversion.wait(until: "it goes on") { size() > before + 1 << 20 }
    conversion.interrupt()
    #expect(try conversion.wait().status == 130)
    #expect(folder.contents == ["long.wav"])
  }

  @Test func `a batch whose terminal is closed leaves no temporary file`() throws {
    let folder = TemporaryFolder()
    mkdir(folder("in"), 0o777)
    try folder.addLongSound(as: "in/long.wav")
    let batch = try Respool.start([
      "batch", folder("in"), "--to", folder("out"), "--preset", "opus-128k", "--json",
    ])
    try batch.wait(until: "it converts") { batch.output.contains("\"progress\"") }
    kill(-batch.identifier, SIGHUP)
    #expect(try batch.wait().status == 130)
    #expect(TemporaryFolder.contents(of: folder("out")).isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a set of images is complete or absent`(_ signal: Int32) throws {
    let folder = TemporaryFolder()
    try folder.add("notes.txt", as: "00001.png")
    let before = FileManager.default.contents(atPath: folder("00001.png"))
    let pictures = try Respool.start([
      "thumbnails", Respool.media + "/pattern-h264.mp4", "-o", folder("%05d.png"), "--count",
      "2000", "--replace",
    ])
    try pictures.wait(until: "it writes") { folder.contents.count > 2 }
    kill(-pictures.identifier, signal)
    #expect(try pictures.wait().status == 130)
    #expect(folder.contents == ["00001.png"])
    #expect(FileManager.default.contents(atPath: folder("00001.png")) == before)
  }

  @Test func `an interrupted waveform leaves nothing`() throws {
    let folder = TemporaryFolder()
    try folder.addLongSound(as: "long.wav")
    let waveform = try Respool.start(["waveform", folder("long.wav"), "-o", folder("a.png")])
    try waveform.wait(until: "it reads") {
      waveform.mappedFiles.contains { $0.contains("librespool-Wave") }
    }
    waveform.interrupt()
    let result = try waveform.wait()
    #expect(result.status == 130)
    #expect(result.errors.contains("stopped"))
    #expect(folder.contents == ["long.wav"])
  }

  @Test func `audio needs no libavcodec and stops cleanly`() throws {
    let folder = TemporaryFolder()
    try folder.addLongSound(as: "long.wav")
    let conversion = try Respool.start(["convert", folder("long.wav"), folder("long.opus")])
    func isMapped(_ part: String) -> Bool {
      conversion.mappedFiles.contains { $0.contains(part) }
    }
    try conversion.wait(until: "the encoder is there") {
      // The library that the plugin needs is mapped shortly after the plugin.
      isMapped("librespool-Opus") && isMapped("libopus.so")
        && folder.contents.contains { $0.hasSuffix(".part") }
    }
    let mapped = conversion.mappedFiles
    #expect(mapped.contains { $0.contains("libopus.so") })
    for library in ["libavcodec", "libavformat", "libx264", "libvpx", "librespool-AVCodec"] {
      #expect(!mapped.contains { $0.contains(library) }, "\(library)")
    }
    conversion.interrupt()
    #expect(try conversion.wait().status == 130)
    #expect(folder.contents == ["long.wav"])
  }
}
