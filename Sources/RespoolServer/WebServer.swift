import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of pages for browsers (HTTP/1.1, RFC 9112), on SwiftNIO.
///
/// It answers GET and HEAD. Connections that send nothing for half a minute are closed, and there are at most
/// ``mostConnections``.
public final class WebServer: Sendable {
  /// Maximum number of connections at a time; others are closed at once.
  public static let mostConnections = 64

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
  /// Throws an error whose description is a reason, such as that another program has the port.
  public init(
    address: String, port: Int, answer: @escaping @Sendable (WebRequest) -> WebAnswer
  ) throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let threads = NIOThreadPool(numberOfThreads: 4)
    threads.start()
    let count = ConnectionCount()
    do {
      channel = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 64)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            guard count.begin(channel) else { return }
            let handlers = channel.pipeline.syncOperations
            try handlers.addHandler(IdleStateHandler(allTimeout: .seconds(30)))
            try handlers.configureHTTPServerPipeline(withErrorHandling: true)
            try handlers.addHandler(WebConnection(threads, answer))
          }
        }
        .bind(host: address, port: port).wait()
    } catch {
      threads.shutdownGracefully { _ in }
      try? group.syncShutdownGracefully()
      throw error
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

/// Number of connections of a server, which is used on its one event loop.
private final class ConnectionCount: @unchecked Sendable {
  private var number = 0

  /// Counts a connection until it is closed; closes it and returns `false` if there are too many.
  func begin(_ channel: any Channel) -> Bool {
    guard number < WebServer.mostConnections else {
      channel.close(promise: nil)
      return false
    }
    number += 1
    channel.closeFuture.whenComplete { _ in self.number -= 1 }
    return true
  }
}
