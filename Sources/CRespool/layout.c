/* Checks of the ABI's layout on 64-bit Linux.  The layout is frozen: a changed size or offset breaks every plugin
   that was built before.  New fields are only added at the end. */
#include "respool/plugin.h"

_Static_assert(sizeof(rsp_error) == 664, "size of rsp_error");
_Static_assert(offsetof(rsp_error, struct_size) == 0, "rsp_error.struct_size");
_Static_assert(offsetof(rsp_error, status) == 4, "rsp_error.status");
_Static_assert(offsetof(rsp_error, offset) == 8, "rsp_error.offset");
_Static_assert(offsetof(rsp_error, track) == 16, "rsp_error.track");
_Static_assert(offsetof(rsp_error, facts) == 20, "rsp_error.facts");
_Static_assert(offsetof(rsp_error, message) == 24, "rsp_error.message");
_Static_assert(offsetof(rsp_error, path) == 536, "rsp_error.path");

_Static_assert(sizeof(rsp_buffer) == 40, "size of rsp_buffer");
_Static_assert(offsetof(rsp_buffer, data) == 0, "rsp_buffer.data");
_Static_assert(offsetof(rsp_buffer, size) == 8, "rsp_buffer.size");
_Static_assert(offsetof(rsp_buffer, owner) == 16, "rsp_buffer.owner");
_Static_assert(offsetof(rsp_buffer, retain) == 24, "rsp_buffer.retain");
_Static_assert(offsetof(rsp_buffer, release) == 32, "rsp_buffer.release");

_Static_assert(sizeof(rsp_rational) == 8, "size of rsp_rational");
_Static_assert(offsetof(rsp_rational, num) == 0, "rsp_rational.num");
_Static_assert(offsetof(rsp_rational, den) == 4, "rsp_rational.den");

_Static_assert(sizeof(rsp_text) == 16, "size of rsp_text");
_Static_assert(offsetof(rsp_text, name) == 0, "rsp_text.name");
_Static_assert(offsetof(rsp_text, value) == 8, "rsp_text.value");

_Static_assert(sizeof(rsp_color) == 8, "size of rsp_color");
_Static_assert(offsetof(rsp_color, primaries) == 0, "rsp_color.primaries");
_Static_assert(offsetof(rsp_color, transfer) == 1, "rsp_color.transfer");
_Static_assert(offsetof(rsp_color, matrix) == 2, "rsp_color.matrix");
_Static_assert(offsetof(rsp_color, range) == 3, "rsp_color.range");
_Static_assert(offsetof(rsp_color, chroma_location) == 4, "rsp_color.chroma_location");
_Static_assert(offsetof(rsp_color, reserved) == 5, "rsp_color.reserved");

_Static_assert(sizeof(rsp_side_data) == 24, "size of rsp_side_data");
_Static_assert(offsetof(rsp_side_data, struct_size) == 0, "rsp_side_data.struct_size");
_Static_assert(offsetof(rsp_side_data, type) == 4, "rsp_side_data.type");
_Static_assert(offsetof(rsp_side_data, data) == 8, "rsp_side_data.data");
_Static_assert(offsetof(rsp_side_data, size) == 16, "rsp_side_data.size");

_Static_assert(sizeof(rsp_edit) == 32, "size of rsp_edit");
_Static_assert(offsetof(rsp_edit, presentation_start) == 0, "rsp_edit.presentation_start");
_Static_assert(offsetof(rsp_edit, duration) == 8, "rsp_edit.duration");
_Static_assert(offsetof(rsp_edit, media_start) == 16, "rsp_edit.media_start");
_Static_assert(offsetof(rsp_edit, rate) == 24, "rsp_edit.rate");

