import CYAML

extension PresetNode {
  /// Maximum depth of mappings and lists in a preset file; a valid preset has three levels.
  private static let maximumDepth = 32

  /// Returns the problem of a file that is nested more than 32 levels deep; `nil` if it is not.
  ///
  /// The time that libyaml takes for open brackets grows with the square of their number: 100,000 take 20
  /// s. The parser therefore reads the file event by event here, and stops at that place.
  static func nestingProblem(
    in bytes: UnsafeBufferPointer<UInt8>, file: String
  ) -> PresetProblem? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else { return nil }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
    var depth = 0
    while true {
      var event = yaml_event_t()
      // Invalid YAML is reported when the document is loaded.
      guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
      defer { yaml_event_delete(&event) }
      switch event.type {
      case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return nil
      case YAML_MAPPING_START_EVENT, YAML_SEQUENCE_START_EVENT: depth += 1
      case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: depth -= 1
      default: break
      }
      if depth > maximumDepth {
        return PresetProblem(
          file: file, line: Int(event.start_mark.line) + 1,
          column: Int(event.start_mark.column) + 1,
          message: "mappings and lists are nested more than \(maximumDepth) levels deep",
          advice: "a preset has three levels at most")
      }
    }
  }
}
