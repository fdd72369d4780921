/**
 * Reads a shell string as simple commands, only to judge them; nothing here runs anything.
 *
 * - `shellCommands(text)` every simple command, including those in `$(…)`, backticks and parentheses; undefined when it
 *   cannot be read with certainty (an open quote, a here-document, a program whose name is only known at run time).
 */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Files that are read or written by `<` and `>`. */
  readonly redirects: readonly string[];
}

interface Word {
  text: string;
  /** Contains a variable or substitution, so the text is incomplete. */
  isOpen: boolean;
  isQuoted: boolean;
}

const leading = new Set(["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc"]);
/** Their words are patterns and lists, not a command. */
const listing = new Set(["for", "case", "select", "function", "in", "esac", "fi", "done", "}"]);

export function shellCommands(text: string): ShellCommand[] | undefined {
  try {
    return new Reader(text).commands(0);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

class Reader {
  private at = 0;
  private readonly found: ShellCommand[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  commands(depth: number): ShellCommand[] {
    if (depth > 16) throw new Unreadable();
    let words: Word[] = [];
    let redirects: string[] = [];
    const finish = () => {
      this.take(words, redirects);
      words = [];
      redirects = [];
    };
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? "";
      if (char === " " || char === "\t") this.at += 1;
      else if (char === "\\" && this.text[this.at + 1] === "\n") this.at += 2;
      else if (char === "#") this.skipComment();
      else if (char === "<" || char === ">") this.redirect(redirects, depth);
      else if (char === "&" && this.text[this.at + 1] === ">") this.at += 1;
      else if (";&|\n()".includes(char)) {
        this.at += 1;
        finish();
      } else {
        const word = this.word(depth);
        // `2>` is a redirect of the second stream, not a word.
        if (/^\d+$/.test(word.text) && /[<>]/.test(this.text[this.at] ?? "")) continue;
        words.push(word);
      }
    }
    finish();
    return this.found;
  }

  private take(all: readonly Word[], redirects: readonly string[]): void {
    const words = [...all];
    while (words[0] && !words[0].isQuoted && (leading.has(words[0].text) || isAssignment(words[0].text))) words.shift();
    const [first] = words;
    if (first && !first.isQuoted && listing.has(first.text)) words.length = 0;
    // Which program it is, is only known at run time.
    else if (first?.isOpen) throw new Unreadable();
    if (words.length > 0 || redirects.length > 0) this.found.push({ words: words.map(({ text }) => text), redirects });
  }

  private redirect(redirects: string[], depth: number): void {
    const [sign = ""] = /^(<<<|<<|<>|<&|<|>>|>\||>&|>)/.exec(this.text.slice(this.at)) ?? [];
    if (sign === "<<") throw new Unreadable();
    this.at += sign.length;
    // A process substitution: its commands are read like any others.
    if (this.text[this.at] === "(") return;
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at += 1;
    const target = this.word(depth).text;
    if (target === "") throw new Unreadable();
    if (sign !== "<<<" && !/^[\d-]+$/.test(target)) redirects.push(target);
  }

  private word(depth: number): Word {
    const word: Word = { text: "", isOpen: false, isQuoted: false };
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? "";
      if (/[\s;&|()<>]/.test(char)) break;
      if (char === "\\") {
        if (this.at + 1 >= this.text.length) throw new Unreadable();
        const next = this.text[this.at + 1] ?? "";
        if (next !== "\n") word.text += next;
        this.at += 2;
      } else if (char === "'") {
        word.isQuoted = true;
        const end = this.closing("'", this.at + 1);
        word.text += this.text.slice(this.at + 1, end);
        this.at = end + 1;
      } else if (char === '"') this.doubleQuoted(word, depth);
      else if (char === "$" || char === "`") this.expansion(word, depth);
      else {
        word.text += char;
        this.at += 1;
      }
    }
    return word;
  }

  private doubleQuoted(word: Word, depth: number): void {
    word.isQuoted = true;
    this.at += 1;
    while (this.text[this.at] !== '"') {
      const char = this.text[this.at];
      if (char === undefined) throw new Unreadable();
      if (char === "\\" && /["\\$`\n]/.test(this.text[this.at + 1] ?? "")) {
        if (this.text[this.at + 1] !== "\n") word.text += this.text[this.at + 1];
        this.at += 2;
      } else if (char === "$" || char === "`") this.expansion(word, depth);
      else {
        word.text += char;
        this.at += 1;
      }
    }
    this.at += 1;
  }

  private expansion(word: Word, depth: number): void {
    const rest = this.text.slice(this.at);
    const isBacktick = rest[0] === "`";
    // $'…' and $"…" encode characters.
    if (/^\$['"]/.test(rest)) throw new Unreadable();
    if (isBacktick || rest.startsWith("$(")) {
      const start = this.at + (isBacktick ? 1 : 2);
      const end = isBacktick ? this.closing("`", start) : this.closingBracket(start);
      this.found.push(...new Reader(this.text.slice(start, end)).commands(depth + 1));
      this.at = end + 1;
    } else {
      const [name = "$"] = /^\$(\{[^}]*\}|\w+|[@*#?$!-])/.exec(rest) ?? [];
      if (rest.startsWith("${") && !name.endsWith("}")) throw new Unreadable();
      // Kept as text: `$HOME/.ssh` can still be recognised.
      word.text += name;
      this.at += name.length;
    }
    word.isOpen = true;
  }

  private closing(mark: string, from: number): number {
    const end = this.text.indexOf(mark, from);
    if (end < 0) throw new Unreadable();
    return end;
  }

  private closingBracket(from: number): number {
    let open = 1;
    for (let at = from; at < this.text.length; at++) {
      const char = this.text[at];
      if (char === "\\") at += 1;
      else if (char === "'") at = this.closing("'", at + 1);
      else if (char === "(") open += 1;
      else if (char === ")" && --open === 0) return at;
    }
    throw new Unreadable();
  }

  private skipComment(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text);
}
