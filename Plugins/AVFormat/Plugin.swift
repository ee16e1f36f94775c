import CRespool
import CAVFormat
public import RespoolPlugin

/// The plugin with FFmpeg's libavformat as demuxer for all formats that no other plugin reads, and its muxer of MPEG
/// transport streams.
///
/// The license includes the GPL because Debian builds FFmpeg with its GPL parts.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  ffmpeg_log_to(host.pointee.log, host.pointee.context)
  return Plugin(
    name: "AVFormat", version: "1.0.0", license: "Apache-2.0 AND GPL-2.0-or-later",
    demuxers: [AVFormatDemuxer.self],
    muxers: [TransportMuxer<TransportStream>.self, TransportMuxer<BluRayStream>.self]
  ).table(for: host)
}
