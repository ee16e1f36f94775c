public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "VPX", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
    decoders: [VPXDecoder.self], encoders: [VPXEncoder.self]
  )
  .table(for: host)
}
