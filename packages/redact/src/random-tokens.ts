/**
 * Tokens without a name or a prefix, recognized only because they look random.
 *
 * - `findRandomTokens` the finder.
 *
 * Much in a repository looks random and is public: commits and checksums (hex), UUIDs, integrity values of lock files,
 * public keys and certificates, images in base64. They are distinguished by their format and by the text around them.
 */
import type { SecretFinding } from "./secret-finding.ts";
import { endOfBlock } from "./structured-secrets.ts";

const shortest = 32;
/** Longer sequences are content (an image, a source map), not a token. */
const longest = 200;
const candidate = /[A-Za-z0-9+/_%-]{32,}={0,2}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors start with that character
const colourBefore = /\x1b\[[\d;]{0,12}$/;
const publicBlock =
  /-----BEGIN (?:CERTIFICATE|(?:[A-Z0-9]{1,20} ){0,3}PUBLIC KEY(?: BLOCK)?|PGP SIGNATURE|PGP MESSAGE)-----/g;

export function* findRandomTokens(text: string): Generator<SecretFinding> {
  const publicBlocks = findPublicBlocks(text);
  let block = 0;
  for (const match of text.matchAll(candidate)) {
    const end = match.index + match[0].length;
    const start = match.index + endOfColour(text, match.index);
    const run = text.slice(start, end);
    if (run.length > longest || !looksRandom(run)) continue;
    while (block < publicBlocks.length && (publicBlocks[block]?.end ?? 0) <= start) block += 1;
    const isInPublicBlock = (publicBlocks[block]?.start ?? Number.POSITIVE_INFINITY) <= start;
    if (isInPublicBlock || isPublicByContext(text, start, end)) continue;
    yield { kind: "random-token", start, end };
  }
}

/** How much of the sequence belongs to a terminal color: `31m`. */
function endOfColour(text: string, at: number): number {
  if (!colourBefore.test(text.slice(Math.max(0, at - 15), at))) return 0;
  return /^\d{0,3}m/.exec(text.slice(at, at + 4))?.[0].length ?? 0;
}

function looksRandom(run: string): boolean {
  if (/^sha(?:1|224|256|384|512)[-_]/i.test(run) || run.startsWith("AAAA")) return false;
  const pieces = run.split(/[+/_=%-]+/);
  const core = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "");
  if (core.length < 16 || core.length < shortest / 2) return false;
  if (/^(?:[a-f0-9]+|[A-F0-9]+)$/.test(core)) return false;
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || (run.match(/\d/g)?.length ?? 0) < 3) return false;
  // In random text nearly two thirds of neighbouring characters differ in kind (lower, upper, digit); in names made of
  // words a quarter do.
  return changesOfKind(core) / (core.length - 1) > 0.42 && entropy(run) > 4;
}

function changesOfKind(text: string): number {
  const kinds = [...text].map((letter) => (letter >= "a" ? "lower" : letter >= "A" ? "upper" : "digit"));
  return kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
}

/** Bits per character, by Shannon. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isPublicByContext(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  // Content of a data: URL; checksums in lock files; public ssh keys; fingerprints.
  if (/(?:base64,|\bh1:|\bsha\d{1,3}[:-]|integrity["':= ]+|checksum["':= ]+|ssh-[a-z0-9-]+ |SHA256:)$/i.test(before))
    return true;
  return isBesideLineOfSameLength(text, start, end);
}

/** Base64 wrapped to a width: the line above or below has the same length and the same characters. */
function isBesideLineOfSameLength(text: string, start: number, end: number): boolean {
  const length = end - start;
  const isWholeLine = (from: number, to: number) =>
    (from === 0 || text[from - 1] === "\n") && (to === text.length || text[to] === "\n");
  if (length < 60 || !isWholeLine(start, end)) return false;
  const isTwin = (from: number) =>
    from >= 0 && isWholeLine(from, from + length) && /^[A-Za-z0-9+/=_-]+$/.test(text.slice(from, from + length));
  return isTwin(start - 1 - length) || isTwin(end + 1);
}

function findPublicBlocks(text: string): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  const lastEnd = text.lastIndexOf("-----END");
  for (const match of text.matchAll(publicBlock)) {
    if (match.index < (blocks.at(-1)?.end ?? 0)) continue;
    // Without an end, only what looks like its content belongs to it: nothing may hide behind an open block.
    const end =
      match.index < lastEnd ? text.indexOf("-----END", match.index) : endOfBlock(text, match.index + match[0].length);
    blocks.push({ start: match.index, end });
  }
  return blocks;
}
