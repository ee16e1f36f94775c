import RespoolPlugin

/// The parsed boxes of `moov`.
struct Movie {
  var header: MovieHeaderBox
  var tracks: [MovieTrack] = []
  var extends: [UInt32: TrackExtendsBox] = [:]
  /// `true` if fragments may follow.
  var isFragmented = false
  /// Duration from `mehd`, in units of the movie's time scale.
  var fragmentDuration: UInt64?
  var metadata = MetadataReader()
  /// Boxes that other specifications define.
  var others = ForeignBoxes()

  /// Maximum number of bytes read from one `moof` or `moov`: enough for some 20 million samples.
  static let largest = 512 << 20

  /// Parses `moov`; `reader` holds its payload.
  init(from reader: ByteReader, isQuickTime: Bool) throws(MediaError) {
    guard var payload = try reader.firstBox(MovieHeaderBox.type) else {
      if try reader.firstBox("cmov") != nil {
        throw MediaError(
          .unsupported, "the movie header is compressed (cmov)", offset: reader.origin,
          path: "moov/cmov")
      }
      throw MediaError(
        .malformed, "the movie has no header (mvhd)", offset: reader.origin, path: "moov")
    }
    do throws(MediaError) {
      header = try MovieHeaderBox(from: &payload)
    } catch {
      var error = error
      error.path = "moov/mvhd"
      throw error
    }
    var reader = reader
    while let (type, payload) = try reader.nextBox() {
      switch type {
      case "trak":
        tracks.append(
          try MovieTrack(
            from: payload, isQuickTime: isQuickTime, path: "moov/trak[\(tracks.count)]"))
      case "mvex": try read(extends: payload)
      case "udta": try metadata.read(userData: payload)
      case "meta":
        try? metadata.read(meta: payload)
        others.add(type, payload)
      default: others.add(type, payload)
      }
    }
  }

  private mutating func read(extends reader: ByteReader) throws(MediaError) {
    isFragmented = true
    var reader = reader
    while case (let type, var payload)? = try reader.nextBox() {
      if type == TrackExtendsBox.type {
        let box = try TrackExtendsBox(from: &payload)
        extends[box.trackID] = box
      } else if type == "mehd" {
        let version = try payload.versionAndFlags().version
        fragmentDuration = try payload.number(version: version)
      }
    }
  }
}

/// The parsed boxes of one `trak`.
struct MovieTrack {
  var header: TrackHeaderBox
  var mediaHeader = MediaHeaderBox(timeScale: 0, duration: 0)
  var handler = HandlerBox(handlerType: "    ", name: "")
  /// The handler type that corresponds to the media header box (ISO/IEC 14496-12 8.4.5).
  private var headerType: FourCC?
  var extendedLanguage: String?
  var descriptions = SampleDescriptionBox(entries: [])
  var edits = EditListBox(entries: [])
  var references = TrackReferenceBox(references: [])
  var table = SampleTable()
  var files = DataReferences()
  var metadata = MetadataReader()
  /// Boxes that are passed through unchanged.
  var records: [SideData] = []
  /// Boxes that other specifications define, which no track is written with.
  private var others = ForeignBoxes()
  /// Names of the boxes in ``others``.
  var unwritten: [String] {
    others.parts + others.records.map { $0.type == .xmp ? "XMP packet" : "box 'meta'" }
  }
  /// Path of the track's box, for errors.
  var path: String
  /// Error found while parsing the track.
  ///
  /// Thrown when the track is read.
  var damage: MediaError?

  init(from reader: ByteReader, isQuickTime: Bool, path: String) throws(MediaError) {
    self.path = path
    header = TrackHeaderBox(trackID: 0, duration: 0)
    do throws(MediaError) {
      try read(track: reader)
    } catch {
      damage = error
      if damage?.path == nil { damage?.path = path }
    }
    if handler.handlerType == "    " { handler.handlerType = mediaType }
  }

  /// The media type of a track without a handler, from its media header box or its sample entry.
  private var mediaType: FourCC {
    if let headerType { return headerType }
    guard let format = descriptions.entries.first?.format else { return "    " }
    if SampleEntryCodecs.video[format] != nil { return "vide" }
    return SampleEntryCodecs.audio[format] != nil ? "soun" : "    "
  }

  private mutating func read(track reader: ByteReader) throws(MediaError) {
    var reader = reader
    while case (let type, var payload)? = try reader.nextBox() {
      switch type {
      case TrackHeaderBox.type: header = try TrackHeaderBox(from: &payload)
      case "edts":
        if var list = try payload.firstBox(EditListBox.type) {
          edits = try EditListBox(from: &list)
        }
      case TrackReferenceBox.type: references = try TrackReferenceBox(from: &payload)
      case "udta": try metadata.read(userData: payload)
      case "meta":
        try? metadata.read(meta: payload)
        others.add(type, payload)
      case "mdia": try read(media: payload)
      default:
        if let record = SampleEntryRecords.record(type, payload, of: SampleEntryRecords.track) {
          records.append(record)
        } else {
          others.add(type, payload)
        }
      }
    }
  }

  private mutating func read(media reader: ByteReader) throws(MediaError) {
    var reader = reader
    while case (let type, var payload)? = try reader.nextBox() {
      switch type {
      case MediaHeaderBox.type: mediaHeader = try MediaHeaderBox(from: &payload)
      case HandlerBox.type: handler = try HandlerBox(from: &payload)
      case "elng":
        _ = try payload.versionAndFlags()
        let text = try payload.take(payload.remaining).prefix { $0 != 0 }
        if !text.isEmpty { extendedLanguage = String(decoding: text, as: UTF8.self) }
      case "minf":
        if let place = try payload.firstBox("dinf"), let list = try place.firstBox("dref") {
          files = DataReferences(list)
        }
        if let box = try? payload.firstBox("vmhd") {
          headerType = "vide"
          readMode(box)
        }
        if let box = try? payload.firstBox("smhd") {
          headerType = "soun"
          readBalance(box)
        }
        guard let samples = try payload.firstBox("stbl") else { continue }
        if var descriptions = try samples.firstBox(SampleDescriptionBox.type) {
          self.descriptions = try SampleDescriptionBox(from: &descriptions)
        }
        table = try SampleTable(from: samples, path: "\(path)/mdia/minf/stbl")
      default: break
      }
    }
  }

  /// Keeps graphics mode and color of a video media header unless they are the usual ones (12.1.2).
  private mutating func readMode(_ box: ByteReader) {
    var box = box
    guard (try? box.skip(4)) != nil, let body = try? box.take(8), body.contains(where: { $0 != 0 })
    else { return }
    records.append(SideData(.graphicsMode, Array(body)))
  }

  /// Keeps the balance of a sound media header unless it is centered (12.2.2).
  private mutating func readBalance(_ box: ByteReader) {
    var box = box
    guard (try? box.skip(4)) != nil, let body = try? box.take(2), body.contains(where: { $0 != 0 })
    else { return }
    records.append(SideData(.audioBalance, Array(body)))
  }

  /// IDs of the tracks that hold this track's chapters.
  var chapterTrackIDs: [UInt32] {
    references.references.filter { $0.type == "chap" }.flatMap(\.trackIDs)
  }
}
