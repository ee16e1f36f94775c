package import CRespool

extension TrackDescription {
  /// Copies the C form as far as the struct's own size says.
  package init(_ track: UnsafePointer<rsp_track>) {
    let value = rsp_track.copy(track)
    self.init(value)
    guard let list = value.further_formats else { return }
    furtherSampleDescriptions = (0..<Int(value.further_format_count)).compactMap {
      list[$0].map { TrackDescription(rsp_track.copy($0)) }
    }
  }

  /// Copies the C form without its further sample descriptions.
  private init(_ value: borrowing rsp_track) {
    self.init(
      kind: Kind(rawValue: value.kind) ?? .unknown, codec: String(cString: value.codec),
      timeBase: Rational(value.time_base))
    id = value.id
    codecTag = value.codec_tag
    disposition = Disposition(rawValue: value.disposition)
    extradata = Array(UnsafeBufferPointer(start: value.extradata, count: value.extradata_size))
    start = time(value.start)
    duration = time(value.duration)
    packetCount = value.packet_count >= 0 ? value.packet_count : nil
    bitRate = value.bit_rate
    language = value.language.map { String(cString: $0) }
    metadata = entries(value.metadata, value.metadata_count, size: value.metadata_size)
    edits = rsp_edit.list(value.edits, value.edit_count, size: value.edit_size).map {
      Edit(
        presentationStart: $0.presentation_start, duration: $0.duration,
        mediaStart: time($0.media_start), rate: $0.rate)
    }
    width = Int(value.width)
    height = Int(value.height)
    sampleAspect = Rational(value.sample_aspect)
    frameRate = Rational(value.frame_rate)
    baseFrameRate = Rational(value.base_frame_rate)
    pixelFormat = PixelFormat(rawValue: value.pixel_format)
    fieldOrder = FieldOrder(rawValue: value.field_order) ?? .unknown
    color = ColorDescription(value.color)
    displayMatrix = DisplayMatrix(value.display_matrix)
    reorderDepth = Int(value.reorder_depth)
    profile = value.profile >= 0 ? value.profile : nil
    level = value.level >= 0 ? value.level : nil
    sampleRate = Int(value.sample_rate)
    channelLayout = ChannelLayout(channelCount: Int(value.channels), mask: value.channel_mask)
    sampleFormat = SampleFormat(rawValue: value.sample_format)
    bitsPerSample = Int(value.bits_per_sample)
    frameSize = Int(value.frame_size)
    blockAlign = Int(value.block_align)
    if kind == .video {
      hiddenFrameCount = Int(value.initial_padding)
    } else {
      initialPadding = Int(value.initial_padding)
    }
    seekPreroll = Int(value.seek_preroll)
    preferredVolume = value.volume > 0 ? Double(value.volume - 1) / 256 : nil
    sideData = [SideData](value.side_data, value.side_data_count)
  }

  /// The C form; what it points to lives as long as `arena`.
  package func cValue(in arena: CArena) -> rsp_track {
    let edits = arena.list(
      edits.map {
        rsp_edit(
          presentation_start: $0.presentationStart, duration: $0.duration,
          media_start: $0.mediaStart ?? .min, rate: $0.rate)
      })
    let texts = arena.texts(metadata)
    let descriptions = furtherSampleDescriptions.map {
      Optional(UnsafePointer(arena.box($0.cValue(in: arena))))
    }
    return rsp_track(
      struct_size: structSize(rsp_track.self), kind: kind.rawValue, id: id,
      codec: arena.string(codec), codec_tag: codecTag, disposition: disposition.rawValue,
      extradata: arena.array(extradata), extradata_size: extradata.count,
      time_base: timeBase.cValue, start: start ?? .min, duration: duration ?? .min,
      packet_count: packetCount ?? -1, bit_rate: bitRate, language: arena.string(language),
      metadata: texts.start, edits: edits.start,
      metadata_count: UInt32(metadata.count), edit_count: UInt32(self.edits.count),
      width: UInt32(clamping: width), height: UInt32(clamping: height),
      sample_aspect: sampleAspect.cValue, frame_rate: frameRate.cValue,
      base_frame_rate: baseFrameRate.cValue, pixel_format: pixelFormat.rawValue,
      field_order: fieldOrder.rawValue, color: color.cValue,
      display_matrix: displayMatrix.cValue, reorder_depth: UInt32(clamping: reorderDepth),
      profile: profile ?? -1, level: level ?? -1, sample_rate: UInt32(clamping: sampleRate),
      channels: UInt32(clamping: channelLayout.channelCount), channel_mask: channelLayout.mask,
      sample_format: sampleFormat.rawValue, bits_per_sample: UInt32(clamping: bitsPerSample),
      frame_size: UInt32(clamping: frameSize), block_align: UInt32(clamping: blockAlign),
      initial_padding: UInt32(clamping: kind == .video ? hiddenFrameCount : initialPadding),
      seek_preroll: UInt32(clamping: seekPreroll), further_formats: arena.array(descriptions),
      further_format_count: UInt32(descriptions.count),
      volume: preferredVolume.map { 1 + UInt32(min(max(0, $0), 127) * 256) } ?? 0,
      side_data: sideData.cValue(in: arena), side_data_count: UInt32(sideData.count),
      edit_size: edits.size, metadata_size: texts.size, reserved_2: 0)
  }
}

extension DisplayMatrix {
  typealias CValue = (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32)

  init(_ m: CValue) {
    self.init(
      a: m.0, b: m.1, c: m.3, d: m.4, x: m.6, y: m.7, u: m.2, v: m.5, w: m.8)
    if a == 0 && b == 0 && c == 0 && d == 0 { self = .identity }
  }

  var cValue: CValue { (a, b, u, c, d, v, x, y, w) }
}
