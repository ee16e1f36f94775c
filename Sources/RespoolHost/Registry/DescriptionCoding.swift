package import RespoolMedia

/// The description of a plugin, or the reason why there is none.
package enum PluginDescription: Hashable, Sendable {
  case works(PluginStatement)
  case fails(PluginFailure)
}

/// The description that a plugin gives of itself.
package struct PluginStatement: Hashable, Sendable {
  package var name: String
  package var version: String
  package var license: String
  /// Version of the ABI that the plugin was built with.
  package var abi: ABIVersion
  package var factories: [FactoryDescription]
  /// Index of each factory in the plugin's own list.
  package var indices: [Int]
  /// Libraries that were loaded with the plugin.
  ///
  /// The description is valid while these are unchanged.
  package var libraries: [LibraryIdentity] = []
}

/// Encoder of the data that the cache and the describing process exchange.
///
/// Numbers are little-endian; texts follow their length.
struct DescriptionEncoder {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ text: String) { put(Array(text.utf8)) }

  mutating func put(_ data: [UInt8]) {
    put(UInt32(clamping: data.count))
    bytes.append(contentsOf: data)
  }

  mutating func put(_ text: String?) {
    put(UInt8(text == nil ? 0 : 1))
    if let text { put(text) }
  }

  mutating func put<T>(list: [T], _ element: (inout DescriptionEncoder, T) -> Void) {
    put(UInt32(clamping: list.count))
    for item in list { element(&self, item) }
  }

  mutating func put(list: [String]) { put(list: list) { $0.put($1) } }

  mutating func put(_ description: PluginDescription) {
    switch description {
    case .works(let statement):
      put(UInt8(1))
      put(statement.name)
      put(statement.version)
      put(statement.license)
      put(statement.abi.minor)
      put(list: statement.factories) { $0.put($1) }
      put(list: statement.indices) { $0.put(UInt32(clamping: $1)) }
      put(list: statement.libraries) {
        $0.put($1.path)
        $0.put($1.size)
        $0.put($1.modified)
      }
    case .fails(let failure):
      put(UInt8(0))
      put(UInt8(failure.cause.rawValue))
      put(failure.reason)
      put(failure.advice)
    }
  }

  private mutating func put(_ factory: FactoryDescription) {
    put(factory.kind.rawValue)
    put(factory.name)
    put(factory.longName)
    put(factory.tier.rawValue)
    put(factory.flags.rawValue)
    put(list: factory.aliases)
    put(list: factory.extensions)
    put(list: factory.mimeTypes)
    put(list: factory.codecs)
    put(list: factory.magics) {
      $0.put(UInt32(clamping: $1.offset))
      $0.put($1.bytes)
      $0.put($1.mask ?? [])
    }
    put(list: factory.options) { $0.put($1) }
    put(list: factory.pixelFormats) { $0.put($1.rawValue) }
    put(list: factory.sampleFormats) { $0.put($1.rawValue) }
    put(list: factory.sampleRates) { $0.put(UInt32(clamping: $1)) }
    put(list: factory.channelLayouts) { $0.put($1.mask) }
    put(UInt32(clamping: factory.channelCounts?.lowerBound ?? 0))
    put(UInt32(clamping: factory.channelCounts?.upperBound ?? 0))
    put(list: factory.rateControl.map { [$0] } ?? []) { $0.put($1) }
    put(UInt8(factory.filteredMedia == .video ? 1 : factory.filteredMedia == .audio ? 2 : 0))
  }

  private mutating func put(_ control: RateControl) {
    put(control.kind.rawValue)
    put(list: control.quality.map { [$0] } ?? []) {
      $0.put($1.range.lowerBound.bitPattern)
      $0.put($1.range.upperBound.bitPattern)
      $0.put($1.step.bitPattern)
      $0.put(($1.usual ?? -1).bitPattern)
      $0.put(UInt8($1.isLowerBetter ? 1 : 0))
    }
    put(control.bitRates?.lowerBound ?? 0)
    put(control.bitRates?.upperBound ?? 0)
  }

  private mutating func put(_ option: OptionSchema) {
    put(option.name)
    put(option.help)
    put(option.defaultValue)
    switch option.type {
    case .bool: put(UInt8(1))
    case .int(let range):
      put(UInt8(2))
      put(Int64(range.lowerBound))
      put(Int64(range.upperBound))
    case .number(let range):
      put(UInt8(3))
      put(range.lowerBound.bitPattern)
      put(range.upperBound.bitPattern)
    case .choice(let words):
      put(UInt8(4))
      put(list: words)
    case .text: put(UInt8(5))
    }
  }
}

/// Decoder for the output of `DescriptionEncoder`.
///
/// Other bytes make `isValid` `false` and yield zeros, never a trap.
struct DescriptionDecoder {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private(set) var isValid = true

