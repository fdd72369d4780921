/**
 * Redacts a stream of bytes, also where a chunk ends within a secret. Every other byte stays as it is.
 *
 * - `redactStream(stream, options)` the stream without secrets.
 * - `endsWithin(text)` whether a secret may go on after the end of this text.
 *
 * Works on complete lines; the last, incomplete one waits for the rest. A PEM block waits for its end, and a line that ends
 * in `:` or `=` for its value. A line longer than `longestHeld` is passed on in parts that end outside of any secret.
 */
import { isUtf8 } from "node:buffer";
import { findSecrets, type RedactOptions, redactSecrets } from "./redact-secrets.ts";

const longestHeld = 64 * 1024;
/** A secret that begins this close to the end of a long line may not be complete yet. */
const overlap = 4 * 1024;

export async function* redactStream(
  stream: AsyncIterable<Uint8Array>,
  options: RedactOptions = {},
): AsyncIterable<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const chunk of stream) {
      held.push(chunk);
      size += chunk.length;
      if (!chunk.includes(lineEnd) && size <= longestHeld) continue;
      const bytes = Buffer.concat(held, size);
      const end = completeUntil(bytes, options);
      if (end > 0) yield redactBytes(bytes.subarray(0, end), options);
      held = [bytes.subarray(end)];
      size = bytes.length - end;
    }
  } catch (error) {
    failure = { error };
  }
  // Also when the stream broke off: what was read until then counts.
  if (size > 0) yield redactBytes(Buffer.concat(held, size), options);
  if (failure) throw failure.error;
}

export function endsWithin(text: string): boolean {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return openBlock(text.slice(-longestHeld)) >= 0 || expectsValue.test(text) || /[\w+/=.~-]{4,}$/.test(last);
}

const lineEnd = 0x0a;
const expectsValue = /(?:[:=>]\s{0,3}|\b(?:bearer|basic) {0,3}|(?<![\w-])--[a-z][a-z-]{1,40} {0,3})$/i;

function completeUntil(bytes: Buffer, options: RedactOptions): number {
  let end = bytes.lastIndexOf(lineEnd) + 1;
  const block = openBlock(bytes.toString("latin1", 0, end));
  if (block >= 0 && bytes.length - block <= longestHeld) end = bytes.lastIndexOf(lineEnd, block) + 1;
  while (
    end > 0 &&
    bytes.length < longestHeld &&
    expectsValue.test(bytes.toString("latin1", Math.max(0, end - 60), end))
  )
    end = end < 2 ? 0 : bytes.lastIndexOf(lineEnd, end - 2) + 1;
  return end > 0 || bytes.length <= longestHeld ? end : outsideOfSecrets(bytes, options);
}

/** Where a PEM block without an end begins; -1 if there is none. */
function openBlock(text: string): number {
  const begin = text.lastIndexOf("-----BEGIN ");
  return begin >= 0 && text.indexOf("-----END ", begin) < 0 ? begin : -1;
}

/** In a long line: the last position that is clearly not within a secret. */
function outsideOfSecrets(bytes: Buffer, options: RedactOptions): number {
  const wanted = bytes.length - overlap;
  const text = bytes.toString("latin1");
  const over = findSecrets(text, asLatin1(options)).find(({ start, end }) => start < wanted && wanted < end);
  if (!over) return wanted;
  return over.start > 0 ? over.start : over.end;
}

/** Output need not be text: what is not UTF-8 is taken as one character per byte. */
function redactBytes(bytes: Buffer, options: RedactOptions): Buffer {
  const isText = isUtf8(bytes);
  const text = bytes.toString(isText ? "utf8" : "latin1");
  const redacted = redactSecrets(text, isText ? options : asLatin1(options));
  return redacted.found.length === 0 ? bytes : Buffer.from(redacted.text, isText ? "utf8" : "latin1");
}

const asLatin1 = ({ known = [], ...rest }: RedactOptions): RedactOptions => ({
  ...rest,
  known: known.map((secret) => Buffer.from(secret, "utf8").toString("latin1")),
});
