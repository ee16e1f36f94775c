import CRespool
import CAVFormat
public import RespoolPlugin

/// FFmpeg's libavformat as the demuxer for everything that no other plugin reads.
///
/// Debian builds FFmpeg with its GPL parts.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  avformat_log_to(host.pointee.log, host.pointee.context)
  return Plugin(
    name: "AVFormat", version: "1.0.0", license: "Apache-2.0 AND GPL-2.0-or-later",
    demuxers: [AVFormatDemuxer.self]
  ).table(for: host)
}
