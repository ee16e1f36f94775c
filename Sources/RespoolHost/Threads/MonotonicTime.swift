import Glibc

/// Returns seconds since an arbitrary point in the past.
///
/// Only differences are meaningful.
package func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
