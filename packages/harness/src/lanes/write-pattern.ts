/**
 * Patterns of a write set. Pure.
 *
 * - `parsePattern(text)` the pattern, or why it is refused. Literals, `*`, `?`, `**` as a whole name, and `{a,b}`.
 * - `matchesPath(pattern, path)` whether the path of a file is in it.
 * - `intersects(a, b)` whether any path at all could be in both, also one of a file that does not exist yet.
 * - `samplePath(pattern)` one path that is in it.
 *
 * `*` and `?` stay within a name, `**` stands for any number of folders, and at the end for everything below. A path is
 * compared without regard to case, because on some machines `A.ts` and `a.ts` are the same file.
 */
export interface WritePattern {
  readonly text: string;
  /** One list of names for each way to choose among the alternatives in braces. */
  readonly choices: readonly (readonly string[])[];
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: WritePattern }
  | { readonly ok: false; readonly reason: string };

const mostChoices = 200;

export function parsePattern(text: string): ParsedPattern {
  const refused = (reason: string): ParsedPattern => ({ ok: false, reason });
  if (text.startsWith("/")) return refused("it must be relative to the repository");
  const odd = /[[\]()!\\]|[@+]\(/.exec(text)?.[0];
  if (odd !== undefined) return refused(`${odd} cannot be used; use *, **, ? and {a,b}`);
  const texts = expandBraces(text);
  if (!texts) return refused("a brace is not closed, or there are too many alternatives");
  const choices: string[][] = [];
  for (const one of texts) {
    const names = one.split("/");
    if (names.includes("")) return refused("a name in it is empty; for a folder write folder/**");
    if (names.some((name) => name === "." || name === "..")) return refused(". and .. cannot be used");
    if (names.some((name) => name !== "**" && name.includes("**"))) return refused("** must be a whole name");
    const last = names.at(-1) === "**" ? [...names, "*"] : names;
    choices.push(last.map(folded));
  }
  return { ok: true, pattern: { text, choices } };
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** Undefined when a brace has no partner. */
function expandBraces(text: string): string[] | undefined {
  const open = text.indexOf("{");
  if (open < 0) return text.includes("}") ? undefined : [text];
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at++) {
    const letter = text[at];
    if (letter === "{") depth += 1;
    if (letter === "}") depth -= 1;
    if (depth === 1 && letter === ",") {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth > 0) continue;
    if (letter !== "}") return undefined;
    parts.push(text.slice(from, at));
    const before = text.slice(0, open);
    if (before.includes("}")) return undefined;
    const whole = parts.map((part) => expandBraces(`${before}${part}${text.slice(at + 1)}`));
    if (whole.includes(undefined)) return undefined;
    const all = whole.flatMap((one) => one ?? []);
    return all.length > mostChoices ? undefined : all;
  }
  return undefined;
}

export function matchesPath({ choices }: WritePattern, path: string): boolean {
  // A file may be called `*`: its name stands for itself.
  const names = folded(path).replaceAll("*", "\u0001").replaceAll("?", "\u0002").split("/");
  return choices.some((choice) => meet(choice, names, namesMeet));
}

export function intersects(a: WritePattern, b: WritePattern): boolean {
  return a.choices.some((one) => b.choices.some((other) => meet(one, other, namesMeet)));
}

export function samplePath({ choices }: WritePattern): string {
  const names = (choices[0] ?? []).filter((name) => name !== "**");
  return names.map((name) => name.replaceAll(/[*?]/g, "x")).join("/");
}

/** Whether one name could match both. */
const namesMeet = (a: string, b: string): boolean => meet([...a], [...b], (one, other) => one === other, "*", "?");

/**
 * Whether two sequences have a common member, where `many` stands for any number of elements and `one` for any single
 * one. Walks both at once, as two machines that have to accept the same input.
 */
function meet(
  a: readonly string[],
  b: readonly string[],
  areEqual: (one: string, other: string) => boolean,
  many = "**",
  one?: string,
): boolean {
  const seen = new Set<number>();
  const left: [number, number][] = [[0, 0]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [i, j] = next;
    const place = i * (b.length + 1) + j;
    if (seen.has(place)) continue;
    seen.add(place);
    if (i === a.length && j === b.length) return true;
    const [x, y] = [a[i], b[j]];
    if (x === many) left.push([i + 1, j]);
    if (y === many) left.push([i, j + 1]);
    if (x === undefined || y === undefined) continue;
    const isFree = [x, y].some((element) => element === many || element === one);
    if (isFree || areEqual(x, y)) left.push([x === many ? i : i + 1, y === many ? j : j + 1]);
  }
  return false;
}
