extension FaultyPlugin {
  static let encoderBugs: [Bug] = [
    video("drain_loses_frames", "every frame", "70 packets for 72 frames"),
    video("drain_repeats_frame", "every frame", "73 packets for 72 frames"),
    video("pts_off_by_one", "presentation times", "a packet has the pts 103"),
    video("times_in_milliseconds", "presentation times", "in units of 1/90000 s"),
    video("dts_after_pts", "decode times", "after its pts"),
    video("dts_stands_still", "decode times", "dts does not rise"),
    video("key_flag_missing", "forced key frames", "its packet has no key flag"),
    video("key_flag_on_all", "key frames", "decoding cannot start there"),
    video("forced_key_ignored", "forced key frames", "did not become a key frame"),
    Bug(
      "frame_not_retained", "encoder faulty_video", "faulty_video from yuv420p",
      "read a lent frame after the host had released it"),
    Bug(
      "frame_written", "encoder faulty_video", "faulty_video from yuv420p",
      "wrote to a lent frame, which is lent"),
    video("stride_ignored", "padded rows", "the stride of a plane is not obeyed"),
    video("negative_stride_ignored", "rows from the bottom to the top", "of a lent frame"),
    Bug(
      "reads_past_last_row", "encoder faulty_video", "faulty_video from yuv420p",
      "read byte 3072 of a lent frame, which has 3072 bytes"),
    video("reads_past_odd_width", "65x49 pixels", "read byte 3191 of a lent frame"),
    video("chroma_rounded_down", "65x49 pixels", "plane 1 has a stride of 32 bytes for rows of 33"),
    Bug(
      "planes_swapped", "encoder faulty_video", "faulty_video from yuv420p",
      "planes 1 and 2 are exchanged"),
    Bug(
      "record_missing", "encoder faulty_video", "faulty_video from yuv420p",
      "the configuration record is missing"),
    video("wrong_size_in_track", "65x49 pixels", "the track has 65x64 pixels"),
    video("bytes_differ_by_run", "the same bytes twice", "two runs with the same input"),
    video("bytes_differ_by_process", "the same bytes twice", "two processes with the same input"),
    video("bytes_uninitialized", "the same bytes twice", "memory that was not written to"),
    video("bytes_depend_on_threads", "1 and 4 threads", "RSP_FACTORY_THREADS_CHANGE_OUTPUT"),
    video("frame_leaked", "references to frames", "references to 3 planes"),
    video("frame_released_twice", "every frame", "a lent frame"),
    video("packet_leaked", "200 opens", "loses about 4"),
    video("leak_per_open", "200 opens", "loses about 20"),
    video("prints", nil, "wrote to standard output"),
    Bug(
      "hangs_in_open", "encoder faulty_video", "faulty_video from yuv420p",
      "open did not return within 2 s"),
    Bug(
      "hangs_in_send", "encoder faulty_video", "faulty_video from yuv420p",
      "send did not return within 2 s"),
    video("hangs_in_receive", "every frame", "receive did not return within 2 s"),
    Bug(
      "hangs_in_close", "encoder faulty_video", "faulty_video from yuv420p",
      "close did not return within 2 s"),
    video("endless_again", "every frame", "send returns RSP_AGAIN and receive returns RSP_AGAIN"),
    video("endless_empty_packets", "every frame", "a packet without bytes"),
    Bug(
      "endless_packets", "encoder faulty_video", "faulty_video from yuv420p", "outputs and no end"),
    Bug(
      "again_after_drain", "encoder faulty_video", "faulty_video from yuv420p",
      "RSP_AGAIN after the end was sent"),
    Bug(
      "packet_rewritten", "encoder faulty_video", "faulty_video from yuv420p",
      "the bytes of packets changed after they were returned"),
    Bug(
      "packet_freed_on_close", "encoder faulty_video", "faulty_video from yuv420p",
      "the bytes of packets changed after they were returned"),
    video("error_without_message", "impossible settings", "has no message"),
    video("error_unknown", "impossible settings", "status -77, which is no RSP_ERROR_"),
    video("crash_on_second_open", "two at once", "crashed in open: SIGABRT"),
    video("global_state", "two at once", "they share state"),
    video("crash_on_early_close", "65x49 pixels", "crashed in close: SIGABRT"),
    Bug(
      "format_refused", "encoder faulty_video", "faulty_video from yuv444p",
      "the encoder cannot be opened"),
    Bug(
      "default_out_of_range", "encoder faulty_video", "options",
      "distance is \"500\"; it takes a whole number from 1 to 250"),
    video("key_interval_ignored", "key frame interval", "key_frame_interval is 10"),
    video("quality_limit_refused", "quality and bit rate", "the quality 50.0"),
    video("check_differs_from_open", "impossible settings", "accepts settings that open refuses"),
    video("first_pass_ignored", "two passes", "the first pass returns the packets of one pass"),
    video("statistics_missing", "two passes", "the first pass returns no statistics"),
    video("quality_ignored", "effect of quality", "the quality has no effect"),
    video("bit_rate_ignored", "effect of the bit rate", "the bit rate has no effect"),
    video("duration_missing", "presentation times", "has the duration 0; its frame had one"),
    video(
      "state_left", "key frame interval",
      "crashed in open: SIGABRT, in the check \"faulty_video: padded"),
    video("heap_overrun", "key frame interval", "memory was damaged before, or a state was left"),
    video("default_refused", "default options", "the default 12 of the option distance is refused"),
  ]

