/* The names of the bugs.  HAS(name) is 1 in the variant with this bug. */
enum bug {
  none,
  /* encoder of video */
  drain_loses_frames, drain_repeats_frame, pts_off_by_one, times_in_milliseconds, dts_after_pts, dts_stands_still,
  key_flag_missing, key_flag_on_all, forced_key_ignored, frame_not_retained, frame_written, stride_ignored,
  negative_stride_ignored, reads_past_last_row, reads_past_odd_width, chroma_rounded_down, planes_swapped,
  record_missing, bytes_differ_by_run, bytes_differ_by_process,
  bytes_uninitialized, bytes_depend_on_threads, frame_leaked, frame_released_twice,
  packet_leaked, leak_per_open, prints, hangs_in_open, hangs_in_send, hangs_in_receive, hangs_in_close, endless_again,
  endless_empty_packets, endless_packets, again_after_drain, packet_rewritten, packet_freed_on_close,
  error_without_message, error_unknown, crash_on_second_open, global_state, crash_on_early_close, format_refused,
  default_out_of_range, default_refused, wrong_size_in_track, key_interval_ignored, quality_limit_refused,
  check_differs_from_open, first_pass_ignored, statistics_missing, quality_ignored, bit_rate_ignored, duration_missing, state_left, heap_overrun,
  /* encoder of audio */
  padding_wrong, padding_not_stated, trim_end_missing, short_frame_dropped, channels_swapped, not_variable,
  audio_times_from_zero, frame_size_missing, audio_too_loud, planar_as_interleaved, audio_key_missing,
  trim_too_long, record_not_needed,
  /* encoder of H.264 */
  avcc_missing, avcc_length_size, avcc_annexb_packets, avcc_truncated, avcc_other_size, avcc_other_profile,
  idr_without_key, avcc_other_in_band, sets_in_packets, color_missing, primaries_wrong, transfer_wrong, matrix_wrong,
  range_constant, aspect_missing, display_missing, light_missing, light_wrong,
  /* decoder */
  frames_freed_on_close, frames_reused, wrong_size, flush_ignored, decoder_drain_loses, decoder_times_shifted,
  packet_not_retained, decoder_planes_swapped, reads_past_packet, decoder_leaks_packet, decoder_leaks_frame,
  decoder_global_state, not_usable_after_flush,
  /* demuxer */
  range_outside, no_end, seek_ignored, seek_after_target, track_out_of_list, times_not_in_base, duration_far_off,
  select_ignored, packet_after_end, demuxer_leaks, accepts_anything, hangs_on_damage, crash_on_damage,
  duration_twice, duration_half, duration_zero, track_duration_twice, track_duration_half, track_duration_zero,
  audio_keys_lost, trim_read_too_long, claims_waves,
  /* demuxer of files that another program wrote */
  size_wrong, rate_wrong, channels_wrong, annexb_with_record, lengths_without_record, adts_with_record,
  ogg_pages_left, video_keys_missing, first_key_missing, audio_keys_missing, seek_to_any_packet,
  /* demuxer of files that another plugin reads too */
  offset_by_two, bytes_swapped, other_byte_order, packet_ends_cut, pcm_ends_cut, last_packet_lost,
  video_late, audio_late, language_wrong, more_key_flags, record_changed, aspect_wrong,
  /* muxer */
  last_packet_dropped, times_shifted, file_differs_by_run, private_lost, sink_error_ignored, muxer_leaks, key_lost,
  trim_lost, hangs_in_finish
};

#ifndef BUG
#define BUG none
#endif
#define HAS(name) (BUG == name)
