package import CRespool

extension TrackReference {
  /// A copy of the C form.
  package init(_ value: rsp_reference) {
    self.init(
      track: Int(value.track), type: FourCC(rawValue: value.type.byteSwapped),
      trackID: value.track_id)
  }

  package var cValue: rsp_reference {
    rsp_reference(track: UInt32(clamping: track), type: type.tag, track_id: trackID)
  }
}