  static let audioBugs: [Bug] = [
    Bug(
      "padding_wrong", "encoder faulty_audio", "faulty_audio from s16",
      "1 audio sample too early: initial_padding is 121"),
    Bug(
      "padding_not_stated", "encoder faulty_audio", "faulty_audio from s16",
      "120 audio samples too late: initial_padding is 0"),
    audio("trim_end_missing", "every frame", "trim_end must be the length of the padding"),
    audio("short_frame_dropped", "every frame", "audio is missing"),
    Bug(
      "channels_swapped", "encoder faulty_audio", "faulty_audio from s16",
      "channel 0 has the audio of channel 1"),
    audio("not_variable", "frames of any size", "RSP_FACTORY_VARIABLE_FRAME_SIZE is set"),
    Bug(
      "audio_times_from_zero", "encoder faulty_audio", "faulty_audio from s16",
      "the first packet has the pts 0; with an initial_padding of 120 it must be -120"),
    audio("audio_key_missing", "key flags", "no packet has the key flag"),
    Bug(
      "trim_too_long", "encoder faulty_audio", "faulty_audio from s16",
      "more is to be dropped than it has"),
    Bug(
      "record_not_needed", "encoder faulty_audio", "pcm_s16le: configuration record",
      "pcm_s16le has no configuration record", macros: ["AUDIO_CODEC=\"pcm_s16le\""]),
    audio("frame_size_missing", "track", "needs a fixed frame size"),
    Bug(
      "audio_too_loud", "encoder faulty_audio", "faulty_audio from s16",
      "% as loud as what was sent"),
    Bug(
      "planar_as_interleaved", "encoder faulty_audio", "faulty_audio from s16p",
      "read byte 960 of a lent frame, which has 960 bytes"),
  ]

  static let recordBugs: [Bug] = [
    Bug(
      "avcc_missing", "encoder faulty_avc", "h264 from yuv420p", "needs its configuration record"),
    Bug(
      "avcc_length_size", "encoder faulty_avc", "h264 from yuv420p",
      "avcC states lengths of 2 bytes"),
    Bug(
      "avcc_annexb_packets", "encoder faulty_avc", "h264: configuration record",
      "start codes (Annex B) were found, but avcC states lengths of 4 bytes"),
    Bug("avcc_truncated", "encoder faulty_avc", "h264 from yuv420p", "avcC cannot be parsed"),
    Bug(
      "avcc_other_size", "encoder faulty_avc", "h264 from yuv420p",
      "the sequence parameter set in avcC has 80x48 pixels; the track has 64x48"),
    Bug(
      "avcc_other_profile", "encoder faulty_avc", "h264: configuration record",
      "avcC states profile 100"),
    Bug(
      "idr_without_key", "encoder faulty_avc", "h264: forced key frames",
      "has an IDR picture, but no key flag"),
    Bug(
      "avcc_other_in_band", "encoder faulty_avc", "h264: configuration record",
      "a sequence parameter set that avcC does not have"),
    Bug(
      "sets_in_packets", "encoder faulty_avc", "h264: configuration record",
      "packet 0 has a parameter set (NAL unit type 7)"),
    fact("color_missing", "has the primaries unspecified (2); bt2020 (9) was sent"),
    fact("primaries_wrong", "has the primaries bt709 (1); bt2020 (9) was sent"),
    fact("transfer_wrong", "has the transfer bt709 (1); smpte2084 (16) was sent"),
    fact("matrix_wrong", "has the matrix bt709 (1); bt2020nc (9) was sent"),
    fact("range_constant", "has the range limited; full was sent"),
    fact("aspect_missing", "has the pixel aspect ratio unspecified; 4/3 was sent"),
    fact("display_missing", "has no mastering display"),
    fact("light_missing", "has no content light level"),
    fact(
      "light_wrong",
      "the content light level in the bitstream is 986 and 321; 987 and 321 were sent"),
  ]

