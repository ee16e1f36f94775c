/* A library with the functions of fdk-aac that the page AACEncoders calls, none of which works: the plugin of the page
   is linked with it, so that it can be described. */
#include <fdk-aac/aacenc_lib.h>

AACENC_ERROR aacEncOpen(HANDLE_AACENCODER *encoder, const UINT modules, const UINT channels) {
  (void)encoder, (void)modules, (void)channels;
  return AACENC_INIT_ERROR;
}

AACENC_ERROR aacEncClose(HANDLE_AACENCODER *encoder) {
  (void)encoder;
  return AACENC_OK;
}

AACENC_ERROR aacEncEncode(const HANDLE_AACENCODER encoder, const AACENC_BufDesc *from, const AACENC_BufDesc *to,
                          const AACENC_InArgs *in, AACENC_OutArgs *out) {
  (void)encoder, (void)from, (void)to, (void)in, (void)out;
  return AACENC_INIT_ERROR;
}

AACENC_ERROR aacEncInfo(const HANDLE_AACENCODER encoder, AACENC_InfoStruct *info) {
  (void)encoder, (void)info;
  return AACENC_INIT_ERROR;
}

AACENC_ERROR aacEncoder_SetParam(const HANDLE_AACENCODER encoder, const AACENC_PARAM parameter, const UINT value) {
  (void)encoder, (void)parameter, (void)value;
  return AACENC_INIT_ERROR;
}

UINT aacEncoder_GetParam(const HANDLE_AACENCODER encoder, const AACENC_PARAM parameter) {
  (void)encoder, (void)parameter;
  return 0;
}
