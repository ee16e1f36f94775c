public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(name: "CAF", version: "1.0.0", license: "Apache-2.0", muxers: [CAFMuxer.self])
    .table(for: host)
}
