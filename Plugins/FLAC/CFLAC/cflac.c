#include "include/cflac.h"

#include <string.h>

static FLAC__StreamEncoderWriteStatus write_bytes(const FLAC__StreamEncoder *encoder, const FLAC__byte bytes[],
                                                  size_t count, uint32_t samples, uint32_t frame, void *client) {
  (void)encoder, (void)frame;
  cflac_receiver *receiver = client;
  /* Metadata has no samples. */
  if (samples > 0) receiver->frame(receiver->context, bytes, count, samples);
  return FLAC__STREAM_ENCODER_WRITE_STATUS_OK;
}

static void take_metadata(const FLAC__StreamEncoder *encoder, const FLAC__StreamMetadata *metadata, void *client) {
  (void)encoder;
  cflac_receiver *receiver = client;
  if (metadata->type != FLAC__METADATA_TYPE_STREAMINFO) return;
  const FLAC__StreamMetadata_StreamInfo *info = &metadata->data.stream_info;
  cflac_information result = {
      .minimum_block = info->min_blocksize,
      .maximum_block = info->max_blocksize,
      .minimum_frame = info->min_framesize,
      .maximum_frame = info->max_framesize,
      .samples = info->total_samples,
  };
  memcpy(result.md5, info->md5sum, sizeof result.md5);
  receiver->information(receiver->context, &result);
}

FLAC__StreamEncoderInitStatus cflac_encoder_open(FLAC__StreamEncoder *encoder, cflac_receiver *receiver) {
  return FLAC__stream_encoder_init_stream(encoder, write_bytes, NULL, NULL, take_metadata, receiver);
}

static FLAC__StreamDecoderReadStatus read_bytes(const FLAC__StreamDecoder *decoder, FLAC__byte buffer[],
                                                size_t *count, void *client) {
  (void)decoder;
  cflac_input *input = client;
  size_t length = *count < input->count ? *count : input->count;
  *count = length;
  if (length == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
  memcpy(buffer, input->bytes, length);
  input->bytes += length;
  input->count -= length;
  return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
}

static FLAC__StreamDecoderWriteStatus write_frame(const FLAC__StreamDecoder *decoder, const FLAC__Frame *frame,
                                                  const FLAC__int32 *const samples[], void *client) {
  (void)decoder;
  cflac_input *input = client;
  input->frame(input->context, &frame->header, samples);
  return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

static void take_error(const FLAC__StreamDecoder *decoder, FLAC__StreamDecoderErrorStatus status, void *client) {
  (void)decoder;
  cflac_input *input = client;
  if (input->error == 0) input->error = (int)status + 1;
}

FLAC__StreamDecoderInitStatus cflac_decoder_open(FLAC__StreamDecoder *decoder, cflac_input *input) {
  return FLAC__stream_decoder_init_stream(decoder, read_bytes, NULL, NULL, NULL, NULL, write_frame, NULL, take_error,
                                          input);
}

void cflac_widen_16(FLAC__int32 *to, const int16_t *from, size_t count, unsigned shift) {
  for (size_t index = 0; index < count; index++) to[index] = from[index] >> shift;
}

void cflac_widen_32(FLAC__int32 *to, const int32_t *from, size_t count, unsigned shift) {
  for (size_t index = 0; index < count; index++) to[index] = from[index] >> shift;
}

void cflac_interleave_16(int16_t *to, const FLAC__int32 *const *from, unsigned channels, size_t count,
                         unsigned shift) {
  for (unsigned channel = 0; channel < channels; channel++) {
    const FLAC__int32 *samples = from[channel];
    for (size_t index = 0; index < count; index++) {
      to[index * channels + channel] = (int16_t)((uint32_t)samples[index] << shift);
    }
  }
}

void cflac_interleave_32(int32_t *to, const FLAC__int32 *const *from, unsigned channels, size_t count,
                         unsigned shift) {
  for (unsigned channel = 0; channel < channels; channel++) {
    const FLAC__int32 *samples = from[channel];
    for (size_t index = 0; index < count; index++) {
      to[index * channels + channel] = (int32_t)((uint32_t)samples[index] << shift);
    }
  }
}

void cflac_pack(uint8_t *to, const FLAC__int32 *const *from, unsigned channels, size_t count, unsigned bytes) {
  for (size_t index = 0; index < count; index++) {
    for (unsigned channel = 0; channel < channels; channel++) {
      uint32_t value = (uint32_t)from[channel][index];
      for (unsigned byte = 0; byte < bytes; byte++) *to++ = (uint8_t)(value >> (8 * byte));
    }
  }
}
