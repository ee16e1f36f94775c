/* libvorbis and libvorbisenc for Swift. */
#ifndef CVORBIS_H
#define CVORBIS_H

#include <vorbis/codec.h>
#include <vorbis/vorbisenc.h>

#endif
