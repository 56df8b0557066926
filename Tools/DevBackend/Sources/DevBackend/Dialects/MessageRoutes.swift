/// Group messages, which differ between the dialects in names and envelope only.
struct MessageRoutes: Sendable {
  let core: BackendCore
  let clientMessageIDField: String
  let page: @Sendable (GroupService.Page) -> JSONValue
  let message: @Sendable (MessageRecord) -> JSONValue

  private static let defaultLimit = 50
  private static let limits: ClosedRange<Int64> = 1...200

  @Sendable
  func history(_ context: RequestContext) throws -> ServerResponse {
    let principal = try AccessGate(core: core).principal(bearer: context.request.bearer)
    var faults: [FieldFault] = []
    let before = number("before", 1...Int64.max, context.request, &faults)
    let limit = number("limit", Self.limits, context.request, &faults)
    if !faults.isEmpty { throw ServiceFailure.validation(faults) }
    let found = try GroupService(core: core).history(
      group: context.parameters["group"] ?? "",
      before: before,
      limit: limit.map { Int($0) } ?? Self.defaultLimit,
      for: principal.userID
    )
    return ServerResponse(200, page(found))
  }

  @Sendable
  func send(_ context: RequestContext) throws -> ServerResponse {
    let principal = try AccessGate(core: core).principal(bearer: context.request.bearer)
    guard let key = context.request.headers["idempotency-key"], !key.isEmpty else {
      return try send(context, by: principal)
    }
    return try core.operations.answers.answer(
      .init(user: principal.userID, path: context.request.path, text: String(key.prefix(256))),
      body: context.request.body,
      now: core.time.now
    ) { try send(context, by: principal) }
  }

  private func send(_ context: RequestContext, by principal: Principal) throws -> ServerResponse {
    var body = try BodyReader(context.request)
    let draft = GroupService.Draft(
      groupID: context.parameters["group"] ?? "",
      clientMessageID: body.required(clientMessageIDField),
      body: body.required("body")
    )
    try body.check()
    let faults = GroupService.faults(of: draft, idField: clientMessageIDField)
    if !faults.isEmpty { throw ServiceFailure.validation(faults) }
    let sent = try GroupService(core: core).send(draft, by: principal.userID)
    return ServerResponse(201, message(sent))
  }

  private func number(
    _ name: String,
    _ range: ClosedRange<Int64>,
    _ request: ServerRequest,
    _ faults: inout [FieldFault]
  ) -> Int64? {
    guard let text = request.query[name] else { return nil }
    if let number = Int64(text), range.contains(number) { return number }
    let bounds = range.upperBound == .max ? "from 1" : "\(range.lowerBound) to \(range.upperBound)"
    faults.append(FieldFault(field: name, message: "\(name) must be a whole number, \(bounds)"))
    return nil
  }
}
