/* The parts of libopus that Swift cannot import: variadic controls and the macros that make their arguments. */
#ifndef COPUS_H
#define COPUS_H

#include <opus/opus.h>
#include <opus/opus_multistream.h>

/* Sets a parameter of the encoder. Every request that Respool uses takes one opus_int32. */
static inline int copus_encoder_set(OpusMSEncoder *encoder, int request, opus_int32 value) {
  return opus_multistream_encoder_ctl(encoder, request, value);
}

static inline int copus_encoder_lookahead(OpusMSEncoder *encoder, opus_int32 *value) {
  return opus_multistream_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(value));
}

static inline int copus_decoder_set_gain(OpusMSDecoder *decoder, opus_int32 gain) {
  return opus_multistream_decoder_ctl(decoder, OPUS_SET_GAIN(gain));
}

static inline int copus_decoder_reset(OpusMSDecoder *decoder) {
  return opus_multistream_decoder_ctl(decoder, OPUS_RESET_STATE);
}

#endif
