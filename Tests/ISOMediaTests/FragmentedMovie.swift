import RespoolMedia

@testable import ISOMedia

/// Two fragments of three sounds each, built box by box.
enum FragmentedMovie {
  /// `configurations`: what is told of the sound, a sample description each; the second fragment uses the last.
  static func bytes(configurations: [[UInt8]] = [[0x11, 0x90]], format: FourCC = "mp4a") -> [UInt8]
  {
    var writer = BoxWriter()
    writer.write(
      FileTypeBox(majorBrand: "iso5", minorVersion: 0, compatibleBrands: ["iso5", "dash"]))
    writer.box("moov") { moov in
      moov.write(MovieHeaderBox(timeScale: 1000, duration: 0, nextTrackID: 2))
      moov.box("trak") { trak in
        trak.write(TrackHeaderBox(trackID: 1, duration: 0))
        trak.box("mdia") { mdia in
          mdia.write(MediaHeaderBox(timeScale: 48000, duration: 0))
          mdia.write(HandlerBox(handlerType: "soun", name: "Sound"))
          mdia.box("minf") {
            $0.box("stbl") { stbl in
              let entries = configurations.map { configuration in
                var entry = AudioSampleEntry(channelCount: 2, sampleRate: 48000)
                var stream = ElementaryStreamBox(objectType: 0x40, streamType: 5)
                stream.decoderSpecific = configuration
                entry.children = stream.bytes
                var payload = BoxWriter()
                entry.write(to: &payload)
                return SampleDescriptionBox.Entry(
                  format: configuration == configurations[0] ? "mp4a" : format,
                  payload: payload.bytes)
              }
              stbl.write(SampleDescriptionBox(entries: entries))
            }
          }
        }
      }
      moov.box("mvex") { $0.write(TrackExtendsBox(trackID: 1)) }
    }
    for number in 0..<2 {
      fragment(number, description: number == 0 ? 1 : configurations.count, to: &writer)
    }
    return writer.bytes
  }

  private static func fragment(_ number: Int, description: Int, to writer: inout BoxWriter) {
    var header = TrackFragmentHeaderBox(trackID: 1)
    header.otherFlags = TrackFragmentHeaderBox.baseIsMovieFragment
    header.duration = 1024
    if description > 1 { header.descriptionIndex = UInt32(description) }
    var run = TrackRunBox(fields: 0x200, samples: [.init(size: 4), .init(size: 5), .init(size: 6)])
    func moof(_ offset: Int32) -> [UInt8] {
      run.dataOffset = offset
      var writer = BoxWriter()
      writer.box("moof") {
        $0.box("traf") {
          $0.write(header)
          $0.write(TrackFragmentDecodeTimeBox(decodeTime: UInt64(number) * 3072))
          $0.write(run)
        }
      }
      return writer.bytes
    }
    writer.raw(moof(Int32(moof(0).count + 8)))
    writer.box("mdat") { $0.raw(Array(repeating: UInt8(number), count: 15)) }
  }
}
