/**
 * CSV as RFC 4180 has it, of any size: quoted cells with commas, quotes and line breaks; CRLF, LF or CR; comma, semicolon or tab.
 *
 * - `csvRows(source, delimiter, limits)` yields `{ line, cells }`; a quote that never closes is refused with the line it opened on.
 * - `delimiterOf(text)` from the first line.
 */
import { type ImportLimits, inMegabytes } from "../results/limits.ts";
import { refuse } from "../results/refuse.ts";
import type { Source } from "../results/source.ts";

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export function delimiterOf(text: string): string {
  const line = text.replace(/"(?:[^"]|"")*"/g, "").split(/\r?\n/, 1)[0] ?? "";
  const counts = [",", ";", "\t"].map((delimiter) => [delimiter, line.split(delimiter).length] as const);
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

export async function* csvRows(source: Source, delimiter: string, limits: ImportLimits): AsyncGenerator<CsvRow> {
  const parser = new RowParser(delimiter);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (piece: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(piece, { stream });
    } catch (error) {
      throw refuse(`${source.name} is not UTF-8.`, "Save it as UTF-8: iconv -f <its encoding> -t utf-8 <file>", error);
    }
  };
  for await (const piece of source.text()) {
    yield* parser.feed(decode(piece, true));
    if (parser.held > limits.recordBytes) {
      throw refuse(
        `${source.name} has a row of more than ${inMegabytes(limits.recordBytes)} at line ${parser.rowLine}.`,
        "Look for a quote that is never closed.",
      );
    }
  }
  yield* parser.feed(decode(new Uint8Array(0), false));
  if (parser.isQuoted) {
    throw refuse(
      `${source.name} ends inside a quoted cell; the row began on line ${parser.rowLine}.`,
      "Close the quote, or export it again.",
    );
  }
  yield* parser.end();
}

class RowParser {
  isQuoted = false;
  rowLine = 1;
  held = 0;
  private cells: string[] = [];
  private cell = "";
  private line = 1;
  private sawQuote = false;
  private wasQuoted = false;
  private sawReturn = false;
  private readonly delimiter: string;

  constructor(delimiter: string) {
    this.delimiter = delimiter;
  }

  *feed(text: string): Generator<CsvRow> {
    for (const character of text) {
      if (this.isQuoted) {
        this.held += 1;
        if (character === '"') {
          this.isQuoted = false;
          this.sawQuote = true;
        } else {
          if (character === "\n") this.line += 1;
          this.cell += character;
        }
        continue;
      }
      if (this.sawReturn) {
        this.sawReturn = false;
        if (character === "\n") continue;
      }
      if (character === '"' && (this.sawQuote || (this.cell === "" && !this.wasQuoted))) {
        if (this.sawQuote) this.cell += '"';
        this.isQuoted = true;
        this.wasQuoted = true;
        this.sawQuote = false;
        continue;
      }
      this.sawQuote = false;
      if (character === this.delimiter) this.endCell();
      else if (character === "\n" || character === "\r") {
        this.sawReturn = character === "\r";
        yield* this.end();
        this.line += 1;
        this.rowLine = this.line;
      } else {
        this.cell += character;
        this.held += 1;
      }
    }
  }

  /** A blank line is no row. */
  *end(): Generator<CsvRow> {
    const isBlank = this.cells.length === 0 && this.cell === "" && !this.wasQuoted;
    if (isBlank) return;
    this.endCell();
    const { cells, rowLine } = this;
    this.cells = [];
    this.held = 0;
    yield { line: rowLine, cells };
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = "";
    this.wasQuoted = false;
    this.sawQuote = false;
  }
}
