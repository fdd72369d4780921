/**
 * Parses one JSON value from untrusted bytes.
 *
 * - `parseJson(bytes, where)` NaN and Infinity, which Python tools write, become null and are counted. Bytes that are not UTF-8 and
 *   invalid JSON are refused with the position. Of duplicate keys, the last is used, as the tools that write such files do.
 */
import { refuse } from "../results/refuse.ts";

export interface ParsedJson {
  readonly value: unknown;
  /** The number of NaN and infinities that became null. */
  readonly notNumbers: number;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

export function parseJson(bytes: Uint8Array, where: string): ParsedJson {
  const text = decodeUtf8(bytes, where);
  try {
    return { value: JSON.parse(text), notNumbers: 0 };
  } catch (error) {
    const repaired = withoutNotNumbers(text);
    if (repaired.count > 0) {
      try {
        return { value: JSON.parse(repaired.text), notNumbers: repaired.count };
      } catch {
        // The first error is about the file; an error about the repaired text would have a wrong position.
      }
    }
    throw notJson(where, text, error);
  }
}

function decodeUtf8(bytes: Uint8Array, where: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    throw refuse(`${where} is not UTF-8.`, "Convert it to UTF-8: iconv -f <its encoding> -t utf-8 <file>", error);
  }
}

/** Only whole words outside strings. */
function withoutNotNumbers(text: string): { text: string; count: number } {
  let count = 0;
  const repaired = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs, (token) => {
    if (token.startsWith('"')) return token;
    count += 1;
    return "null";
  });
  return { text: repaired, count };
}

function notJson(where: string, text: string, error: unknown) {
  const begin = text.slice(0, 40).replace(/\s+/g, " ");
  const reason = (error as Error).message;
  return refuse(
    `${where} is not valid JSON (${reason}); it starts with ${JSON.stringify(begin)}.`,
    "Create the file again with the tool that wrote it.",
    error,
  );
}
