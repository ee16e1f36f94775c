public import CRespool

extension TrackReference {
  /// A copy of the C form.
  public init(_ value: rsp_reference) {
    self.init(
      track: Int(value.track), type: FourCC(rawValue: value.type.byteSwapped),
      trackID: value.track_id)
  }

  public var cValue: rsp_reference {
    rsp_reference(track: UInt32(clamping: track), type: type.tag, track_id: trackID)
  }
}
