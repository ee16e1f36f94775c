import Foundation
import Glibc
import Testing

/// Several watches that a file lists.
@Suite struct WatchListTests {
  private let folder = TemporaryFolder()

  @Test func `watches of a list convert, follow changes of the file, and end`() throws {
    func list(_ preset: String) throws {
      try folder.write(
        """
        - {input: \(folder("a")), to: \(folder("x")), preset: \(preset)}
        - {input: [\(folder("b"))], to: \(folder("y")), preset: flac, exclude: ["no*"]}
        """, as: "list.yaml")
    }
    func expect(_ name: String, _ running: Running) throws {
      try running.wait(until: name) { FileManager.default.fileExists(atPath: folder(name)) }
    }
    try list("opus-64k")
    for name in ["a/1.wav", "b/2.wav", "b/no.wav"] { try folder.add("speech.wav", as: name) }
    let running = try Respool.start(["watch", "--list", folder("list.yaml"), "--json"])
    try expect("x/1.opus", running)
    try expect("y/2.flac", running)
    try list("wav")
    kill(running.identifier, SIGHUP)
    try expect("x/1.wav", running)
    #expect(!FileManager.default.fileExists(atPath: folder("y/no.flac")))
    kill(running.identifier, SIGTERM)
    #expect(try running.wait().status == 0)
  }

  @Test(arguments: [
    ("- 3", ":1:3: \"3\" stands for an item"), ("a: 1", "is no list"), ("", "is empty"),
    ("- {input: /x, to: /y, preset: wav, foo: 1}", ":1:3: Unknown option '--foo'"),
    ("- {input: /x}", ":1:3: name the folder for the outputs with --to"),
  ])
  func `a mistake in a list is named with its place`(_ text: String, _ words: String) throws {
    try folder.write(text, as: "list.yaml")
    let run = try Respool.run("watch", "--list", folder("list.yaml"))
    #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
  }
}
