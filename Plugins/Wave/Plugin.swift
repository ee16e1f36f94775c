public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Wave", version: "1.0.0", license: "Apache-2.0", demuxers: [WaveDemuxer.self],
    muxers: [WaveMuxer.self, Wave64Muxer.self]
  ).table(for: host)
}
