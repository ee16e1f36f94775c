import RespoolMedia
import Testing

@testable import RespoolBatch

@Suite struct NameRuleTests {
  private static let names = ["A.flac", "a.wav", "caf\u{E9}.wav", "CAFE\u{301}.mp3", "b.wav"]

  private func assigned(_ rule: NameRule, _ onCollision: BatchOptions.OnCollision) -> [String] {
    OutputNames.assign(
      Self.names.map { .init(path: "/in/" + $0, relative: $0, outputExtension: "opus") },
      onCollision: onCollision, rule: rule
    ).map { (try? $0.get()) ?? "none" }
  }

  @Test
  func `names that differ only in case collide where the file system folds case`() {
    #expect(assigned(.folded, .fail) == ["none", "none", "none", "none", "b.opus"])
    #expect(
      assigned(.folded, .rename)
        == ["A.opus", "a wav.opus", "caf\u{E9}.opus", "CAFE\u{301} mp3.opus", "b.opus"])
    #expect(assigned(.bytes, .fail).count { $0 == "none" } == 0)
  }

  @Test func `a folder that has names in both cases folds no case`() {
    #expect(NameRule(of: "/proc/self") == .bytes)
    #expect(NameRule(of: "/nowhere/at/all") == .bytes)
  }
}