_Static_assert(sizeof(rsp_track) == 288, "size of rsp_track");
_Static_assert(offsetof(rsp_track, struct_size) == 0, "rsp_track.struct_size");
_Static_assert(offsetof(rsp_track, kind) == 4, "rsp_track.kind");
_Static_assert(offsetof(rsp_track, id) == 8, "rsp_track.id");
_Static_assert(offsetof(rsp_track, codec) == 16, "rsp_track.codec");
_Static_assert(offsetof(rsp_track, codec_tag) == 24, "rsp_track.codec_tag");
_Static_assert(offsetof(rsp_track, disposition) == 28, "rsp_track.disposition");
_Static_assert(offsetof(rsp_track, extradata) == 32, "rsp_track.extradata");
_Static_assert(offsetof(rsp_track, extradata_size) == 40, "rsp_track.extradata_size");
_Static_assert(offsetof(rsp_track, time_base) == 48, "rsp_track.time_base");
_Static_assert(offsetof(rsp_track, start) == 56, "rsp_track.start");
_Static_assert(offsetof(rsp_track, duration) == 64, "rsp_track.duration");
_Static_assert(offsetof(rsp_track, packet_count) == 72, "rsp_track.packet_count");
_Static_assert(offsetof(rsp_track, bit_rate) == 80, "rsp_track.bit_rate");
_Static_assert(offsetof(rsp_track, language) == 88, "rsp_track.language");
_Static_assert(offsetof(rsp_track, metadata) == 96, "rsp_track.metadata");
_Static_assert(offsetof(rsp_track, edits) == 104, "rsp_track.edits");
_Static_assert(offsetof(rsp_track, metadata_count) == 112, "rsp_track.metadata_count");
_Static_assert(offsetof(rsp_track, edit_count) == 116, "rsp_track.edit_count");
_Static_assert(offsetof(rsp_track, width) == 120, "rsp_track.width");
_Static_assert(offsetof(rsp_track, height) == 124, "rsp_track.height");
_Static_assert(offsetof(rsp_track, sample_aspect) == 128, "rsp_track.sample_aspect");
_Static_assert(offsetof(rsp_track, frame_rate) == 136, "rsp_track.frame_rate");
_Static_assert(offsetof(rsp_track, base_frame_rate) == 144, "rsp_track.base_frame_rate");
_Static_assert(offsetof(rsp_track, pixel_format) == 152, "rsp_track.pixel_format");
_Static_assert(offsetof(rsp_track, field_order) == 156, "rsp_track.field_order");
_Static_assert(offsetof(rsp_track, color) == 160, "rsp_track.color");
_Static_assert(offsetof(rsp_track, display_matrix) == 168, "rsp_track.display_matrix");
_Static_assert(offsetof(rsp_track, reorder_depth) == 204, "rsp_track.reorder_depth");
_Static_assert(offsetof(rsp_track, profile) == 208, "rsp_track.profile");
_Static_assert(offsetof(rsp_track, level) == 212, "rsp_track.level");
_Static_assert(offsetof(rsp_track, sample_rate) == 216, "rsp_track.sample_rate");
_Static_assert(offsetof(rsp_track, channels) == 220, "rsp_track.channels");
_Static_assert(offsetof(rsp_track, channel_mask) == 224, "rsp_track.channel_mask");
_Static_assert(offsetof(rsp_track, sample_format) == 232, "rsp_track.sample_format");
_Static_assert(offsetof(rsp_track, bits_per_sample) == 236, "rsp_track.bits_per_sample");
_Static_assert(offsetof(rsp_track, frame_size) == 240, "rsp_track.frame_size");
_Static_assert(offsetof(rsp_track, block_align) == 244, "rsp_track.block_align");
_Static_assert(offsetof(rsp_track, initial_padding) == 248, "rsp_track.initial_padding");
_Static_assert(offsetof(rsp_track, seek_preroll) == 252, "rsp_track.seek_preroll");
_Static_assert(offsetof(rsp_track, further_formats) == 256, "rsp_track.further_formats");
_Static_assert(offsetof(rsp_track, further_format_count) == 264, "rsp_track.further_format_count");
_Static_assert(offsetof(rsp_track, volume) == 268, "rsp_track.volume");
_Static_assert(offsetof(rsp_track, side_data) == 272, "rsp_track.side_data");
_Static_assert(offsetof(rsp_track, side_data_count) == 280, "rsp_track.side_data_count");
_Static_assert(offsetof(rsp_track, reserved) == 284, "rsp_track.reserved");

