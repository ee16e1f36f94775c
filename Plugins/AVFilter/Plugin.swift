import CAVFilter
import CRespool
public import RespoolPlugin

/// The plugin with filters of FFmpeg's libavfilter.
///
/// The license includes the GPL because Debian builds FFmpeg with its GPL parts.
@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  ffmpeg_log_to(host.pointee.log, host.pointee.context)
  return Plugin(
    name: "AVFilter", version: "1.0.0", license: "Apache-2.0 AND GPL-2.0-or-later",
    filters: videoFilters + audioFilters + measuringFilters
  ).table(for: host)
}
