import RespoolPlugin

/// Elements of a TrackEntry that say nothing that the samples do not say, copied from Matroska to Matroska.
///
/// They are hints for players, properties of color that the codec states again, and a FieldOrder that readers ignore.
/// Stored as side data of the track: an element for each parent, with the copied ones as its children.
struct CopiedElements: Hashable {
  static let type: FourCC = "MKel"
  /// The copied elements by their parent (RFC 9559 5.1.4.1).
  private static let children: [ElementID: Set<ElementID>] = [
    .trackEntry: [.minCache, .maxCache], .video: [.flagInterlaced, .fieldOrder],
    .colour: [
      .bitsPerChannel, .chromaSubsamplingHorz, .chromaSubsamplingVert, .cbSubsamplingHorz,
      .cbSubsamplingVert,
    ],
  ]
  private static let maximumSize = 8

  private var payloads: [ElementID: [Element]] = [:]

  private struct Element: Hashable {
    var id: ElementID
    var payload: [UInt8]
  }

  init() {}

  /// Reads the side data of a track.
  init(_ sideData: [SideData]) {
    guard let bytes = sideData[Self.type] else { return }
    let record = EBMLElement(.trackEntry, in: "", payload: ByteReader(bytes))
    try? record.forEachChild { (parent) throws(MediaError) in
      try parent.forEachChild { (child) throws(MediaError) in add(child, of: parent.id) }
    }
  }

  /// Adds a child of `parent` if it is one of the copied elements.
  mutating func add(_ child: EBMLElement, of parent: ElementID) {
    guard Self.children[parent]?.contains(child.id) == true,
      child.payload.count <= Self.maximumSize
    else { return }
    payloads[parent, default: []].append(Element(id: child.id, payload: child.binary))
  }

  mutating func add(_ others: CopiedElements) {
    payloads.merge(others.payloads) { $0 + $1 }
  }

  /// `nil` if there are no elements.
  var record: SideData? {
    guard !payloads.isEmpty else { return nil }
    var writer = EBMLWriter()
    for parent in payloads.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      writer.master(parent) { write(of: parent, to: &$0) }
    }
    return SideData(Self.type, writer.bytes)
  }

  func has(_ parent: ElementID) -> Bool { payloads[parent] != nil }

  /// Writes the children of `parent`.
  func write(of parent: ElementID, to writer: inout EBMLWriter) {
    for element in payloads[parent] ?? [] { writer.binary(element.id, element.payload) }
  }
}