_Static_assert(sizeof(rsp_chapter) == 40, "size of rsp_chapter");
_Static_assert(offsetof(rsp_chapter, id) == 0, "rsp_chapter.id");
_Static_assert(offsetof(rsp_chapter, start) == 8, "rsp_chapter.start");
_Static_assert(offsetof(rsp_chapter, end) == 16, "rsp_chapter.end");
_Static_assert(offsetof(rsp_chapter, title) == 24, "rsp_chapter.title");
_Static_assert(offsetof(rsp_chapter, language) == 32, "rsp_chapter.language");

_Static_assert(sizeof(rsp_media) == 136, "size of rsp_media");
_Static_assert(offsetof(rsp_media, struct_size) == 0, "rsp_media.struct_size");
_Static_assert(offsetof(rsp_media, track_count) == 4, "rsp_media.track_count");
_Static_assert(offsetof(rsp_media, tracks) == 8, "rsp_media.tracks");
_Static_assert(offsetof(rsp_media, metadata) == 16, "rsp_media.metadata");
_Static_assert(offsetof(rsp_media, chapters) == 24, "rsp_media.chapters");
_Static_assert(offsetof(rsp_media, metadata_count) == 32, "rsp_media.metadata_count");
_Static_assert(offsetof(rsp_media, chapter_count) == 36, "rsp_media.chapter_count");
_Static_assert(offsetof(rsp_media, format) == 40, "rsp_media.format");
_Static_assert(offsetof(rsp_media, duration) == 48, "rsp_media.duration");
_Static_assert(offsetof(rsp_media, bit_rate) == 56, "rsp_media.bit_rate");
_Static_assert(offsetof(rsp_media, warning) == 64, "rsp_media.warning");
_Static_assert(offsetof(rsp_media, tags) == 72, "rsp_media.tags");
_Static_assert(offsetof(rsp_media, tag_count) == 80, "rsp_media.tag_count");
_Static_assert(offsetof(rsp_media, reserved) == 84, "rsp_media.reserved");
_Static_assert(offsetof(rsp_media, references) == 88, "rsp_media.references");
_Static_assert(offsetof(rsp_media, reference_count) == 96, "rsp_media.reference_count");
_Static_assert(offsetof(rsp_media, facts) == 100, "rsp_media.facts");
_Static_assert(offsetof(rsp_media, rate) == 104, "rsp_media.rate");
_Static_assert(offsetof(rsp_media, volume) == 112, "rsp_media.volume");
_Static_assert(offsetof(rsp_media, side_data) == 120, "rsp_media.side_data");
_Static_assert(offsetof(rsp_media, side_data_count) == 128, "rsp_media.side_data_count");
_Static_assert(offsetof(rsp_media, reserved_2) == 132, "rsp_media.reserved_2");

_Static_assert(sizeof(rsp_reference) == 16, "size of rsp_reference");
_Static_assert(offsetof(rsp_reference, track) == 0, "rsp_reference.track");
_Static_assert(offsetof(rsp_reference, type) == 4, "rsp_reference.type");
_Static_assert(offsetof(rsp_reference, track_id) == 8, "rsp_reference.track_id");

_Static_assert(sizeof(rsp_tag) == 48, "size of rsp_tag");
_Static_assert(offsetof(rsp_tag, track) == 0, "rsp_tag.track");
_Static_assert(offsetof(rsp_tag, kind) == 4, "rsp_tag.kind");
_Static_assert(offsetof(rsp_tag, key_space) == 8, "rsp_tag.key_space");
_Static_assert(offsetof(rsp_tag, key) == 16, "rsp_tag.key");
_Static_assert(offsetof(rsp_tag, name) == 24, "rsp_tag.name");
_Static_assert(offsetof(rsp_tag, value) == 32, "rsp_tag.value");
_Static_assert(offsetof(rsp_tag, language) == 40, "rsp_tag.language");

