/**
 * The command inside Codex's `/bin/bash -lc '…'`.
 *
 * - `shellCommand(line)` undefined when the line is anything else, also with a shell from another place: a model chooses
 *   the shell, and a program of the worktree could be called `bash`.
 */
const wrapped = /^(?:\/usr)?\/bin\/(?:ba|z)?sh -l?c (?<word>[\s\S]+)$/;
/** Pieces of one word: '…', "…" with escapes, \x, or plain characters. */
const piece =
  /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\$`;&|<>(){}*?#~!]+)/y;

export function shellCommand(line: string): string | undefined {
  const word = wrapped.exec(line)?.groups?.word;
  return word === undefined ? undefined : unquoted(word);
}

function unquoted(word: string): string | undefined {
  let text = "";
  piece.lastIndex = 0;
  while (piece.lastIndex < word.length) {
    const groups = piece.exec(word)?.groups;
    if (!groups) return undefined;
    const { single, double, escaped, plain } = groups;
    text += single ?? double?.replace(/\\([$`"\\])/g, "$1") ?? escaped ?? plain ?? "";
  }
  return text;
}
