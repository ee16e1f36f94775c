/* Plugins in C++17: a class for each encoder, decoder, demuxer, muxer or filter.

     class Mine {
      public:
       static void describe(rsp_factory &head);           // name, codecs, formats, options
       static rsp_encoding encoding();                    // optional: media type, quality scale, bit rates
       static void check(const rsp_encoder_settings &);   // optional: throws if settings are wrong
       explicit Mine(const rsp_encoder_settings &settings);
       const rsp_track &track() const;
       rsp_status send(const rsp_frame *frame);           // RSP_OK, or RSP_AGAIN: receive first; nullptr: drain
       rsp_status receive(rsp_packet &packet);            // RSP_OK, RSP_AGAIN: send more, or RSP_END
     };
     RSP_PLUGIN("mine", "1.0.0", "MIT", &respool::encoder<Mine>.head);

   No exception leaves the plugin.  It becomes the error of the call: respool::Error with its status and offset,
   std::bad_alloc as "out of memory", another std::exception with its what(), anything else as "an unknown exception".
   Functions that cannot fail, such as flush, log it.  Objects are destroyed by close. */
#ifndef RESPOOL_PLUGIN_HPP
#define RESPOOL_PLUGIN_HPP

#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "records.h"

namespace respool {

/* A failure with a status of base.h. */
class Error : public std::exception {
 public:
  Error(rsp_status status, std::string message, int64_t offset = RSP_UNKNOWN)
      : status(status), offset(offset), message(std::move(message)) {}

  const char *what() const noexcept override { return message.c_str(); }

  rsp_status status;
  int64_t offset; /* bytes from the start of the source; RSP_UNKNOWN: none */

 private:
  std::string message;
};

/* Calls `body`, which returns a status or nothing, and fills in `error` if it throws. */
template <class Body>
rsp_status guard(rsp_error *error, Body &&body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return RSP_OK;
    } else {
      return body();
    }
  } catch (const Error &failure) {
    return rsp_fail_at(error, failure.status < 0 ? failure.status : RSP_ERROR_INTERNAL, failure.offset, "%s",
                       failure.what());
  } catch (const std::bad_alloc &) {
    return rsp_no_memory(error);
  } catch (const std::exception &failure) {
    return rsp_fail(error, RSP_ERROR_PLUGIN, "%s", failure.what());
  } catch (...) {
    return rsp_fail(error, RSP_ERROR_PLUGIN, "an unknown exception");
  }
}

/* Calls a function of the C headers that fills in an error, and throws the error. */
template <class Call>
rsp_status checked(Call &&call) {
  rsp_error error = {};
  error.struct_size = sizeof error;
  error.offset = RSP_UNKNOWN;
  rsp_status status = call(&error);
  if (status < 0) throw Error(status, error.message, error.offset);
  return status;
}

/* Calls `body`, and logs what it throws. */
template <class Body>
void logged(const char *function, Body &&body) noexcept {
  rsp_error error = {};
  rsp_status status = guard(&error, body);
  if (status < 0) rsp_log(RSP_LOG_ERROR, "%s: %s", function, error.message);
}

/* A reference to counted memory. */
class Buffer {
 public:
  Buffer() : raw() {}
  /* Allocates `size` bytes, which are not set; throws std::bad_alloc. */
  explicit Buffer(size_t size) : Buffer(rsp_new_buffer(size)) {
    if (!raw.owner) throw std::bad_alloc();
  }
  /* Takes over the reference of `buffer`. */
  explicit Buffer(const rsp_buffer &buffer) : raw(buffer) {}
  Buffer(const Buffer &other) : raw(other.raw) {
    if (raw.owner) raw.retain(raw.owner);
  }
  Buffer(Buffer &&other) noexcept : raw(std::exchange(other.raw, rsp_buffer())) {}
  Buffer &operator=(Buffer other) noexcept {
    std::swap(raw, other.raw);
    return *this;
  }
  ~Buffer() { rsp_release_buffer(&raw); }

