import RespoolHost
import RespoolMedia

/// Checks that an encoder reads frames of every size and with every arrangement of rows.
struct FrameLayoutChecks {
  let trial: EncoderTrial

  func run(_ report: Report) {
    for rows in [EncoderInput.Rows.padded, .bottomUp] {
      let name = rows == .padded ? "padded rows" : "rows from the bottom to the top"
      report.check("\(trial.codec): \(name)") { () throws(Finding) in
        try compare(rows)
      }
    }
    for (width, height) in trial.input.unusualSizes {
      report.check("\(trial.codec): \(width)x\(height) pixels") { () throws(Finding) in
        try size(width, height)
      }
    }
  }

  private func compare(_ rows: EncoderInput.Rows) throws(Finding) -> String {
    try trial.repeated.get()
    var input = trial.input
    input.count = 12
    let plain = try trial.encode(input).get()
    input.rows = rows
    let other = try trial.encode(input).get()
    guard plain.hashes == other.hashes else {
      throw Finding(
        "the packets differ from those of the same frames without padding: the stride of a plane is not obeyed"
      )
    }
    return "the same packets"
  }

  private func size(_ width: Int, _ height: Int) throws(Finding) -> String {
    var input = trial.input
    input.track.width = width
    input.track.height = height
    input.count = 6
    do throws(MediaError) {
      try PluginCall.open(trial.factory, EncoderSettings(track: input.track))
    } catch { return try message(of: error) }
    let odd = EncoderTrial(factory: trial.factory, finder: trial.finder, input: input)
    let track = try odd.encoding.get().track
    guard track.width == width, track.height == height else {
      throw Finding(
        "the track has \(track.width)x\(track.height) pixels; \(width)x\(height) were sent")
    }
    return try odd.content()
  }
}
