import RespoolMedia

/// The facts of a file, as its demuxer reports them or as an output should have them.
struct MediaFacts {
  private(set) var values: [MediaFact: [String]] = [:]

  /// Creates the facts of a file from `tags` and some of its tracks.
  ///
  /// `tracks` maps indexes of `media.tracks` to the indexes of the source's tracks; other tracks are ignored.
  ///
  /// `coverCount` is the number of covers. `nil` for the number of the file's cover tracks.
  init(
    _ media: MediaDescription, tags: [MetadataEntry], items: [NativeTag] = [],
    tracks: [Int: Int], coverCount: Int? = nil
  ) {
    for entry in tags { add(entry, to: .file) }
    let names = Set(tags.map(\.name))
    for item in items where item.track == nil {
      let hasEntry = !item.name.isEmpty && (item.kind != .data || names.contains(item.name))
      if !hasEntry || !item.isStated(by: tags) { set(.file, .item(item.key), item.value) }
    }
    for item in items where item.keySpace == "org.id3" && item.key.hasPrefix("USLT:") {
      set(.file, .part("description of lyrics"), String(item.key.dropFirst(5)))
    }
    // Tagging programs write English if the language is unknown.
    let languages = Set(items.filter { $0.track == nil }.compactMap(\.language))
    for language in languages.subtracting(["und", "eng", "en", ""]) {
      set(.file, .tagLanguage, language)
    }
    addRecords(of: media)
    if let rate = media.preferredRate, rate != 1, rate > 0 { set(.file, .rate, rate.decimalText) }
    if media.tracks.contains(where: { $0.kind == .audio }) {
      set(.file, .volume, Self.percent(media.preferredVolume))
    }
    let date = tags.first(where: \.isCreationTime)?.value ?? media.creationTime(of: tracks)
    if !tags.contains(where: \.isCreationTime), let date {
      add(MetadataEntry("creation_time", date), to: .file)
    }
    for (index, track) in media.tracks.enumerated() {
      if let number = tracks[index] { add(track, as: .track(number), creationTime: date) }
    }
    // A track may have two texts of one name, such as its name and its title.
    for item in media.nativeTags {
      guard let index = item.track, let number = tracks[index],
        media.tracks.indices.contains(index), !item.isStated(by: media.tracks[index].metadata)
      else { continue }
      set(.track(number), .item(item.key), item.value)
    }
    let covers = media.tracks.filter(\.isCover)
    set(.file, .coverCount, count(coverCount ?? covers.count))
    if coverCount != 0 {
      for cover in covers {
        set(.file, .coverKind, PictureKind.name(in: cover.metadata))
        let title = cover.metadata.first { $0.name.lowercased() == "title" }?.value
        set(.file, .coverTitle, title.flatMap { $0.isEmpty ? nil : $0 })
        set(.file, .coverName, cover.fileName.flatMap { Self.isUsual(coverName: $0) ? nil : $0 })
      }
    }
    addChapters(media.chapters)
  }

  /// Returns `true` for the usual names of covers: `cover.jpg`, `cover2.png` and the like.
  private static func isUsual(coverName name: String) -> Bool {
    let stem = name.prefix { $0 != "." && !$0.isNumber }
    let rest = name.dropFirst(stem.count).drop(while: \.isNumber)
    return stem == "cover" && rest.first == "."
  }

  private mutating func addChapters(_ chapters: [MediaDescription.Chapter]) {
    guard !chapters.isEmpty else { return }
    set(.file, .chapterCount, "\(chapters.count)")
    // Files may list chapters in another order than that of their times.
    let sorted = chapters.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    let titles = sorted.map(\.title)
    if titles.contains(where: { !$0.isEmpty }) {
      set(.file, .chapterTitles, titles.joined(separator: " | "))
    }
    // Matroska chapters are English by default.
    let languages = Set(chapters.compactMap(\.language)).subtracting(["und"])
    if !languages.isSubset(of: ["eng", "en"]) {
      set(.file, .chapterLanguages, languages.sorted().joined(separator: " | "))
    }
    func seconds(_ times: [Int64]) -> String {
      times.map { (Double($0) / 1e9).decimalText }.joined(separator: " | ")
    }
    set(.file, .chapterStarts, seconds(sorted.map(\.start)))
    let gaps = zip(sorted, sorted.dropFirst()).filter {
      $0.end > $0.start && $0.end < $1.start - MediaFact.Property.chapterTolerance
    }
    if !gaps.isEmpty { set(.file, .chapterGaps, seconds(gaps.map(\.0.end))) }
    if let last = sorted.last, last.end > last.start {
      set(.file, .lastChapterEnd, seconds([last.end]))
    }
  }

  /// Returns the values of the tag of `fact` wherever it may have moved.
  ///
  /// For a fact of the file, values of the file and of all tracks. For a fact of a track, values of the file.
  func tags(as fact: MediaFact) -> [String] {
    guard case .tag(let name) = fact.property else { return [] }
    // Vorbis comments have one field for description and comment.
    let names = name == "description" ? [name, "comment"] : [name]
    return values.filter { entry in
      names.contains { entry.key.property == .tag($0) }
        && (entry.key.subject == .file || fact.subject == .file)
    }.flatMap(\.value)
  }

