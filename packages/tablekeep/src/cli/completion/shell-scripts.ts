import type { CompletedCommand } from "./command-tree.ts";

/** The shells that have a script. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The script that completes the command line of `tablekeep` in a shell. */
export function completionScript(shell: Shell, tree: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](tree);
}

const pathsOf = (tree: readonly CompletedCommand[]) =>
  tree.map(({ path }) => path).filter((path) => path !== "");
const commandsOf = ({ commands, choices }: CompletedCommand) => [
  ...commands.map(({ name }) => name),
  ...choices,
];
const namesOf = ({ options }: CompletedCommand) => options.flatMap(({ names }) => names);

/** The words that may follow an option with a fixed set of values, by the pattern of a `case`. */
function valueCases(
  tree: readonly CompletedCommand[],
): { readonly pattern: string; readonly values: string }[] {
  return tree.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ names, choices }) => ({
        pattern: names.map((name) => `"${path} ${name}"`).join("|"),
        values: choices.join(" "),
      })),
  );
}

// For an unknown command or option, the shell completes file names.
function bashScript(tree: readonly CompletedCommand[]): string {
  return `# Completes tablekeep in bash: eval "$(tablekeep completion bash)"
_tablekeep() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" last="\${COMP_WORDS[COMP_CWORD - 1]}" at="" commands="" names="" i
  COMPREPLY=()
  # bash makes three words of --option=value.
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$last" == "=" ]]; then last="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
      ${pathsOf(tree).join("|")}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $last" in
${valueCases(tree)
  .map(({ pattern, values }) => `    ${pattern}) COMPREPLY=($(compgen -W "${values}" -- "$cur")); return ;;`)
  .join("\n")}
  esac
  case "$at" in
${tree
  .map(
    (each) =>
      `    "${each.path}") commands="${commandsOf(each).join(" ")}"; names="${namesOf(each).join(" ")}" ;;`,
  )
  .join("\n")}
  esac
  if [[ "$cur" == -* ]]; then commands="$names"; fi
  COMPREPLY=($(compgen -W "$commands" -- "$cur"))
}
complete -o default -F _tablekeep tablekeep
`;
}

function zshScript(tree: readonly CompletedCommand[]): string {
  return `#compdef tablekeep
# Completes tablekeep in zsh: source <(tablekeep completion zsh)
_tablekeep() {
  local at="" last="\${words[CURRENT - 1]}" i
  local -a found names
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      ${pathsOf(tree).join("|")}) at="$at/\${words[i]}" ;;
    esac
  done
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    last="\${words[CURRENT]%%=*}"
    compset -P 1 '*='
  fi
  case "$at $last" in
${valueCases(tree)
  .map(({ pattern, values }) => `    ${pattern}) compadd -- ${values}; return ;;`)
  .join("\n")}
  esac
  case "$at" in
${tree
  .map(
    (each) =>
      `    "${each.path}") found=(${commandsOf(each).join(" ")}); names=(${namesOf(each).join(" ")}) ;;`,
  )
  .join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $names
  elif ((\${#found})); then
    compadd -- $found
  else
    _files
  fi
}
# As a file in fpath, this text is the function itself when it is called for the first time.
if [[ "\${funcstack[1]}" == _tablekeep ]]; then _tablekeep "$@"; else compdef _tablekeep tablekeep; fi
`;
}

function fishScript(tree: readonly CompletedCommand[]): string {
  const lines = tree.flatMap((each) => {
    const at = `complete -c tablekeep -n '__tablekeep_at "${each.path}"'`;
    return [
      ...each.commands.map(({ name, summary }) => `${at} -f -a ${name} -d ${fishText(summary)}`),
      ...each.choices.map((choice) => `${at} -f -a ${choice}`),
      ...each.options.map(({ names, summary, hasValue, choices }) =>
        [
          at,
          ...names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)),
          ...(hasValue ? ["-r"] : []),
          ...(choices.length > 0 ? [`-f -a '${choices.join(" ")}'`] : []),
          `-d ${fishText(summary)}`,
        ].join(" "),
      ),
    ];
  });
  return `# Completes tablekeep in fish: tablekeep completion fish | source
function __tablekeep_at
  set -l at ""
  for word in (commandline -opc)[2..]
    if contains -- "$at/$word" ${pathsOf(tree).join(" ")}
      set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function fishText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
