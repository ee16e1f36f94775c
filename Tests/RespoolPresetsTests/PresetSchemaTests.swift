import Foundation
import Testing

@testable import RespoolPresets
@testable import RespoolHost

/// Agreement between the JSON schema for editors and the keys that the preset reader accepts.
@Suite struct PresetSchemaTests {
  static func schema() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: PackagePresets.folder + "/schema.json"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  static func check(_ object: [String: Any], _ keys: [PresetKey]) throws {
    #expect(object["additionalProperties"] as? Bool == false)
    let properties = try #require(object["properties"] as? [String: [String: Any]])
    #expect(Set(properties.keys) == Set(keys.map(\.name)))
    for key in keys {
      let property = try #require(properties[key.name])
      #expect(property["description"] as? String == key.help, "\(key.name)")
      switch key.kind {
      case .text: #expect(property["type"] as? String == "string")
      case .flag: #expect(property["type"] as? String == "boolean")
      case .choice(let words): #expect(property["enum"] as? [String] == words, "\(key.name)")
      case .integer(let bounds):
        #expect(property["minimum"] as? Int == bounds.lowerBound)
        #expect(property["maximum"] as? Int == bounds.upperBound)
      case .number(let bounds):
        #expect(property["minimum"] as? Double == bounds.lowerBound)
        #expect(property["maximum"] as? Double == bounds.upperBound)
      case .numberOrWord(let bounds, let word):
        let forms = try #require(property["anyOf"] as? [[String: Any]])
        #expect(forms.first?["minimum"] as? Double == bounds.lowerBound)
        #expect(forms.first?["maximum"] as? Double == bounds.upperBound)
        #expect(forms.last?["enum"] as? [String] == [word])
      case .bitRate: #expect(property["$ref"] as? String == "#/definitions/bitrate")
      case .options: #expect(property["$ref"] as? String == "#/definitions/options")
      case .filters: #expect(property["$ref"] as? String == "#/definitions/filters")
      case .size: #expect(property["pattern"] != nil)
      case .frameRate: #expect(property["type"] as? [String] == ["number", "string"])
      case .pixelFormats, .extensions, .section: #expect(property["anyOf"] != nil)
      }
    }
  }

  @Test func `the schema has the keys of the reader`() throws {
    let schema = try Self.schema()
    try Self.check(schema, PresetKey.root)
    let definitions = try #require(schema["definitions"] as? [String: [String: Any]])
    try Self.check(try #require(definitions["video"]), PresetKey.video)
    try Self.check(try #require(definitions["audio"]), PresetKey.audio)
  }
}
