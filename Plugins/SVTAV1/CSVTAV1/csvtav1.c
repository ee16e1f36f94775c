#include "include/csvtav1.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <svt-av1/EbSvtAv1Enc.h>

struct csvtav1_encoder {
  EbComponentType *handle;
  EbSvtAv1EncConfiguration configuration;
  EbBufferHeaderType *packet;
  /* A copy of a frame: the library reads beyond the ends of rows, and it takes no rows from the bottom to the top. */
  uint8_t *copy;
  int is_started, has_frames, has_end, is_ended;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library fills tables that all of its encoders share while one starts, and frees them while one ends (1.4). */
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

#if SVT_AV1_CHECK_VERSION(4, 0, 0)
static void ignore(void *context, SvtAv1LogLevel level, const char *tag, const char *format, va_list arguments) {
  (void)context, (void)level, (void)tag, (void)format, (void)arguments;
}

static void silence(void) { svt_av1_set_log_callback(ignore, NULL); }
#else
/* Older versions print everything to standard error unless the environment limits that to fatal errors. */
static void silence(void) { setenv("SVT_LOG", "0", 0); }
#endif

static int result(EbErrorType error) {
  switch (error) {
  case EB_ErrorNone: return CSVTAV1_OK;
  case EB_NoErrorEmptyQueue: return CSVTAV1_EMPTY;
  case EB_ErrorInsufficientResources: return CSVTAV1_NO_MEMORY;
  case EB_ErrorBadParameter: return CSVTAV1_BAD_PARAMETER;
  default: return CSVTAV1_FAILED;
  }
}

const char *csvtav1_version(void) { return svt_av1_get_version(); }

csvtav1_encoder *csvtav1_create(void) {
  pthread_once(&once, silence);
  csvtav1_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  /* For root, SVT-AV1 1.4 makes the calling thread a real-time one, and so all threads that it starts: on machines with few
     cores, they can stop all others for ever. */
  int policy = SCHED_OTHER;
  struct sched_param priority = {0};
  const int is_known = pthread_getschedparam(pthread_self(), &policy, &priority) == 0;
  pthread_mutex_lock(&tables);
#if SVT_AV1_CHECK_VERSION(3, 0, 0)
  EbErrorType error = svt_av1_enc_init_handle(&encoder->handle, &encoder->configuration);
#else
  EbErrorType error = svt_av1_enc_init_handle(&encoder->handle, NULL, &encoder->configuration);
#endif
  pthread_mutex_unlock(&tables);
  if (is_known) (void)pthread_setschedparam(pthread_self(), policy, &priority);
  if (error != EB_ErrorNone) {
    free(encoder);
    return NULL;
  }
  return encoder;
}

void csvtav1_destroy(csvtav1_encoder *encoder) {
  csvtav1_release(encoder);
  /* The library waits for ever if it is ended while its threads have frames. */
  if (encoder->is_started && encoder->has_frames && !encoder->is_ended) {
    csvtav1_packet packet;
    if (!encoder->has_end) csvtav1_send_end(encoder);
    while (!encoder->is_ended && csvtav1_receive(encoder, &packet) >= 0) csvtav1_release(encoder);
  }
  pthread_mutex_lock(&tables);
  if (encoder->is_started) svt_av1_enc_deinit(encoder->handle);
  svt_av1_enc_deinit_handle(encoder->handle);
  pthread_mutex_unlock(&tables);
  free(encoder->copy);
  free(encoder);
}

void csvtav1_set_format(csvtav1_encoder *encoder, const csvtav1_format *format) {
  EbSvtAv1EncConfiguration *configuration = &encoder->configuration;
  configuration->source_width = format->width;
  configuration->source_height = format->height;
  configuration->encoder_bit_depth = format->bit_depth;
  configuration->encoder_color_format = EB_YUV420;
  configuration->profile = MAIN_PROFILE;
  configuration->frame_rate_numerator = format->rate_numerator;
  configuration->frame_rate_denominator = format->rate_denominator;
  configuration->color_primaries = (EbColorPrimaries)format->primaries;
  configuration->transfer_characteristics = (EbTransferCharacteristics)format->transfer;
  configuration->matrix_coefficients = (EbMatrixCoefficients)format->matrix;
  configuration->color_range = (EbColorRange)format->is_full_range;
  configuration->chroma_sample_position = (EbChromaSamplePosition)format->chroma_position;
}

/* The library stores the numbers of metadata in the order of the stream. */
static uint16_t big16(uint16_t value) { return (uint16_t)(value >> 8 | value << 8); }
static uint32_t big32(uint32_t value) { return __builtin_bswap32(value); }

static struct EbSvtAv1ChromaPoints points(const uint16_t pair[2]) {
  struct EbSvtAv1ChromaPoints result = {big16(pair[0]), big16(pair[1])};
  return result;
}

static void announce_metadata(EbSvtAv1EncConfiguration *configuration) {
#if !SVT_AV1_CHECK_VERSION(3, 0, 0)
  configuration->high_dynamic_range_input = 1;
#else
  (void)configuration;
#endif
}

void csvtav1_set_display(csvtav1_encoder *encoder, const csvtav1_display *display) {
  struct EbSvtAv1MasteringDisplayInfo *info = &encoder->configuration.mastering_display;
  info->r = points(display->red);
  info->g = points(display->green);
  info->b = points(display->blue);
  info->white_point = points(display->white_point);
  info->max_luma = big32(display->maximum);
  info->min_luma = big32(display->minimum);
  announce_metadata(&encoder->configuration);
}

void csvtav1_set_light_level(csvtav1_encoder *encoder, uint16_t maximum, uint16_t maximum_average) {
  encoder->configuration.content_light_level.max_cll = big16(maximum);
  encoder->configuration.content_light_level.max_fall = big16(maximum_average);
  announce_metadata(&encoder->configuration);
}

int csvtav1_parse(csvtav1_encoder *encoder, const char *name, const char *value) {
  return result(svt_av1_enc_parse_parameter(&encoder->configuration, name, value));
}

int csvtav1_rate_control(const csvtav1_encoder *encoder) { return (int)encoder->configuration.rate_control_mode; }

int csvtav1_prediction(const csvtav1_encoder *encoder) { return encoder->configuration.pred_structure; }

int csvtav1_check(csvtav1_encoder *encoder) {
  /* Keys can be forced only with a quality and random access (1.4); a refusal would concern all other parameters too. */
  encoder->configuration.force_key_frames =
      encoder->configuration.rate_control_mode == 0 && encoder->configuration.pred_structure == 2;
  pthread_mutex_lock(&tables);
  const int status = result(svt_av1_enc_set_parameter(encoder->handle, &encoder->configuration));
  pthread_mutex_unlock(&tables);
  return status;
}

int csvtav1_start(csvtav1_encoder *encoder) {
  /* The end of the encoder also frees what a failed start has allocated. */
  encoder->is_started = 1;
  pthread_mutex_lock(&tables);
  const int status = result(svt_av1_enc_init(encoder->handle));
  pthread_mutex_unlock(&tables);
  return status;
}

static csvtav1_bytes bytes_of(const EbBufferHeaderType *buffer) {
  csvtav1_bytes bytes = {buffer->p_buffer, buffer->p_buffer ? buffer->n_filled_len : 0};
  return bytes;
}

/* Distance of the rows of a plane in the copy, with room for reading beyond their ends. */
static size_t copied_stride(uint32_t width, uint32_t bytes) { return ((size_t)width * bytes + 127) / 64 * 64; }

/* Copies the rows of a frame.  What follows them in the copy stays 0, so that the stream does not depend on it. */
static int copy_frame(csvtav1_encoder *encoder, const csvtav1_frame *frame, EbSvtIOFormat *planes) {
  const EbSvtAv1EncConfiguration *configuration = &encoder->configuration;
  const uint32_t bytes = configuration->encoder_bit_depth > 8 ? 2 : 1;
  const uint32_t widths[2] = {configuration->source_width, (configuration->source_width + 1) / 2};
  const uint32_t heights[2] = {configuration->source_height, (configuration->source_height + 1) / 2};
  const size_t strides[2] = {copied_stride(widths[0], bytes), copied_stride(widths[1], bytes)};
  const size_t sizes[2] = {strides[0] * (heights[0] + 8), strides[1] * (heights[1] + 8)};
  if (!encoder->copy) encoder->copy = calloc(1, sizes[0] + 2 * sizes[1]);
  if (!encoder->copy) return CSVTAV1_NO_MEMORY;
  uint8_t *const starts[3] = {encoder->copy, encoder->copy + sizes[0], encoder->copy + sizes[0] + sizes[1]};
  for (int plane = 0; plane < 3; plane++) {
    const int kind = plane ? 1 : 0;
    const uint8_t *source = frame->planes[plane];
    for (uint32_t row = 0; row < heights[kind]; row++, source += frame->strides[plane])
      memcpy(starts[plane] + row * strides[kind], source, (size_t)widths[kind] * bytes);
  }
  planes->luma = starts[0];
  planes->cb = starts[1];
  planes->cr = starts[2];
  planes->y_stride = (uint32_t)(strides[0] / bytes);
  planes->cb_stride = planes->cr_stride = (uint32_t)(strides[1] / bytes);
  return CSVTAV1_OK;
}

int csvtav1_send(csvtav1_encoder *encoder, const csvtav1_frame *frame) {
  const EbSvtAv1EncConfiguration *configuration = &encoder->configuration;
  EbSvtIOFormat planes = {0};
  const int status = copy_frame(encoder, frame, &planes);
  if (status != CSVTAV1_OK) return status;
  EbBufferHeaderType buffer = {0};
  buffer.size = sizeof buffer;
  buffer.p_buffer = (uint8_t *)&planes;
  buffer.n_filled_len = (configuration->source_width * configuration->source_height * 3 / 2)
                        << (configuration->encoder_bit_depth > 8 ? 1 : 0);
  buffer.pts = frame->pts;
  buffer.pic_type =
      frame->must_be_key && configuration->force_key_frames ? EB_AV1_KEY_PICTURE : EB_AV1_INVALID_PICTURE;
  encoder->has_frames = 1;
  return result(svt_av1_enc_send_picture(encoder->handle, &buffer));
}

int csvtav1_send_end(csvtav1_encoder *encoder) {
  EbBufferHeaderType buffer = {0};
  buffer.size = sizeof buffer;
  buffer.pic_type = EB_AV1_INVALID_PICTURE;
  buffer.flags = EB_BUFFERFLAG_EOS;
  encoder->has_end = 1;
  return result(svt_av1_enc_send_picture(encoder->handle, &buffer));
}

int csvtav1_receive(csvtav1_encoder *encoder, csvtav1_packet *packet) {
  EbErrorType error = svt_av1_enc_get_packet(encoder->handle, &encoder->packet, encoder->has_end ? 1 : 0);
  if (error != EB_ErrorNone) {
    if (error != EB_NoErrorEmptyQueue && encoder->packet) csvtav1_release(encoder);
    encoder->packet = NULL;
    return result(error);
  }
  packet->bytes = bytes_of(encoder->packet);
  packet->pts = encoder->packet->pts;
  packet->is_key = encoder->packet->pic_type == EB_AV1_KEY_PICTURE;
  packet->is_last = (encoder->packet->flags & EB_BUFFERFLAG_EOS) != 0;
  encoder->is_ended |= packet->is_last;
  return CSVTAV1_OK;
}

void csvtav1_release(csvtav1_encoder *encoder) {
  if (encoder->packet) svt_av1_enc_release_out_buffer(&encoder->packet);
  encoder->packet = NULL;
}