_Static_assert(sizeof(rsp_packet) == 136, "size of rsp_packet");
_Static_assert(offsetof(rsp_packet, struct_size) == 0, "rsp_packet.struct_size");
_Static_assert(offsetof(rsp_packet, track) == 4, "rsp_packet.track");
_Static_assert(offsetof(rsp_packet, pts) == 8, "rsp_packet.pts");
_Static_assert(offsetof(rsp_packet, dts) == 16, "rsp_packet.dts");
_Static_assert(offsetof(rsp_packet, duration) == 24, "rsp_packet.duration");
_Static_assert(offsetof(rsp_packet, flags) == 32, "rsp_packet.flags");
_Static_assert(offsetof(rsp_packet, side_data_size) == 36, "rsp_packet.side_data_size");
_Static_assert(offsetof(rsp_packet, trim_start) == 40, "rsp_packet.trim_start");
_Static_assert(offsetof(rsp_packet, trim_end) == 48, "rsp_packet.trim_end");
_Static_assert(offsetof(rsp_packet, buffer) == 56, "rsp_packet.buffer");
_Static_assert(offsetof(rsp_packet, range_offset) == 96, "rsp_packet.range_offset");
_Static_assert(offsetof(rsp_packet, range_length) == 104, "rsp_packet.range_length");
_Static_assert(offsetof(rsp_packet, side_data) == 112, "rsp_packet.side_data");
_Static_assert(offsetof(rsp_packet, format) == 120, "rsp_packet.format");
_Static_assert(offsetof(rsp_packet, record_count) == 124, "rsp_packet.record_count");
_Static_assert(offsetof(rsp_packet, records) == 128, "rsp_packet.records");

_Static_assert(sizeof(rsp_frame) == 264, "size of rsp_frame");
_Static_assert(offsetof(rsp_frame, struct_size) == 0, "rsp_frame.struct_size");
_Static_assert(offsetof(rsp_frame, kind) == 4, "rsp_frame.kind");
_Static_assert(offsetof(rsp_frame, pts) == 8, "rsp_frame.pts");
_Static_assert(offsetof(rsp_frame, duration) == 16, "rsp_frame.duration");
_Static_assert(offsetof(rsp_frame, flags) == 24, "rsp_frame.flags");
_Static_assert(offsetof(rsp_frame, format) == 28, "rsp_frame.format");
_Static_assert(offsetof(rsp_frame, width) == 32, "rsp_frame.width");
_Static_assert(offsetof(rsp_frame, height) == 36, "rsp_frame.height");
_Static_assert(offsetof(rsp_frame, sample_aspect) == 40, "rsp_frame.sample_aspect");
_Static_assert(offsetof(rsp_frame, color) == 48, "rsp_frame.color");
_Static_assert(offsetof(rsp_frame, sample_rate) == 56, "rsp_frame.sample_rate");
_Static_assert(offsetof(rsp_frame, channels) == 60, "rsp_frame.channels");
_Static_assert(offsetof(rsp_frame, channel_mask) == 64, "rsp_frame.channel_mask");
_Static_assert(offsetof(rsp_frame, sample_count) == 72, "rsp_frame.sample_count");
_Static_assert(offsetof(rsp_frame, plane_count) == 76, "rsp_frame.plane_count");
_Static_assert(offsetof(rsp_frame, plane) == 80, "rsp_frame.plane");
_Static_assert(offsetof(rsp_frame, stride) == 144, "rsp_frame.stride");
_Static_assert(offsetof(rsp_frame, buffer) == 208, "rsp_frame.buffer");
_Static_assert(offsetof(rsp_frame, side_data) == 248, "rsp_frame.side_data");
_Static_assert(offsetof(rsp_frame, side_data_count) == 256, "rsp_frame.side_data_count");
_Static_assert(offsetof(rsp_frame, reserved) == 260, "rsp_frame.reserved");

_Static_assert(sizeof(rsp_host) == 40, "size of rsp_host");
_Static_assert(offsetof(rsp_host, struct_size) == 0, "rsp_host.struct_size");
_Static_assert(offsetof(rsp_host, abi_major) == 4, "rsp_host.abi_major");
_Static_assert(offsetof(rsp_host, abi_minor) == 8, "rsp_host.abi_minor");
_Static_assert(offsetof(rsp_host, reserved) == 12, "rsp_host.reserved");
_Static_assert(offsetof(rsp_host, context) == 16, "rsp_host.context");
_Static_assert(offsetof(rsp_host, log) == 24, "rsp_host.log");
_Static_assert(offsetof(rsp_host, extension) == 32, "rsp_host.extension");

