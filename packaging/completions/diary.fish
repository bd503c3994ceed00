# Completions of diary for fish. The program says what may stand at the cursor; fish quotes it.
function __diary_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -r '^["\']' '' | string unescape)
    set -l answer ($words[1] --complete words $words[2..-1] "$current" 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path (commandline -ct | string replace -r '^--[^=]*=' '')
        case folders
            __fish_complete_directories (commandline -ct | string replace -r '^--[^=]*=' '')
    end
    printf '%s\n' $answer[2..-1]
end
complete -c diary -f -a '(__diary_complete)'
