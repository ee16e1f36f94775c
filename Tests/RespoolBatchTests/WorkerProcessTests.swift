import Glibc
import RespoolHost
import Testing

@testable import RespoolBatch

/// Worker processes in the supervisor.
@Suite struct WorkerProcessTests {
  /// A plugin that forges answers can write before the supervisor has read the first one.
  @Test func `an answer before a line that is none is received with the fault`() throws {
    let ready = String(decoding: WorkerAnswer.ready(in: Sandbox()).line, as: UTF8.self)
    // One write, so that both arrive together.
    let worker = try WorkerProcess(
      executable: "/bin/sh",
      arguments: ["-c", "printf '%snonsense\\n' \"$0\"; exec sleep 60", ready])
    defer {
      worker.destroy()
      _ = worker.reap()
    }
    for _ in 0..<1000 {
      let received = try #require(worker.receive())
      if received.answers.isEmpty, received.fault == nil {
        usleep(10_000)
        continue
      }
      #expect(received.answers.map(\.kind) == [.ready])
      #expect(received.fault == "sent \"nonsense\", which is no answer")
      return
    }
    Issue.record("the process sent nothing")
  }
}
