#include "cjxl.h"

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>
#include <stdlib.h>
#include <string.h>

/* More bytes than any Exif data or XMP has. */
static const size_t most_box_bytes = 64 << 20;
/* More frames than anybody counts. */
static const int most_frames = 1 << 20;

static const JxlPixelFormat any_format = {3, JXL_TYPE_UINT8, JXL_LITTLE_ENDIAN, 0};

/* Pixels of images without a color space of their own come in that of the original, if it has a number. For an ICC
   profile there is none: Display P3 holds most of the colors of cameras. */
static void choose_color(JxlDecoder *decoder, const JxlBasicInfo *info) {
  if (info->uses_original_profile) return;
  JxlColorEncoding color;
  memset(&color, 0, sizeof color);
  if (JxlDecoderGetColorAsEncodedProfile(
          decoder, &any_format, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &color) != JXL_DEC_SUCCESS) {
    memset(&color, 0, sizeof color);
    color.color_space = info->num_color_channels == 1 ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB;
    color.white_point = JXL_WHITE_POINT_D65;
    color.primaries = JXL_PRIMARIES_P3;
    color.transfer_function = JXL_TRANSFER_FUNCTION_SRGB;
    color.rendering_intent = JXL_RENDERING_INTENT_RELATIVE;
  }
  JxlDecoderSetPreferredColorProfile(decoder, &color);
}

static int take_color(JxlDecoder *decoder, cjxl_info *info) {
  JxlColorEncoding color;
  memset(&color, 0, sizeof color);
  info->primaries = info->transfer = 2;
  if (JxlDecoderGetColorAsEncodedProfile(
          decoder, &any_format, JXL_COLOR_PROFILE_TARGET_DATA, &color) == JXL_DEC_SUCCESS &&
      color.white_point == JXL_WHITE_POINT_D65) {
    if (color.primaries == JXL_PRIMARIES_SRGB || color.primaries == JXL_PRIMARIES_2100) {
      info->primaries = color.primaries;
    }
    if (color.primaries == JXL_PRIMARIES_P3) info->primaries = 12;
    if (color.color_space == JXL_COLOR_SPACE_GRAY) info->primaries = 1;
    if (color.transfer_function != JXL_TRANSFER_FUNCTION_GAMMA) {
      info->transfer = color.transfer_function;
    }
    info->is_srgb = info->primaries == 1 && info->transfer == 13;
  }
  size_t count = 0;
  if (JxlDecoderGetICCProfileSize(
          decoder, &any_format, JXL_COLOR_PROFILE_TARGET_DATA, &count) != JXL_DEC_SUCCESS ||
      count == 0 || count > most_box_bytes) {
    return CJXL_OK;
  }
  uint8_t *profile = malloc(count);
  if (!profile) return CJXL_NO_MEMORY;
  if (JxlDecoderGetColorAsICCProfile(
          decoder, &any_format, JXL_COLOR_PROFILE_TARGET_DATA, profile, count) != JXL_DEC_SUCCESS) {
    free(profile);
    return CJXL_OK;
  }
  info->profile.data = profile;
  info->profile.count = count;
  return CJXL_OK;
}

/* Gives the box that is being read a larger buffer, whose first `used` bytes are filled. */
static int grow(JxlDecoder *decoder, cjxl_bytes *box, size_t *room) {
  size_t unused = *room ? JxlDecoderReleaseBoxBuffer(decoder) : 0;
  box->count = *room - unused;
  size_t next = *room ? *room * 2 : 64 << 10;
  if (next > most_box_bytes) return CJXL_NO_MEMORY;
  uint8_t *data = realloc(box->data, next);
  if (!data) return CJXL_NO_MEMORY;
  box->data = data;
  *room = next;
  JxlDecoderSetBoxBuffer(decoder, data + box->count, next - box->count);
  return CJXL_OK;
}

