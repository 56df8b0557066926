/// A shell that completes command lines: what it has to be told, and how it wants its answers.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// An answer in the form that the shell's script reads: one candidate a line, or a word that
  /// stands for what the shell finds itself.
  func lines(_ answer: CompletionAnswer) -> [String] {
    switch answer {
    case .files: [":files"]
    case .directories: [":directories"]
    case .words(let candidates): candidates.map(line)
    }
  }

  private func line(_ candidate: CompletionAnswer.Candidate) -> String {
    switch self {
    case .bash: candidate.word
    case .zsh:
      candidate.word.replacing(":", with: "\\:")
        + (candidate.summary.isEmpty ? "" : ":\(candidate.summary)")
    case .fish:
      candidate.summary.isEmpty ? candidate.word : "\(candidate.word)\t\(candidate.summary)"
    }
  }

  /// How the script is loaded by the shell's start-up file.
  var loading: String {
    switch self {
    case .bash: "in ~/.bashrc (bash 4 or later): source <(headless-client completion bash)"
    case .zsh: "in ~/.zshrc, after compinit: source <(headless-client completion zsh)"
    case .fish: "in ~/.config/fish/config.fish: headless-client completion fish | source"
    }
  }

  /// The script, which asks the program at every TAB, and so never gets out of date.
  var script: String {
    switch self {
    case .bash: CompletionShell.bashScript
    case .zsh: CompletionShell.zshScript
    case .fish: CompletionShell.fishScript
    }
  }

  // Readline cuts words at `=` and `:` too, and replaces what comes after the last of them.
  private static let bashScript = #"""
    # Completion of headless-client for bash.
    _headless_client() {
      local index word prefix=''
      local -a words=() answer=()
      for ((index = 1; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if ((${#words[@]})) && [[ $word == [=:]* ]]; then
          words[-1]+=$word
          prefix=${words[-1]}
        elif [[ $prefix && ${words[-1]} == "$prefix" ]]; then
          words[-1]+=$word
        else
          words+=("$word")
          prefix=''
        fi
      done
      ((${#words[@]})) || words=('')
      COMPREPLY=()
      mapfile -t answer < <(HEADLESS_CLIENT_JSON=0 "${COMP_WORDS[0]/#\~/$HOME}" \
        completion bash -- "${words[@]}" 2>/dev/null)
      case ${answer[0]-} in
        :files | :directories)
          compopt -o filenames 2>/dev/null
          local action=-f
          [[ ${answer[0]} == :directories ]] && action=-d
          mapfile -t COMPREPLY < <(compgen "$action" -- "${words[-1]#"$prefix"}")
          ;;
        *)
          for word in ${answer[@]+"${answer[@]}"}; do COMPREPLY+=("${word#"$prefix"}"); done
          ;;
      esac
    }
    complete -F _headless_client headless-client
    """#

  private static let zshScript = #"""
    #compdef headless-client
    # Completion of headless-client for zsh.
    _headless_client() {
      local -a answer
      answer=("${(@f)$(HEADLESS_CLIENT_JSON=0 ${~${(Q)words[1]}} \
        completion zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
      case ${answer[1]-} in
        '') return 1 ;;
        :files) compset -P '--*='; _files ;;
        :directories) compset -P '--*='; _files -/ ;;
        *) _describe -V headless-client answer ;;
      esac
    }
    if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
      _headless_client "$@"
    else
      compdef _headless_client headless-client
    fi
    """#

  private static let fishScript = #"""
    # Completion of headless-client for fish.
    function __headless_client_complete
      set -l words (commandline -opc)
      set -l current (commandline -ct)
      set -l program (string replace -r '^~' $HOME -- $words[1])
      set -e words[1]
      set -l answer (env HEADLESS_CLIENT_JSON=0 $program completion fish -- $words "$current" 2>/dev/null)
      set -l prefix (string match -r '^--[^=]*=' -- $current)
      set -l path (string replace -r '^--[^=]*=' '' -- $current)
      switch "$answer[1]"
        case :files
          for line in (__fish_complete_path $path)
            echo "$prefix$line"
          end
        case :directories
          for line in (__fish_complete_directories $path)
            echo "$prefix$line"
          end
        case '*'
          printf '%s\n' $answer
      end
    end
    complete -c headless-client -e
    complete -c headless-client -k -f -a '(__headless_client_complete)'
    """#
}
