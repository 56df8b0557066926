// Replaced by the package's first source file.
