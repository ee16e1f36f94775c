import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// The connection of a browser: reads requests and writes answers, one after the other.
final class WebConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let threads: NIOThreadPool
  private let answer: @Sendable (WebRequest) -> WebAnswer
  /// Head of the request whose end has not come.
  private var head: HTTPRequestHead?

  /// Called on the event loop when a request is whole.
  private let hasRequest: () -> Void

  init(
    _ threads: NIOThreadPool, _ answer: @escaping @Sendable (WebRequest) -> WebAnswer,
    hasRequest: @escaping () -> Void
  ) {
    (self.threads, self.answer, self.hasRequest) = (threads, answer, hasRequest)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    // A request for a page has no body that counts.
    case .body: break
    case .end:
      guard let head else { return }
      self.head = nil
      hasRequest()
      take(head, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func take(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard head.method == .GET || head.method == .HEAD else {
      return send(
        Self.response(.methodNotAllowed, "this server only answers GET and HEAD"), head, context)
    }
    let (peer, answer) = (context.remoteAddress, answer)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    threads.runIfActive(eventLoop: context.eventLoop) {
      let request = WebRequest(
        target: head.uri, hosts: head.headers["host"],
        range: head.headers.first(name: "range"),
        user: peer.flatMap { peer in
          guard let address = peer.ipAddress, let port = peer.port else { return nil }
          return PeerUser.user(of: address, port)
        })
      return Self.response(answer(request), request.range)
    }.assumeIsolated().whenComplete { result in
      let response =
        (try? result.get()) ?? Self.response(.internalServerError, "the server is ending")
      self.send(response, head, bound.value)
    }
  }

  // MARK: Answers

  private struct Response: Sendable {
    var status: HTTPResponseStatus
    var fields: [(String, String)]
    var body: Body
    var length: Int

    enum Body: Sendable {
      case bytes([UInt8])
      case file(Int32, Range<Int>)
    }
  }

  private static func response(_ status: HTTPResponseStatus, _ sentence: String) -> Response {
    let bytes = Array((sentence + "\n").utf8)
    let allow = status == .methodNotAllowed ? [("Allow", "GET, HEAD")] : []
    return Response(
      status: status, fields: [("Content-Type", "text/plain; charset=utf-8")] + allow,
      body: .bytes(bytes), length: bytes.count)
  }

  private static func response(_ answer: WebAnswer, _ range: ByteRange?) -> Response {
    switch answer {
    case .failure(let status, let sentence): return response(number(status), sentence)
    case .content(let bytes, let type):
      return Response(
        status: .ok, fields: [("Content-Type", type)], body: .bytes(bytes), length: bytes.count)
    case .file(let file, let size, let type, let isShown):
      var fields = [
        ("Content-Type", type), ("Accept-Ranges", "bytes"),
        ("Content-Disposition", isShown ? "inline" : "attachment"),
        // Whatever a file has, no browser runs it. Chromium plays media only in a tab of their own origin.
        (
          "Content-Security-Policy",
          "sandbox allow-same-origin; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"
        ),
      ]
      guard let range else {
        return Response(status: .ok, fields: fields, body: .file(file, 0..<size), length: size)
      }
      guard let positions = range.positions(of: size) else {
        close(file)
        var answer = response(.rangeNotSatisfiable, "the file has \(size) bytes")
        answer.fields.append(("Content-Range", "bytes */\(size)"))
        return answer
      }
      fields.append(
        ("Content-Range", "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(size)"))
      return Response(
        status: .partialContent, fields: fields, body: .file(file, positions),
        length: positions.count)
    }
  }

  private static func number(_ status: WebAnswer.Status) -> HTTPResponseStatus {
    switch status {
    case .badRequest: .badRequest
    case .forbidden: .forbidden
    case .notFound: .notFound
    case .unavailable: .serviceUnavailable
    }
  }

  private func send(_ response: Response, _ head: HTTPRequestHead, _ context: ChannelHandlerContext)
  {
    var fields = HTTPHeaders(response.fields)
    fields.add(name: "Content-Length", value: "\(response.length)")
    fields.add(name: "Cache-Control", value: "no-store")
    fields.add(name: "X-Content-Type-Options", value: "nosniff")
    fields.add(name: "Referrer-Policy", value: "no-referrer")
    fields.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
    fields.add(name: "X-Frame-Options", value: "DENY")
    // Whoever gets no answers keeps no connection.
    let keepsAlive = head.isKeepAlive && response.status != .forbidden
    if !keepsAlive { fields.add(name: "Connection", value: "close") }
    let start = HTTPResponseHead(version: .http1_1, status: response.status, headers: fields)
    context.write(wrapOutboundOut(.head(start)), promise: nil)
    var opened: NIOFileHandle?
    switch response.body {
    case .bytes(let bytes):
      if head.method != .HEAD {
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
      }
    case .file(let file, let positions):
      let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file)
      opened = handle
      if head.method != .HEAD, !positions.isEmpty {
        let region = FileRegion(
          fileHandle: handle, readerIndex: positions.lowerBound, endIndex: positions.upperBound)
        context.write(wrapOutboundOut(.body(.fileRegion(region))), promise: nil)
      }
    }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { result in
      try? opened?.close()
      if !keepsAlive { bound.value.close(promise: nil) }
      if case .failure = result { bound.value.close(promise: nil) }
    }
  }
}
