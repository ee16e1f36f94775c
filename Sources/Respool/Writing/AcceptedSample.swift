import RespoolMedia

/// A sample as it was when it was appended.
///
/// Attachments and drawing that a client changes afterwards have no effect on it.
struct AcceptedSample: Sendable {
  /// Content after trimming of decoded audio; `nil` if nothing is left, and for a marker.
  let content: SampleBuffer.Content?
  let format: FormatDescription
  /// Time base of the content's own times.
  let timeBase: Rational
  let time: MediaTime
  let decodeTime: MediaTime
  let duration: MediaTime
  /// Time and duration after trimming.
  let outputTime: MediaTime
  let outputDuration: MediaTime
  let reference: SampleReference?

  /// Creates a copy; `nil` if the sample has been invalidated.
  init?(_ sample: SampleBuffer) {
    content = sample.isMarker ? nil : sample.trimmedContent
    (outputTime, outputDuration) = (sample.outputPresentationTimeStamp, sample.outputDuration)
    reference = sample.state.withLock { $0.reference }
    (format, timeBase) = (sample.formatDescription, sample.timeBase)
    (time, decodeTime) = (sample.presentationTimeStamp, sample.decodeTimeStamp)
    duration = sample.duration
    // Checked last: another thread may have invalidated it meanwhile.
    guard sample.isValid else { return nil }
  }
}
