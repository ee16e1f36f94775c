extension TrackDescription {
  /// Takes mastering display and light levels from the first decoded frame, if the container does not store them.
  ///
  /// Many HEVC files have them in SEI messages only.
  package mutating func completeHighDynamicRange(by frame: Frame) {
    guard frame.color.isHighDynamicRange else { return }
    for type in [FourCC.masteringDisplay, .contentLightLevel] where sideData[type] == nil {
      if let bytes = frame.sideData[type] { sideData.append(SideData(type, bytes)) }
    }
  }
}
