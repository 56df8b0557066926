# Sourced by the scripts in Tools: one way of running tests. Needs report.bash, prerequisites.bash
# and `root`.

# Undeclared imports are errors: at the root SwiftPM would let them through. All tests are Swift
# Testing's (Tools/check sees to that), so XCTest's runner has nothing to do. SwiftPM's cached plan
# would overlook new files in the packages.
readonly TEST_FLAGS=(
  --explicit-target-dependency-import-check error --disable-xctest --disable-build-manifest-caching
)

# As many tests at once as there are cores. Without a bound all of them start at once, and those that
# compute keep those that wait for a peer or a time limit from running at all.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(
  getconf _NPROCESSORS_ONLN
)}

# Which suites failed once and then held; see run_again.
unsteady=

# sweep_secrets [FLAGS…]: runs the tests and the demo, writes down the secrets that they make and all
# that they print at the most verbose level, and searches the one for the other (R9). A part of the
# tests may have nothing to say.
sweep_secrets() {
  local folder=$root/.build/sweep partial=() status=0 client log
  (( $# == 0 )) || partial=(--partial)
  rm -rf -- "$folder"
  mkdir -p -m 700 "$folder"
  SECRET_SWEEP=$folder run_tests "$@" || return
  say "running the demo, then searching all output for secrets"
  client=$(swift build --show-bin-path)/headless-client
  if ! { "$client" demo --verbose && "$client" demo --verbose --json; } \
    >"$folder/demo.log" 2>&1 </dev/null; then
    cat "$folder/demo.log" >&2
    return 1
  fi
  python3 "$root/Tools/scripts/sweep.py" ${partial[@]+"${partial[@]}"} \
    "$folder" "$folder/demo.log" "$root"/.build/logs/*.log >&2 || status=$?
  # Nothing of it is needed any more, and the secrets are not left lying about.
  rm -rf -- "$folder"
  if (( status == 0 )); then
    [[ -z $unsteady ]] || say "$unsteady"
    for log in "$root"/.build/logs/{test,again-*}.log; do
      [[ ! -f $log ]] || grep 'Test run with' "$log" | tail -1
    done
  fi
  return "$status"
}

# run_tests FLAGS…: runs `swift test`, whose closing line is the last that is printed (after what
# failed, told again: it stands somewhere in thousands of lines), and returns its status. A run
# without a single test fails: `swift test` itself would call it a success. What failed is run again
# by itself, unless STRICT is set; see run_again.
run_tests() {
  local log=$root/.build/logs/${TEST_LOG:-test}.log status=0
  mkdir -p "${log%/*}"
  [[ -n ${AGAIN:-} ]] || rm -f -- "$root"/.build/logs/again-*.log
  # The linker warns hundreds of times of the address sanitizer's own symbols.
  swift test "${TEST_FLAGS[@]}" ${SWIFT_FLAGS[@]+"${SWIFT_FLAGS[@]}"} "$@" 2>&1 </dev/null |
    sed -u '/ld.gold: warning: Cannot export local symbol/d' | tee "$log" || status=$?
  if (( status == 0 )) && grep --quiet --extended-regexp '(Test run with|Executed) 0 tests' "$log"; then
    say "no test ran: nothing matches $*"
    return 1
  fi
  if (( status != 0 )); then
    say "what failed:"
    python3 "$root/Tools/scripts/failures.py" "$log" >&2
    grep 'Test run with' "$log" | tail -1 || true
    if run_again "$log" "$@"; then status=0; fi
  fi
  return "$status"
}

# run_again LOG FLAGS…: runs the suites that failed in a run by themselves, several times, so that a
# test that depends on the moment is told from a fault. Fails where one fails again, and where
# nothing can be learnt by that. Whoever passes only now is named, since it is to be mended.
run_again() {
  local log=$1 names time times=3
  shift
  [[ -z ${STRICT:-} && -z ${AGAIN:-} ]] || return 1
  names=$(python3 "$root/Tools/scripts/failures.py" --suites "$log" | paste -sd '|')
  [[ -n $names ]] || return 1
  for (( time = 1; time <= times; time++ )); do
    say "run $time of $times of what failed, by itself: ${names//|/, }"
    AGAIN=yes TEST_LOG=again-$time run_tests "$@" --skip-build --filter "\\.($names)/" || return
  done
  unsteady="unsteady, and to be mended: ${names//|/, } failed once, then held $times times;"
  unsteady+=" what failed is told in ${log#"$root/"}"
  say "$unsteady"
}

# explain_runtime: links into every executable what tells the thread sanitizer about
# Swift's runtime; see tsan-runtime.c.
explain_runtime() {
  local object=$root/.build/sanitize-thread/tsan-runtime.o clang
  clang=$(dirname -- "$(readlink -f -- "$(command -v swiftc)")")/clang
  [[ -x $clang ]] || clang=clang
  mkdir -p "${object%/*}"
  "$clang" -O1 -fPIC -Wall -Werror -c "$root/Tools/scripts/tsan-runtime.c" -o "$object"
  SWIFT_FLAGS+=(-Xlinker "$object")
}

# explore_rules: explores and simulates the session's rules in an optimised build of their package
# alone. Hashing is made deterministic, so that a seed plays the same history again.
explore_rules() {
  TEST_LOG=optimised SWIFT_DETERMINISTIC_HASHING=1 run_tests --package-path "$root/Packages/AuthNetworking" \
    --scratch-path "$root/.build/optimised" --configuration release -Xswiftc -enable-testing \
    --filter 'ExplorationTests|SimulationTests|RefusedTokenTests'
}
