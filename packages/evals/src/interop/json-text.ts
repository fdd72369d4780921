/**
 * One JSON value out of bytes that strangers wrote.
 *
 * - `parseJson(bytes, where)` Python tools write bare NaN and Infinity: they become null and are counted. Bytes that are not UTF-8 and
 *   text that is not JSON are refused with the place. Of equal keys in one object the last counts, as it does in every tool that wrote such files.
 */
import { refuse } from "../results/refuse.ts";

export interface ParsedJson {
  readonly value: unknown;
  /** How many NaN and infinities became null. */
  readonly notNumbers: number;
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

export function parseJson(bytes: Uint8Array, where: string): ParsedJson {
  const text = decodeUtf8(bytes, where);
  try {
    return { value: JSON.parse(text), notNumbers: 0 };
  } catch (error) {
    const mended = withoutNotNumbers(text);
    if (mended.count > 0) {
      try {
        return { value: JSON.parse(mended.text), notNumbers: mended.count };
      } catch {
        // The first complaint is about the file; one about the mended text would name a place that is not there.
      }
    }
    throw notJson(where, text, error);
  }
}

function decodeUtf8(bytes: Uint8Array, where: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    throw refuse(`${where} is not UTF-8.`, "Save it as UTF-8: iconv -f <its encoding> -t utf-8 <file>", error);
  }
}

/** Only outside strings, and only whole words. */
function withoutNotNumbers(text: string): { text: string; count: number } {
  let count = 0;
  const mended = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs, (token) => {
    if (token.startsWith('"')) return token;
    count += 1;
    return "null";
  });
  return { text: mended, count };
}

function notJson(where: string, text: string, error: unknown) {
  const begin = text.slice(0, 40).replace(/\s+/g, " ");
  const reason = (error as Error).message;
  return refuse(
    `${where} is not JSON (${reason}); it begins ${JSON.stringify(begin)}.`,
    "Write the file again with the tool that made it.",
    error,
  );
}
