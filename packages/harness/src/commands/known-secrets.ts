/**
 * Secrets by value: a known secret must not appear in a tail, a prompt or a report.
 *
 * - `redactKnown(text, secrets)` each occurrence replaced by `[redacted]`, longer secrets first.
 * - `redactStream(stream, secrets)` the same for a byte stream, even where a chunk ends within a secret.
 * - `secretValues(text)` the values of a `.env` file that are long enough to differ from ordinary words.
 */
const shortest = 6;

const placeholder = "[redacted]";

export function redactKnown(text: string, secrets: readonly string[]): string {
  return longestFirst(secrets).reduce((rest, secret) => rest.replaceAll(secret, placeholder), text);
}

export async function* redactStream(stream: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncIterable<Buffer> {
  const known = longestFirst(secrets);
  if (known.length === 0) return yield* stream;
  // One character per byte: output need not be text, and every other byte stays as it is.
  const needles = known.map((secret) => Buffer.from(secret, "utf8").toString("latin1"));
  const longest = Math.max(...needles.map((needle) => needle.length));
  let rest = "";
  for await (const chunk of stream) {
    rest += chunk.toString("latin1");
    // A secret that is not complete yet can only begin after this position.
    const { clean, end } = redactUntil(rest, needles, rest.length - longest + 1);
    rest = rest.slice(end);
    if (clean !== "") yield Buffer.from(clean, "latin1");
  }
  const { clean } = redactUntil(rest, needles, rest.length);
  if (clean !== "") yield Buffer.from(clean, "latin1");
}

/** Everything before `limit`, including a secret that begins there. */
function redactUntil(text: string, needles: readonly string[], limit: number): { clean: string; end: number } {
  let clean = "";
  let at = 0;
  for (;;) {
    const found = firstOf(text, needles, at);
    if (!found || found.start >= limit) break;
    clean += text.slice(at, found.start) + placeholder;
    at = found.end;
  }
  const end = Math.max(at, limit);
  return { clean: clean + text.slice(at, end), end };
}

function firstOf(text: string, needles: readonly string[], from: number) {
  let first: { start: number; end: number } | undefined;
  for (const needle of needles) {
    const start = text.indexOf(needle, from);
    if (start >= 0 && (!first || start < first.start)) first = { start, end: start + needle.length };
  }
  return first;
}

const longestFirst = (secrets: readonly string[]): string[] =>
  [...new Set(secrets)].filter((secret) => secret.length >= shortest).sort((a, b) => b.length - a.length);

export function secretValues(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, raw = ""] = /^\s*(?:export\s+)?[\w.-]+\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    const [, quoted] = /^(?:"(.*)"|'(.*)')$/.exec(raw)?.filter((part) => part !== undefined) ?? [];
    const value = quoted ?? raw.replace(/\s+#.*$/, "");
    return value.length >= shortest && !/^(true|false|localhost|production|development|\d+)$/i.test(value)
      ? [value]
      : [];
  });
}
