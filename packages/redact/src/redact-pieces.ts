/**
 * Redacts texts that belong together, such as the words of a command or the strings of a JSON document, in one search.
 *
 * - `redactPieces(pieces, options)` the same number of texts. With a space as `separator`, a flag and its value are seen
 *   together; the default keeps the pieces apart.
 *
 * One search over all pieces instead of one each: a document may have a million short strings.
 */
import { findSecrets, marker, type RedactOptions } from "./redact-secrets.ts";
import type { SecretFinding } from "./secret-finding.ts";

export interface PieceOptions extends RedactOptions {
  readonly separator?: string;
}

export interface RedactedPieces {
  readonly pieces: readonly string[];
  /** How many secrets were replaced. */
  readonly count: number;
}

/** No pattern continues across a zero byte on a line of its own. */
const apart = "\n\0\n";

export function redactPieces(
  pieces: readonly string[],
  { separator = apart, ...options }: PieceOptions = {},
): RedactedPieces {
  const found = findSecrets(pieces.join(separator), options);
  if (found.length === 0) return { pieces, count: 0 };
  const redacted = [...pieces];
  let index = 0;
  let from = 0;
  let own: SecretFinding[] = [];
  const close = () => {
    if (own.length > 0) redacted[index] = replaced(pieces[index] ?? "", from, own);
    own = [];
  };
  for (const finding of found) {
    while (index < pieces.length - 1 && finding.start >= from + (pieces[index]?.length ?? 0) + separator.length) {
      close();
      from += (pieces[index]?.length ?? 0) + separator.length;
      index += 1;
    }
    own.push(finding);
  }
  close();
  return { pieces: redacted, count: found.length };
}

/** A finding that runs past the end of its piece ends there. */
function replaced(piece: string, from: number, findings: readonly SecretFinding[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of findings) {
    parts.push(piece.slice(at, start - from), marker(kind));
    at = Math.min(piece.length, end - from);
  }
  parts.push(piece.slice(at));
  return parts.join("");
}
