/// The commands of the library, in the order of help.
package enum CommandTable {
  /// All of them; the executable adds `demo`.
  package static var all: [any Command.Type] {
    [
      RegisterCommand.self, LoginCommand.self, LogoutCommand.self, StatusCommand.self,
      RestoreCommand.self, RefreshCommand.self, WhoamiCommand.self, TokenCommand.self,
      ReauthenticateCommand.self, SessionsListCommand.self, SessionsRevokeCommand.self,
      RequestCommand.self, MessagesListCommand.self, MessagesSendCommand.self,
      MessagesWatchCommand.self, OutboxListCommand.self, OutboxSendCommand.self,
      OutboxRetryCommand.self, OutboxDiscardCommand.self, RPCCommand.self,
      StoreListCommand.self, StoreGetCommand.self, StoreSetCommand.self, StoreRemoveCommand.self,
      StoreVerifyCommand.self, StoreRepairCommand.self, StoreImportCommand.self,
      StoreRekeyCommand.self, StorePassphraseCommand.self, StoreResetCommand.self,
      StoreInfoCommand.self,
      ProfileListCommand.self, ProfileShowCommand.self, ProfileRenameCommand.self,
      ProfileRemoveCommand.self,
      DoctorCommand.self, CompletionCommand.self, HelpCommand.self,
    ]
  }
}
