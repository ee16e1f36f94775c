public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "ASS", version: "1.0.0", license: "Apache-2.0 AND ISC", filters: [SubtitleFilter.self]
  )
  .table(for: host)
}