  static let decoderBugs: [Bug] = [
    decoder("frames_freed_on_close", "content", "frames changed after they were returned"),
    decoder("frames_reused", "content", "frames changed after they were returned"),
    decoder("wrong_size", "content", "decoded frames have 64x47 pixels"),
    decoder("flush_ignored", "flush", "after flush, 41 frames were decoded"),
    decoder("not_usable_after_flush", "used again after its end", "the decoder has ended"),
    decoder("decoder_drain_loses", "every frame", "39 frames were decoded from 40 packets"),
    decoder("decoder_times_shifted", "times", "two frames have the same pts"),
    decoder(
      "packet_not_retained", "every frame", "read a lent packet after the host had released it"),
    decoder("decoder_planes_swapped", "content", "planes 1 and 2 are exchanged"),
    decoder("reads_past_packet", "every frame", "of a lent packet, which has 4612 bytes"),
    decoder("decoder_leaks_packet", "references to packets", "references to 40 lent packets"),
    decoder("decoder_leaks_frame", "200 opens", "loses about 4"),
    decoder("decoder_global_state", "two at once", "they share state"),
  ]

  static let containerBugs: [Bug] = [
    demuxer("range_outside", "content", "lies beyond the end of the file"),
    demuxer("no_end", "content", "and no end"),
    demuxer("seek_ignored", "seek", "continues at the start of the file"),
    demuxer("seek_after_target", "seek", "packets that are needed to show the time are skipped"),
    demuxer("track_out_of_list", "content", "a packet of track 3, but the number of tracks is 2"),
    demuxer("times_not_in_base", "content", "it was written at 0.04 s"),
    demuxer("duration_far_off", "duration", "is stated as 1600.0 s"),
    demuxer("duration_twice", "duration", "the duration of the file is stated as 3.2 s"),
    demuxer("duration_half", "duration", "the duration of the file is stated as 0.8"),
    demuxer("duration_zero", "duration", "the duration of the file is stated as 0.0 s"),
    demuxer("track_duration_twice", "duration", "the duration of track 1 is stated as 3.2 s"),
    demuxer("track_duration_half", "duration", "the duration of track 1 is stated as 0.8"),
    demuxer("track_duration_zero", "duration", "the duration of track 1 is stated as 0.0 s"),
    demuxer("audio_keys_lost", "content", "a sync sample without the key flag"),
    demuxer("trim_read_too_long", "content", "the trims must not exceed the duration"),
    demuxer("select_ignored", "selected tracks", "only track 1 is selected"),
    demuxer("packet_after_end", "read to the end", "reading after the end returns a packet"),
    demuxer("demuxer_leaks", "200 opens", "loses about 2"),
    Bug(
      "claims_waves", "demuxer faulty", "files of other formats",
      "opened a file of the format wav as faulty, with no tracks"),
    Bug("accepts_anything", "demuxer faulty", "empty file", "an error was expected"),
    demuxer("hangs_on_damage", "cut off", "read did not return within 2 s"),
    demuxer("crash_on_damage", "cut off", "crashed in read: SIGSEGV"),
    muxer(
      "last_packet_dropped", "faulty_video: read back", "39 packets of track 1; 40 were written"),
    muxer("times_shifted", "faulty_video: read back", "at 0.1 s; it was written at 0.0 s"),
    muxer("file_differs_by_run", "the same file twice", "differ from byte 92 on"),
    muxer(
      "private_lost", "faulty_video: read back", "the configuration record of faulty_video is lost"),
    muxer("key_lost", "faulty_video: read back", "a sync sample without the key flag"),
    muxer("trim_lost", "faulty_audio: read back", "trim_end is lost"),
    muxer("sink_error_ignored", "failing output", "write and finish returned RSP_OK"),
    muxer("muxer_leaks", "200 opens", "loses about 112 bytes"),
    muxer(
      "hangs_in_finish", "faulty_video: closed without and with finishing",
      "finish did not return within 2 s"),
  ]

  /// Bugs of a demuxer that reads a file of another program.
  static let sampleBugs: [Bug] = [
    sample("size_wrong", "sizes, rates and channels", "its configuration record has"),
    sample("rate_wrong", "sizes, rates and channels", "44100 Hz and 1 channel; its"),
    sample("channels_wrong", "sizes, rates and channels", "and 2 channels; its"),
    sample("annexb_with_record", "framing", "start codes (Annex B) were found"),
    sample("lengths_without_record", "framing", "no start code (Annex B)"),
    sample("adts_with_record", "framing", "an ADTS header"),
    sample("ogg_pages_left", "framing", "the header of an Ogg page"),
    sample("video_keys_missing", "key flags", "track 1: no packet has the key flag"),
    sample("first_key_missing", "key flags", "packet 0 is a sync sample of h264"),
    sample("audio_keys_missing", "key flags", "track 2: no packet has the key flag"),
    sample("seek_to_any_packet", "seek", "where decoding cannot start"),
  ]

