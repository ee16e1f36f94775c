import CRespool
import RespoolMedia

/// An error in a plugin's description of itself.
struct PluginProblem: Error {
  var message: String
  /// `true` if the layout of the tables is wrong, `false` if a value in them is.
  var isStructural = false

  static func malformed(_ message: String) -> PluginProblem {
    PluginProblem(message: message, isStructural: true)
  }
}

extension LoadedPlugin {
  /// Number of factories that no plugin reaches.
  ///
  /// A higher count indicates a wrong table.
  private static let maximumFactories = 4096

  /// Returns the plugin's description of itself, after checking it.
  func statement() throws(PluginProblem) -> PluginStatement {
    let size = Int(info.pointee.struct_size)
    let least = rsp_plugin_info_size_1_0
    guard size >= least else {
      throw .malformed("rsp_plugin_info.struct_size is \(size); the minimum is \(least)")
    }
    for (field, offset) in [
      ("name", MemoryLayout<rsp_plugin_info>.offset(of: \.name)),
      ("version", MemoryLayout<rsp_plugin_info>.offset(of: \.version)),
      ("license", MemoryLayout<rsp_plugin_info>.offset(of: \.license)),
    ] where !isSet(UnsafeRawPointer(info), at: offset) {
      throw .malformed("rsp_plugin_info.\(field) is NULL")
    }
    let name = String(cString: info.pointee.name)
    guard !name.isEmpty else { throw PluginProblem(message: "the plugin name is empty") }
    guard !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x2F }) else {
      throw PluginProblem(message: "the plugin name has a slash or a control character")
    }
    var statement = PluginStatement(
      name: name, version: String(cString: info.pointee.version),
      license: String(cString: info.pointee.license), abi: abi, factories: [], indices: [])
    let count = Int(info.pointee.factory_count)
    guard count <= Self.maximumFactories, count == 0 || info.pointee.factories != nil else {
      throw .malformed("\(count) factories are listed, but the list is NULL or cannot be that long")
    }
    guard count > 0 else { throw PluginProblem(message: "the plugin provides nothing") }
    var names: Set<String> = []
    for index in 0..<count {
      guard let factory = factory(at: index) else { throw .malformed("factory \(index) is NULL") }
      guard let description = try Self.description(of: factory, at: index) else { continue }
      guard names.insert("\(description.kind) \(description.name)").inserted else {
        throw PluginProblem(
          message: "the plugin lists the \(description.kind) \(description.name) twice")
      }
      statement.factories.append(description)
      statement.indices.append(index)
    }
    return statement
  }

  /// Returns the description of a factory; `nil` for a kind that a later minor version has added.
  private static func description(
    of factory: UnsafePointer<rsp_factory>, at index: Int
  ) throws(PluginProblem) -> FactoryDescription? {
    let raw = UnsafeRawPointer(factory)
    guard let kind = FactoryDescription.Kind(rawValue: factory.pointee.kind) else { return nil }
    let (least, functions) = layout(of: kind)
    let size = Int(factory.pointee.struct_size)
    guard size >= least else {
      throw .malformed("\(kind) \(index) has the struct_size \(size); the minimum is \(least)")
    }
    guard isSet(raw, at: MemoryLayout<rsp_factory>.offset(of: \.name)),
      isSet(raw, at: MemoryLayout<rsp_factory>.offset(of: \.long_name))
    else { throw .malformed("\(kind) \(index) has no name or no long name") }
    let name = String(cString: factory.pointee.name)
    guard !name.isEmpty else { throw PluginProblem(message: "\(kind) \(index) has an empty name") }
    for (function, offset) in functions where !isSet(raw, at: offset) {
      throw .malformed("the function \(function) of the \(kind) \(name) is NULL")
    }
    try checkLists(of: factory, kind, name)
    guard var description = FactoryDescription(factory) else {
      throw .malformed("the media of the \(kind) \(name) are neither video nor audio")
    }
    try checkExtension(of: factory, description)
    if kind == .encoder { description.rateControl = try rateControl(of: factory, name) }
    return description
  }

  /// Returns what the extension `encoding` states; `nil` if the encoder does not have it.
  private static func rateControl(
    of factory: UnsafePointer<rsp_factory>, _ name: String
  ) throws(PluginProblem) -> RateControl? {
    guard let table = factory.pointee.extension?(factory, RSP_ENCODING) else { return nil }
    let subject = "the extension \(RSP_ENCODING) of the encoder \(name)"
    let size = Int(table.load(as: UInt32.self))
    guard size >= rsp_encoding_size_1_5 else {
      throw .malformed(
        "\(subject) has the struct_size \(size); the minimum is \(rsp_encoding_size_1_5)")
    }
    let encoding = rsp_encoding.copy(table.assumingMemoryBound(to: rsp_encoding.self))
    guard let control = RateControl(encoding) else {
      throw .malformed("\(subject) has the kind \(encoding.kind); it is video (1) or audio (2)")
    }
    let direction = Int(encoding.quality_direction)
    guard control.quality != nil || direction == RSP_QUALITY_NONE else {
      throw PluginProblem(
        message: "\(subject) states qualities from \(encoding.quality_minimum) to "
          + "\(encoding.quality_maximum) with the direction \(direction), which is no scale")
    }
    return control
  }

  /// Throws if the factory declares an ability that needs an extension, and the extension is missing or too small.
  private static func checkExtension(
    of factory: UnsafePointer<rsp_factory>, _ description: FactoryDescription
  ) throws(PluginProblem) {
    let id: String
    let least: Int
    let open: Int?
    switch description.kind {
    case .demuxer where !description.packetTiming.isEmpty:
      typealias Layout = MemoryLayout<rsp_demuxing>
      (id, least, open) = (RSP_DEMUXING, rsp_demuxing_size_1_3, Layout.offset(of: \.open))
    case .muxer where description.flags.contains(.writesSegments):
      typealias Layout = MemoryLayout<rsp_muxing>
      (id, least, open) = (RSP_MUXING, rsp_muxing_size_1_3, Layout.offset(of: \.open))
    default: return
    }
    let subject = "the \(description.kind) \(description.name)"
    guard let table = factory.pointee.extension?(factory, id) else {
      throw .malformed(
        "\(subject) declares abilities of the extension \(id), which it does not have")
    }
    let size = Int(table.load(as: UInt32.self))
    guard size >= least else {
      throw .malformed(
        "the extension \(id) of \(subject) has the struct_size \(size); the minimum is \(least)")
    }
    guard isSet(table, at: open) else {
      throw .malformed("the function open of the extension \(id) of \(subject) is NULL")
    }
  }

  private static func checkLists(
    of factory: UnsafePointer<rsp_factory>, _ kind: FactoryDescription.Kind, _ name: String
  ) throws(PluginProblem) {
    let (magics, options) = (factory.pointee.magic_count, factory.pointee.option_count)
    guard magics <= 1024, magics == 0 || factory.pointee.magics != nil, options <= 4096,
      options == 0 || factory.pointee.options != nil
    else { throw .malformed("the \(kind) \(name) lists \(magics) magics and \(options) options") }
    if let list = factory.pointee.magics {
      for index in 0..<Int(magics) where list[index].length > 1024 {
        throw .malformed("magic \(index) of the \(kind) \(name) has \(list[index].length) bytes")
      }
    }
    guard let list = factory.pointee.options else { return }
    var names: Set<String> = []
    let size = Int(list.pointee.struct_size)
    guard options == 0 || size >= rsp_option_size_1_0 else {
      throw .malformed(
        "option 0 of the \(kind) \(name) has the struct_size \(size); the minimum is "
          + "\(rsp_option_size_1_0)")
    }
    for index in 0..<Int(options) {
      // The size of the first option is the distance of two options.
      let raw = UnsafeRawPointer(list) + index * size
      let stated = Int(raw.load(as: UInt32.self))
      guard stated == size else {
        throw .malformed(
          "option \(index) of the \(kind) \(name) has the struct_size \(stated), and the first "
            + "has \(size)")
      }
      guard isSet(raw, at: MemoryLayout<rsp_option>.offset(of: \.name)),
        isSet(raw, at: MemoryLayout<rsp_option>.offset(of: \.help))
      else { throw .malformed("option \(index) of the \(kind) \(name) has no name or no help") }
      let option = String(cString: raw.assumingMemoryBound(to: rsp_option.self).pointee.name)
      guard !option.isEmpty, names.insert(option).inserted else {
        throw PluginProblem(
          message: "the \(kind) \(name) has an option without a name or one twice: \"\(option)\"")
      }
    }
  }

  /// Returns the first size of factories of this kind, and their mandatory functions.
  private static func layout(of kind: FactoryDescription.Kind) -> (Int, [(String, Int?)]) {
    switch kind {
    case .demuxer:
      typealias Layout = MemoryLayout<rsp_demuxer_factory>
      return (
        rsp_demuxer_factory_size_1_0,
        [
          ("probe", Layout.offset(of: \.probe)), ("open", Layout.offset(of: \.open)),
          ("media", Layout.offset(of: \.media)), ("select", Layout.offset(of: \.select)),
          ("read", Layout.offset(of: \.read)), ("close", Layout.offset(of: \.close)),
        ]
      )
    case .decoder:
      typealias Layout = MemoryLayout<rsp_decoder_factory>
      return (
        rsp_decoder_factory_size_1_0,
        [
          ("open", Layout.offset(of: \.open)), ("send", Layout.offset(of: \.send)),
          ("receive", Layout.offset(of: \.receive)), ("flush", Layout.offset(of: \.flush)),
          ("close", Layout.offset(of: \.close)),
        ]
      )
    case .encoder:
      typealias Layout = MemoryLayout<rsp_encoder_factory>
      return (
        rsp_encoder_factory_size_1_0,
        [
          ("open", Layout.offset(of: \.open)), ("track", Layout.offset(of: \.track)),
          ("send", Layout.offset(of: \.send)), ("receive", Layout.offset(of: \.receive)),
          ("close", Layout.offset(of: \.close)),
        ]
      )
    case .muxer:
      typealias Layout = MemoryLayout<rsp_muxer_factory>
      return (
        rsp_muxer_factory_size_1_0,
        [
          ("open", Layout.offset(of: \.open)), ("time_base", Layout.offset(of: \.time_base)),
          ("write", Layout.offset(of: \.write)), ("finish", Layout.offset(of: \.finish)),
          ("close", Layout.offset(of: \.close)),
        ]
      )
    case .filter:
      typealias Layout = MemoryLayout<rsp_filter_factory>
      return (
        rsp_filter_factory_size_1_5,
        [
          ("open", Layout.offset(of: \.open)), ("track", Layout.offset(of: \.track)),
          ("send", Layout.offset(of: \.send)), ("receive", Layout.offset(of: \.receive)),
          ("close", Layout.offset(of: \.close)),
        ]
      )
    }
  }
}