static int read_events(JxlDecoder *decoder, cjxl_info *info) {
  JxlBasicInfo basic;
  memset(&basic, 0, sizeof basic);
  cjxl_bytes *box = NULL;
  size_t room = 0;
  for (;;) {
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (box && status != JXL_DEC_BOX_NEED_MORE_OUTPUT) {
      box->count = room - JxlDecoderReleaseBoxBuffer(decoder);
      box = NULL;
    }
    switch (status) {
      case JXL_DEC_BASIC_INFO:
        if (JxlDecoderGetBasicInfo(decoder, &basic) != JXL_DEC_SUCCESS) return CJXL_DAMAGED;
        info->width = (int)basic.xsize;
        info->height = (int)basic.ysize;
        info->depth = basic.exponent_bits_per_sample ? 32 : (int)basic.bits_per_sample;
        info->channels = (int)basic.num_color_channels;
        info->has_alpha = basic.alpha_bits > 0;
        break;
      case JXL_DEC_COLOR_ENCODING:
        choose_color(decoder, &basic);
        if (take_color(decoder, info) != CJXL_OK) return CJXL_NO_MEMORY;
        break;
      case JXL_DEC_FRAME:
        if (info->frames < most_frames) info->frames++;
        break;
      case JXL_DEC_BOX: {
        JxlBoxType type;
        if (JxlDecoderGetBoxType(decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS) break;
        if (!memcmp(type, "Exif", 4) && !info->exif.data) box = &info->exif;
        if (!memcmp(type, "xml ", 4) && !info->xmp.data) box = &info->xmp;
        room = 0;
        if (box && grow(decoder, box, &room) != CJXL_OK) return CJXL_NO_MEMORY;
        break;
      }
      case JXL_DEC_BOX_NEED_MORE_OUTPUT:
        if (!box || grow(decoder, box, &room) != CJXL_OK) return CJXL_NO_MEMORY;
        break;
      case JXL_DEC_SUCCESS: return CJXL_OK;
      case JXL_DEC_NEED_MORE_INPUT:
      default: return info->width > 0 ? CJXL_PARTIAL : CJXL_DAMAGED;
    }
  }
}

int cjxl_read(const void *bytes, size_t count, cjxl_info *info) {
  memset(info, 0, sizeof *info);
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (!decoder) return CJXL_NO_MEMORY;
  int status = CJXL_DAMAGED;
  if (JxlDecoderSubscribeEvents(
          decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_BOX) ==
          JXL_DEC_SUCCESS &&
      JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
      JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS) {
    JxlDecoderCloseInput(decoder);
    status = read_events(decoder, info);
  }
  JxlDecoderDestroy(decoder);
  return status;
}

void cjxl_free_info(cjxl_info *info) {
  cjxl_free_bytes(&info->profile);
  cjxl_free_bytes(&info->exif);
  cjxl_free_bytes(&info->xmp);
}

void cjxl_free_bytes(cjxl_bytes *bytes) {
  free(bytes->data);
  bytes->data = NULL;
  bytes->count = 0;
}

static JxlPixelFormat pixel_format(int channels, int depth, size_t stride) {
  JxlPixelFormat format = {
      (uint32_t)channels, depth > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_LITTLE_ENDIAN, stride};
  return format;
}

static int decode_events(
    JxlDecoder *decoder, const JxlPixelFormat *format, void *target, size_t capacity) {
  JxlBasicInfo basic;
  memset(&basic, 0, sizeof basic);
  int has_buffer = 0;
  for (;;) {
    switch (JxlDecoderProcessInput(decoder)) {
      case JXL_DEC_BASIC_INFO:
        if (JxlDecoderGetBasicInfo(decoder, &basic) != JXL_DEC_SUCCESS) return CJXL_DAMAGED;
        break;
      case JXL_DEC_COLOR_ENCODING: choose_color(decoder, &basic); break;
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        size_t needed = 0;
        if (JxlDecoderImageOutBufferSize(decoder, format, &needed) != JXL_DEC_SUCCESS ||
            needed > capacity ||
            JxlDecoderSetImageOutBuffer(decoder, format, target, capacity) != JXL_DEC_SUCCESS) {
          return CJXL_DAMAGED;
        }
        has_buffer = 1;
        break;
      }
      case JXL_DEC_FULL_IMAGE:
      case JXL_DEC_SUCCESS: return has_buffer ? CJXL_OK : CJXL_DAMAGED;
      default:
        return has_buffer && JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS ? CJXL_PARTIAL
                                                                               : CJXL_DAMAGED;
    }
  }
}

int cjxl_decode(
    const void *bytes, size_t count, int threads, int channels, int depth, void *target,
    size_t stride, size_t capacity) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (!decoder) return CJXL_NO_MEMORY;
  void *runner = JxlThreadParallelRunnerCreate(NULL, threads > 1 ? (size_t)threads : 0);
  int status = CJXL_DAMAGED;
  if (runner &&
      JxlDecoderSetParallelRunner(decoder, JxlThreadParallelRunner, runner) == JXL_DEC_SUCCESS &&
      JxlDecoderSubscribeEvents(
          decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE) ==
          JXL_DEC_SUCCESS &&
      JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE) == JXL_DEC_SUCCESS &&
      JxlDecoderSetInput(decoder, bytes, count) == JXL_DEC_SUCCESS) {
    JxlDecoderCloseInput(decoder);
    JxlPixelFormat format = pixel_format(channels, depth, stride);
    status = decode_events(decoder, &format, target, capacity);
  }
  JxlDecoderDestroy(decoder);
  if (runner) JxlThreadParallelRunnerDestroy(runner);
  return status;
}

