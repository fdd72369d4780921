/**
 * Reads large YAML with a fast parser, where that is certain to give the same as the library.
 *
 * - `quickYaml(text, parse)` its value by `parse`, which the caller supplies; undefined if the library must read it.
 *
 * The library takes 40 times as long, and about 40 MB for a suite of 1,000 tests. But a fast parser may accept a key that is given
 * twice, and may differ in anchors, merges, tags and keys that are not plain text. Texts with such things, small texts and faulty
 * ones are left to the library, which also says what is wrong and where.
 *
 * Keys that are given twice are found by counting: a text without comments has as many colons as its value has keys and colons in
 * texts. With a key given twice, it has more.
 */
export type ParseYaml = (text: string) => unknown;

/** Less is read in a few milliseconds anyway. */
const smallest = 32 * 1024;

export function quickYaml(text: string, parse: ParseYaml): unknown {
  if (text.length < smallest || hasMore(text)) return undefined;
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return undefined;
  }
  const counted = countColons(value);
  return counted !== undefined && counted === colonsIn(text.replace(/^(?:\s*#.*\n)+/, "")) ? value : undefined;
}

/** Anchors, aliases, tags, merges, explicit keys, directives, several documents, escaped colons. */
const hasMore = (text: string): boolean =>
  /(?:^|[\s[{,:])[&*!?][^\s]|<<|^(?:\s*-)*\s*\? |^%|^---|^\.\.\.|\\x3a|\\u003a|\\u0000003a/im.test(text);

/** Keys, and colons in keys and texts; undefined if a key may not have been plain text, or may have had no colon. */
function countColons(root: unknown): number | undefined {
  let count = 0;
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") count += colonsIn(value);
    else if (Array.isArray(value)) for (const one of value as unknown[]) waiting.push(one);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (member === null || name === "" || name === "null" || /[,[]/.test(name)) return undefined;
        count += 1 + colonsIn(name);
        waiting.push(member);
      }
    }
  }
  return count;
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count += 1;
  return count;
}
