import RespoolMedia

/// Times of a writer's session; a file has one session.
struct SessionTimes {
  private var startTime: MediaTime?
  private var endTime: MediaTime?
  /// Time of the source that is 0 in the movie.
  private var origin = MediaTime.zero

  var isOpen: Bool { startTime != nil && endTime == nil }
  var isOver: Bool { endTime != nil }

  /// Time from the movie's 0 to the session's end, in nanoseconds; `nil` if the session has not been ended.
  var length: Int64? { endTime.flatMap { ($0 - origin).ticks(.nanoseconds) } }

  /// Starts the session; returns the reason if that is not possible.
  mutating func start(at time: MediaTime, origin: MediaTime) -> String? {
    guard startTime == nil else { return "a file has only one session" }
    guard time.isNumeric else { return "the start time of the session is not numeric" }
    (startTime, self.origin) = (time, origin)
    return nil
  }

  /// Ends the session; returns the reason if that is not possible.
  mutating func end(at time: MediaTime) -> String? {
    guard let startTime, endTime == nil else { return "there is no open session" }
    guard time.isNumeric, time >= startTime else {
      return "the end of the session is not numeric or is before its start"
    }
    endTime = time
    return nil
  }

  /// Returns the time of the source that is 0 in the movie, for a sample that is appended.
  ///
  /// Throws `invalidArgument` if the session is not open.
  func movieStart() throws(MediaError) -> MediaTime {
    guard startTime != nil else {
      throw MediaError(.invalidArgument, "a sample was appended before startSession")
    }
    guard endTime == nil else {
      throw MediaError(.invalidArgument, "a sample was appended after endSession")
    }
    return origin
  }
}