  /* Adds a reference to a buffer that is lent; throws std::bad_alloc. */
  static Buffer retaining(const rsp_buffer &buffer) {
    Buffer result(rsp_retain_buffer(&buffer));
    if (!result.raw.owner) throw std::bad_alloc();
    return result;
  }

  uint8_t *data() const { return raw.data; }
  size_t size() const { return raw.size; }
  explicit operator bool() const { return raw.owner != nullptr; }

  /* Returns the reference, which the caller releases; the object is empty afterwards. */
  rsp_buffer take() { return std::exchange(raw, rsp_buffer()); }

 private:
  rsp_buffer raw;
};

/* Packets in order, with a reference to each. */
class PacketQueue {
 public:
  PacketQueue() : queue() {}
  PacketQueue(const PacketQueue &) = delete;
  PacketQueue &operator=(const PacketQueue &) = delete;
  ~PacketQueue() { rsp_queue_free(&queue); }

  bool empty() const { return queue.count == 0; }

  /* Adds a packet, and returns it, so that its other fields can be set: push(...).trim_end = 312.  The reference is
     valid until the next call on the queue. */
  rsp_packet &push(Buffer buffer, int64_t pts, int64_t dts, int64_t duration, uint32_t flags) {
    rsp_packet packet = rsp_new_packet(buffer.take(), pts, dts, duration, flags);
    checked([&](rsp_error *error) { return rsp_queue_push(&queue, &packet, error); });
    return *rsp_queue_last(&queue);
  }

  /* RSP_OK or RSP_AGAIN: empty. */
  rsp_status pop(rsp_packet &packet) { return rsp_queue_pop(&queue, &packet); }

  void clear() { rsp_queue_free(&queue); }

 private:
  rsp_packet_queue queue;
};

/* Returns the bytes of a record of records.h: record(rsp_av1_write, av1).  Throws if a value does not fit. */
template <class Record>
std::vector<uint8_t> record(size_t (*write)(const Record *, uint8_t *, size_t), const Record &values) {
  std::vector<uint8_t> bytes(write(&values, nullptr, 0));
  if (bytes.empty()) throw Error(RSP_ERROR_PLUGIN, "a value does not fit into the configuration record");
  write(&values, bytes.data(), bytes.size());
  return bytes;
}

