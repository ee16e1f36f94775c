public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "ISOMedia", version: "1.0.0", license: "Apache-2.0", demuxers: [ISOMediaDemuxer.self],
    muxers: [MP4Muxer.self, MOVMuxer.self, M4AMuxer.self]
  ).table(for: host)
}
