internal import AuthNetworking
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SessionModels

/// `register --username U --email E …`.
package enum RegisterCommand: Command {
  package static let spec = CommandSpec(
    "register",
    options: [
      OptionSpec("username", .text("NAME"), isRequired: true, "the name to sign in with"),
      OptionSpec("email", .text("ADDRESS"), isRequired: true, "the e-mail address"),
      OptionSpec("date-of-birth", .text("YYYY-MM-DD"), "needed in KSN: 13 to 25 years old"),
      OptionSpec("display-name", .text("NAME"), "the name to show"),
      PasswordInput.option,
    ],
    otherNames: ["signup", "sign-up"],
    summary: "create an account and sign in",
    details: [
      "The backend, the realtime endpoint, the dialect and the token model are remembered, as by login.",
      "KSN's rules are checked before the network: a password of 8 characters or more with an "
        + "upper-case letter and a digit, and an age of 13 to 25.",
    ],
    examples: [
      "register --username ada --email ada@example.com --base-url http://127.0.0.1:3001 "
        + "--realtime-url http://127.0.0.1:3002",
      "register --dialect ksn --username ada --email ada@example.com --date-of-birth 2009-12-10",
    ]
  )

  package static func run(_ context: CommandContext) async throws(ClientError) {
    let invocation = context.invocation
    guard let username = invocation.value("username"), let email = invocation.value("email") else {
      throw .usage("register needs --username and --email")
    }
    try context.client.setDamagedSettingsAside()
    let backend = try context.client.backendForSignIn()
    try await context.client.checkVaultOption()
    let birth = invocation.value("date-of-birth")
    let registration = Registration(
      username: username,
      email: email,
      password: try PasswordInput.password(context, isNew: true),
      dateOfBirth: birth.flatMap(CalendarDate.init(parsing:)),
      displayName: invocation.value("display-name")
    )
    try check(registration, birth: birth, backend.api, today: context.client.today)
    let info = try await context.client.signIn(to: backend) { controller throws(AuthError) in
      try await controller.register(registration)
    }
    try await context.client.print(info, reason: nil)
  }

  /// Checks the form as a whole, so that every wrong field is named at once.
  private static func check(
    _ registration: Registration,
    birth: String?,
    _ api: any AuthAPI,
    today: CalendarDate
  ) throws(ClientError) {
    var faults: [ClientError.Field] = []
    do {
      try registration.validate(rules: api.registrationRules, today: today)
    } catch {
      faults = ClientError(error, api: api).fields
    }
    let birthField = api.wireName(of: .dateOfBirth)
    if birth != nil, registration.dateOfBirth == nil {
      // A date that is none is a fault in the dialect that does not ask for one, too.
      faults.removeAll { $0.name == birthField }
      faults.append(.init(name: birthField, message: InputProblem.dateOfBirthRequired.message))
    }
    guard faults.isEmpty else {
      throw ClientError(.invalidInput, "The input is invalid", fields: faults)
    }
  }
}
