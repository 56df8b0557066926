# Sourced by the scripts in Tools: installs what the machine lacks, and only that. Needs report.bash.
#
# When nothing is missing, one look into the package database says so: no network, no root.

# What the packages link (Packages/SystemLibraries), by Debian's names and by pkg-config's.
readonly BUILD_PACKAGES=(
  libsodium-dev libsqlite3-dev zlib1g-dev libcurl4-openssl-dev libnghttp2-dev libssl-dev
  libmicrohttpd-dev libkeyutils-dev libtss2-dev
  libpq-dev libhiredis-dev
)
readonly BUILD_MODULES=(libsodium sqlite3 zlib libcurl libnghttp2 openssl libmicrohttpd libkeyutils tss2-esys libpq hiredis)
readonly BUILD_FORMULAE=(libsodium libnghttp2 openssl@3 libmicrohttpd libpq hiredis)

# What Swift links every executable with; an image that holds nothing but Swift may lack it.
readonly LINK_PACKAGES=(binutils libc6-dev)

# What Swift itself runs on (swift.org's list), installed only when Swift does not start.
readonly SWIFT_PACKAGES=(
  libcurl4 libedit2 libncurses6 libpython3-dev libsqlite3-0 libxml2 libz3-dev tzdata
)

# What the checks and the tests start; python3-prometheus-client reads the backend's metrics,
# chromium shows its inspector (what a page does, only a browser tells), and PostgreSQL and Redis are
# what its instances share: each run starts servers of its own.
readonly TEST_PACKAGES=(
  python3 python3-venv openssl curl ca-certificates
  dbus gnome-keyring libsecret-1-0 libsecret-tools swtpm keyutils tmux
  python3-prometheus-client chromium postgresql redis-server
  zsh fish groff-base
)

# What the benchmarks compare the store and gRPC with.
readonly BENCH_PACKAGES=(libsqlcipher-dev liblmdb-dev libgrpc++-dev g++ pkg-config)

# require_swift: ends the script, saying what to do, unless Swift 6.2 or later is there.
require_swift() {
  local folder version
  if ! command -v swift >/dev/null; then
    for folder in "${HOME:-/root}/.local/share/swiftly/bin" /usr/local/swift/usr/bin; do
      if [[ -x $folder/swift ]]; then
        export PATH="$folder:$PATH"
        break
      fi
    done
  fi
  command -v swift >/dev/null || fail 69 \
    "Swift is missing. Install Swift 6.3 as https://www.swift.org/install describes, then run this again."
  version=$(_swift_version)
  if [[ -z $version ]] && command -v apt-get >/dev/null; then
    say "Swift does not start; installing what it runs on: ${SWIFT_PACKAGES[*]}"
    _apt_install "${SWIFT_PACKAGES[@]}"
    version=$(_swift_version)
  fi
  case $version in
    6.[0-1] | [0-5].*)
      fail 69 "Swift $version is too old. Install Swift 6.3 as https://www.swift.org/install describes."
      ;;
    '')
      swift --version >&2 || true
      fail 69 "Swift is there, but does not start; its own message is above."
      ;;
  esac
}

_swift_version() {
  swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' || true
}

# require_libraries [tests | bench]: installs the missing system libraries; with `tests` also the
# tools that the checks and the tests start, with `bench` what the benchmarks compare with.
require_libraries() {
  local wanted=("${BUILD_PACKAGES[@]}" "${LINK_PACKAGES[@]}")
  if [[ ${1:-} == tests ]]; then
    wanted+=("${TEST_PACKAGES[@]}")
  elif [[ ${1:-} == bench ]]; then
    wanted+=("${BENCH_PACKAGES[@]}")
  fi
  case $(uname -s) in
    Darwin) _require_formulae ;;
    Linux)
      if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
        _require_debian_packages "${wanted[@]}"
      else
        _require_modules
      fi
      ;;
    *) fail 69 "$(uname -s) is not supported: Linux and macOS are." ;;
  esac
}

_require_debian_packages() {
  local installed package missing=()
  installed=$'\n'$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)$'\n'
  for package; do
    [[ $installed == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  # Swift links libstdc++, whose package has the compiler's version in its name; g++ brings it.
  compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
  if (( ${#missing[@]} > 0 )); then
    say "installing what the packages link and the tests start: ${missing[*]}"
    _apt_install "${missing[@]}"
  fi
}

# Installs Debian packages, or ends the script. Asks nothing; sudo may ask for a password, where
# there is a terminal to type it on.
_apt_install() {
  local get=(
    env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    apt-get --quiet --option DPkg::Lock::Timeout=300
  )
  if (( $(id -u) != 0 )); then
    command -v sudo >/dev/null || fail 69 \
      "only root may install packages, and sudo is not there. As root: apt-get install $*"
    if [[ -t 0 ]]; then get=(sudo "${get[@]}"); else get=(sudo --non-interactive "${get[@]}"); fi
  fi
  local install=(install --yes --no-install-recommends "$@")
  # A fresh machine has no package lists, and an old one has stale lists: fetch them when needed.
  if _candidates_known "$@" && _run_quietly "${get[@]}" "${install[@]}"; then
    return
  fi
  say "fetching the package lists first (apt-get update)"
  _run_quietly "${get[@]}" update && _run_quietly "${get[@]}" "${install[@]}" || fail 69 \
    "apt-get could not install them; its messages are above. By hand: sudo apt-get install $*"
}

# Whether apt knows a version of every package.
_candidates_known() {
  local known
  known=$(LC_ALL=C apt-cache policy "$@" 2>/dev/null | grep -c '^  Candidate: [^(]' || true)
  (( known == $# ))
}

# Runs a command and shows its output only when it fails. Without input it cannot ask; sudo asks on
# the terminal itself.
_run_quietly() {
  local output
  if ! output=$("$@" </dev/null 2>&1); then
    printf '%s\n' "$output" >&2
    return 1
  fi
}

_require_formulae() {
  local formula missing=()
  command -v brew >/dev/null || fail 69 \
    "Homebrew is missing. Install it as https://brew.sh describes, then run this again."
  for formula in "${BUILD_FORMULAE[@]}"; do
    [[ -d $(brew --prefix)/opt/$formula ]] || missing+=("$formula")
  done
  if (( ${#missing[@]} > 0 )); then
    say "installing with brew what the packages link: ${missing[*]}"
    brew install --quiet "${missing[@]}" >&2 || fail 69 "brew could not install them."
  fi
  # SQLite, zlib and curl come with the SDK; these do not, and clang looks for them only where told.
  for formula in "${BUILD_FORMULAE[@]}"; do
    SWIFT_FLAGS+=(
      -Xcc "-I$(brew --prefix)/opt/$formula/include"
      -Xlinker "-L$(brew --prefix)/opt/$formula/lib"
    )
  done
  export TOOLS_SWIFT_FLAGS="${SWIFT_FLAGS[*]}"
}

# A Linux without apt: look only, for each names its packages differently.
_require_modules() {
  local module missing=()
  command -v pkg-config >/dev/null || fail 69 \
    "there is neither apt-get nor pkg-config here. Install pkg-config and the development files of: ${BUILD_MODULES[*]}"
  for module in "${BUILD_MODULES[@]}"; do
    pkg-config --exists "$module" || missing+=("$module")
  done
  (( ${#missing[@]} == 0 )) || fail 69 \
    "there is no apt-get here. Install the development files of: ${missing[*]}"
}

# Flags for every `swift build` and `swift test`; empty but on a Mac. Tools/check gets them by
# TOOLS_SWIFT_FLAGS.
SWIFT_FLAGS=()
