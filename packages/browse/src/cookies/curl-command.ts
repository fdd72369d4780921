/**
 * The cookies of a request copied with `Copy as cURL` from the developer tools.
 *
 * - `parseCurl(text)` session cookies for the request's host.
 */
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import type { ImportedCookie } from "./imported-cookie.ts";

export function parseCurl(text: string): ImportedCookie[] {
  const words = shellWords(text.replace(/\\\r?\n/g, " ")).slice(1);
  let url: URL | undefined;
  const headers: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const next = words[index + 1] ?? "";
    if (word === "-b" || word === "--cookie") headers.push(next);
    else if ((word === "-H" || word === "--header") && /^cookie:/i.test(next))
      headers.push(next.replace(/^cookie:/i, ""));
    else if (/^https?:\/\//.test(word)) url ??= parsedUrl(word);
  }
  if (!url || headers.length === 0) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `The cURL command has no ${url ? "cookies" : "URL"}.`,
        next: "Copy the request again, from a page where you are logged in.",
      },
    });
  }
  const host = url.hostname;
  const secure = url.protocol === "https:";
  return headers
    .flatMap((header) => header.split(";"))
    .flatMap((pair): ImportedCookie[] => {
      const equals = pair.indexOf("=");
      const name = pair.slice(0, equals).trim();
      if (equals < 0 || name === "") return [];
      const value = new Secret(pair.slice(equals + 1).trim());
      const details = { httpOnly: false, sameSite: undefined, partitionKey: undefined, expires: undefined };
      return [{ domain: host, name, value, path: "/", secure, ...details }];
    });
}

function parsedUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Splits as a POSIX shell does, with bash's $'…', which Chromium uses for special characters. */
export function shellWords(text: string): string[] {
  const pattern = /\s+|\$'((?:\\[\s\S]|[^'\\])*)'|'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])|([^\s'"\\$]+|\$)/g;
  const words: string[] = [];
  let current: string | undefined;
  for (const [whole, ansi, single, double, escaped, bare] of text.matchAll(pattern)) {
    const piece =
      ansi === undefined ? (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? bare) : unescaped(ansi);
    if (piece !== undefined) current = (current ?? "") + piece;
    else if (/^\s/.test(whole) && current !== undefined) {
      words.push(current);
      current = undefined;
    }
  }
  return current === undefined ? words : [...words, current];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, unicode, hex, letter) =>
    unicode || hex ? String.fromCharCode(Number.parseInt(unicode ?? hex, 16)) : (escapes[letter] ?? letter),
  );
}
