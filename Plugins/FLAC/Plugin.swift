public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "FLAC", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
    decoders: [FLACDecoder.self], encoders: [FLACEncoder.self], muxers: [FLACMuxer.self]
  )
  .table(for: host)
}
