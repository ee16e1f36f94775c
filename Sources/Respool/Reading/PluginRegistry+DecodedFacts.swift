import RespoolMedia

/// Facts on which settings depend and that only decoded frames reveal.
extension PluginRegistry {
  /// Pixels of a frame above which it is not decoded to find facts: somewhat more than those of 8K video.
  ///
  /// A small file may state any size, and planning must not take the memory of a conversion.
  private static let mostPixels = 1 << 25
  /// Packets of a track after which it counts as one that gives no frame.
  private static let packetLimit = 64

  /// Returns the settings that `resolve` returns for `media` after unknown values are filled in.
  ///
  /// These values are the size of frames and the rate and channels of audio, the sample format of lossless audio, and
  /// the pixel format and field order of video that is encoded. The first frame of each such track is decoded;
  /// `resolve` is called again if that frame has another format or is interlaced. Throws `io`, and the errors of `resolve`.
  package func resolved(
    _ media: MediaDescription, of source: FileSource, for container: String,
    by resolve: (MediaDescription) throws(MediaError) -> ResolvedSettings
  ) throws(MediaError) -> ResolvedSettings {
    let available = availablePlugins
    let lacksFormat = media.tracks.map { track in
      if track.isMovingPicture {
        return track.width <= 0 || track.height <= 0
          || track.pixelFormat.layout == nil
            && available.muxer(named: container).map {
              available.refusal(of: $0, for: track) != nil
            } == true
      }
      return track.kind == .audio && track.sampleRate <= 0
        || track.isLosslessAudio && track.sampleFormat == .none && track.bitsPerSample == 0
    }
    var media = media
    for (index, frame) in try firstFrames(media, of: source, of: lacksFormat) {
      if frame.kind == .video {
        media.tracks[index].pixelFormat = frame.pixelFormat
        if media.tracks[index].width <= 0 || media.tracks[index].height <= 0 {
          (media.tracks[index].width, media.tracks[index].height) = (frame.width, frame.height)
          media.tracks[index].sampleAspect = frame.sampleAspect
          media.tracks[index].color = frame.color
        }
      } else {
        media.tracks[index].sampleFormat = frame.sampleFormat
        if media.tracks[index].sampleRate <= 0 {
          media.tracks[index].sampleRate = frame.sampleRate
          media.tracks[index].channelLayout = frame.channelLayout
        }
      }
    }
    let settings = try resolve(media)
    var lacksFacts = media.tracks.map { _ in false }
    for track in settings.tracks {
      guard case .convertVideo = track.action else { continue }
      let video = media.tracks[track.source]
      lacksFacts[track.source] =
        video.mayHaveUnstatedFields
        || video.pixelFormat.layout == nil && !lacksFormat[track.source]
    }
    var isChanged = false
    for (index, frame) in try firstFrames(media, of: source, of: lacksFacts) {
      if media.tracks[index].pixelFormat.layout == nil, frame.pixelFormat.layout != nil {
        media.tracks[index].pixelFormat = frame.pixelFormat
        isChanged = true
      }
      if media.tracks[index].mayHaveUnstatedFields, let order = frame.fieldOrder {
        media.tracks[index].fieldOrder = order
        isChanged = true
      }
    }
    return isChanged ? try resolve(media) : settings
  }

  /// Returns the field orders of video that has fields which its file does not state, by index.
  ///
  /// Throws `io`.
  package func unstatedFieldOrders(of source: FileSource, _ media: MediaDescription)
    throws(MediaError)
    -> [Int: TrackDescription.FieldOrder]
  {
    try fieldOrders(
      of: source, media,
      wanted: media.tracks.map { $0.isMovingPicture && $0.mayHaveUnstatedFields })
  }

  /// Returns the field orders of wanted tracks whose first frames are interlaced, by index.
  private func fieldOrders(
    of source: FileSource, _ media: MediaDescription, wanted: [Bool]
  ) throws(MediaError) -> [Int: TrackDescription.FieldOrder] {
    try firstFrames(media, of: source, of: wanted).compactMapValues(\.fieldOrder)
  }

  /// Decodes the first frame of each wanted track, by index.
  ///
  /// A track that gives no frame is left out, because the conversion itself reports the reason. Throws `io`.
  private func firstFrames(
    _ media: MediaDescription, of source: FileSource, of wanted: [Bool]
  ) throws(MediaError) -> [Int: Frame] {
    var frames: [Int: Frame] = [:]
    let wanted = zip(wanted, media.tracks).map { $0 && $1.pixelCount <= Self.mostPixels }
    guard wanted.contains(true) else { return frames }
    do throws(MediaError) {
      let demuxer = try openDemuxer(source)
      guard demuxer.media.tracks.count == media.tracks.count else { return frames }
      try demuxer.select(wanted)
      var decoders: [Int: DecoderInstance] = [:]
      for index in media.tracks.indices where wanted[index] {
        decoders[index] = try? openDecoder(media.tracks[index], threads: 1)
      }
      var counts = media.tracks.map { _ in 0 }
      while !decoders.isEmpty, let packet = try demuxer.read() {
        guard let decoder = decoders[packet.track] else { continue }
        counts[packet.track] += 1
        if let frame = try Self.frame(of: source.bytes(of: packet), decoder) {
          frames[packet.track] = frame
          decoders[packet.track] = nil
        } else if counts[packet.track] == Self.packetLimit {
          decoders[packet.track] = nil
        }
      }
    } catch  where error.code != .io {
      // The conversion meets the same damage, and reports it.
    }
    return frames
  }

  /// Returns the frame that `decoder` gives for a packet, or `nil` if it gives none.
  private static func frame(of packet: Packet, _ decoder: DecoderInstance) -> Frame? {
    guard (try? decoder.send(packet)) != nil, case .value(let frame)? = try? decoder.receive()
    else { return nil }
    return frame
  }
}

extension TrackDescription {
  fileprivate var pixelCount: Int {
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : count
  }

  /// `true` if frames may be interlaced although the container does not state it.
  ///
  /// H.264 and H.265 signal progressive video in their parameter sets.
  fileprivate var mayHaveUnstatedFields: Bool {
    fieldOrder == .unknown && ["h264", "hevc", "mpeg2video", "vc1", "dvvideo"].contains(codec)
  }
}
