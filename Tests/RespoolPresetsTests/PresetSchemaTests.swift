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

  /// Checks the keys of an object, and returns those that have variants, by the names of their definitions.
  static func check(_ object: [String: Any], _ keys: [PresetKey]) throws -> [String: PresetKey] {
    var variants: [String: PresetKey] = [:]
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
      case .bytes: #expect(property["type"] as? [String] == ["integer", "string"])
      case .size: #expect(property["pattern"] != nil)
      case .frameRate: #expect(property["type"] as? [String] == ["number", "string"])
      case .trackRules(let words):
        let forms = try #require(property["anyOf"] as? [[String: Any]])
        // Sections take conditions beside the words.
        let isText = forms.first?["type"] as? String == "string"
        #expect(isText || forms.first?["enum"] as? [String] == words, "\(key.name)")
        #expect(forms.last?["$ref"] as? String == "#/definitions/rules")
      case .variants:
        let items = try #require(property["items"] as? [String: Any])
        let name = try #require((items["$ref"] as? String)?.split(separator: "/").last)
        variants[String(name)] = key
      case .pixelFormats, .extensions, .section: #expect(property["anyOf"] != nil)
      }
    }
    return variants
  }

  @Test func `the schema has the keys of the reader`() throws {
    let schema = try Self.schema()
    let definitions = try #require(schema["definitions"] as? [String: [String: Any]])
    var variants = try Self.check(schema, PresetKey.root)
    variants.merge(try Self.check(try #require(definitions["video"]), PresetKey.video)) { $1 }
    variants.merge(try Self.check(try #require(definitions["audio"]), PresetKey.audio)) { $1 }
    #expect(Set(variants.keys) == ["fileVariant", "videoVariant", "audioVariant"])
    for (name, key) in variants {
      guard case .variants(let keys) = key.kind else { continue }
      let variant = try #require(definitions[name])
      #expect(variant["additionalProperties"] as? Bool == false)
      #expect(variant["required"] as? [String] == ["if"])
      let properties = try #require(variant["properties"] as? [String: Any])
      #expect(Set(properties.keys) == Set(keys.map(\.name)), "\(name)")
    }
  }
}
