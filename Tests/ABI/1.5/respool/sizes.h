/* Sizes of the structs in the minor versions of the ABI, in bytes.  A struct has an entry for each minor version that
   has added fields to it; the last entry is its size now.  Entries are frozen: a struct with this struct_size has the
   fields up to that minor version.  layout.c compares them with the structs. */
#ifndef RESPOOL_SIZES_H
#define RESPOOL_SIZES_H

enum {
  rsp_error_size_1_0 = 664,
  rsp_text_size_1_0 = 16,

  rsp_side_data_size_1_2 = 24,
  rsp_edit_size_1_0 = 32,
  rsp_track_size_1_0 = 256,
  rsp_track_size_1_1 = 272,
  rsp_track_size_1_2 = 288,
  rsp_track_size_1_4 = 296,
  rsp_chapter_size_1_0 = 40,
  rsp_tag_size_1_0 = 48,
  rsp_reference_size_1_0 = 16,
  rsp_media_size_1_0 = 72, /* the first release of 1.0; later ones have 120 */
  rsp_media_size_1_1 = 120,
  rsp_media_size_1_2 = 136,
  rsp_media_size_1_4 = 144,
  rsp_packet_size_1_0 = 120,
  rsp_packet_size_1_1 = 128,
  rsp_packet_size_1_2 = 136,
  rsp_frame_size_1_0 = 248,
  rsp_frame_size_1_2 = 264,

  rsp_host_size_1_0 = 40,
  rsp_job_size_1_5 = 32,
  rsp_source_size_1_0 = 48,
  rsp_sink_size_1_0 = 56,

  rsp_option_size_1_0 = 56,
  rsp_demuxer_factory_size_1_0 = 200,
  rsp_decoder_factory_size_1_0 = 192,
  rsp_encoder_factory_size_1_0 = 184,
  rsp_muxer_factory_size_1_0 = 192,
  rsp_decoder_settings_size_1_0 = 32,
  rsp_encoder_settings_size_1_0 = 48,
  rsp_encoder_settings_size_1_3 = 72,
  rsp_encoder_settings_size_1_5 = 88,
  rsp_encoding_size_1_5 = 80,
  rsp_demuxing_settings_size_1_3 = 8,
  rsp_demuxing_size_1_3 = 16,
  rsp_muxing_track_size_1_3 = 72,
  rsp_muxing_settings_size_1_3 = 64,
  rsp_muxing_size_1_3 = 16,

  rsp_filter_settings_size_1_5 = 40,
  rsp_result_size_1_5 = 32,
  rsp_filter_factory_size_1_5 = 200,

  rsp_plugin_info_size_1_0 = 40,
  rsp_plugin_size_1_0 = 24
};

#endif
