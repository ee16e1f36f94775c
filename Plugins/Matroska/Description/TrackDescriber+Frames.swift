import RespoolPlugin

extension TrackDescriber {
  /// Fills in the properties that the frames or their headers state.
  ///
  /// Properties that the track entry states stay. The decoder finds those that no header states.
  func readFrameProperties(_ track: inout TrackDescription, _ identifier: CodecIdentifier) {
    let code = FourCC(rawValue: track.codecTag.byteSwapped)
    track.pixelFormat = CodecPixelFormat.find(track.codec, code, bits: track.bitsPerSample)
    switch track.codec {
    case "mpeg1video", "mpeg2video": readMPEG(&track)
    case "theora":
      guard let header = TheoraHeader(track.extradata) else { break }
      track.pixelFormat = header.pixelFormat
      track.color = track.color.completed(by: header.color, isYUV: true)
    case "ffv1":
      if let parameters = FFV1Parameters(record: track.extradata, firstFrame: survey.firstFrame) {
        track.pixelFormat = parameters.pixelFormat
      }
    case "huffyuv", "ffvhuff":
      track.pixelFormat =
        HuffYUVHeader(track.extradata, bits: track.bitsPerSample).pixelFormat
    case "utvideo":
      guard track.pixelFormat.name.hasPrefix("yuv") else { break }
      // The code states the matrix.
      let isBT709 = code.description.dropFirst(2).first == "H"
      let stated = isBT709 ? H273.Matrix.bt709 : H273.Matrix.bt470BG
      let color = ColorDescription(matrix: stated)
      track.color = track.color.completed(by: color, isYUV: true)
    case "dvvideo":
      if let header = DVFrameHeader(survey.firstFrame) { track.pixelFormat = header.pixelFormat }
    case "png":
      if let header = PNGHeader(survey.firstFrame) { track.pixelFormat = header.pixelFormat }
    case "speedhq":
      let color = ColorDescription(matrix: H273.Matrix.bt470BG)
      track.color = track.color.completed(by: color, isYUV: true)
    case "mpeg4" where identifier.bidirectionalFrames != nil:
      let isReordered = MPEG4VideoHeader.hasBidirectionalFrames(
        track.extradata + survey.firstFrame)
      track.reorderDepth = isReordered ? 1 : 0
    case "wmv3", "vc1": track.pixelFormat = .yuv420p
    default: break
    }
    if identifier.bidirectionalFrames != nil, survey.hasBidirectionalFrames {
      track.reorderDepth = 1
    }
    if track.pixelFormat == .none { track.readVideoConfiguration() }
  }

  /// Reads the headers of MPEG-1 and MPEG-2 video, which are in CodecPrivate, in the first frame, or in both.
  private func readMPEG(_ track: inout TrackDescription) {
    guard let header = MPEGVideoHeader(track.extradata + survey.firstFrame) else { return }
    (track.profile, track.level) = (header.profile, header.level)
    track.pixelFormat = header.pixelFormat
    track.bitRate = header.bitRate
    track.color = track.color.completed(by: header.color, isYUV: true)
    if track.fieldOrder == .unknown { track.fieldOrder = header.fieldOrder }
    track.reorderDepth = header.hasLowDelay ? 0 : 1
  }
}
