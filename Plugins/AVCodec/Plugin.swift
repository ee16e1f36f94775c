import CRespool
import CAVCodec
public import RespoolPlugin

/// The plugin with FFmpeg's libavcodec: decoders for nearly all codecs, and its native encoders.
///
/// The license includes the GPL because Debian builds FFmpeg with its GPL parts.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  ffmpeg_log_to(host.pointee.log, host.pointee.context)
  return Plugin(
    name: "AVCodec", version: "1.0.0", license: "Apache-2.0 AND GPL-2.0-or-later",
    decoders: [AVCodecDecoder.self, SubtitleDecoder.self], encoders: Encoders.all
  ).table(for: host)
}
