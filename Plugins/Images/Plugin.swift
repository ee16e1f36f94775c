public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "Images", version: "1.0.0", license: "Apache-2.0 AND BSD-3-Clause",
    demuxers: [
      ImageDemuxer<JPEGFormat>.self, ImageDemuxer<PNGFormat>.self,
      ImageDemuxer<WebPFormat>.self, ImageDemuxer<HEIFFormat>.self,
      ImageDemuxer<JPEGXLFormat>.self, ImageDemuxer<TIFFFormat>.self,
      ImageDemuxer<TGAFormat>.self,
    ],
    decoders: [JPEGXLDecoder.self], encoders: [JPEGXLEncoder.self],
    muxers: [
      ImageMuxer<JPEGFormat>.self, ImageMuxer<PNGFormat>.self, ImageMuxer<WebPFormat>.self,
      ImageMuxer<AVIFWriter>.self, ImageMuxer<HEICWriter>.self, ImageMuxer<JPEGXLFormat>.self,
    ]
  ).table(for: host)
}
