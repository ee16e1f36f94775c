public import RespoolPlugin

@c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
  Plugin(
    name: "PCM", version: "1.0.0", license: "Apache-2.0", decoders: [PCMDecoder.self],
    encoders: [
      PCMEncoder<PCM.U8>.self, PCMEncoder<PCM.S16>.self, PCMEncoder<PCM.S24>.self,
      PCMEncoder<PCM.S32>.self, PCMEncoder<PCM.F32>.self, PCMEncoder<PCM.F64>.self,
      PCMEncoder<PCM.S8>.self, PCMEncoder<PCM.S16Big>.self, PCMEncoder<PCM.S24Big>.self,
      PCMEncoder<PCM.S32Big>.self, PCMEncoder<PCM.F32Big>.self, PCMEncoder<PCM.F64Big>.self,
      PCMEncoder<PCM.ALaw>.self, PCMEncoder<PCM.MuLaw>.self,
    ]
  ).table(for: host)
}
