/**
 * Secrets recognized by the structure around them.
 *
 * - `findPrivateKeys` PEM and PGP blocks, also with escaped line ends, also truncated.
 * - `findJsonWebTokens` three parts separated by dots, the first two being JSON in base64url.
 * - `findUrlPasswords` the password in `scheme://user:password@host`.
 * - `findHeaders` values of `Authorization:` and `Cookie:`, and text after `Bearer`.
 */
import { isPlaceholder } from "./placeholder.ts";
import type { SecretFinding } from "./secret-finding.ts";

const keyBegin = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnd = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
/** The content of a truncated key: lines of base64 and of headers, with line ends possibly escaped. */
const keyLines = /(?:(?:\s|\\r|\\n)+(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{1,30}: [^\n\\]{1,100}))+/y;

export function* findPrivateKeys(text: string): Generator<SecretFinding> {
  const ends = [...text.matchAll(keyEnd)].map((match) => match.index + match[0].length);
  let next = 0;
  let past = 0;
  for (const match of text.matchAll(keyBegin)) {
    if (match.index < past) continue;
    const inside = match.index + match[0].length;
    while (next < ends.length && (ends[next] ?? 0) < inside) next += 1;
    past = ends[next] ?? endOfBlock(text, inside);
    // Code that only mentions such blocks has no key between the markers.
    if (/[A-Za-z0-9+/=]{24}/.test(text.slice(inside, past)))
      yield { kind: "private-key", start: match.index, end: past };
  }
}

/** Where the content of a block without an end stops. */
export function endOfBlock(text: string, from: number): number {
  keyLines.lastIndex = from;
  return from + (keyLines.exec(text)?.[0].length ?? 0);
}

export function* findJsonWebTokens(text: string): Generator<SecretFinding> {
  // Complete sequences first, so that each character is scanned once, however many "eyJ" there are.
  for (const run of text.matchAll(/[A-Za-z0-9_.-]+/g)) {
    if (!run[0].includes(".eyJ")) continue;
    const parts = run[0].split(".");
    let offset = run.index;
    for (const [index, part] of parts.entries()) {
      const header = part.indexOf("eyJ");
      const [payload, signature] = [parts[index + 1], parts[index + 2]];
      if (header >= 0 && part.length - header > 10 && payload?.startsWith("eyJ") && signature !== undefined) {
        yield {
          kind: "jwt",
          start: offset + header,
          end: offset + part.length + payload.length + signature.length + 2,
        };
      }
      offset += part.length + 1;
    }
  }
}

// No slash in either part, so an attempt never runs past the next "://"; lengths are bounded too.
const urlPassword = /:\/\/([^\s/:@"'`<>]{0,256}):([^\s/"'`<>]{1,512})@/g;

export function* findUrlPasswords(text: string): Generator<SecretFinding> {
  for (const match of text.matchAll(urlPassword)) {
    const [whole, user = "", password = ""] = match;
    const start = match.index + "://".length + user.length + 1;
    if (!isPlaceholder(password) && whole.length > 0)
      yield { kind: "url-password", start, end: start + password.length };
  }
}

const headers: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    "authorization",
    /\b(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z-]{2,20} {1,3})?(?<value>[^\s"',;]{8,})/gi,
  ],
  ["bearer", /\bbearer {1,3}(?<value>[A-Za-z0-9._~+/=-]{16,})/gi],
  ["cookie", /\b(?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?(?<value>[^\s=;"']{1,128}=[^\r\n"']{8,})/gi],
];

export function* findHeaders(text: string): Generator<SecretFinding> {
  for (const [kind, pattern] of headers) {
    for (const match of text.matchAll(pattern)) {
      const value = match.groups?.value ?? "";
      const end = match.index + match[0].length;
      // Prose ("bearer authentication…") and code (`authorization: request.headers`) have no digit or look like words.
      if (/\d/.test(value) && !isPlaceholder(value) && !/^[A-Za-z_$][\w$]*[.([]/.test(value)) {
        yield { kind, start: end - value.length, end };
      }
    }
  }
}
