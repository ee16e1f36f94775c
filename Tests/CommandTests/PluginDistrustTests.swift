import Foundation
import Testing

/// Batches with plugins that give other media than they were given, or lose some of it.
@Suite struct PluginDistrustTests {
  private static let encoding = """
    container: faulty
    video: {codec: faulty_video}
    audio: {codec: faulty_audio}
    """
  private static let avc = """
    container: mp4
    video: {codec: h264, encoder: faulty_avc}
    audio: {codec: aac}
    """

  /// Converts a file of the media for tests with the variant of the plugin that has one bug.
  private func run(
    _ bug: String, _ preset: String, _ source: String = "pattern-h264.mp4",
    defining macros: [String] = []
  ) throws -> BatchRun {
    let folder = TemporaryFolder()
    let plugin = try CPlugin(
      "faulty.c", defining: (bug.isEmpty ? [] : ["BUG=\(bug)"]) + macros)
    try folder.add(source, as: "in/film.mp4")
    try folder.write(preset, as: "preset.yaml")
    return try BatchRun(
      folder("in"), to: folder("out"), preset: folder("preset.yaml"),
      environment: plugin.environment)
  }

  @Test(arguments: [encoding, avc])
  func `a correct plugin is believed`(_ preset: String) throws {
    let run = try run("", preset)
    #expect(run.outcome("film.mp4") == "converted", "\(run.reason("film.mp4"))")
    let losses = run.events("finished")["film.mp4"]?["losses"] as? [String] ?? []
    #expect(!losses.contains { $0.contains("decoded") || $0.contains("packet") }, "\(losses)")
  }

  @Test func `a muxer whose extension cannot name files fails its file`() throws {
    let run = try run(
      "", Self.encoding, defining: ["CONTAINER_EXTENSION=\"anextensionof23letterss\""])
    #expect(run.outcome("film.mp4") == "failed")
    let reason = run.reason("film.mp4")
    #expect(reason.contains("the muxer faulty of the plugin faulty"), "\(reason)")
    #expect(
      reason.contains("\"anextensionof23letterss\" has 23 characters; it must have at most 16"),
      "\(reason)")
  }

  @Test(arguments: [
    ("drain_loses_frames", "returned no packets for 2 of 50 frames"),
    ("drain_repeats_frame", "belong"),
    ("times_in_milliseconds", "49 of 50 frames, the first at 0.04 s"),
    ("dts_after_pts", "after its pts"),
    ("dts_stands_still", "decode times must rise"),
    ("stride_ignored", "track 1 is decoded to other frames than were encoded"),
    ("planes_swapped", "track 1 is decoded to other frames than were encoded: parts of plane 1"),
    ("last_packet_dropped", "200 packets; 201 were written"),
    ("times_shifted", "track 1 has packet 0 at 0.1 s instead of 0 s"),
    ("private_lost", "track 1 has no configuration record; one of 16 bytes was written"),
    ("key_lost", "track 1 has no key flag for packet 0"),
    ("times_not_in_base", "track 1 has packet 1 at 0 s instead of 0.04 s"),
    (
      "wrong_size", "track 1 is decoded to frames of 320x179 pixels; frames of 320x180 were encoded"
    ),
    ("range_outside", "beyond the end of the file"),
  ])
  func `a plugin that encodes or writes wrongly fails its file`(_ bug: String, _ reason: String)
    throws
  {
    let run = try run(bug, Self.encoding)
    #expect(run.outcome("film.mp4") == "failed")
    #expect(run.reason("film.mp4").contains(reason), "\(run.reason("film.mp4"))")
  }

  @Test(arguments: [
    ("avcc_length_size", "track 1 cannot be decoded"),
    ("avcc_truncated", "track 1 cannot be decoded"),
    ("avcc_other_size", "has 336x180 pixels; 320x180 were written"),
  ])
  func `a wrong configuration record fails its file`(_ bug: String, _ reason: String) throws {
    let run = try run(bug, Self.avc)
    #expect(run.outcome("film.mp4") == "failed")
    #expect(run.reason("film.mp4").contains(reason), "\(run.reason("film.mp4"))")
  }

  @Test(arguments: [
    ("audio_times_from_zero", "with its encoder delay of 120 it must be -120"),
    ("short_frame_dropped", "of audio less than it took"),
    ("audio_too_loud", "track 1 is decoded to louder audio than was encoded"),
    ("trim_lost", "track 1 ends 0 s before the end of its last packet instead of"),
  ])
  func `a plugin that encodes audio wrongly fails its file`(_ bug: String, _ reason: String) throws
  {
    let run = try run(bug, Self.encoding, "speech.wav")
    #expect(run.outcome("film.mp4") == "failed")
    #expect(run.reason("film.mp4").contains(reason), "\(run.reason("film.mp4"))")
  }
}
