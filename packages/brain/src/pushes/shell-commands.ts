/**
 * The commands in a line of shell, as far as they can be told without running it. Made to find commands, not to run them: what depends
 * on variables stays as it is written.
 *
 * - `shellCommands(text)` each simple command with its words, in order, also those inside subshells, substitutions, loops and functions.
 *   A text that ends within a quote is read to its end.
 */

export interface ShellCommand {
  /** Without assignments, redirections and reserved words; quotes removed. */
  readonly words: readonly string[];
  /** What a here-document gives it to read. */
  readonly input?: string;
  /** How deep in subshells it is: a `cd` in there ends with them. */
  readonly depth: number;
}

const reserved = new Set([
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "do",
  "done",
  "while",
  "until",
  "!",
  "{",
  "}",
  "time",
  "coproc",
]);
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const maxDepth = 20;

export function shellCommands(text: string): ShellCommand[] {
  const found: ShellCommand[] = [];
  readList({ text, at: 0, found, heredocs: [] }, 0);
  return found;
}

interface Reader {
  readonly text: string;
  at: number;
  readonly found: ShellCommand[];
  /** Here-documents whose text begins after the line. */
  readonly heredocs: { readonly end: string; readonly isIndented: boolean; take(text: string): void }[];
}

interface Draft {
  words: string[];
  input: string | undefined;
  /** The next word is the target of a redirection. */
  isTarget: boolean;
}

/** Until the closing bracket of this level, or the end. */
function readList(reader: Reader, depth: number): void {
  let draft: Draft = { words: [], input: undefined, isTarget: false };
  const finish = () => {
    const done = draft;
    draft = { words: [], input: undefined, isTarget: false };
    let first = 0;
    while (first < done.words.length) {
      const word = done.words[first] ?? "";
      if (!reserved.has(word) && !assignment.test(word)) break;
      first += 1;
    }
    const words = done.words.slice(first);
    if (words.length > 0)
      reader.found.push({ words, depth, ...(done.input === undefined ? {} : { input: done.input }) });
  };
  const { text } = reader;
  while (reader.at < text.length) {
    const sign = text[reader.at] ?? "";
    if (sign === "\n") {
      reader.at += 1;
      readHeredocs(reader);
      finish();
    } else if (sign === " " || sign === "\t" || sign === "\r") reader.at += 1;
    else if (sign === "\\" && text[reader.at + 1] === "\n") reader.at += 2;
    else if (sign === "#") reader.at = endOfLine(text, reader.at);
    else if (sign === ";" || sign === "&" || sign === "|") {
      if (sign === "&" && text[reader.at + 1] === ">") readRedirection(reader, draft);
      else {
        reader.at += 1;
        finish();
      }
    } else if (sign === "(") {
      finish();
      reader.at += 1;
      if (depth < maxDepth) readList(reader, depth + 1);
    } else if (sign === ")") {
      reader.at += 1;
      finish();
      // In a `case` it ends a pattern.
      if (depth > 0) return;
    } else if (sign === "<" || sign === ">") readRedirection(reader, draft);
    else {
      const word = readWord(reader, depth);
      if (/^\d+$/.test(word) && /[<>]/.test(text[reader.at] ?? "")) continue;
      if (draft.isTarget) draft.isTarget = false;
      else draft.words.push(word);
    }
  }
  finish();
}

function readRedirection(reader: Reader, draft: Draft): void {
  const { text } = reader;
  const [operator = ""] =
    /^(?:<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<\(|>\(|<|>)/.exec(text.slice(reader.at, reader.at + 3)) ?? [];
  reader.at += Math.max(operator.length, 1);
  if (operator === "<(" || operator === ">(") {
    readList(reader, maxDepth - 1);
    return;
  }
  if (operator !== "<<" && operator !== "<<-") {
    draft.isTarget = true;
    return;
  }
  while (text[reader.at] === " " || text[reader.at] === "\t") reader.at += 1;
  const end = readWord(reader, maxDepth);
  const owner = draft;
  reader.heredocs.push({
    end,
    isIndented: operator === "<<-",
    take: (content) => {
      owner.input = content;
    },
  });
}

function readHeredocs(reader: Reader): void {
  for (const { end, isIndented, take } of reader.heredocs.splice(0)) {
    const lines: string[] = [];
    while (reader.at < reader.text.length) {
      const stop = endOfLine(reader.text, reader.at);
      const line = reader.text.slice(reader.at, stop);
      reader.at = stop + 1;
      if ((isIndented ? line.replace(/^\t+/, "") : line) === end) break;
      lines.push(line);
    }
    take(lines.join("\n"));
  }
}

function readWord(reader: Reader, depth: number): string {
  const { text } = reader;
  let word = "";
  while (reader.at < text.length) {
    const sign = text[reader.at] ?? "";
    if (/[\s;&|()<>]/.test(sign)) break;
    reader.at += 1;
    if (sign === "\\") {
      const next = text[reader.at] ?? "";
      reader.at += 1;
      if (next !== "\n") word += next;
    } else if (sign === "'") {
      const end = text.indexOf("'", reader.at);
      word += text.slice(reader.at, end < 0 ? undefined : end);
      reader.at = end < 0 ? text.length : end + 1;
    } else if (sign === '"') word += readDoubleQuoted(reader, depth);
    else if (sign === "$" || sign === "`") word += readExpansion(reader, sign, depth);
    else word += sign;
  }
  return word;
}

function readDoubleQuoted(reader: Reader, depth: number): string {
  const { text } = reader;
  let word = "";
  while (reader.at < text.length) {
    const sign = text[reader.at] ?? "";
    reader.at += 1;
    if (sign === '"') break;
    if (sign === "\\" && /[\\"$`\n]/.test(text[reader.at] ?? "")) {
      if (text[reader.at] !== "\n") word += text[reader.at];
      reader.at += 1;
    } else if (sign === "$" || sign === "`") word += readExpansion(reader, sign, depth);
    else word += sign;
  }
  return word;
}

/** The commands in it are found; in the word it stays a `$`, whose value nobody knows. */
function readExpansion(reader: Reader, sign: string, depth: number): string {
  const { text } = reader;
  if (sign === "`") {
    const end = text.indexOf("`", reader.at);
    const inner = text.slice(reader.at, end < 0 ? undefined : end).replace(/\\([`\\$])/g, "$1");
    reader.at = end < 0 ? text.length : end + 1;
    if (depth < maxDepth) readList({ text: inner, at: 0, found: reader.found, heredocs: [] }, depth + 1);
    return "$";
  }
  if (text.startsWith("((", reader.at)) {
    const end = text.indexOf("))", reader.at);
    reader.at = end < 0 ? text.length : end + 2;
    return "$";
  }
  if (text[reader.at] === "(") {
    reader.at += 1;
    if (depth < maxDepth) readList(reader, depth + 1);
    return "$";
  }
  if (text[reader.at] === "'") {
    // $'…', as C writes texts.
    const [all = "", inner = ""] = /^'((?:[^'\\]|\\[\s\S])*)'?/.exec(text.slice(reader.at)) ?? [];
    reader.at += all.length;
    return inner.replace(/\\x([0-9a-f]{1,2})|\\([\s\S])/gi, (_, hex?: string, one?: string) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (one ?? ""),
    );
  }
  if (text[reader.at] === "{") {
    const end = text.indexOf("}", reader.at);
    const inner = text.slice(reader.at, end < 0 ? undefined : end + 1);
    reader.at = end < 0 ? text.length : end + 1;
    return `$${inner}`;
  }
  return "$";
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
