/* libFLAC's callbacks as functions for Swift, and the loops over audio samples. */
#ifndef CFLAC_H
#define CFLAC_H

#include <FLAC/stream_decoder.h>
#include <FLAC/stream_encoder.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Values of STREAMINFO that the encoder knows at the end. */
typedef struct cflac_information {
  uint32_t minimum_block, maximum_block, minimum_frame, maximum_frame;
  uint64_t samples;
  uint8_t md5[16];
} cflac_information;

/* Receiver of the encoder's output, which must live as long as the encoder. Bytes and values are lent for the call. */
typedef struct cflac_receiver {
  void *_Nullable context;
  void (*frame)(void *_Nullable context, const uint8_t *bytes, size_t count, uint32_t samples);
  void (*information)(void *_Nullable context, const cflac_information *information);
} cflac_receiver;

/* Opens the encoder. Metadata blocks are not passed to the receiver. */
FLAC__StreamEncoderInitStatus cflac_encoder_open(FLAC__StreamEncoder *encoder, cflac_receiver *receiver);

/* The bytes that a decoder reads, and the receiver of its frames. Must live as long as the decoder. */
typedef struct cflac_input {
  const uint8_t *_Nullable bytes;
  size_t count;
  /* 1 and the first FLAC__StreamDecoderErrorStatus since this was 0. */
  int error;
  void *_Nullable context;
  void (*frame)(void *_Nullable context, const FLAC__FrameHeader *header, const FLAC__int32 *_Nonnull const *_Nonnull samples);
} cflac_input;

FLAC__StreamDecoderInitStatus cflac_decoder_open(FLAC__StreamDecoder *decoder, cflac_input *input);

/* Converts `count` audio samples to 32 bits, with the highest bits of each moved down by `shift`. */
void cflac_widen_16(FLAC__int32 *to, const int16_t *from, size_t count, unsigned shift);
void cflac_widen_32(FLAC__int32 *to, const int32_t *from, size_t count, unsigned shift);

/* Interleaves `count` audio samples of each channel, moved up by `shift`. */
void cflac_interleave_16(int16_t *to, const FLAC__int32 *_Nonnull const *_Nonnull from, unsigned channels, size_t count,
                         unsigned shift);
void cflac_interleave_32(int32_t *to, const FLAC__int32 *_Nonnull const *_Nonnull from, unsigned channels, size_t count,
                         unsigned shift);

/* Interleaves audio samples of 1 to 4 bytes, little-endian, as STREAMINFO's MD5 takes them (RFC 9639 8.2). */
void cflac_pack(uint8_t *to, const FLAC__int32 *_Nonnull const *_Nonnull from, unsigned channels, size_t count, unsigned bytes);

#pragma clang assume_nonnull end

#endif