_Static_assert(sizeof(rsp_source) == 48, "size of rsp_source");
_Static_assert(offsetof(rsp_source, struct_size) == 0, "rsp_source.struct_size");
_Static_assert(offsetof(rsp_source, seekable) == 4, "rsp_source.seekable");
_Static_assert(offsetof(rsp_source, context) == 8, "rsp_source.context");
_Static_assert(offsetof(rsp_source, size) == 16, "rsp_source.size");
_Static_assert(offsetof(rsp_source, name) == 24, "rsp_source.name");
_Static_assert(offsetof(rsp_source, read_at) == 32, "rsp_source.read_at");
_Static_assert(offsetof(rsp_source, cancelled) == 40, "rsp_source.cancelled");

_Static_assert(sizeof(rsp_sink) == 56, "size of rsp_sink");
_Static_assert(offsetof(rsp_sink, struct_size) == 0, "rsp_sink.struct_size");
_Static_assert(offsetof(rsp_sink, seekable) == 4, "rsp_sink.seekable");
_Static_assert(offsetof(rsp_sink, context) == 8, "rsp_sink.context");
_Static_assert(offsetof(rsp_sink, write) == 16, "rsp_sink.write");
_Static_assert(offsetof(rsp_sink, write_payload) == 24, "rsp_sink.write_payload");
_Static_assert(offsetof(rsp_sink, write_at) == 32, "rsp_sink.write_at");
_Static_assert(offsetof(rsp_sink, insert) == 40, "rsp_sink.insert");
_Static_assert(offsetof(rsp_sink, size) == 48, "rsp_sink.size");

_Static_assert(sizeof(rsp_option) == 56, "size of rsp_option");
_Static_assert(offsetof(rsp_option, struct_size) == 0, "rsp_option.struct_size");
_Static_assert(offsetof(rsp_option, type) == 4, "rsp_option.type");
_Static_assert(offsetof(rsp_option, name) == 8, "rsp_option.name");
_Static_assert(offsetof(rsp_option, help) == 16, "rsp_option.help");
_Static_assert(offsetof(rsp_option, default_value) == 24, "rsp_option.default_value");
_Static_assert(offsetof(rsp_option, minimum) == 32, "rsp_option.minimum");
_Static_assert(offsetof(rsp_option, maximum) == 40, "rsp_option.maximum");
_Static_assert(offsetof(rsp_option, choices) == 48, "rsp_option.choices");

_Static_assert(sizeof(rsp_magic) == 24, "size of rsp_magic");
_Static_assert(offsetof(rsp_magic, offset) == 0, "rsp_magic.offset");
_Static_assert(offsetof(rsp_magic, length) == 4, "rsp_magic.length");
_Static_assert(offsetof(rsp_magic, bytes) == 8, "rsp_magic.bytes");
_Static_assert(offsetof(rsp_magic, mask) == 16, "rsp_magic.mask");

_Static_assert(sizeof(rsp_factory) == 144, "size of rsp_factory");
_Static_assert(offsetof(rsp_factory, struct_size) == 0, "rsp_factory.struct_size");
_Static_assert(offsetof(rsp_factory, kind) == 4, "rsp_factory.kind");
_Static_assert(offsetof(rsp_factory, tier) == 8, "rsp_factory.tier");
_Static_assert(offsetof(rsp_factory, flags) == 12, "rsp_factory.flags");
_Static_assert(offsetof(rsp_factory, name) == 16, "rsp_factory.name");
_Static_assert(offsetof(rsp_factory, long_name) == 24, "rsp_factory.long_name");
_Static_assert(offsetof(rsp_factory, aliases) == 32, "rsp_factory.aliases");
_Static_assert(offsetof(rsp_factory, extensions) == 40, "rsp_factory.extensions");
_Static_assert(offsetof(rsp_factory, mime_types) == 48, "rsp_factory.mime_types");
_Static_assert(offsetof(rsp_factory, codecs) == 56, "rsp_factory.codecs");
_Static_assert(offsetof(rsp_factory, magics) == 64, "rsp_factory.magics");
_Static_assert(offsetof(rsp_factory, magic_count) == 72, "rsp_factory.magic_count");
_Static_assert(offsetof(rsp_factory, option_count) == 76, "rsp_factory.option_count");
_Static_assert(offsetof(rsp_factory, options) == 80, "rsp_factory.options");
_Static_assert(offsetof(rsp_factory, pixel_formats) == 88, "rsp_factory.pixel_formats");
_Static_assert(offsetof(rsp_factory, sample_formats) == 96, "rsp_factory.sample_formats");
_Static_assert(offsetof(rsp_factory, sample_rates) == 104, "rsp_factory.sample_rates");
_Static_assert(offsetof(rsp_factory, channel_masks) == 112, "rsp_factory.channel_masks");
_Static_assert(offsetof(rsp_factory, minimum_channels) == 120, "rsp_factory.minimum_channels");
_Static_assert(offsetof(rsp_factory, maximum_channels) == 124, "rsp_factory.maximum_channels");
_Static_assert(offsetof(rsp_factory, context) == 128, "rsp_factory.context");
_Static_assert(offsetof(rsp_factory, extension) == 136, "rsp_factory.extension");

