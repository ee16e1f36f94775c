import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of pages for browsers (HTTP/1.1, RFC 9112), on SwiftNIO.
///
/// It answers GET and HEAD. Connections that send nothing for half a minute are closed, and new ones without a whole
/// request in ten seconds. There are at most ``mostConnections``; a further one takes the place of the oldest that has not
/// sent a request.
public final class WebServer: Sendable {
  /// Maximum number of connections at a time.
  public static let mostConnections = 256

  /// Port at which it listens.
  public let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let threads: NIOThreadPool
  private let channel: any Channel

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - address: IPv4 or IPv6 address of this machine, such as `127.0.0.1`.
  ///   - port: port; 0 for any that is free.
  ///   - answer: makes an answer; called on threads that may wait, for several requests at a time.
  ///
  /// Throws a ``ListeningFailure``.
  public init(
    address: String, port: Int, answer: @escaping @Sendable (WebRequest) -> WebAnswer
  ) throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let threads = NIOThreadPool(numberOfThreads: 4)
    threads.start()
    let connections = Connections()
    do {
      channel = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            guard connections.begin(channel) else { return }
            let handlers = channel.pipeline.syncOperations
            try handlers.addHandler(IdleStateHandler(allTimeout: .seconds(30)))
            try handlers.configureHTTPServerPipeline(withErrorHandling: true)
            try handlers.addHandler(
              WebConnection(threads, answer) { connections.hasRequest(channel) })
          }
        }
        .bind(host: address, port: port).wait()
    } catch {
      threads.shutdownGracefully { _ in }
      try? group.syncShutdownGracefully()
      throw ListeningFailure(number: (error as? IOError)?.errnoCode)
    }
    self.port = channel.localAddress?.port ?? port
    (self.group, self.threads) = (group, threads)
  }

  /// Closes all connections, and ends.
  public func stop() {
    try? channel.close().wait()
    try? group.syncShutdownGracefully()
    try? threads.syncShutdownGracefully()
  }
}

/// The reason why a server cannot listen at an address.
public struct ListeningFailure: Error {
  /// Error number of the system; `nil` if the address is none of this machine.
  public let number: Int32?
}

/// The connections of a server, which is used on its one event loop.
private final class Connections: @unchecked Sendable {
  private var number = 0
  /// Connections that have not sent a request, the oldest first.
  private var waiting: [any Channel] = []

  /// Counts a connection until it is closed; closes it and returns `false` if there are too many that have sent requests.
  func begin(_ channel: any Channel) -> Bool {
    if number >= WebServer.mostConnections {
      guard let oldest = waiting.first else {
        channel.close(promise: nil)
        return false
      }
      waiting.removeFirst()
      oldest.close(promise: nil)
    }
    number += 1
    waiting.append(channel)
    channel.closeFuture.whenComplete { _ in
      self.number -= 1
      self.hasRequest(channel)
    }
    channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(10)) {
      if self.waiting.contains(where: { $0 === channel }) { channel.close(promise: nil) }
    }
    return true
  }

  /// Takes note that a connection has sent a whole request.
  func hasRequest(_ channel: any Channel) {
    if let index = waiting.firstIndex(where: { $0 === channel }) { waiting.remove(at: index) }
  }
}
