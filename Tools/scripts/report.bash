# Sourced by the scripts in Tools: what they say, and how they fail. All of it goes to stderr, so
# that stdout is the demo's and the tests'.

say() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# fail STATUS MESSAGE…: says why and ends the script (sysexits: 64 usage, 69 something is missing).
fail() {
  local status=$1
  shift
  say "$*"
  exit "$status"
}
