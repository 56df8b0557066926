#if canImport(CCurl)
internal import CCurl

/// The transfers that are under way, as their thread sees them.
struct CurlLoop {
  private let multi: UnsafeMutableRawPointer
  private let configuration: CurlConfiguration
  private let resumeLater: @Sendable (Resumption) -> Void
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var spareHandles: [CurlHandle] = []
  private let sockets = CurlSockets()
  /// The transfers among them that may have to wait for a body.
  private var streaming: Set<UnsafeMutableRawPointer> = []

  /// How long to sleep at most: until somebody wakes the thread, or libcurl's own timers say so.
  private static let longestSleep = Int32.max
  /// How long to sleep at most, in milliseconds, while a socket is ready for nobody.
  private static let longestDoubt: Int32 = 1000
  private static let mostSpareHandles = 16

  /// A transfer that can go on; the handle may be another transfer's by then.
  struct Resumption: Sendable {
    let handle: UInt
    let exchange: CurlExchange
  }

  /// A loop on a multi handle; `resumeLater` is called from any thread when a body has bytes again,
  /// and has ``resume(_:)`` called on the loop's own.
  init(
    multi: UnsafeMutableRawPointer,
    configuration: CurlConfiguration,
    resumeLater: @escaping @Sendable (Resumption) -> Void
  ) {
    self.multi = multi
    self.configuration = configuration
    self.resumeLater = resumeLater
  }

  /// Goes on with a transfer that had nothing to send.
  mutating func resume(_ resumption: Resumption) {
    guard let handle = UnsafeMutableRawPointer(bitPattern: resumption.handle),
      let transfer = transfers[handle], transfer.exchange === resumption.exchange
    else { return }
    transfer.resume()
    curl_easy_pause(handle, CURLPAUSE_CONT)
  }

  /// Starts an exchange, unless nobody waits for it any more.
  mutating func begin(_ exchange: CurlExchange) {
    guard exchange.isWanted else { return }
    begin(exchange, timeout: exchange.request.timeout)
  }

  /// Ends the transfers that nobody waits for any more.
  mutating func abandonUnwanted() {
    for (handle, transfer) in transfers where !transfer.exchange.isWanted { remove(handle) }
  }

  /// Moves all transfers on, and answers those that are done.
  ///
  /// - Returns: whether there is more to do already.
  mutating func advance() -> Bool {
    var running: Int32 = 0
    curl_multi_perform(multi, &running)
    var hasFinished = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else {
        continue
      }
      // The message is libcurl's, and gone once the handle is removed.
      finish(handle, message.pointee.data.result)
      hasFinished = true
    }
    // A second try, or a transfer that waited for a free connection, may be able to go on.
    return hasFinished && !transfers.isEmpty
  }

  /// Sleeps until there is more to do.
  mutating func sleep() {
    var watched: [curl_waitfd] = []
    var hasUnclear = false
    for handle in streaming {
      guard let transfer = transfers[handle], transfer.isWaitingForBody else { continue }
      switch finding(handle, transfer) {
      case .unknown: continue
      case .there(let socket):
        watched.append(curl_waitfd(fd: socket, events: Int16(CURL_WAIT_POLLIN), revents: 0))
      case .unclear: hasUnclear = true
      case .gone:
        let code = transfer.codeAfterLoss
        if transfer.mayTryAgainAfterLoss {
          tryAgain(handle, transfer, otherwise: code)
        } else {
          end(handle, transfer, code)
        }
        return
      }
    }
    let longest = hasUnclear ? CurlLoop.longestDoubt : CurlLoop.longestSleep
    curl_multi_poll(multi, &watched, UInt32(watched.count), longest, nil)
  }

  private enum Finding {
    case unknown
    case there(curl_socket_t)
    case unclear
    case gone
  }

  /// Looks after the server of a transfer that waits for its body.
  ///
  /// libcurl reads the end of a connection then, and tells nobody before the body goes on; once it
  /// has a whole answer it does not even look.
  private func finding(
    _ handle: UnsafeMutableRawPointer,
    _ transfer: CurlTransfer
  ) -> Finding {
    guard let socket = sockets.socket(of: handle) else { return .unknown }
    return switch transfer.peer.look(SocketSigns(of: socket), received: transfer.receivedBytes) {
    case .there: .there(socket)
    case .unclear: .unclear
    case .gone: .gone
    }
  }

  /// Ends everything and answers everybody.
  mutating func close() {
    for (handle, transfer) in transfers {
      transfer.exchange.answer(.failure(.cancelledByCaller))
      remove(handle)
    }
    spareHandles = []
    curl_multi_cleanup(multi)
  }

  private mutating func begin(
    _ exchange: CurlExchange,
    timeout: Duration,
    isSecondTry: Bool = false
  ) {
    guard let spare = spareHandles.popLast() ?? CurlHandle() else {
      exchange.answer(.failure(TransportError(.network, "Out of memory")))
      return
    }
    let transfer = CurlTransfer(
      exchange,
      configuration,
      spare,
      isSecondTry: isSecondTry,
      resumeLater: resumeLater
    )
    let handle = spare.pointer
    transfer.prepare(timeout: timeout)
    sockets.watch(handle)
    transfers[handle] = transfer
    if transfer.reader != nil { streaming.insert(handle) }
    guard curl_multi_add_handle(multi, handle) == CURLM_OK else {
      exchange.answer(.failure(TransportError(.network, "libcurl did not take the request")))
      remove(handle)
      return
    }
  }

  private mutating func finish(_ handle: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let transfer = transfers[handle] else { return }
    if transfer.mayTryAgain(code) {
      tryAgain(handle, transfer, otherwise: code)
    } else {
      end(handle, transfer, code)
    }
  }

  /// Begins once more on a new connection, in the time that is left.
  private mutating func tryAgain(
    _ handle: UnsafeMutableRawPointer,
    _ transfer: CurlTransfer,
    otherwise code: CURLcode
  ) {
    let left = transfer.exchange.request.timeout - CurlTransfer.elapsed(handle)
    guard left > .zero else { return end(handle, transfer, code) }
    remove(handle)
    begin(transfer.exchange, timeout: left, isSecondTry: true)
  }

  private mutating func end(
    _ handle: UnsafeMutableRawPointer,
    _ transfer: CurlTransfer,
    _ code: CURLcode
  ) {
    let answer = transfer.answer(code)
    remove(handle, isAnswered: code == CURLE_OK)
    transfer.exchange.answer(answer)
  }

  private mutating func remove(_ handle: UnsafeMutableRawPointer, isAnswered: Bool = false) {
    curl_multi_remove_handle(multi, handle)
    if !streaming.isEmpty { streaming.remove(handle) }
    guard let transfer = transfers.removeValue(forKey: handle) else { return }
    transfer.release()
    transfer.handle.end(isAnswered: isAnswered)
    if spareHandles.count < CurlLoop.mostSpareHandles { spareHandles.append(transfer.handle) }
  }
}
#endif
