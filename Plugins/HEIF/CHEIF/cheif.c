#include "cheif.h"

#include <stdio.h>
#include <string.h>

static int fail(struct heif_error error, char *message, size_t capacity) {
  snprintf(message, capacity, "%s", error.message ? error.message : "unknown error");
  return -1;
}

int cheif_decode(
    const void *bytes, size_t size, int threads, cheif_image *image, char *message,
    size_t capacity) {
  memset(image, 0, sizeof *image);
  image->context = heif_context_alloc();
  if (!image->context) {
    snprintf(message, capacity, "there is no memory");
    return -1;
  }
  heif_context_set_max_decoding_threads(image->context, threads);
  struct heif_error error =
      heif_context_read_from_memory_without_copy(image->context, bytes, size, NULL);
  if (error.code != heif_error_Ok) return fail(error, message, capacity);
  error = heif_context_get_primary_image_handle(image->context, &image->handle);
  if (error.code != heif_error_Ok) return fail(error, message, capacity);

  struct heif_decoding_options *options = heif_decoding_options_alloc();
  options->ignore_transformations = 1;
  error = heif_decode_image(
      image->handle, &image->image, heif_colorspace_YCbCr, heif_chroma_undefined, options);
  if (error.code != heif_error_Ok) {
    /* A gray image. */
    error = heif_decode_image(
        image->handle, &image->image, heif_colorspace_undefined, heif_chroma_undefined,
        options);
  }
  heif_decoding_options_free(options);
  if (error.code != heif_error_Ok) return fail(error, message, capacity);

  const struct heif_image *decoded = image->image;
  image->chroma = heif_image_get_chroma_format(decoded);
  image->width = heif_image_get_width(decoded, heif_channel_Y);
  image->height = heif_image_get_height(decoded, heif_channel_Y);
  image->depth = heif_image_get_bits_per_pixel_range(decoded, heif_channel_Y);
  static const enum heif_channel channels[] = {
      heif_channel_Y, heif_channel_Cb, heif_channel_Cr, heif_channel_Alpha};
  for (int index = 0; index < 4; index++) {
    if (!heif_image_has_channel(decoded, channels[index])) continue;
    image->planes[index] =
        heif_image_get_plane_readonly(decoded, channels[index], &image->strides[index]);
  }
  image->has_alpha = image->planes[3] != NULL;
  return 0;
}

void cheif_free(cheif_image *image) {
  if (image->image) heif_image_release(image->image);
  if (image->handle) heif_image_handle_release(image->handle);
  if (image->context) heif_context_free(image->context);
  memset(image, 0, sizeof *image);
}