_Static_assert(sizeof(rsp_options) == 16, "size of rsp_options");
_Static_assert(offsetof(rsp_options, count) == 0, "rsp_options.count");
_Static_assert(offsetof(rsp_options, reserved) == 4, "rsp_options.reserved");
_Static_assert(offsetof(rsp_options, values) == 8, "rsp_options.values");

_Static_assert(sizeof(rsp_demuxer_factory) == 200, "size of rsp_demuxer_factory");
_Static_assert(offsetof(rsp_demuxer_factory, head) == 0, "rsp_demuxer_factory.head");
_Static_assert(offsetof(rsp_demuxer_factory, probe) == 144, "rsp_demuxer_factory.probe");
_Static_assert(offsetof(rsp_demuxer_factory, open) == 152, "rsp_demuxer_factory.open");
_Static_assert(offsetof(rsp_demuxer_factory, media) == 160, "rsp_demuxer_factory.media");
_Static_assert(offsetof(rsp_demuxer_factory, select) == 168, "rsp_demuxer_factory.select");
_Static_assert(offsetof(rsp_demuxer_factory, read) == 176, "rsp_demuxer_factory.read");
_Static_assert(offsetof(rsp_demuxer_factory, seek) == 184, "rsp_demuxer_factory.seek");
_Static_assert(offsetof(rsp_demuxer_factory, close) == 192, "rsp_demuxer_factory.close");

_Static_assert(sizeof(rsp_demuxing_settings) == 8, "size of rsp_demuxing_settings");
_Static_assert(offsetof(rsp_demuxing_settings, struct_size) == 0, "rsp_demuxing_settings.struct_size");
_Static_assert(offsetof(rsp_demuxing_settings, timing) == 4, "rsp_demuxing_settings.timing");

_Static_assert(sizeof(rsp_demuxing) == 16, "size of rsp_demuxing");
_Static_assert(offsetof(rsp_demuxing, struct_size) == 0, "rsp_demuxing.struct_size");
_Static_assert(offsetof(rsp_demuxing, reserved) == 4, "rsp_demuxing.reserved");
_Static_assert(offsetof(rsp_demuxing, open) == 8, "rsp_demuxing.open");

_Static_assert(sizeof(rsp_decoder_settings) == 32, "size of rsp_decoder_settings");
_Static_assert(offsetof(rsp_decoder_settings, struct_size) == 0, "rsp_decoder_settings.struct_size");
_Static_assert(offsetof(rsp_decoder_settings, threads) == 4, "rsp_decoder_settings.threads");
_Static_assert(offsetof(rsp_decoder_settings, track) == 8, "rsp_decoder_settings.track");
_Static_assert(offsetof(rsp_decoder_settings, options) == 16, "rsp_decoder_settings.options");

_Static_assert(sizeof(rsp_decoder_factory) == 192, "size of rsp_decoder_factory");
_Static_assert(offsetof(rsp_decoder_factory, head) == 0, "rsp_decoder_factory.head");
_Static_assert(offsetof(rsp_decoder_factory, supports) == 144, "rsp_decoder_factory.supports");
_Static_assert(offsetof(rsp_decoder_factory, open) == 152, "rsp_decoder_factory.open");
_Static_assert(offsetof(rsp_decoder_factory, send) == 160, "rsp_decoder_factory.send");
_Static_assert(offsetof(rsp_decoder_factory, receive) == 168, "rsp_decoder_factory.receive");
_Static_assert(offsetof(rsp_decoder_factory, flush) == 176, "rsp_decoder_factory.flush");
_Static_assert(offsetof(rsp_decoder_factory, close) == 184, "rsp_decoder_factory.close");

