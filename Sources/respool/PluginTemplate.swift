/// The files of a new plugin.
enum PluginTemplate {
  static func files(name: String, isC: Bool, sdk: String) -> [(path: String, text: String)] {
    isC
      ? [("plugin.c", c(name)), ("Makefile", makefile(name, sdk))]
      : [
        ("Package.swift", package(name, sdk)), ("plugin.map", map),
        ("Sources/\(name)/Plugin.swift", swift(name)), (".gitignore", ".build/\n"),
      ]
  }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// Only the entry is exported, so that helpers of two plugins never meet.
  private static let map = "{ global: respool_plugin; local: *; };\n"

  private static func package(_ name: String, _ sdk: String) -> String {
    """
    // swift-tools-version:6.2
    import PackageDescription

    let package = Package(
      name: "\(name)",
      products: [
        // The file is librespool-\(name).so.
        .library(name: "respool-\(name)", type: .dynamic, targets: ["\(name)"])
      ],
      dependencies: [.package(name: "respool", path: "\(sdk)")],
      targets: [
        .target(
          name: "\(name)", dependencies: [.product(name: "RespoolPlugin", package: "respool")],
          linkerSettings: [
            .unsafeFlags([
              // Export the entry alone; fail here, not at loading, where a library is missing; stay
              // loaded, for a Swift image cannot be unloaded.
              "-Xlinker", "--version-script=\\(Context.packageDirectory)/plugin.map",
              "-Xlinker", "-z", "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "nodelete",
            ])
          ])
      ]
    )

    """
  }

  private static func swift(_ name: String) -> String {
    """
    public import RespoolPlugin

    // The one symbol that the host calls.
    @c(respool_plugin_describe) public func describe(_ host: Host) -> PluginTable? {
      Plugin(name: "\(name)", version: "1.0.0", license: "MIT", decoders: [Inverted.self])
        .table(for: host)
    }

    /// Decodes the made-up codec `\(name.lowercased())`: unsigned bytes with all bits inverted.
    final class Inverted: Decoder {
      static var description: FactoryDescription {
        var description = FactoryDescription(
          kind: .decoder, name: "\(name.lowercased())", longName: "Inverted 8-bit sound (example)")
        description.codecs = ["\(name.lowercased())"]
        return description
      }

      private let track: TrackDescription
      private var waiting: Frame?
      private var isDraining = false

      init(settings: DecoderSettings) throws(MediaError) {
        track = settings.track
        guard (1...64).contains(track.channelLayout.channelCount) else {
          throw MediaError(.unsupported, "\\(track.channelLayout) in a track; 1 to 64 can be decoded")
        }
      }

      // `.full` asks the host to call `receive` first; nil says that no more will come.
      func send(_ packet: Packet?) throws(MediaError) -> Feeding {
        guard waiting == nil else { return .full }
        guard let packet else {
          isDraining = true
          return .accepted
        }
        // The bytes come from a file: check everything, and say what was found.
        let channels = track.channelLayout.channelCount
        guard let bytes = packet.buffer?.readOnly, bytes.count.isMultiple(of: channels) else {
          throw MediaError(
            .malformed, "a packet of \\(packet.size) bytes; \\(channels) channels need a multiple")
        }
        guard
          let frame = Frame(
            sampleFormat: .u8, channelLayout: track.channelLayout, sampleRate: track.sampleRate,
            sampleCount: bytes.count / channels, pts: packet.pts)
        else { return .accepted }
        for index in bytes.indices { frame.buffer.bytes[index] = ~bytes[index] }
        waiting = frame
        return .accepted
      }

      func receive() throws(MediaError) -> Output<Frame> {
        guard let frame = waiting else { return isDraining ? .end : .needsInput }
        waiting = nil
        return .value(frame)
      }

      func flush() {
        waiting = nil
        isDraining = false
      }
    }

    """
  }

  private static func makefile(_ name: String, _ sdk: String) -> String {
    """
    RESPOOL = \(sdk)
    CFLAGS = -O2 -Wall -fPIC -fvisibility=hidden -I$(RESPOOL)/Sources/CRespool/include

    librespool-\(name).so: plugin.c
    \t$(CC) $(CFLAGS) -shared -Wl,-z,defs -o $@ $<

    clean:
    \trm -f librespool-\(name).so

    """
  }

