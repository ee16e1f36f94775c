package import CRespool

extension FactoryDescription {
  /// Copies the factory that starts with this head; `nil` for a kind that this version does not know.
  ///
  /// The size of the factory must have been checked.
  package init?(_ factory: UnsafePointer<rsp_factory>) {
    self.init(factory.pointee)
    guard kind == .filter else { return }
    let filter = UnsafeRawPointer(factory).assumingMemoryBound(to: rsp_filter_factory.self)
    switch Int(filter.pointee.media) {
    case Int(RSP_KIND_VIDEO): filteredMedia = .video
    case Int(RSP_KIND_AUDIO): filteredMedia = .audio
    default: return nil
    }
  }

  /// Copies the C form; `nil` for a kind that this version does not know.
  private init?(_ value: borrowing rsp_factory) {
    guard let kind = Kind(rawValue: value.kind) else { return nil }
    self.init(
      kind: kind, name: String(cString: value.name), longName: String(cString: value.long_name))
    tier = Tier(stated: value.tier)
    flags = Flags(rawValue: value.flags)
    aliases = strings(value.aliases)
    extensions = strings(value.extensions)
    mimeTypes = strings(value.mime_types)
    codecs = strings(value.codecs)
    if let list = value.magics {
      magics = (0..<Int(value.magic_count)).map { index in
        let length = Int(list[index].length)
        return Magic(
          Array(UnsafeBufferPointer(start: list[index].bytes, count: length)),
          at: Int(list[index].offset),
          mask: list[index].mask.map { Array(UnsafeBufferPointer(start: $0, count: length)) })
      }
    }
    options = rsp_option.list(value.options, value.option_count).compactMap { OptionSchema($0) }
    pixelFormats = zeroEnded(value.pixel_formats).map { PixelFormat(rawValue: $0) }
    sampleFormats = zeroEnded(value.sample_formats).map { SampleFormat(rawValue: $0) }
    sampleRates = zeroEnded(value.sample_rates).map { Int($0) }
    channelLayouts = zeroEnded(value.channel_masks).map { ChannelLayout(mask: $0) }
    let (low, high) = (Int(value.minimum_channels), Int(value.maximum_channels))
    channelCounts = low > 0 && low <= high ? low...high : nil
  }

  /// The C form; what it points to lives as long as `arena`.
  ///
  /// `structSize` is that of the factory struct which this head starts.
  package func cValue(structSize: UInt32, context: UnsafeMutableRawPointer?, in arena: CArena)
    -> rsp_factory
  {
    let magics = magics.map {
      rsp_magic(
        offset: UInt32($0.offset), length: UInt32($0.bytes.count),
        bytes: arena.bytes($0.bytes), mask: $0.mask.flatMap { arena.array($0) })
    }
    let options = options.map { $0.cValue(in: arena) }
    return rsp_factory(
      struct_size: structSize, kind: kind.rawValue, tier: tier.rawValue, flags: flags.rawValue,
      name: arena.string(name), long_name: arena.string(longName),
      aliases: arena.strings(aliases), extensions: arena.strings(extensions),
      mime_types: arena.strings(mimeTypes), codecs: arena.strings(codecs),
      magics: arena.array(magics), magic_count: UInt32(magics.count),
      option_count: UInt32(options.count), options: arena.list(options).start,
      pixel_formats: arena.array(pixelFormats.isEmpty ? [] : pixelFormats.map(\.rawValue) + [0]),
      sample_formats: arena.array(
        sampleFormats.isEmpty ? [] : sampleFormats.map(\.rawValue) + [0]),
      sample_rates: arena.array(sampleRates.isEmpty ? [] : sampleRates.map { UInt32($0) } + [0]),
      channel_masks: arena.array(
        channelLayouts.isEmpty ? [] : channelLayouts.map(\.mask) + [0]),
      minimum_channels: UInt32(channelCounts?.lowerBound ?? 0),
      maximum_channels: UInt32(channelCounts?.upperBound ?? 0), context: context, extension: nil)
  }
}

extension OptionSchema {
  init?(_ value: borrowing rsp_option) {
    let type: ValueType
    switch Int(value.type) {
    case Int(RSP_OPTION_BOOL): type = .bool
    case Int(RSP_OPTION_INT):
      guard value.minimum <= value.maximum, let low = Int(exactly: value.minimum.rounded()),
        let high = Int(exactly: value.maximum.rounded())
      else { return nil }
      type = .int(low...high)
    case Int(RSP_OPTION_NUMBER):
      guard value.minimum <= value.maximum else { return nil }
      type = .number(value.minimum...value.maximum)
    case Int(RSP_OPTION_CHOICE): type = .choice(strings(value.choices))
    case Int(RSP_OPTION_TEXT): type = .text
    default: return nil
    }
    self.init(
      String(cString: value.name), type, default: value.default_value.map { String(cString: $0) },
      help: String(cString: value.help))
  }

  func cValue(in arena: CArena) -> rsp_option {
    var kind = RSP_OPTION_TEXT
    var bounds = (0.0, 0.0)
    var words: [String] = []
    switch type {
    case .bool: kind = RSP_OPTION_BOOL
    case .int(let range):
      kind = RSP_OPTION_INT
      bounds = (Double(range.lowerBound), Double(range.upperBound))
    case .number(let range):
      kind = RSP_OPTION_NUMBER
      bounds = (range.lowerBound, range.upperBound)
    case .choice(let choices):
      kind = RSP_OPTION_CHOICE
      words = choices
    case .text: kind = RSP_OPTION_TEXT
    }
    return rsp_option(
      struct_size: structSize(rsp_option.self), type: UInt32(kind), name: arena.string(name),
      help: arena.string(help), default_value: arena.string(defaultValue), minimum: bounds.0,
      maximum: bounds.1, choices: arena.strings(words))
  }
}

private func zeroEnded<T: FixedWidthInteger>(_ list: UnsafePointer<T>?) -> [T] {
  guard var next = list else { return [] }
  var values: [T] = []
  while next.pointee != 0 {
    values.append(next.pointee)
    next += 1
  }
  return values
}