namespace detail {

template <class T, class Handle>
T &object(Handle *handle) {
  return *reinterpret_cast<T *>(handle);
}

template <class T, class Handle>
void close(Handle *handle) {
  logged("close", [&] { delete reinterpret_cast<T *>(handle); });
}

template <class T, class Handle, class... Arguments>
rsp_status open(Handle **out, rsp_error *error, const Arguments &...arguments) {
  return guard(error, [&] { *out = reinterpret_cast<Handle *>(new T(arguments...)); });
}

template <class T, class Handle, class Input>
rsp_status send(Handle *handle, const Input *input, rsp_error *error) {
  return guard(error, [&] { return object<T>(handle).send(input); });
}

template <class T, class Handle, class Output>
rsp_status receive(Handle *handle, Output *output, rsp_error *error) {
  return guard(error, [&] { return object<T>(handle).receive(*output); });
}

template <class T, class Handle>
const rsp_track *track(Handle *handle) {
  return &object<T>(handle).track();
}

template <class T, class Factory>
Factory begin(uint32_t kind) {
  Factory factory = {};
  factory.head.struct_size = sizeof factory;
  factory.head.kind = kind;
  factory.head.tier = RSP_TIER_STANDARD;
  T::describe(factory.head);
  return factory;
}

/* Optional functions of a class. */
template <class T, class = void> struct HasSupports : std::false_type {};
template <class T>
struct HasSupports<T, std::void_t<decltype(T::supports(std::declval<const rsp_track &>()))>> : std::true_type {};
template <class T, class = void> struct HasSeek : std::false_type {};
template <class T>
struct HasSeek<T, std::void_t<decltype(std::declval<T &>().seek(uint32_t(), int64_t()))>> : std::true_type {};
template <class T, class = void> struct HasResults : std::false_type {};
template <class T>
struct HasResults<T, std::void_t<decltype(std::declval<T &>().results(std::declval<uint32_t &>()))>>
    : std::true_type {};

template <class T, class = void> struct HasEncoding : std::false_type {};
template <class T> struct HasEncoding<T, std::void_t<decltype(T::encoding())>> : std::true_type {};
template <class T, class = void> struct HasCheck : std::false_type {};
template <class T>
struct HasCheck<T, std::void_t<decltype(T::check(std::declval<const rsp_encoder_settings &>()))>> : std::true_type {};

template <class T>
rsp_encoding encoding() {
  rsp_encoding result = T::encoding();
  result.struct_size = sizeof result;
  if constexpr (HasCheck<T>::value) {
    result.check = [](const rsp_factory *, const rsp_encoder_settings *settings, rsp_error *error) {
      return guard(error, [&] { T::check(*settings); });
    };
  }
  return result;
}

template <class T>
rsp_encoder_factory encoder() {
  auto factory = begin<T, rsp_encoder_factory>(RSP_FACTORY_ENCODER);
  if constexpr (HasEncoding<T>::value) {
    static const rsp_encoding described = encoding<T>();
    static const auto other = factory.head.extension; /* one that `describe` set */
    factory.head.extension = [](const rsp_factory *head, const char *id) -> const void * {
      if (std::strcmp(id, RSP_ENCODING) == 0) return &described;
      return other ? other(head, id) : nullptr;
    };
  }
  factory.open = [](const rsp_factory *, const rsp_encoder_settings *settings, rsp_encoder **out, rsp_error *error) {
    return open<T>(out, error, *settings);
  };
  factory.track = track<T, rsp_encoder>;
  factory.send = send<T, rsp_encoder, rsp_frame>;
  factory.receive = receive<T, rsp_encoder, rsp_packet>;
  factory.close = close<T, rsp_encoder>;
  return factory;
}

template <class T>
rsp_decoder_factory decoder() {
  auto factory = begin<T, rsp_decoder_factory>(RSP_FACTORY_DECODER);
  if constexpr (HasSupports<T>::value) {
    factory.supports = [](const rsp_factory *, const rsp_track *track) -> int32_t {
      return guard(nullptr, [&] { return T::supports(*track) ? 1 : 0; }) > 0;
    };
  }
  factory.open = [](const rsp_factory *, const rsp_decoder_settings *settings, rsp_decoder **out, rsp_error *error) {
    return open<T>(out, error, *settings);
  };
  factory.send = send<T, rsp_decoder, rsp_packet>;
  factory.receive = receive<T, rsp_decoder, rsp_frame>;
  factory.flush = [](rsp_decoder *handle) { logged("flush", [&] { object<T>(handle).flush(); }); };
  factory.close = close<T, rsp_decoder>;
  return factory;
}

template <class T>
rsp_filter_factory filter() {
  auto factory = begin<T, rsp_filter_factory>(RSP_FACTORY_FILTER);
  factory.media = T::media;
  factory.open = [](const rsp_factory *, const rsp_filter_settings *settings, rsp_filter **out, rsp_error *error) {
    return open<T>(out, error, *settings);
  };
  factory.track = track<T, rsp_filter>;
  factory.send = send<T, rsp_filter, rsp_frame>;
  factory.receive = receive<T, rsp_filter, rsp_frame>;
  if constexpr (HasResults<T>::value) {
    factory.results = [](rsp_filter *handle, uint32_t *count) -> const rsp_result * {
      const rsp_result *results = nullptr;
      logged("results", [&] { results = object<T>(handle).results(*count); });
      return results;
    };
  }
  factory.close = close<T, rsp_filter>;
  return factory;
}

template <class T>
rsp_demuxer_factory demuxer() {
  auto factory = begin<T, rsp_demuxer_factory>(RSP_FACTORY_DEMUXER);
  factory.probe = [](const rsp_factory *, const uint8_t *bytes, size_t count, const char *name) -> int32_t {
    rsp_status score = guard(nullptr, [&] { return rsp_status(T::probe(bytes, count, name)); });
    return score > 0 ? score : 0;
  };
  factory.open = [](const rsp_factory *, const rsp_source *source, const rsp_options *options, rsp_demuxer **out,
                    rsp_error *error) { return open<T>(out, error, *source, *options); };
  factory.media = [](rsp_demuxer *handle) { return &object<T>(handle).media(); };
  factory.select = [](rsp_demuxer *handle, const uint8_t *wanted, uint32_t count, rsp_error *error) {
    return guard(error, [&] { object<T>(handle).select(wanted, count); });
  };
  factory.read = [](rsp_demuxer *handle, rsp_packet *packet, rsp_error *error) {
    return guard(error, [&] { return object<T>(handle).read(*packet); });
  };
  if constexpr (HasSeek<T>::value) {
    factory.seek = [](rsp_demuxer *handle, uint32_t track, int64_t time, rsp_error *error) {
      return guard(error, [&] { object<T>(handle).seek(track, time); });
    };
  }
  factory.close = close<T, rsp_demuxer>;
  return factory;
}

template <class T>
rsp_muxer_factory muxer() {
  auto factory = begin<T, rsp_muxer_factory>(RSP_FACTORY_MUXER);
  if constexpr (HasSupports<T>::value) {
    factory.supports = [](const rsp_factory *, const rsp_track *track, rsp_error *error) {
      return guard(error, [&] { T::supports(*track); });
    };
  }
  factory.open = [](const rsp_factory *, const rsp_media *media, const rsp_sink *sink, const rsp_options *options,
                    rsp_muxer **out, rsp_error *error) { return open<T>(out, error, *media, *sink, *options); };
  factory.time_base = [](rsp_muxer *handle, uint32_t track) { return object<T>(handle).time_base(track); };
  factory.write = [](rsp_muxer *handle, const rsp_packet *packet, rsp_error *error) {
    return guard(error, [&] { object<T>(handle).write(*packet); });
  };
  factory.finish = [](rsp_muxer *handle, const rsp_media *media, rsp_error *error) {
    return guard(error, [&] { object<T>(handle).finish(*media); });
  };
  factory.close = close<T, rsp_muxer>;
  return factory;
}

}  // namespace detail

