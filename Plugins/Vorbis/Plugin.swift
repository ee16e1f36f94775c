public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Vorbis", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
    decoders: [VorbisDecoder.self], encoders: [VorbisEncoder.self]
  )
  .table(for: host)
}
