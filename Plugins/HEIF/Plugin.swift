public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "HEIF", version: "1.0.0", license: "Apache-2.0 AND LGPL-3.0-or-later",
    decoders: [HEIFDecoder.self]
  )
  .table(for: host)
}
