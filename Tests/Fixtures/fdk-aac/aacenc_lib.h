/* The names of fdk-aac's header that the page AACEncoders uses, for machines without the library.  Values differ from
   the library's where they do not matter to a compiler. */
#ifndef FDK_AAC_NAMES_H
#define FDK_AAC_NAMES_H

typedef int INT;
typedef unsigned int UINT;
typedef unsigned char UCHAR;
typedef struct AACENCODER *HANDLE_AACENCODER;

typedef enum { AOT_AAC_LC = 2, AOT_SBR = 5, AOT_PS = 29 } AUDIO_OBJECT_TYPE;
typedef enum { TT_MP4_RAW = 0 } TRANSPORT_TYPE;
typedef enum {
  MODE_1 = 1,
  MODE_2 = 2,
  MODE_1_2 = 3,
  MODE_1_2_1 = 4,
  MODE_1_2_2 = 5,
  MODE_1_2_2_1 = 6,
  MODE_6_1 = 11,
  MODE_7_1_BACK = 12
} CHANNEL_MODE;
typedef enum { IN_AUDIO_DATA = 0, OUT_BITSTREAM_DATA = 3 } AACENC_BufferIdentifier;
typedef enum { AACENC_OK = 0, AACENC_INIT_ERROR = 0x40, AACENC_ENCODE_EOF = 0x80 } AACENC_ERROR;
typedef enum {
  AACENC_AOT,
  AACENC_BITRATE,
  AACENC_BITRATEMODE,
  AACENC_SAMPLERATE,
  AACENC_CHANNELMODE,
  AACENC_CHANNELORDER,
  AACENC_AFTERBURNER,
  AACENC_TRANSMUX,
  AACENC_SIGNALING_MODE
} AACENC_PARAM;

typedef struct {
  UINT maxOutBufBytes, maxAncBytes, inBufFillLevel, inputChannels, frameLength, nDelay, nDelayCore;
  UCHAR confBuf[64];
  UINT confSize;
} AACENC_InfoStruct;
typedef struct {
  INT numBufs;
  void **bufs;
  INT *bufferIdentifiers, *bufSizes, *bufElSizes;
} AACENC_BufDesc;
typedef struct {
  INT numInSamples, numAncBytes;
} AACENC_InArgs;
typedef struct {
  INT numOutBytes, numInSamples, numAncBytes, bitResState;
} AACENC_OutArgs;

AACENC_ERROR aacEncOpen(HANDLE_AACENCODER *encoder, const UINT modules, const UINT channels);
AACENC_ERROR aacEncClose(HANDLE_AACENCODER *encoder);
AACENC_ERROR aacEncEncode(const HANDLE_AACENCODER encoder, const AACENC_BufDesc *from, const AACENC_BufDesc *to,
                          const AACENC_InArgs *in, AACENC_OutArgs *out);
AACENC_ERROR aacEncInfo(const HANDLE_AACENCODER encoder, AACENC_InfoStruct *info);
AACENC_ERROR aacEncoder_SetParam(const HANDLE_AACENCODER encoder, const AACENC_PARAM parameter, const UINT value);
UINT aacEncoder_GetParam(const HANDLE_AACENCODER encoder, const AACENC_PARAM parameter);

#endif
