# Completions of diary for bash. The program says what may stand at the cursor, already quoted.
_diary() {
  local files line
  COMPREPLY=()
  {
    IFS= read -r files
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("${COMP_WORDS[0]}" --complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $files in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
  # A value follows the equals sign, and a file may follow a folder.
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _diary diary