  /// Creates a decoder of `bytes`, which must outlive it.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    guard isValid, count >= 0, count <= bytes.count - position else {
      isValid = false
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  mutating func number<T: FixedWidthInteger>(_: T.Type = T.self) -> T {
    let part = take(MemoryLayout<T>.size)
    return isValid ? T(littleEndian: part.loadUnaligned(as: T.self)) : 0
  }

  mutating func text() -> String {
    let count = Int(number(UInt32.self))
    return String(decoding: take(count), as: UTF8.self)
  }

  mutating func data() -> [UInt8] {
    let count = Int(number(UInt32.self))
    return Array(take(count))
  }

  mutating func optionalText() -> String? { number(UInt8.self) == 1 ? text() : nil }

  mutating func list<T>(_ element: (inout DescriptionDecoder) -> T) -> [T] {
    let count = Int(number(UInt32.self))
    // Every element takes at least one byte, so this bounds the memory by the bytes present.
    guard isValid, count <= bytes.count - position else {
      isValid = false
      return []
    }
    var items: [T] = []
    items.reserveCapacity(count)
    for _ in 0..<count {
      items.append(element(&self))
      guard isValid else { return [] }
    }
    return items
  }

  mutating func texts() -> [String] { list { $0.text() } }

  mutating func pluginDescription() -> PluginDescription? {
    let description: PluginDescription
    switch number(UInt8.self) {
    case 1:
      let statement = PluginStatement(
        name: text(), version: text(), license: text(),
        abi: ABIVersion(major: ABIVersion.host.major, minor: number()),
        factories: list { $0.factory() },
        indices: list { Int($0.number(UInt32.self)) },
        libraries: list {
          LibraryIdentity(path: $0.text(), size: $0.number(), modified: $0.number())
        })
      guard statement.factories.count == statement.indices.count else { return nil }
      description = .works(statement)
    case 0:
      guard let cause = PluginFailure.Cause(rawValue: number()) else { return nil }
      description = .fails(PluginFailure(cause, reason: text(), advice: text()))
    default: return nil
    }
    return isValid ? description : nil
  }

  private mutating func factory() -> FactoryDescription {
    guard let kind = FactoryDescription.Kind(rawValue: number()) else {
      isValid = false
      return FactoryDescription(kind: .demuxer, name: "", longName: "")
    }
    var factory = FactoryDescription(kind: kind, name: text(), longName: text())
    factory.tier = FactoryDescription.Tier(stated: number())
    factory.flags = FactoryDescription.Flags(rawValue: number())
    factory.aliases = texts()
    factory.extensions = texts()
    factory.mimeTypes = texts()
    factory.codecs = texts()
    factory.magics = list {
      let offset = Int($0.number(UInt32.self))
      let bytes = $0.data()
      let mask = $0.data()
      return FactoryDescription.Magic(
        bytes, at: offset, mask: mask.count == bytes.count && !mask.isEmpty ? mask : nil)
    }
    factory.options = list { $0.option() }
    factory.pixelFormats = list { PixelFormat(rawValue: $0.number()) }
    factory.sampleFormats = list { SampleFormat(rawValue: $0.number()) }
    factory.sampleRates = list { Int($0.number(UInt32.self)) }
    factory.channelLayouts = list { ChannelLayout(mask: $0.number()) }
    let (low, high) = (Int(number(UInt32.self)), Int(number(UInt32.self)))
    factory.channelCounts = low > 0 && low <= high ? low...high : nil
    factory.rateControl = list { $0.rateControl() }.first
    switch number(UInt8.self) {
    case 1: factory.filteredMedia = .video
    case 2: factory.filteredMedia = .audio
    default: break
    }
    return factory
  }

  private mutating func rateControl() -> RateControl {
    var control = RateControl(TrackDescription.Kind(rawValue: number()) ?? .unknown)
    control.quality =
      list { decoder -> RateControl.QualityScale? in
        let numbers = (0..<4).map { _ in Double(bitPattern: decoder.number()) }
        let isLowerBetter = decoder.number(UInt8.self) == 1
        guard numbers[0] <= numbers[1] else { return nil }
        return RateControl.QualityScale(
          numbers[0]...numbers[1], step: numbers[2], isLowerBetter: isLowerBetter,
          usual: numbers[3] < 0 ? nil : numbers[3])
      }.first ?? nil
    let (low, high) = (number(Int64.self), number(Int64.self))
    control.bitRates = low > 0 && low <= high ? low...high : nil
    return control
  }

  private mutating func option() -> OptionSchema {
    let (name, help, value) = (text(), text(), optionalText())
    var type = OptionSchema.ValueType.text
    switch number(UInt8.self) {
    case 1: type = .bool
    case 2:
      let (low, high) = (Int(number(Int64.self)), Int(number(Int64.self)))
      if low <= high { type = .int(low...high) } else { isValid = false }
    case 3:
      let low = Double(bitPattern: number())
      let high = Double(bitPattern: number())
      if low <= high { type = .number(low...high) } else { isValid = false }
    case 4: type = .choice(texts())
    case 5: break
    default: isValid = false
    }
    return OptionSchema(name, type, default: value, help: help)
  }
}
