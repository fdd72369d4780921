/**
 * The edge to jsonb, which refuses U+0000 and lone surrogates: every jsonb parameter passes through here.
 *
 * - `safeJsonb(value)` the value that can be stored, and whether it differs from what came in.
 * - `jsonbType` makes postgres.js do so for every json and jsonb parameter, whoever forgot to.
 *
 * A caller that stores the value says so to `withClaims(…, { sanitised: changed })`, and the row records it.
 */
export interface Sanitised<T> {
  readonly value: T;
  readonly changed: boolean;
}

/** U+FFFD stands where something could not be stored, so that a reader sees that there was something. */
const replacement = "\uFFFD";

export function safeJsonb<T>(value: T): Sanitised<T> {
  let changed = false;
  const text = (given: string): string => {
    const kept = given.replaceAll("\0", replacement).toWellFormed();
    if (kept !== given) changed = true;
    return kept;
  };
  const walk = (given: unknown): unknown => {
    if (typeof given === "string") return text(given);
    if (Array.isArray(given)) return given.map(walk);
    if (given === null || typeof given !== "object") return given;
    if (typeof (given as { toJSON?: unknown }).toJSON === "function") return given;
    return Object.fromEntries(Object.entries(given).map(([name, member]) => [text(name), walk(member)]));
  };
  const kept = walk(value) as T;
  return { value: changed ? kept : value, changed };
}

export const jsonbType = {
  to: 3802,
  from: [114, 3802],
  serialize: (value: unknown): string => JSON.stringify(safeJsonb(value).value),
  parse: (text: string): unknown => JSON.parse(text),
};