  /// Adds the records of the file: chapter data that the list of chapters lacks, and data that is copied unchanged.
  private mutating func addRecords(of media: MediaDescription) {
    for record in media.sideData {
      switch record.type {
      case .userData: addBoxes(record.bytes, of: .file)
      case .riffChunks:
        for chunk in RIFFChunks(record.bytes)?.chunks ?? [] {
          set(.file, .chunk(chunk.type), chunk.body.count.counting("byte"))
        }
      case .id3Frames, .id3Places:
        for frame in ID3Frame.frames(in: record) {
          set(.file, .id3Frame(frame.name), frame.body.count.counting("byte"))
        }
      case .chapterTrack, .displayTimes, .exif: set(.file, .sideData(record.type), "present")
      case .xmp, .extendedXMP, .metaBox:
        set(.file, .sideData(record.type), record.bytes.count.counting("byte"))
      case .flacApplications: addApplications(record.bytes)
      case .unwrittenElements:
        for name in record.unwrittenElements { set(.file, .part(name), "present") }
      case .matroskaPlainChapters: break
      default: if record.isAboutChapters { set(.file, .sideData(record.type), "present") }
      }
    }
  }

  /// Adds the application blocks of FLAC, whose bodies begin with an identifier.
  private mutating func addApplications(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    while (try? reader.skip(1)) != nil, let size = try? reader.big(bytes: 3),
      var body = try? reader.sub(Int(size)), let id = try? body.big(UInt32.self)
    {
      set(.file, .part("application block '\(FourCC(rawValue: id))' of FLAC"), "present")
    }
  }

  /// Adds the boxes of user data.
  private mutating func addBoxes(_ bytes: [UInt8], of subject: MediaFact.Subject) {
    var reader = ByteReader(bytes)
    while let size = try? reader.big(UInt32.self), let type = try? reader.big(UInt32.self),
      size >= 8, (try? reader.skip(Int(size) - 8)) != nil
    {
      set(subject, .userData(FourCC(rawValue: type)), (size - 8).counting("byte"))
    }
  }

  /// Returns a volume as text; `nil` for full volume.
  private static func percent(_ volume: Double?) -> String? {
    volume.flatMap { $0 == 1 ? nil : "\(($0 * 100).rounded().decimalText) %" }
  }

  private func count(_ number: Int) -> String? { number > 0 ? "\(number)" : nil }

  private mutating func set(
    _ subject: MediaFact.Subject, _ property: MediaFact.Property, _ value: String?
  ) {
    guard let value else { return }
    values[MediaFact(subject: subject, property: property), default: []].append(value)
  }

  private mutating func add(
    _ track: TrackDescription, as subject: MediaFact.Subject, creationTime: String?
  ) {
    for entry in track.metadata {
      // Most files have one time for all tracks.
      let repeatsFile =
        entry.isCreationTime
        && creationTime.map { MetadataDate.distance($0, entry.value) == 0 } ?? true
      if !repeatsFile { add(entry, to: subject) }
    }
    if let language = track.language, language != "und", !language.isEmpty {
      set(subject, .language, language)
    }
    for flag in MediaFact.Flag.allCases where track.disposition.contains(flag.disposition) {
      set(subject, .flag(flag), "set")
    }
    if track.kind == .audio { set(subject, .volume, Self.percent(track.preferredVolume)) }
    for record in track.sideData
    where !Self.formsOfFacts.contains(record.type) && !record.isPlainGraphicsMode {
      switch record.type {
      case .userData: addBoxes(record.bytes, of: subject)
      case .unwrittenElements:
        for name in record.unwrittenElements { set(subject, .part(name), "present") }
      default: set(subject, .sideData(record.type), "present")
      }
    }
    if track.kind == .audio, track.channelLayout.channelCount > 0 {
      set(subject, .channelLayout, track.ambisonicOrder ?? "\(track.channelLayout)")
    }
    if track.codec == "webvtt", track.codecTag != FourCC("wvtt").tag {
      for part in WebVTT.parts(ofHeader: track.extradata) {
        set(subject, .captionHeader(part), "present")
      }
    }
    guard track.isMovingPicture else { return }
    let matrix = track.displayMatrix
    if matrix.displayedDegrees != 0 || matrix.isMirrored {
      set(
        subject, .rotation,
        "\(matrix.displayedDegrees) degrees" + (matrix.isMirrored ? ", mirrored" : ""))
    }
    if matrix.isTranslated(
      width: track.width, height: track.height, sampleAspect: track.sampleAspect)
    {
      let places = [matrix.x, matrix.y].map { (Double($0) / 65536).decimalText }
      set(subject, .translation, places.joined(separator: " "))
    }
    if matrix.isScaledOrSkewed {
      let numbers = [matrix.a, matrix.b, matrix.c, matrix.d].map { number in
        ((Double(number) / 65.536).rounded() / 1000).decimalText
      }
      set(subject, .scale, numbers.joined(separator: " "))
    }
    func code(_ code: UInt8) -> String? { code == 2 || code == 0 ? nil : "\(code)" }
    set(subject, .colorPrimaries, code(track.color.primaries))
    set(subject, .colorTransfer, code(track.color.transfer))
    set(subject, .colorMatrix, code(track.color.matrix))
    if !Self.codecsOfOneChromaLocation.contains(track.codec),
      ![.unspecified, .left].contains(track.color.chromaLocation)
    {
      set(subject, .chromaLocation, "\(track.color.chromaLocation)")
    }
    if track.cleanAperture == nil, track.statesSmallerAperture {
      set(subject, .sideData("tapt"), "present")
    }
    if let aperture = track.cleanAperture {
      let part = aperture.rectangle(width: track.width, height: track.height)
      let isWhole = (part.width, part.height) == (Double(track.width), Double(track.height))
      if !isWhole { set(subject, .cleanAperture, "present") }
    }
    switch track.fieldOrder {
    case .topFirst: set(subject, .interlacing, "top field first")
    case .bottomFirst: set(subject, .interlacing, "bottom field first")
    case .progressive, .unknown: break
    }
    set(subject, .bitDepth, track.pixelFormat.layout.map { "\($0.depth)" })
  }

