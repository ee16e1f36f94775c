public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Matroska", version: "1.0.0", license: "Apache-2.0 AND Zlib",
    demuxers: [MatroskaDemuxer.self], muxers: [MatroskaMuxer.self, WebMMuxer.self]
  ).table(for: host)
}
