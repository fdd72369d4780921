/**
 * Secrets by their values: what is known to be one does not leave in a tail, a prompt or a report.
 *
 * - `redactKnown(text, secrets)` each occurrence replaced by `[redacted]`, longer secrets first.
 * - `secretValues(text)` the values of a `.env` file that are long enough to be told from ordinary words.
 */
const shortest = 6;

export function redactKnown(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= shortest).sort((a, b) => b.length - a.length);
  return known.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
}

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
