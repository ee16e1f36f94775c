public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "ADTS", version: "1.0.0", license: "Apache-2.0", muxers: [ADTSMuxer.self])
    .table(for: host)
}
