import Foundation

/// Passes requests on to a backend, so that a scripted one in front of it can lose or hold what
/// the real one has answered.
enum Relay {
  /// Sends one request on, and returns its answer.
  ///
  /// - Parameters:
  ///   - request: as it was received.
  ///   - port: the backend's, on this machine.
  /// - Returns: the answer; hanging up where there was none.
  static func pass(_ request: ReceivedRequest, to port: Int) -> Reply {
    guard let connection = connect(to: port) else { return .hangUp }
    defer { close(connection) }
    var head = "\(request.method) \(request.target) HTTP/1.1\r\n"
    var headers = request.headers
    headers["host"] = "127.0.0.1:\(port)"
    headers["connection"] = "close"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    guard write(Data((head + "\r\n").utf8) + request.body, to: connection),
      let answer = answer(readAll(from: connection))
    else { return .hangUp }
    return answer
  }

  private static func connect(to port: Int) -> Int32? {
    #if canImport(Darwin)
    let kind = SOCK_STREAM
    #else
    let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let connection = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isConnected { return connection }
    close(connection)
    return nil
  }

  private static func write(_ data: Data, to connection: Int32) -> Bool {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      rest = Data(rest.dropFirst(count))
    }
    return true
  }

  private static func readAll(from connection: Int32) -> Data {
    var all = Data()
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return all }
      all += buffer.prefix(count)
    }
  }

  private static func answer(_ data: Data) -> Reply? {
    guard let end = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
    var lines = head.components(separatedBy: "\r\n")
    let status = lines.removeFirst().split(separator: " ").dropFirst().first.flatMap { Int($0) }
    guard let status else { return nil }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = String(line[..<colon])
      guard !["connection", "content-length"].contains(name.lowercased()) else { continue }
      headers[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return .answer(status: status, headers: headers, body: Data(data[end.upperBound...]))
  }
}