/* T(const rsp_encoder_settings &), track(), send(const rsp_frame *), receive(rsp_packet &); optionally
   static rsp_encoding encoding(), the extension RSP_ENCODING without its struct_size, and with it
   static void check(const rsp_encoder_settings &), which throws what the constructor would throw */
template <class T> inline const rsp_encoder_factory encoder = detail::encoder<T>();

/* T(const rsp_decoder_settings &), send(const rsp_packet *), receive(rsp_frame &), flush(); with RSP_FACTORY_ANY_CODEC
   static bool supports(const rsp_track &) */
template <class T> inline const rsp_decoder_factory decoder = detail::decoder<T>();

/* T(const rsp_filter_settings &), static constexpr uint32_t media, track(), send(const rsp_frame *),
   receive(rsp_frame &); if it measures, const rsp_result *results(uint32_t &count) */
template <class T> inline const rsp_filter_factory filter = detail::filter<T>();

/* T(const rsp_source &, const rsp_options &), static int probe(const uint8_t *, size_t, const char *name), media(),
   select(const uint8_t *wanted, uint32_t count), read(rsp_packet &); if it can, seek(uint32_t track, int64_t time) */
template <class T> inline const rsp_demuxer_factory demuxer = detail::demuxer<T>();

/* T(const rsp_media &, const rsp_sink &, const rsp_options &), time_base(uint32_t track), write(const rsp_packet &),
   finish(const rsp_media &); optionally static void supports(const rsp_track &), which throws the reason */
template <class T> inline const rsp_muxer_factory muxer = detail::muxer<T>();

}  // namespace respool

#endif