/* Translates numbers of ITU-T H.273; others count as sRGB. */
static JxlColorEncoding color_of(const cjxl_settings *settings) {
  JxlColorEncoding color;
  memset(&color, 0, sizeof color);
  color.color_space = settings->channels < 3 ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB;
  color.white_point = JXL_WHITE_POINT_D65;
  color.rendering_intent = JXL_RENDERING_INTENT_RELATIVE;
  switch (settings->primaries) {
    case 9: color.primaries = JXL_PRIMARIES_2100; break;
    case 12: color.primaries = JXL_PRIMARIES_P3; break;
    default: color.primaries = JXL_PRIMARIES_SRGB; break;
  }
  switch (settings->transfer) {
    case 1:
    case 6:
    case 14:
    case 15: color.transfer_function = JXL_TRANSFER_FUNCTION_709; break;
    case 4:
    case 5:
      color.transfer_function = JXL_TRANSFER_FUNCTION_GAMMA;
      color.gamma = settings->transfer == 4 ? 1 / 2.2 : 1 / 2.8;
      break;
    case 8: color.transfer_function = JXL_TRANSFER_FUNCTION_LINEAR; break;
    case 16: color.transfer_function = JXL_TRANSFER_FUNCTION_PQ; break;
    case 18: color.transfer_function = JXL_TRANSFER_FUNCTION_HLG; break;
    default: color.transfer_function = JXL_TRANSFER_FUNCTION_SRGB; break;
  }
  return color;
}

static int configure(JxlEncoder *encoder, const cjxl_settings *settings) {
  int has_alpha = settings->channels % 2 == 0;
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = (uint32_t)settings->width;
  info.ysize = (uint32_t)settings->height;
  info.bits_per_sample = (uint32_t)settings->depth;
  info.num_color_channels = settings->channels < 3 ? 1 : 3;
  info.num_extra_channels = has_alpha ? 1 : 0;
  info.alpha_bits = has_alpha ? (uint32_t)settings->depth : 0;
  info.uses_original_profile = settings->distance == 0;
  if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS) return CJXL_DAMAGED;
  if (settings->profile) {
    if (JxlEncoderSetICCProfile(encoder, settings->profile, settings->profile_count) !=
        JXL_ENC_SUCCESS) {
      return CJXL_DAMAGED;
    }
  } else {
    JxlColorEncoding color = color_of(settings);
    if (JxlEncoderSetColorEncoding(encoder, &color) != JXL_ENC_SUCCESS) return CJXL_DAMAGED;
  }
  int level = JxlEncoderGetRequiredCodestreamLevel(encoder);
  if (level > 5 && JxlEncoderSetCodestreamLevel(encoder, level) != JXL_ENC_SUCCESS) {
    return CJXL_DAMAGED;
  }
  return CJXL_OK;
}

static int collect(JxlEncoder *encoder, cjxl_bytes *output) {
  size_t room = 1 << 20;
  output->data = malloc(room);
  if (!output->data) return CJXL_NO_MEMORY;
  for (;;) {
    uint8_t *next = output->data + output->count;
    size_t left = room - output->count;
    JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
    output->count = room - left;
    if (status == JXL_ENC_SUCCESS) return CJXL_OK;
    if (status != JXL_ENC_NEED_MORE_OUTPUT) return CJXL_DAMAGED;
    room *= 2;
    uint8_t *data = realloc(output->data, room);
    if (!data) return CJXL_NO_MEMORY;
    output->data = data;
  }
}

int cjxl_encode(
    const cjxl_settings *settings, const void *pixels, size_t stride, size_t count,
    cjxl_bytes *output) {
  memset(output, 0, sizeof *output);
  JxlEncoder *encoder = JxlEncoderCreate(NULL);
  if (!encoder) return CJXL_NO_MEMORY;
  void *runner =
      JxlThreadParallelRunnerCreate(NULL, settings->threads > 1 ? (size_t)settings->threads : 0);
  int status = CJXL_DAMAGED;
  if (runner &&
      JxlEncoderSetParallelRunner(encoder, JxlThreadParallelRunner, runner) == JXL_ENC_SUCCESS) {
    status = configure(encoder, settings);
  }
  if (status == CJXL_OK) {
    JxlEncoderFrameSettings *frame = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlPixelFormat format = pixel_format(settings->channels, settings->depth, stride);
    if (frame &&
        JxlEncoderFrameSettingsSetOption(
            frame, JXL_ENC_FRAME_SETTING_EFFORT, settings->effort) == JXL_ENC_SUCCESS &&
        JxlEncoderSetFrameLossless(frame, settings->distance == 0) == JXL_ENC_SUCCESS &&
        JxlEncoderSetFrameDistance(frame, settings->distance) == JXL_ENC_SUCCESS &&
        JxlEncoderAddImageFrame(frame, &format, pixels, count) == JXL_ENC_SUCCESS) {
      JxlEncoderCloseInput(encoder);
      status = collect(encoder, output);
    } else {
      status = CJXL_DAMAGED;
    }
  }
  JxlEncoderDestroy(encoder);
  if (runner) JxlThreadParallelRunnerDestroy(runner);
  if (status != CJXL_OK) cjxl_free_bytes(output);
  return status;
}
