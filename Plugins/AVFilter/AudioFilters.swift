import RespoolPlugin

/// Filters of audio.
let audioFilters: [any Filter.Type] = [
  LoudnessNormalization.self, DynamicNormalization.self, Compressor.self, Limiter.self,
  HighPass.self, LowPass.self, Equalizer.self, Volume.self, NoiseReduction.self, Tempo.self,
]

private final class LoudnessNormalization: LibraryFilter {
  override class var specification: Specification {
    // The library measures true peaks at this rate.
    Specification("loudnorm", "Loudness normalization by EBU R 128", audio: [.dbl]).with {
      $0.sampleRates = [192_000]
      $0.hidden = ["print_format"]
    }
  }
}

private final class DynamicNormalization: LibraryFilter {
  override class var specification: Specification {
    Specification("dynaudnorm", "Normalization of volume that changes with time", audio: [.dblp])
  }
}

private final class Compressor: LibraryFilter {
  override class var specification: Specification {
    Specification("acompressor", "Compression of dynamic range", audio: [.dbl])
  }
}

private final class Limiter: LibraryFilter {
  override class var specification: Specification {
    Specification("alimiter", "Limiter that looks ahead", audio: [.dbl])
  }
}

/// Second-order filters, which keep the format of audio samples.
private class Biquad: LibraryFilter {
  static func biquad(_ name: String, _ longName: String) -> Specification {
    // The precision would decide the format.
    Specification(name, longName, audio: [.fltp, .s16p, .s32p, .dblp]).with {
      $0.hidden = ["precision", "r"]
    }
  }
}

private final class HighPass: Biquad {
  override class var specification: Specification {
    biquad("highpass", "Removes low frequencies")
  }
}

private final class LowPass: Biquad {
  override class var specification: Specification {
    biquad("lowpass", "Removes high frequencies")
  }
}

private final class Equalizer: Biquad {
  override class var specification: Specification {
    biquad("equalizer", "Raises or lowers frequencies around one")
  }
}

private final class Volume: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "volume", "Volume by a factor, or in decibels such as -3dB", audio: [.fltp, .flt]
    )
    .with {
      $0.hidden = ["precision", "replaygain", "replaygain_preamp", "replaygain_noclip"]
    }
  }
}

private final class NoiseReduction: LibraryFilter {
  override class var specification: Specification {
    Specification("afftdn", "Denoising by Fourier transforms", audio: [.fltp])
  }
}

private final class Tempo: LibraryFilter {
  override class var specification: Specification {
    Specification(
      "atempo", "Speed without a change of pitch", audio: [.flt, .s16, .s32, .dbl, .u8]
    ).with { $0.flags = .changesTimes }
  }
}