_Static_assert(sizeof(rsp_encoder_settings) == 72, "size of rsp_encoder_settings");
_Static_assert(offsetof(rsp_encoder_settings, struct_size) == 0, "rsp_encoder_settings.struct_size");
_Static_assert(offsetof(rsp_encoder_settings, threads) == 4, "rsp_encoder_settings.threads");
_Static_assert(offsetof(rsp_encoder_settings, track) == 8, "rsp_encoder_settings.track");
_Static_assert(offsetof(rsp_encoder_settings, bit_rate) == 16, "rsp_encoder_settings.bit_rate");
_Static_assert(offsetof(rsp_encoder_settings, quality) == 24, "rsp_encoder_settings.quality");
_Static_assert(offsetof(rsp_encoder_settings, options) == 32, "rsp_encoder_settings.options");
_Static_assert(offsetof(rsp_encoder_settings, flags) == 48, "rsp_encoder_settings.flags");
_Static_assert(offsetof(rsp_encoder_settings, reserved) == 52, "rsp_encoder_settings.reserved");
_Static_assert(offsetof(rsp_encoder_settings, statistics) == 56, "rsp_encoder_settings.statistics");
_Static_assert(offsetof(rsp_encoder_settings, statistics_size) == 64, "rsp_encoder_settings.statistics_size");

_Static_assert(sizeof(rsp_encoder_factory) == 184, "size of rsp_encoder_factory");
_Static_assert(offsetof(rsp_encoder_factory, head) == 0, "rsp_encoder_factory.head");
_Static_assert(offsetof(rsp_encoder_factory, open) == 144, "rsp_encoder_factory.open");
_Static_assert(offsetof(rsp_encoder_factory, track) == 152, "rsp_encoder_factory.track");
_Static_assert(offsetof(rsp_encoder_factory, send) == 160, "rsp_encoder_factory.send");
_Static_assert(offsetof(rsp_encoder_factory, receive) == 168, "rsp_encoder_factory.receive");
_Static_assert(offsetof(rsp_encoder_factory, close) == 176, "rsp_encoder_factory.close");

_Static_assert(sizeof(rsp_muxer_factory) == 192, "size of rsp_muxer_factory");
_Static_assert(offsetof(rsp_muxer_factory, head) == 0, "rsp_muxer_factory.head");
_Static_assert(offsetof(rsp_muxer_factory, supports) == 144, "rsp_muxer_factory.supports");
_Static_assert(offsetof(rsp_muxer_factory, open) == 152, "rsp_muxer_factory.open");
_Static_assert(offsetof(rsp_muxer_factory, time_base) == 160, "rsp_muxer_factory.time_base");
_Static_assert(offsetof(rsp_muxer_factory, write) == 168, "rsp_muxer_factory.write");
_Static_assert(offsetof(rsp_muxer_factory, finish) == 176, "rsp_muxer_factory.finish");
_Static_assert(offsetof(rsp_muxer_factory, close) == 184, "rsp_muxer_factory.close");

_Static_assert(sizeof(rsp_muxing_reference) == 8, "size of rsp_muxing_reference");
_Static_assert(offsetof(rsp_muxing_reference, type) == 0, "rsp_muxing_reference.type");
_Static_assert(offsetof(rsp_muxing_reference, track) == 4, "rsp_muxing_reference.track");

