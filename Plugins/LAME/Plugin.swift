public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "LAME", version: "1.0.0", license: "Apache-2.0 AND LGPL-2.0-or-later",
    encoders: [LAMEEncoder.self]
  )
  .table(for: host)
}
