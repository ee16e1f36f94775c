import RespoolHost
import RespoolMedia

extension EncoderInput {
  /// Sizes that are tried if an encoder refuses the usual one, because some have a minimum.
  private static let largerSizes = [(128, 96), (320, 240)]

  /// Returns video in the first size that an encoder accepts; the input itself if it accepts none, and for audio.
  func accepted(by factory: PluginFactory) -> EncoderInput {
    guard track.kind == .video, isRefused(by: factory) else { return self }
    return Self.largerSizes.lazy.map { sized($0.0, $0.1) }.first { !$0.isRefused(by: factory) }
      ?? self
  }

  /// `true` if the encoder does not open.
  ///
  /// It gets frames if it opens, because closing it at once is a check of its own.
  private func isRefused(by factory: PluginFactory) -> Bool {
    var input = self
    input.count = 4
    do throws(Finding) {
      _ = try Encoding(factory, input)
      return false
    } catch { return error.words.hasPrefix("the encoder cannot be opened") }
  }

  /// Odd and small sizes, no smaller than the video itself if that has been enlarged for the encoder.
  var unusualSizes: [(width: Int, height: Int)] {
    let usual = Self.video(track.codec, track.pixelFormat).track
    guard track.width > usual.width else { return [(65, 49), (34, 18), (17, 33)] }
    return [(track.width + 1, track.height + 1), (track.width + 2, track.height + 2)]
  }
}
