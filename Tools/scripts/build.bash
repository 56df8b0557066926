# Sourced by the scripts in Tools: the release build. Needs report.bash, prerequisites.bash and
# `root`.

# build_release: builds .build/release/headless-client and .build/release/dev-backend. Ends the
# script with the build's own status when it fails.
build_release() {
  local log=$root/.build/logs/release.log status=0
  mkdir -p "${log%/*}"
  if [[ ! -x $root/.build/release/headless-client ]]; then
    say "building in release; this takes some minutes the first time (log: ${log#"$PWD/"})"
  fi
  # Always asked: SwiftPM knows better than a time stamp whether something changed, and answers in
  # half a second when nothing did. Its cached plan would overlook new files in the packages.
  local build=(
    swift build --configuration release --package-path "$root" --disable-build-manifest-caching
    ${SWIFT_FLAGS[@]+"${SWIFT_FLAGS[@]}"}
  )
  if [[ -t 2 ]]; then
    # On a terminal SwiftPM draws its own progress, and shows the errors.
    "${build[@]}" >&2 || exit $?
    return
  fi
  "${build[@]}" >"$log" 2>&1 </dev/null || status=$?
  if (( status != 0 )); then
    grep --extended-regexp '(^|[: ])(error|fatal error):' "$log" | sort --unique | head -40 >&2 ||
      tail -40 "$log" >&2
    say "the build failed; all of it is in $log"
    exit "$status"
  fi
}
