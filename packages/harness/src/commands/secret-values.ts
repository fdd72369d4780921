/**
 * The secrets in a file of settings.
 *
 * - `secretValues(text)` the values of a `.env` file that are long enough to differ from ordinary words.
 */
const shortest = 6;

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
