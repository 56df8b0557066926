internal import AuthNetworking

/// Shows how far a file has come, up or down.
enum RequestProgress {
  /// What a request tells of its progress; nil where it has no file.
  static func handler(
    of request: APIRequest,
    on console: Console
  ) -> (@Sendable (TransferProgress) -> Void)? {
    let sendsFile = request.content != nil && request.body == nil
    guard console.showsProgress, sendsFile || request.destination != nil else { return nil }
    let upload = ProgressBar("sending", on: console)
    let download = ProgressBar("receiving", on: console)
    return { progress in
      if request.destination != nil, progress.receivedBytes > 0 {
        download.show(
          done: Int(progress.receivedBytes),
          of: progress.bytesToReceive.map { Int($0) }
        )
      } else if sendsFile {
        upload.show(done: Int(progress.sentBytes), of: progress.bytesToSend.map { Int($0) })
      }
    }
  }
}