  /// Codecs whose standards define the location of chroma samples.
  private static let codecsOfOneChromaLocation: Set<String> = [
    "mjpeg", "mpeg1video", "mpeg2video", "mpeg4", "h263", "dvvideo", "theora",
  ]

  /// Records for facts that other containers store in another form, or that the samples contain.
  ///
  /// They are channel layouts, pixel aspect ratios, orders of fields, the headers of AC-3, E-AC-3 and H.263 in MP4,
  /// and Matroska's frame durations, display size, and elements that repeat what the samples say.
  private static let formsOfFacts: Set<FourCC> = [
    "chan", "tapt", .fieldOrder, "dac3", "dec3", "d263", "MKdd", "MKds", "MKel",
  ]

  private mutating func add(_ entry: MetadataEntry, to subject: MediaFact.Subject) {
    let value = entry.value.trimmed
    guard let name = TagName.fact(entry.name), !value.isEmpty else { return }
    // FFmpeg names itself as the writer of AVI and QuickTime files here.
    if name == "software", value.hasPrefix("Lavf") { return }
    // The number of an item and the total are one tag in some containers and two in others.
    if name == "track" || name == "disc" {
      let parts = value.split(separator: "/", maxSplits: 1).map { String($0).trimmed }
      set(subject, .tag(name), parts.first)
      if parts.count > 1, parts[1] != "0" { set(subject, .tag("\(name)total"), parts[1]) }
    } else {
      set(subject, .tag(name), value)
    }
  }
}

extension MetadataEntry {
  var isCreationTime: Bool { name.lowercased() == "creation_time" }
}

extension MediaDescription {
  /// Returns the creation time of the file, else of the first kept track that has one.
  fileprivate func creationTime(of kept: [Int: Int]) -> String? {
    func value(_ entries: [MetadataEntry]) -> String? {
      entries.first { $0.isCreationTime }?.value
    }
    return value(metadata)
      ?? tracks.indices.lazy.filter { kept[$0] != nil }
      .compactMap { value(tracks[$0].metadata) }.first
  }
}

extension SideData {
  /// `true` for QuickTime's usual mode, dithered copying, which shows frames as they are.
  fileprivate var isPlainGraphicsMode: Bool {
    type == .graphicsMode && bytes.starts(with: [0, 0x40])
  }
}

extension TrackDescription {
  /// `true` if Apple's aperture dimensions show less of the frames than they contain (QuickTime File Format, "Track
  /// aperture mode dimensions atom").
  fileprivate var statesSmallerAperture: Bool {
    var reader = ByteReader(sideData["tapt"] ?? [])
    var sizes: [FourCC: [UInt8]] = [:]
    // Each box has 20 bytes: size, type, version and flags, width and height.
    while (try? reader.skip(4)) != nil, let type = try? reader.big(UInt32.self),
      (try? reader.skip(4)) != nil, let size = try? reader.take(8)
    {
      sizes[FourCC(rawValue: type)] = Array(size)
    }
    guard let clean = sizes["clef"], let production = sizes["prof"] else { return false }
    return clean != production
  }

  /// FFmpeg's name for the layout of ambisonic Opus (RFC 8486 3), such as `ambisonic 1`; `nil` for other audio.
  fileprivate var ambisonicOrder: String? {
    guard codec == "opus", let head = try? OpusConfiguration(head: extradata),
      head.mappingFamily == 2 || head.mappingFamily == 3
    else { return nil }
    // Order n has (n + 1)² channels; two more are a stereo pair beside them.
    let order = Int(Double(head.channelCount).squareRoot()) - 1
    return "ambisonic \(order)"
  }

  fileprivate var isCover: Bool { disposition.contains(.attachedPicture) }
}

extension String {
  /// The text without leading and trailing white space and zero characters.
  fileprivate var trimmed: String {
    var text = self[...]
    func isBlank(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }
    while let last = text.last, isBlank(last) { text.removeLast() }
    while let first = text.first, isBlank(first) { text.removeFirst() }
    return String(text)
  }
}