  /// Bugs of a demuxer whose file another plugin reads too.
  static let peerBugs: [Bug] = [
    peer("offset_by_two", "AVCodec decodes only those of peer"),
    peer("packet_ends_cut", "faulty reads 19 bytes, peer reads 21"),
    peer("last_packet_lost", "packets, peer reads"),
    peer("video_late", "track 1: packet 0: faulty reads pts 0.1 s, peer reads 0 s"),
    peer("audio_late", "track 2: packet 0: faulty reads pts"),
    peer("language_wrong", "track 1: faulty reads the language deu, peer reads eng"),
    peer("more_key_flags", "faulty reads the key flag, peer reads none"),
    peer("record_changed", "faulty reads another configuration record than peer"),
    peer("aspect_wrong", "faulty reads the pixel aspect ratio 3/4, peer reads 4/3"),
  ]

  /// Bugs of a demuxer of PCM whose file another plugin reads too.
  static let peerSampleBugs: [Bug] = [
    peer("offset_by_two", "from there on, faulty is 2 bytes ahead"),
    peer("bytes_swapped", "the order of the bytes is reversed"),
    peer("other_byte_order", "faulty reads the codec pcm_s16be, peer reads pcm_s16le"),
    peer("pcm_ends_cut", "faulty is 2 bytes ahead"),
    peer("last_packet_lost", "bytes of audio samples, peer reads"),
    peer("audio_late", "the first audio sample at 0.1 s, peer at 0 s"),
  ]

  static let swiftBugs: [Bug] = [
    Bug(
      "pointer-kept", "encoder faulty_swift", "faulty_swift from s16",
      "read a lent frame after the host had released it"),
    swift("retain-cycle", "encoder", "200 opens", "each open and close loses about"),
    swift("static-state", "encoder", "every frame", "with an initial_padding of 0 it must be 0"),
    swift("trap-on-short-frame", "encoder", "short last frame", "crashed in send: SIG"),
    Bug("prints", "encoder faulty_swift", "standard output", "an encoder is opened"),
    swift("dictionary-order", "encoder", "the same bytes twice", "the bytes differ between two"),
    Bug(
      "channels-reversed", "encoder faulty_swift", "faulty_swift from s16",
      "channel 0 has the audio of channel 1"),
    swift("last-frame-dropped", "encoder", "every frame", "audio is missing"),
    Bug(
      "buffer-reused", "encoder faulty_swift", "faulty_swift from s16",
      "the bytes of packets changed after they were returned"),
    swift("empty-message", "encoder", "impossible settings", "has no message"),
    swift("state-after-flush", "decoder", "flush", "after flush, 41 frames were decoded"),
    swift("times-of-next-packet", "decoder", "times", "the first frame has the pts 256"),
  ]

  static func video(_ name: String, _ check: String?, _ words: String) -> Bug {
    Bug(
      name, "encoder faulty_video", check.map { "faulty_video: \($0)" } ?? "standard output", words)
  }

  private static func audio(_ name: String, _ check: String, _ words: String) -> Bug {
    Bug(name, "encoder faulty_audio", "faulty_audio: \(check)", words)
  }

  private static func decoder(_ name: String, _ check: String, _ words: String) -> Bug {
    Bug(name, "decoder faulty_video", "faulty_video: \(check)", words)
  }

  private static func demuxer(_ name: String, _ check: String, _ words: String) -> Bug {
    Bug(name, "demuxer faulty", "file of faulty: \(check)", words)
  }

  private static func sample(_ name: String, _ check: String, _ words: String) -> Bug {
    Bug(
      name, "demuxer faulty", "sample.faulty: \(check)", words,
      macros: ["DEMUXER_ONLY", "CARRIES_AAC"])
  }

  private static func peer(_ name: String, _ words: String) -> Bug {
    Bug(
      name, "demuxer faulty", "sample.faulty: another demuxer", words,
      macros: ["DEMUXER_ONLY", "CARRIES_AAC"])
  }

  private static func fact(_ name: String, _ words: String) -> Bug {
    Bug(name, "encoder faulty_avc", "h264: color, pixel aspect ratio and HDR", words)
  }

  private static func muxer(_ name: String, _ check: String, _ words: String) -> Bug {
    Bug(name, "muxer faulty", check, words)
  }

  private static func swift(_ name: String, _ kind: String, _ check: String, _ words: String) -> Bug
  {
    Bug(name, "\(kind) faulty_swift", "faulty_swift: \(check)", words)
  }
}