  private static func c(_ name: String) -> String {
    """
    /* Decodes the made-up codec "\(name.lowercased())": unsigned bytes with all bits inverted. */
    #include <respool/plugin.h>
    #include <stdlib.h>
    #include <string.h>

    struct rsp_decoder {
      uint32_t rate, channels;
      int full, drained;
      rsp_frame frame;
    };

    /* A frame's memory; the last who drops a reference frees it, on whatever thread. */
    typedef struct {
      _Atomic unsigned references;
      uint8_t bytes[];
    } block;

    static void retain(void *owner) { ((block *)owner)->references++; }
    static void release(void *owner) {
      if (--((block *)owner)->references == 0) free(owner);
    }

    static rsp_status fail(rsp_error *error, rsp_status status, const char *message) {
      error->status = status;
      error->offset = RSP_UNKNOWN;
      error->track = -1;
      strncpy(error->message, message, sizeof error->message - 1);
      return status;
    }

    static rsp_status open_decoder(const rsp_factory *factory, const rsp_decoder_settings *settings,
                                   rsp_decoder **out, rsp_error *error) {
      const rsp_track *track = settings->track;
      if (strcmp(track->codec, "\(name.lowercased())") != 0 || track->channels < 1 || track->channels > 64)
        return fail(error, RSP_ERROR_UNSUPPORTED, "only \(name.lowercased()) with 1 to 64 channels is decoded");
      rsp_decoder *decoder = calloc(1, sizeof *decoder);
      if (decoder == NULL) return fail(error, RSP_ERROR_PLUGIN, "no memory");
      decoder->rate = track->sample_rate;
      decoder->channels = track->channels;
      *out = decoder;
      return RSP_OK;
    }

    static rsp_status send(rsp_decoder *decoder, const rsp_packet *packet, rsp_error *error) {
      if (decoder->full) return RSP_AGAIN;
      if (packet == NULL) {
        decoder->drained = 1;
        return RSP_OK;
      }
      size_t size = packet->buffer.size;
      if (size == 0 || size % decoder->channels != 0 || size > 1u << 30)
        return fail(error, RSP_ERROR_MALFORMED, "the packet does not hold whole samples");
      block *memory = malloc(sizeof *memory + size);
      if (memory == NULL) return fail(error, RSP_ERROR_PLUGIN, "no memory");
      memory->references = 1;
      for (size_t i = 0; i < size; i++) memory->bytes[i] = (uint8_t)~packet->buffer.data[i];
      rsp_frame *frame = &decoder->frame;
      memset(frame, 0, sizeof *frame);
      frame->struct_size = sizeof *frame;
      frame->kind = RSP_KIND_AUDIO;
      frame->pts = packet->pts;
      frame->format = RSP_SAMPLE_U8;
      frame->sample_rate = decoder->rate;
      frame->channels = decoder->channels;
      frame->sample_count = (uint32_t)(size / decoder->channels);
      frame->plane_count = 1;
      frame->plane[0] = memory->bytes;
      frame->stride[0] = (ptrdiff_t)size;
      frame->buffer = (rsp_buffer){memory->bytes, size, memory, retain, release};
      decoder->full = 1;
      return RSP_OK;
    }

    static rsp_status receive(rsp_decoder *decoder, rsp_frame *frame, rsp_error *error) {
      if (!decoder->full) return decoder->drained ? RSP_END : RSP_AGAIN;
      *frame = decoder->frame;
      decoder->full = 0;
      return RSP_OK;
    }

    static void flush(rsp_decoder *decoder) {
      if (decoder->full) release(decoder->frame.buffer.owner);
      decoder->full = decoder->drained = 0;
    }

    static void close_decoder(rsp_decoder *decoder) {
      flush(decoder);
      free(decoder);
    }

    static const char *const codecs[] = {"\(name.lowercased())", NULL};
    static const rsp_decoder_factory decoder = {
        .head = {.struct_size = sizeof(rsp_decoder_factory), .kind = RSP_FACTORY_DECODER,
                 .tier = RSP_TIER_STANDARD, .name = "\(name.lowercased())",
                 .long_name = "Inverted 8-bit sound (example)", .codecs = codecs},
        .open = open_decoder, .send = send, .receive = receive, .flush = flush,
        .close = close_decoder};

    static const rsp_factory *const factories[] = {&decoder.head};
    static const rsp_plugin_info info = {sizeof info, 1, "\(name)", "1.0.0", "MIT", factories};
    static const rsp_plugin_info *describe(const rsp_host *host) { return &info; }

    RSP_EXPORT const rsp_plugin respool_plugin = {
        sizeof respool_plugin, RSP_ABI_MAJOR, RSP_ABI_MINOR, 0, describe};

    """
  }
}
