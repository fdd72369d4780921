/** One script per shell, each a table of what may follow which words. */
import { type AnyCommand, type HandlerOf, optionsOf } from "@devflow/core/command";
import { globalFlags } from "@devflow/core/command-line";
import { allCommands } from "../commands.ts";
import type { completionRecord, shells } from "./commands.ts";

type Shell = (typeof shells)[number];

export const printCompletion: HandlerOf<typeof completionRecord> = async ({ shell }, { output }) => {
  const script = completionScript(
    shell,
    (await allCommands()).filter((one) => !one.hidden),
  );
  output.result({ shell, script }, script);
};

export function completionScript(shell: Shell, commands: readonly AnyCommand[]): string {
  const table = followers(commands);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](table);
}

interface Follower {
  readonly word: string;
  readonly summary: string;
}

/** For each sequence of words typed so far (`""`, `config`, `config get`), what can come next. */
function followers(commands: readonly AnyCommand[]): Map<string, Follower[]> {
  const table = new Map<string, Follower[]>();
  const add = (after: string, word: string, summary: string) => {
    const known = table.get(after) ?? [];
    if (!known.some((one) => one.word === word)) table.set(after, [...known, { word, summary }]);
  };
  for (const command of commands) {
    const words = command.name.split(" ");
    words.forEach((word, index) => {
      const summary = index === words.length - 1 ? command.summary : `${word} …`;
      add(words.slice(0, index).join(" "), word, summary);
    });
    for (const one of optionsOf(command.args)) {
      if (one.positional === undefined) add(command.name, one.flag, one.summary);
      for (const choice of one.positional === 0 ? one.choices : []) add(command.name, choice, one.summary);
    }
    for (const one of globalFlags) add(command.name, one.flag, one.summary);
  }
  return table;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function bashScript(table: Map<string, Follower[]>): string {
  const cases = [...table].map(
    ([after, next]) => `    ${quoted(after)}) words=${quoted(next.map((one) => one.word).join(" "))} ;;`,
  );
  return `# devflow completion for bash
_devflow() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ "\${COMP_WORDS[index]}" == -* ]] && continue
    typed="\${typed:+$typed }\${COMP_WORDS[index]}"
  done
  case "$typed" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _devflow devflow
`;
}

function zshScript(table: Map<string, Follower[]>): string {
  const described = ({ word, summary }: Follower) => quoted(`${word.replaceAll(":", "\\:")}:${summary}`);
  const cases = [...table].map(
    ([after, next]) => `    ${quoted(after)}) words_next=(${next.map(described).join(" ")}) ;;`,
  );
  return `#compdef devflow
# devflow completion for zsh
_devflow() {
  local typed="" index
  local -a words_next
  for ((index = 2; index < CURRENT; index++)); do
    [[ "\${words[index]}" == -* ]] && continue
    typed="\${typed:+$typed }\${words[index]}"
  done
  case "$typed" in
${cases.join("\n")}
  esac
  if (( \${#words_next} )); then _describe 'devflow' words_next; else _files; fi
}
if [ "$funcstack[1]" = "_devflow" ]; then _devflow "$@"; else compdef _devflow devflow; fi
`;
}

/** One function that is called once: fish evaluates every condition of every row at each key, and there are a thousand rows. */
function fishScript(table: Map<string, Follower[]>): string {
  const word = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const cases = [...table].map(([after, next]) => {
    const rows = next.map((one) => `${word(one.word)} ${word(one.summary)}`);
    return `    case ${word(after)}\n      printf '%s\\t%s\\n' ${rows.join(" ")}`;
  });
  return `# devflow completion for fish
function __devflow_next
  set -l words (commandline -opc)
  switch (echo (string match -v -- '-*' $words[2..-1]))
${cases.join("\n")}
  end
end
function __devflow_wants_a_word
  string match -qv -- '-*' (__devflow_next)
end
complete -c devflow -n __devflow_wants_a_word -f
complete -c devflow -a '(__devflow_next)'
`;
}