_Static_assert(sizeof(rsp_muxing_track) == 72, "size of rsp_muxing_track");
_Static_assert(offsetof(rsp_muxing_track, struct_size) == 0, "rsp_muxing_track.struct_size");
_Static_assert(offsetof(rsp_muxing_track, flags) == 4, "rsp_muxing_track.flags");
_Static_assert(offsetof(rsp_muxing_track, time_scale) == 8, "rsp_muxing_track.time_scale");
_Static_assert(offsetof(rsp_muxing_track, volume) == 16, "rsp_muxing_track.volume");
_Static_assert(offsetof(rsp_muxing_track, width) == 24, "rsp_muxing_track.width");
_Static_assert(offsetof(rsp_muxing_track, height) == 32, "rsp_muxing_track.height");
_Static_assert(offsetof(rsp_muxing_track, chunk_duration) == 40, "rsp_muxing_track.chunk_duration");
_Static_assert(offsetof(rsp_muxing_track, chunk_alignment) == 48, "rsp_muxing_track.chunk_alignment");
_Static_assert(offsetof(rsp_muxing_track, alternate_group) == 56, "rsp_muxing_track.alternate_group");
_Static_assert(offsetof(rsp_muxing_track, reference_count) == 60, "rsp_muxing_track.reference_count");
_Static_assert(offsetof(rsp_muxing_track, references) == 64, "rsp_muxing_track.references");

_Static_assert(sizeof(rsp_muxing_settings) == 64, "size of rsp_muxing_settings");
_Static_assert(offsetof(rsp_muxing_settings, struct_size) == 0, "rsp_muxing_settings.struct_size");
_Static_assert(offsetof(rsp_muxing_settings, flags) == 4, "rsp_muxing_settings.flags");
_Static_assert(offsetof(rsp_muxing_settings, segments) == 8, "rsp_muxing_settings.segments");
_Static_assert(offsetof(rsp_muxing_settings, first_fragment_number) == 12, "rsp_muxing_settings.first_fragment_number");
_Static_assert(offsetof(rsp_muxing_settings, fragment_interval) == 16, "rsp_muxing_settings.fragment_interval");
_Static_assert(offsetof(rsp_muxing_settings, first_fragment_interval) == 24, "rsp_muxing_settings.first_fragment_interval");
_Static_assert(offsetof(rsp_muxing_settings, duration_hint) == 32, "rsp_muxing_settings.duration_hint");
_Static_assert(offsetof(rsp_muxing_settings, time_scale) == 40, "rsp_muxing_settings.time_scale");
_Static_assert(offsetof(rsp_muxing_settings, track_count) == 48, "rsp_muxing_settings.track_count");
_Static_assert(offsetof(rsp_muxing_settings, reserved) == 52, "rsp_muxing_settings.reserved");
_Static_assert(offsetof(rsp_muxing_settings, tracks) == 56, "rsp_muxing_settings.tracks");

_Static_assert(sizeof(rsp_muxing) == 16, "size of rsp_muxing");
_Static_assert(offsetof(rsp_muxing, struct_size) == 0, "rsp_muxing.struct_size");
_Static_assert(offsetof(rsp_muxing, reserved) == 4, "rsp_muxing.reserved");
_Static_assert(offsetof(rsp_muxing, open) == 8, "rsp_muxing.open");

_Static_assert(sizeof(rsp_plugin_info) == 40, "size of rsp_plugin_info");
_Static_assert(offsetof(rsp_plugin_info, struct_size) == 0, "rsp_plugin_info.struct_size");
_Static_assert(offsetof(rsp_plugin_info, factory_count) == 4, "rsp_plugin_info.factory_count");
_Static_assert(offsetof(rsp_plugin_info, name) == 8, "rsp_plugin_info.name");
_Static_assert(offsetof(rsp_plugin_info, version) == 16, "rsp_plugin_info.version");
_Static_assert(offsetof(rsp_plugin_info, license) == 24, "rsp_plugin_info.license");
_Static_assert(offsetof(rsp_plugin_info, factories) == 32, "rsp_plugin_info.factories");

_Static_assert(sizeof(rsp_plugin) == 24, "size of rsp_plugin");
_Static_assert(offsetof(rsp_plugin, struct_size) == 0, "rsp_plugin.struct_size");
_Static_assert(offsetof(rsp_plugin, abi_major) == 4, "rsp_plugin.abi_major");
_Static_assert(offsetof(rsp_plugin, abi_minor) == 8, "rsp_plugin.abi_minor");
_Static_assert(offsetof(rsp_plugin, reserved) == 12, "rsp_plugin.reserved");
_Static_assert(offsetof(rsp_plugin, describe) == 16, "rsp_plugin.describe");
