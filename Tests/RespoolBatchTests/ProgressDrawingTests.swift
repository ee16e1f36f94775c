import Testing

@testable import RespoolBatch

/// The progress display in terminals of every size.
@Suite struct ProgressDrawingTests {
  private func state(_ names: [String]) -> BatchProgress {
    var state = BatchProgress()
    state.filesTotal = 40
    state.filesDone = 3
    state.failed = 1
    state.elapsed = 10
    state.fraction = 0.25
    state.mediaDone = 80
    state.jobs = names.enumerated().map { index, name in
      .init(input: "/films/" + name, fraction: 0.5, seconds: Double(index), media: 40)
    }
    return state
  }

  @Test(arguments: [
    ("film.mp4", 8), ("日本語.mp4", 10), ("한국어", 6), ("ｆｕｌｌ", 8), ("e\u{301}te\u{301}", 3),
    ("שלום", 4), ("🎞", 1), ("🎬", 2), ("a\u{200D}b", 2), ("…", 1), ("", 0),
  ])
  func `characters have the width of terminal cells`(_ text: String, _ cells: Int) {
    #expect(TerminalText.width(text) == cells)
  }

  @Test(arguments: [
    ("film.mp4", 8, "film.mp4"), ("film.mp4", 7, "film.m…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
    ("日本語", 4, "日…"), ("日本語", 1, "…"), ("ab", 0, ""), ("e\u{301}te\u{301}s", 3, "e\u{301}t…"),
  ])
  func `cut text ends in an ellipsis`(_ text: String, _ columns: Int, _ expected: String) {
    #expect(TerminalText.fitting(text, columns) == expected)
  }

  @Test(arguments: [1, 2, 5, 10, 20, 29, 30, 59, 60, 80, 200], [1, 2, 3, 5, 24])
  func `no line is wider and no drawing higher than the terminal`(_ columns: Int, _ rows: Int) {
    let names = (0..<8).map { "とても長い名前のファイル\($0) \u{202E}\u{1B}[31m.mkv" }
    let lines = ProgressDrawing(columns: columns, rows: rows).lines(state(names))
    #expect(lines.count <= max(1, rows - 1))
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(TerminalText.width(line) <= max(1, columns - 1), "\(line)")
      #expect(!line.contains("\u{1B}") && !line.contains("\u{202E}"))
    }
  }

  /// tmux wraps its lines immediately and reports its size later.
  @Test(arguments: [[60], [119, 100, 60], [90, 61, 40, 25]])
  func `a terminal that becomes narrower in steps keeps no parts of bars`(_ steps: [Int]) {
    let long = (0..<4).map { "\($0)-" + String(repeating: "long", count: 20) + ".wav" }
    func lines(_ columns: Int) -> [String] {
      ProgressDrawing(columns: columns, rows: 40).lines(state(long))
    }
    var terminal = TerminalModel(columns: 120)
    var screen = ProgressScreen()
    func update(_ columns: Int, _ now: Double, _ kept: String = "", isLast: Bool = false) {
      let lines = isLast ? [] : lines(columns)
      terminal.write(
        screen.update(keeping: kept, drawing: lines, columns: columns, at: now, isLast: isLast))
    }
    update(120, 0, "before\n")
    var (now, reported) = (1.0, 120)
    for step in steps {
      terminal.narrow(to: step)
      // The first size is reported immediately, each later size only after the next change.
      if step == steps.first { reported = step }
      update(reported, now, "after \(step)\n")
      reported = step
      now += 0.1
    }
    let last = steps.last ?? 120
    update(last, now)
    update(last, now + ProgressScreen.settlingTime)
    let kept = ["before"] + steps.map { "after \($0)" }
    #expect(terminal.text == kept + lines(last))
    update(last, now + 1, isLast: true)
    #expect(terminal.text == kept)
  }

  @Test func `kept lines are written at the end in every size`() {
    var terminal = TerminalModel(columns: 80)
    var screen = ProgressScreen()
    terminal.write(screen.update(drawing: ["a bar"], columns: 80, at: 0))
    terminal.write(screen.update(keeping: "failed\n", drawing: ["a bar"], columns: 70, at: 1))
    #expect(terminal.text == ["a bar"])
    terminal.write(
      screen.update(keeping: "done\n", drawing: [], columns: 60, at: 1.1, isLast: true))
    #expect(terminal.text == ["failed", "done"])
  }

  @Test func `jobs without a row are counted`() {
    let lines = ProgressDrawing(columns: 80, rows: 6).lines(state(["a", "b", "c", "d", "e", "f"]))
    #expect(
      lines == [
        "[##########..........]  50% 4.0x, 5.0 s left  f",
        "[##########..........]  50% 5.0x, 4.0 s left  e",
        "[##########..........]  50% 6.7x, 3.0 s left  d", "and 3 more",
        "[#####...............]  25% 3/40 files, 1 failed, 8.0x, 0:10, 0:30 left",
      ])
  }

  @Test func `a single conversion has one bar`() {
    var single = state(["film.mkv"])
    single.isSingle = true
    #expect(
      ProgressDrawing(columns: 80, rows: 24).lines(single)
        == ["[#####...............]  25% 8.0x, 0:10, 0:30 left  film.mkv"])
  }
}
