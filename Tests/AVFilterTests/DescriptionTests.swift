import RespoolPlugin
import Testing

@testable import AVFilter

/// Descriptions of the filters, whose options come from the library.
@Suite struct DescriptionTests {
  static let all = videoFilters + audioFilters + measuringFilters

  @Test func `every filter has its own name and media`() {
    let descriptions = Self.all.map { $0.description }
    #expect(Set(descriptions.map(\.name)).count == descriptions.count)
    #expect(descriptions.allSatisfy { $0.kind == .filter && $0.filteredMedia != nil })
    #expect(
      descriptions.allSatisfy {
        $0.filteredMedia == .video ? !$0.pixelFormats.isEmpty : !$0.sampleFormats.isEmpty
      })
  }

  @Test func `options have the types, bounds, defaults and choices of the library`() throws {
    func option(_ filter: String, _ name: String) throws -> OptionSchema {
      try #require(try Filtering.type(filter).description.options.first { $0.name == name })
    }
    let mode = try option("bwdif", "mode")
    #expect(mode.type == .choice(["send_frame", "send_field"]))
    #expect(mode.defaultValue == "send_field")
    #expect(try option("yadif", "parity").defaultValue == "auto")
    #expect(try option("unsharp", "luma_msize_x").type == .int(3...23))
    #expect(try option("unsharp", "luma_amount").type == .number(-2...5))
    #expect(try option("unsharp", "luma_amount").defaultValue == "1")
    #expect(try option("unsharp", "lx").help == "short for luma_msize_x")
    #expect(try option("crop", "w").type == .text)
    #expect(try option("crop", "keep_aspect").type == .bool)
    #expect(try option("loudnorm", "i").type == .number(-70...(-5)))
    #expect(try option("fps", "start_time").defaultValue == nil)
  }

  @Test func `defaults are valid, and names are in lower case`() {
    for type in Self.all {
      for option in type.description.options {
        #expect(option.name == option.name.lowercased())
        #expect(!option.help.isEmpty)
        if let value = option.defaultValue {
          #expect(option.problem(with: value) == nil, "\(option)")
        }
      }
    }
  }

  @Test func `what draws, prints or has a second input is left out`() {
    let names = Self.all.flatMap { $0.description.options.map(\.name) }
    for name in ["ppsrc", "video", "print_format", "metadata", "replaygain", "reset"] {
      #expect(!names.contains(name))
    }
  }
}
