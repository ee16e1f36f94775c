/* The parts of dav1d.h that Swift cannot import, and those that differ between its versions. */
#ifndef CDAV1D_H
#define CDAV1D_H

#include <dav1d/dav1d.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

static inline int cdav1d_error(int number) { return DAV1D_ERR(number); }

/* Returns a plane of a picture, or NULL if it has none; monochrome pictures have only the first. */
static inline void *_Nullable cdav1d_plane(const Dav1dPicture *picture, int index) { return picture->data[index]; }

static inline ptrdiff_t cdav1d_stride(const Dav1dPicture *picture, int index) {
  return picture->stride[index ? 1 : 0];
}

/* Returns the number of messages of ITU-T T.35 of a picture. */
static inline size_t cdav1d_message_count(const Dav1dPicture *picture) {
#if DAV1D_API_VERSION_MAJOR > 6 || (DAV1D_API_VERSION_MAJOR == 6 && DAV1D_API_VERSION_MINOR >= 9)
  return picture->n_itut_t35;
#else
  return picture->itut_t35 ? 1 : 0;
#endif
}

static inline const Dav1dITUTT35 *cdav1d_message(const Dav1dPicture *picture, size_t index) {
  return &picture->itut_t35[index];
}

#pragma clang assume_nonnull end
#endif
