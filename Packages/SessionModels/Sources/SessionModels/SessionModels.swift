// Whoever has sessions has secrets. `Secrets` stands alone for those that hold a token and nothing
// else, and so need no Foundation.
@_exported public import Secrets
