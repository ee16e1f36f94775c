import Foundation
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

/// The data formats of BBC audiowaveform, byte for byte as its DataFormat.md describes them.
@Suite struct WaveformDataTests {
  private let stereo = Waveform(
    sampleRate: 48000, sampleCount: 1300, division: .every(512),
    channels: [
      .init(minima: [-0.5, -1, -0.25], maxima: [0.5, 1, 0.25], rms: [0.25, 1, 0.125]),
      .init(
        minima: [-0.001, 0, 0.1], maxima: [0.001, 0.999, 2], rms: [0.0005, 0.5, 0.75]),
    ])

  private var mono: Waveform {
    var mono = stereo
    mono.channels.removeLast()
    return mono
  }

  @Test func `version 1 has a header of 20 bytes and one channel`() throws {
    let header: [UInt8] = [
      1, 0, 0, 0, /* 8 bits */ 1, 0, 0, 0, 0x80, 0xBB, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0,
    ]
    #expect(try mono.dat(.bits8) == header + [0xC0, 64, 0x80, 127, 0xE0, 32])
    var deep = header
    deep[4] = 0
    #expect(
      try mono.dat(.bits16)
        == deep + [0, 0xC0, 0, 0x40, 0, 0x80, 0xFF, 0x7F, 0, 0xE0, 0, 0x20])
  }

  @Test func `version 2 states the channels and interleaves them`() throws {
    let bytes = try stereo.dat(.bits8)
    #expect(
      bytes.prefix(24) == [
        2, 0, 0, 0, 1, 0, 0, 0, 0x80, 0xBB, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0,
      ])
    // Rounded toward zero, as in audiowaveform.
    #expect(
      bytes.dropFirst(24) == [0xC0, 64, 0, 0, 0x80, 127, 0, 127, 0xE0, 32, 12, 127])
    let deep = try stereo.dat(.bits16)
    #expect(deep.count == 24 + 3 * 2 * 2 * 2)
    #expect(deep[28..<32] == [0xDF, 0xFF, 33, 0])
  }

  @Test func `values that do not fit into the header are rejected`() throws {
    var long = mono
    long.division = .every(1 << 40)
    #expect(throws: MediaError.self) { try long.dat() }
  }

  @Test(arguments: Waveform.SampleDepth.allCases)
  func `JSON has the same numbers`(_ depth: Waveform.SampleDepth) throws {
    for waveform in [mono, stereo] {
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(waveform.json(depth).utf8))
          as? [String: Any])
      func number(_ name: String) -> Int? { object[name] as? Int }
      #expect(number("version") == 2)
      #expect(number("channels") == waveform.channels.count)
      #expect(number("sample_rate") == 48000)
      #expect(number("samples_per_pixel") == 512)
      #expect(number("bits") == depth.rawValue)
      #expect(number("length") == 3)
      #expect(number("samples") == 1300)
      let data = try #require(object["data"] as? [Int])
      let bytes = try waveform.dat(depth).dropFirst(waveform.channels.count == 1 ? 20 : 24)
      let stored =
        depth == .bits8
        ? bytes.map { Int(Int8(bitPattern: $0)) }
        : stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
          Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
        }
      #expect(data == stored)
      let rms = try #require(object["rms"] as? [Int])
      #expect(rms.count == 3 * waveform.channels.count)
      #expect(rms[0] == (depth == .bits8 ? 32 : 8192))
    }
  }

  @Test func `every number of digits is written`() {
    var digits = mono
    let levels = [0, 9, 10, 99, 100, 999, 1000, 9999, 10000, 32767]
    digits.channels[0] = .init(
      minima: levels.map { -Float($0) / 32768 }, maxima: levels.map { Float($0) / 32768 },
      rms: levels.map { _ in 0 })
    let text = levels.map { $0 == 0 ? "0,0" : "-\($0),\($0)" }.joined(separator: ",")
    #expect(digits.json(.bits16).contains("\"data\":[\(text)],\"rms\":[0,0,"))
    digits.channels[0] = .init(minima: [], maxima: [], rms: [])
    #expect(digits.json().hasSuffix("\"data\":[],\"rms\":[]}\n"))
  }

  @Test func `no value of a program traps`() throws {
    var odd = mono
    for division in [Waveform.Division.every(.max), .every(-1), .even(unit: 0), .even(unit: .max)] {
      for count in [Int64(0), 1, .max] {
        (odd.division, odd.sampleCount) = (division, count)
        for bin in [-1, 0, 2, 3, .max] {
          #expect(odd.samples(inBin: bin).upperBound <= count)
        }
        #expect(odd.samplesPerPixel >= 1)
      }
    }
    odd.channels[0].rms = [.nan, .infinity, -1]
    odd.channels[0].minima = [.nan, -.infinity, .nan]
    odd.channels[0].maxima = [.nan, .infinity, .greatestFiniteMagnitude]
    odd.division = .every(1)
    #expect(try odd.dat().count == 26)
    for scale in [WaveformRenderer.AmplitudeScale.fitting, .factor(1e6)] {
      let renderer = WaveformRenderer(width: 5, height: 3, amplitudeScale: scale)
      #expect(try renderer.picture(odd).pixels.count == 15)
      #expect(try renderer.svg(odd).hasSuffix("</svg>\n"))
    }
  }

  @Test func `unequal bins state the nearest width`() throws {
    var waveform = mono
    waveform.division = .even(unit: 1)
    #expect(waveform.samplesPerPixel == 433)
    #expect(waveform.samplesPerBin * 3 == 1300)
    waveform.sampleCount = 1
    #expect(waveform.samplesPerPixel == 1)
  }
}
