/* An audio filter without output.  Its result states whether it was opened with a job, to which it sends a warning. */
#include <respool/helpers.h>

struct rsp_filter {
  rsp_track track;
  rsp_result result;
};

static rsp_status open_filter(const rsp_factory *factory, const rsp_filter_settings *settings, rsp_filter **out,
                              rsp_error *error) {
  (void)factory;
  rsp_filter *filter = calloc(1, sizeof *filter);
  if (!filter) return rsp_no_memory(error);
  filter->track = rsp_output_track(settings->track, "");
  filter->result =
      (rsp_result){.struct_size = sizeof filter->result, .name = "job", .value = settings->job ? "yes" : "no"};
  if (settings->job) settings->job->warn(settings->job->context, "opened");
  *out = filter;
  return RSP_OK;
}

static const rsp_track *track(rsp_filter *filter) { return &filter->track; }

static rsp_status send(rsp_filter *filter, const rsp_frame *frame, rsp_error *error) {
  (void)filter, (void)frame, (void)error;
  return RSP_OK;
}

static rsp_status receive(rsp_filter *filter, rsp_frame *frame, rsp_error *error) {
  (void)filter, (void)frame, (void)error;
  return RSP_END;
}

static const rsp_result *results(rsp_filter *filter, uint32_t *count) {
  *count = 1;
  return &filter->result;
}

static void close_filter(rsp_filter *filter) { free(filter); }

static const uint32_t sample_formats[] = {RSP_SAMPLE_FLT, 0};
static const rsp_filter_factory filter = {
    .head = {.struct_size = sizeof filter, .kind = RSP_FACTORY_FILTER, .name = "filter-job",
             .long_name = "filter that states its job", .sample_formats = sample_formats},
    .media = RSP_KIND_AUDIO, .open = open_filter, .track = track, .send = send, .receive = receive,
    .results = results, .close = close_filter};

RSP_PLUGIN("filter-job", "1.0.0", "MIT", &filter.head);
