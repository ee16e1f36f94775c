import RespoolPlugin

/// Redundant or advisory elements of a TrackEntry, copied unchanged from Matroska to Matroska.
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
  /// The maximum size of an integer element (RFC 8794 7).
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

  /// Adds a child of `parent` if it is one of the copied elements and the first with its ID.
  ///
  /// Each of them has a maxOccurs of 1.
  mutating func add(_ child: EBMLElement, of parent: ElementID) {
    guard Self.children[parent]?.contains(child.id) == true,
      child.payload.count <= Self.maximumSize
    else { return }
    add(Element(id: child.id, payload: child.binary), of: parent)
  }

  private mutating func add(_ element: Element, of parent: ElementID) {
    guard payloads[parent]?.contains(where: { $0.id == element.id }) != true else { return }
    payloads[parent, default: []].append(element)
  }

  mutating func add(_ others: CopiedElements) {
    for (parent, elements) in others.payloads {
      for element in elements { add(element, of: parent) }
    }
  }

  /// `nil` if there are no elements.
  var record: SideData? {
    guard !payloads.isEmpty else { return nil }
    var writer = EBMLWriter()
    for parent in payloads.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      writer.master(parent) { writeChildren(of: parent, to: &$0) }
    }
    return SideData(Self.type, writer.bytes)
  }

  func hasChildren(of parent: ElementID) -> Bool { payloads[parent] != nil }

  /// Writes the children of `parent`.
  func writeChildren(of parent: ElementID, to writer: inout EBMLWriter) {
    for element in payloads[parent] ?? [] { writer.binary(element.id, element.payload) }
  }
}
