import RespoolMedia

@testable import ISOMedia

/// Fragmented movies built box by box.
enum FragmentedMovie {
  /// Returns a movie with two fragments of three audio frames each.
  ///
  /// Each of `configurations` becomes a sample description, and the second fragment uses the last one.
  /// `reference` is the type of the data reference. `nil` for no `dref`.
  static func bytes(
    configurations: [[UInt8]] = [[0x11, 0x90]], format: FourCC = "mp4a", reference: FourCC? = nil
  )
    -> [UInt8]
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
            if let reference {
              $0.box("dinf") {
                $0.box("dref") { list in
                  list.versionAndFlags(0)
                  list.u32(1)
                  list.box(reference) { $0.versionAndFlags(0) }
                }
              }
            }
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

  /// Returns a movie with a fragment for each list of `offsets`, which are the composition offsets of its frames.
  ///
  /// Each frame lasts 512 units.
  static func pictures(offsets: [[Int32]]) -> [UInt8] {
    var writer = BoxWriter()
    writer.write(FileTypeBox(majorBrand: "iso5", minorVersion: 0, compatibleBrands: ["iso5"]))
    writer.box("moov") { moov in
      moov.write(MovieHeaderBox(timeScale: 1000, duration: 0, nextTrackID: 2))
      moov.box("trak") { trak in
        trak.write(TrackHeaderBox(trackID: 1, duration: 0))
        trak.box("mdia") { mdia in
          mdia.write(MediaHeaderBox(timeScale: 12800, duration: 0))
          mdia.write(HandlerBox(handlerType: "vide", name: "Video"))
          mdia.box("minf") {
            $0.box("stbl") { stbl in
              var payload = BoxWriter()
              VisualSampleEntry(width: 64, height: 48).write(to: &payload)
              stbl.write(
                SampleDescriptionBox(entries: [.init(format: "mp4v", payload: payload.bytes)]))
            }
          }
        }
      }
      moov.box("mvex") { $0.write(TrackExtendsBox(trackID: 1)) }
    }
    var time: UInt64 = 0
    for part in offsets {
      var header = TrackFragmentHeaderBox(trackID: 1)
      header.otherFlags = TrackFragmentHeaderBox.baseIsMovieFragment
      header.duration = 512
      let samples = part.enumerated().map { number, offset in
        TrackRunBox.Sample(
          size: 4, flags: number == 0 ? 0x200_0000 : 0x101_0000, compositionOffset: offset)
      }
      write(
        header, at: time,
        TrackRunBox(fields: [.size, .flags, .compositionOffset], samples: samples),
        [UInt8](repeating: 1, count: 4 * part.count), to: &writer)
      time += UInt64(512 * part.count)
    }
    return writer.bytes
  }

  private static func fragment(_ number: Int, description: Int, to writer: inout BoxWriter) {
    var header = TrackFragmentHeaderBox(trackID: 1)
    header.otherFlags = TrackFragmentHeaderBox.baseIsMovieFragment
    header.duration = 1024
    if description > 1 { header.descriptionIndex = UInt32(description) }
    let run = TrackRunBox(fields: .size, samples: [.init(size: 4), .init(size: 5), .init(size: 6)])
    write(
      header, at: UInt64(number) * 3072, run, Array(repeating: UInt8(number), count: 15),
      to: &writer)
  }

  /// Writes `moof` and the `mdat` that it refers to.
  private static func write(
    _ header: TrackFragmentHeaderBox, at time: UInt64, _ run: TrackRunBox, _ data: [UInt8],
    to writer: inout BoxWriter
  ) {
    var run = run
    func moof(_ offset: Int32) -> [UInt8] {
      run.dataOffset = offset
      var writer = BoxWriter()
      writer.box("moof") {
        $0.box("traf") {
          $0.write(header)
          $0.write(TrackFragmentDecodeTimeBox(decodeTime: time))
          $0.write(run)
        }
      }
      return writer.bytes
    }
    writer.raw(moof(Int32(moof(0).count + 8)))
    writer.box("mdat") { $0.raw(data) }
  }
}
