public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "SVTAV1", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause-Clear",
    encoders: [SVTAV1Encoder.self]
  )
  .table(for: host)
}
