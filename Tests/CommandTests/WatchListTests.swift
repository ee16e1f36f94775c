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
    let run = try BatchRun(running.wait())
    #expect(run.status == 0)
    let folders = Set(run.events.map { $0["folder"] as? String })
    #expect(folders == [folder("x"), folder("y")])
  }

  @Test func `lines about a watch of a list begin with its folder`() throws {
    try folder.write("- {input: \(folder("a")), to: \(folder("x")), preset: wav}", as: "list.yaml")
    try folder.add("speech.wav", as: "a/1.wav")
    let running = try Respool.start(["watch", "--list", folder("list.yaml")])
    try running.wait(until: "1.wav") { FileManager.default.fileExists(atPath: folder("x/1.wav")) }
    kill(running.identifier, SIGTERM)
    let run = try running.wait()
    #expect(run.errors.contains("\n\(folder("x")): 0 converted, 1 copied"), "\(run.errors)")
  }

  @Test(arguments: [
    ("- 3", ":1:3: \"3\" stands for an item"), ("a: 1", "is a mapping"), ("", "is empty"),
    ("# none", "is empty"), ("[]", ":1:1: the list of watches has no items"),
    ("- {input: /x, to: [/y", "a list of watches has lines such as `- {name: value}`"),
    ("- {input: /x, to: /y, preset: wav, foo: 1}", ":1:36: foo is no option of a watch"),
    (
      "- {input: /x, to: /y, presett: wav}", "presett is no option of a watch; did you mean preset?"
    ),
    ("- {input: /x, to: /y, list: l.yaml, preset: wav}", ":1:23: list is no option"),
    ("- {to: /y, preset: wav}", ":1:3: no folder is named; give one as `input`"),
    ("- {input: /x}", ":1:3: name the folder for the outputs with `to`"),
    ("- {input: /x, to: /y, preset: wav, jobs: 0}", ":1:36: `jobs` is 0"),
    ("- {input: /x, to: /y, preset: wav, jobs: x}", ":1:36: The value 'x' is invalid for '`jobs`"),
    ("- {input: /x, to: /y, preset: waw}", ":1:23: there is no preset waw; did you mean wav?"),
    (
      "- {input: /x, to: /y, preset: wav}\n- {input: /z, preset: flac, to: /w/../y/}",
      ":2:29: the outputs go into /y, as those of the watch at LIST:1:3 do"
    ),
  ])
  func `a mistake in a list is named with its place`(_ text: String, _ words: String) throws {
    try folder.write(text, as: "list.yaml")
    let run = try Respool.run("watch", "--list", folder("list.yaml"))
    let expected = words.replacingOccurrences(of: "LIST", with: folder("list.yaml"))
    #expect(run.status == 2 && run.errors.contains(expected), "\(run.errors)")
  }

  @Test func `a list that does not exist is wrong usage`() throws {
    let run = try Respool.run("watch", "--list", folder("none.yaml"))
    #expect(run.status == 2 && run.errors.contains("none.yaml"), "\(run.errors)")
  }
}
