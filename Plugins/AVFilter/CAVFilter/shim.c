#include "CAVFilter.h"

#include <libavutil/eval.h>
#include <math.h>

double avfilter_evaluate(const char *expression, const avfilter_sizes *sizes) {
  static const char *const names[] = {"in_w", "iw", "in_h", "ih", "out_w", "ow", "out_h", "oh", "a", "hsub", "vsub",
                                      "x", "y", "n", "t", "pos", "sar", "dar", NULL};
  enum { sizes_count = 9, names_count = 18 };
  double values[names_count] = {sizes->in_w,  sizes->in_w,  sizes->in_h,  sizes->in_h,
                                sizes->out_w, sizes->out_w, sizes->out_h, sizes->out_h};
  values[8] = sizes->in_w / sizes->in_h;
  AVExpr *parsed = NULL;
  if (av_expr_parse(&parsed, expression, names, NULL, NULL, NULL, NULL, 0, NULL) < 0) return NAN;
  unsigned uses[names_count] = {0};
  double value = av_expr_count_vars(parsed, uses, names_count) < 0 ? NAN : av_expr_eval(parsed, values, NULL);
  for (int index = sizes_count; index < names_count; index++)
    if (uses[index]) value = NAN;
  av_expr_free(parsed);
  return value;
}
