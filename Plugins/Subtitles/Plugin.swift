public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Subtitles", version: "1.0.0", license: "Apache-2.0",
    demuxers: [
      PresentationGraphicsDemuxer.self, CueDemuxer<SubRipCues>.self, CueDemuxer<WebVTTCues>.self,
    ],
    muxers: [
      SubtitleMuxer<SubRipFile>.self, SubtitleMuxer<WebVTTFile>.self,
      SubtitleMuxer<SubStationFile>.self, SubtitleMuxer<PresentationGraphicsFile>.self,
    ]
  ).table(for: host)
}
