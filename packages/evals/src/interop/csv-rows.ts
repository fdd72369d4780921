/**
 * Reads CSV of any size with csv-parse: quoted cells with commas, quotes and line breaks; CRLF, LF or CR; comma, semicolon or tab.
 *
 * - `csvRows(source, delimiter, limits)` yields `{ line, cells }`; an unclosed quote is refused with the line where its row starts.
 * - `delimiterOf(text)` from the first line.
 */
import { pipeline, Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
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
  // Lines are counted here: csv-parse counts a CRLF inside quotes twice, and an error can arrive before the rows that precede it.
  let line = 1;
  const rowLines: number[] = [];
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: limits.recordBytes,
    on_record: (cells) => {
      const isBlank = cells.length === 1 && cells[0] === "";
      if (!isBlank) rowLines.push(line);
      line += 1 + cells.reduce((sum, cell) => sum + lineBreaks(cell), 0);
      return isBlank ? null : cells;
    },
  });
  // An error in the source destroys the parser with the same error, so the loop throws it.
  pipeline(Readable.from(utf8Pieces(source), { highWaterMark: 2 }), parser, () => {});
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { line: rowLines.shift()!, cells };
  } catch (error) {
    throw error instanceof CsvError ? refused(error, source, line, limits) : error;
  }
}

/** The chunks of the source, copied because the parser keeps unfinished ones while the source reuses its buffer. */
async function* utf8Pieces(source: Source): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const piece of source.text()) {
      decoder.decode(piece, { stream: true });
      yield Buffer.from(piece);
    }
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw refuse(`${source.name} is not UTF-8.`, "Convert it to UTF-8: iconv -f <its encoding> -t utf-8 <file>", error);
  }
}

function lineBreaks(cell: string): number {
  let count = 0;
  for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) count += 1;
  return count;
}

function refused(error: CsvError, { name }: Source, line: number, limits: ImportLimits): Error {
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    const problem = `${name} has a row of more than ${inMegabytes(limits.recordBytes)} at line ${line}.`;
    return refuse(problem, "Look for an unclosed quote.", error);
  }
  const problem = `${name} ends inside a quoted cell; the row starts on line ${line}.`;
  return refuse(problem, "Close the quote, or export it again.", error);
}
