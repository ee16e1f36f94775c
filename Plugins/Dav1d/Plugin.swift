public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Dav1d", version: "1.0.0", license: "Apache-2.0 AND BSD-2-Clause",
    decoders: [Dav1dDecoder.self]
  )
  .table(for: host)
}
