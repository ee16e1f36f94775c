import RespoolMedia

extension Frame {
  /// Removes times that no packet may have (`Packet.checkTimes`).
  mutating func forgetImpossibleTimes(in timeBase: Rational) {
    guard timeBase.isPositive else { return }
    let latest = Packet.latest(in: timeBase)
    if let pts, !(-latest...latest).contains(pts) { self.pts = nil }
    if !(0...latest).contains(duration) { duration = 0 }
  }
}
