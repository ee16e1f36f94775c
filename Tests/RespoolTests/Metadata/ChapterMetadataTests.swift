import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Chapters as groups of metadata.
@Suite struct ChapterMetadata {
  /// An asset with chapters that is not a file.
  private final class Chapters: Asset, @unchecked Sendable {
    let list: [MediaDescription.Chapter]
    init(_ list: [MediaDescription.Chapter]) {
      self.list = list
      super.init()
    }
    override func mediaDescription() -> MediaDescription {
      MediaDescription(format: "", chapters: list)
    }
  }

  private let book = Chapters([
    .init(id: 0, start: 0, end: 2_000_000_000, title: "Anfang", language: "deu"),
    .init(id: 1, start: 0, end: 2_000_000_000, title: "Beginning", language: "en-GB"),
    .init(id: 2, start: 2_000_000_000, end: 3_000_000_000, title: "Ende", language: "deu"),
    .init(id: 3, start: 2_000_000_000, end: 3_000_000_000, title: "End", language: "en-GB"),
  ])

  private func titles(_ groups: [TimedMetadataGroup]) -> [String?] {
    groups.map { $0.items.first?.stringValue }
  }

  @Test func `chapters are groups with a title`() throws {
    let groups = try book.chapterMetadataGroups(bestMatchingPreferredLanguages: ["de-AT", "de"])
    #expect(titles(groups) == ["Anfang", "Ende"])
    #expect(groups.allSatisfy { $0.items.map(\.commonKey) == [.commonKeyTitle] })
    #expect(groups.map { $0.items.first?.extendedLanguageTag } == ["de", "de"])
    #expect(groups.map(\.timeRange.start.seconds) == [0, 2])
    #expect(groups.map(\.timeRange.duration.seconds) == [2, 1])
  }

  @Test(.rule("Chapters have the first preferred language that is available, or their own"))
  func `chapters have the first available preferred language, or that of the first chapter`()
    async throws
  {
    let groups = { try book.chapterMetadataGroups(bestMatchingPreferredLanguages: $0) }
    #expect(titles(try groups(["fr", "en", "de"])) == ["Beginning", "End"])
    #expect(titles(try groups(["fr"])) == ["Anfang", "Ende"])
    #expect(titles(try groups([])) == ["Anfang", "Ende"])
    #expect(try book.availableChapterLocales() == ["de", "en-GB"])
    #expect(try await book.load(.availableChapterLocales) == ["de", "en-GB"])
    let loaded = try await book.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
    #expect(titles(loaded) == ["Beginning", "End"])
  }

  @Test func `chapters without a language are listed and name none`() throws {
    let plain = Chapters([.init(id: 0, start: 0, end: 1, title: "A")])
    #expect(try plain.availableChapterLocales().isEmpty)
    #expect(
      titles(try plain.chapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])) == ["A"])
    let none = Asset(path: Pipeline.clip("speech.wav"), registry: Pipeline.registry)
    #expect(try none.chapterMetadataGroups(bestMatchingPreferredLanguages: ["en"]).isEmpty)
  }
}
