import RespoolPlugin

/// The tags of audio formats that FFmpeg reads partly: it keeps one value of several, and only texts.
struct AudioFileTags {
  private var tags: [NativeTag] = []
  private var attachments: [TrackDescription] = []
  private var chapters: [MediaDescription.Chapter] = []
  private var frames: [ID3Frame] = []
  /// Names of parts of the file that no muxer writes, which conversions report as losses.
  private var parts: [String] = []
  /// Blocks of FLAC that are copied unchanged.
  private var records: [SideData] = []
  private let format: String

  /// Reads the tags of a file.
  ///
  /// Reads none for formats without tags of their own.
  ///
  /// Throws `io` and `cancelled`.
  init(_ media: MediaDescription, in source: ByteSource) throws(MediaError) {
    format = media.format
    switch format {
    case "mp3", "aac", "tta", "ac3", "eac3", "dts":
      for tag in try ID3Prefix.tags(in: source) { add(tag) }
      if let tag = try ID3Prefix.appendedTag(in: source) { add(tag) }
      if ["mp3", "aac", "tta"].contains(format) { removeFramesReturnedByFFmpeg(in: media) }
      let items = try APETag.items(in: source)
      addMissing(items.tags, of: "APEv2 tag")
      // FFmpeg returns covers for the items in TTA.
      if format != "tta" { parts += items.others }
      addMissing(try ID3v1Tag.tags(in: source), of: nil)
      if format == "mp3", try TagMark.hasLyrics3(source) { parts.append("Lyrics3 tag") }
    case "wv", "ape", "mpc", "mpc8", "tak":
      tags = try APETag.items(in: source).tags
    case "flac":
      let blocks = try FLACBlocks(source)
      tags = blocks.tags
      chapters = blocks.comments?.chapters(duration: media.duration) ?? []
      attachments = blocks.attachments
      parts = blocks.parts
      records = blocks.records(sampleRate: media.tracks.first?.sampleRate ?? 0)
      // FLAC's own tags come first. Pictures of an ID3 tag before them are only reported.
      let (own, pictures) = (tags, attachments)
      for tag in try ID3Prefix.tags(in: source) {
        if !tag.pictures.isEmpty { parts.append("pictures of the ID3 tag before FLAC") }
        add(tag)
      }
      let further = tags.dropFirst(own.count)
      (tags, attachments) = (own, pictures)
      addMissing(Array(further), of: "ID3 tag before FLAC")
    case "ogg":
      let tracks = media.tracks.filter { !$0.disposition.contains(.attachedPicture) }
      guard tracks.count == 1, tracks[0].codec == "vorbis",
        var comments = try OggChain.comments(in: source)
      else { return }
      comments.fields = comments.fieldsWithoutChapters
      tags = comments.tags
    case "aiff":
      let chunks = try AIFFChunks(source, sampleRate: media.tracks.first?.sampleRate ?? 0)
      if let tag = chunks.tag { add(tag) }
      addMissing(chunks.tags, of: "AIFF")
      parts += chunks.parts
      let markers = chunks.chapters(duration: media.duration)
      if chapters.count < markers.count { chapters = markers }
    case "caf":
      let chunks = try CoreAudioChunks(source, sampleRate: media.tracks.first?.sampleRate ?? 0)
      tags = chunks.tags
      parts += chunks.lostParts
      chapters = chunks.chapters(duration: media.duration)
    default: break
    }
  }

  /// Removes ID3 frames that libavformat returns as tags: private frames, and compressed texts.
  private mutating func removeFramesReturnedByFFmpeg(in media: MediaDescription) {
    let names = Set(media.metadata.map { $0.name.lowercased() })
    frames.removeAll { frame in
      frame.name == "PRIV"
        || frame.isCoded
          && names.contains((ID3Names.entries[frame.name] ?? frame.name).lowercased())
    }
  }

  /// Adds the texts, chapters and other frames of an ID3 tag.
  ///
  /// Pictures are added only in formats that libavformat does not return as covers.
  private mutating func add(_ tag: ID3Tag) {
    let known = Set(tags.map { MetadataEntry($0.name, $0.value) })
    tags += tag.texts.filter { !known.contains(MetadataEntry($0.name, $0.value)) }
    if chapters.count < tag.chapters.count { chapters = tag.chapters }
    frames += tag.others
    for picture in tag.pictures {
      guard !FLACBlocks.isCover(picture.mimeType) else { continue }
      let file = TrackDescription(
        attachedPicture: picture.file, type: picture.mimeType, about: picture.title,
        number: attachments.count + 1)
      if let file { attachments.append(file) }
    }
  }

  /// Adds tags whose names are new.
  ///
  /// A different value for a known name is reported as a lost part of `container`. `nil`: it is not reported, as for
  /// ID3v1, whose texts are truncated and of unknown encoding.
  private mutating func addMissing(_ others: [NativeTag], of container: String?) {
    var known: [String: String] = [:]
    for tag in tags { known[tag.name.lowercased(), default: ""] += tag.value + "\n" }
    for tag in others {
      guard let values = known[tag.name.lowercased()] else {
        tags.append(tag)
        continue
      }
      if let container, !values.contains(tag.value) {
        parts.append("other \(tag.name) of the \(container)")
      }
    }
  }

  /// Adds the tags to FFmpeg's description of the file.
  func add(to media: inout MediaDescription) {
    for index in media.tracks.indices { media.tracks[index].takeCoverItem() }
    media.tracks += attachments
    media.sideData += ID3Frame.records(frames) + records
    if !parts.isEmpty { media.sideData.append(SideData(unwrittenElements: parts)) }
    addChapters(to: &media)
    addTags(to: &media)
  }

  private func addChapters(to media: inout MediaDescription) {
    // FFmpeg omits chapters with pictures, and returns those of a cue sheet, which have no names. Times of an ID3 tag
    // are those of the audio without the encoder delay, which FFmpeg counts in.
    let hasNames = media.chapters.contains { !$0.title.isEmpty }
    let areOfID3 = ["mp3", "aac", "tta"].contains(format)
    if media.chapters.count < chapters.count || (areOfID3 || !hasNames) && !chapters.isEmpty {
      media.chapters = chapters
    }
  }

  /// Replaces FFmpeg's tags by those of the file, except tags that only FFmpeg returns.
  private func addTags(to media: inout MediaDescription) {
    guard !tags.isEmpty else { return }
    let known = Set(tags.flatMap { [$0.name.lowercased(), Self.frame($0.key)] })
    let keySpace = ["flac", "ogg"].contains(format) ? "org.xiph.comment" : "org.id3"
    var all = tags
    for entry in media.metadata {
      let name = entry.name.lowercased()
      let isKnown = known.contains(name) || name.hasPrefix("lyrics-") && known.contains("lyrics")
      guard !name.isEmpty, !isKnown else { continue }
      all.append(
        NativeTag(keySpace: keySpace, key: entry.name, name: entry.name, value: entry.value))
    }
    // Comments and lyrics stay apart instead of being joined.
    media.metadata = NativeTag.entries(all) {
      ["COMM", "USLT", "ANNO", "COMT"].contains($0.key.prefix { $0 != ":" })
    }
    media.nativeTags = all.filter { !MetadataEntry($0.name, "").describesSourceFile }
  }

  /// Returns the first part of a key, which names the frame.
  private static func frame(_ key: String) -> String {
    String(key.prefix { $0 != ":" }).lowercased()
  }
}
