/** Patterns of write sets, against a plain reading of the same rules and against every path of a small world. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { intersects, matchesPath, parsePattern, samplePath, type WritePattern } from "./write-pattern.ts";

const pattern = (text: string): WritePattern => {
  const parsed = parsePattern(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.pattern;
};

describe("a pattern", () => {
  test.each([
    ["src/a.ts", "src/a.ts", true],
    ["src/a.ts", "src/b.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**", "src/deep/a.ts", true],
    ["src/**", "src", false],
    ["**/a.ts", "a.ts", true],
    ["**/a.ts", "x/y/a.ts", true],
    ["src/**/a.ts", "src/a.ts", true],
    ["a?.ts", "ab.ts", true],
    ["a?.ts", "a.ts", false],
    ["src/{a,b}.ts", "src/b.ts", true],
    ["src/{a,b/c}.ts", "src/b/c.ts", true],
    ["{a,{b,c}}/x", "c/x", true],
    ["README.md", "readme.MD", true],
    [".github/**", ".github/workflows/ci.yml", true],
    ["src/ä.ts", "src/a\u0308.ts", true],
  ])("%s and the file %s: %p", (text, path, is) => {
    expect(matchesPath(pattern(text), path)).toBe(is);
  });

  test("a file whose name is a star stands for itself", () => {
    expect(matchesPath(pattern("src/a.ts"), "src/*")).toBe(false);
    expect(matchesPath(pattern("src/a.ts"), "**")).toBe(false);
    expect(matchesPath(pattern("src/*"), "src/*")).toBe(true);
  });

  test.each([
    ["/etc/passwd", "it must be relative to the repository"],
    ["src/[ab].ts", "[ cannot be used; use *, **, ? and {a,b}"],
    ["!src/a.ts", "! cannot be used; use *, **, ? and {a,b}"],
    ["src\\a.ts", "\\ cannot be used; use *, **, ? and {a,b}"],
    ["src/", "a name in it is empty; for a folder write folder/**"],
    ["../a", ". and .. cannot be used"],
    ["src/a**", "** must be a whole name"],
    ["{a,b", "a brace is not closed, or there are too many alternatives"],
    ["a}", "a brace is not closed, or there are too many alternatives"],
    ["{a,b}".repeat(9), "a brace is not closed, or there are too many alternatives"],
  ])("%s is refused", (text, reason) => {
    expect(parsePattern(text)).toEqual({ ok: false, reason });
  });
});

/** Every path of up to four names of up to two letters: two patterns of three names meet in one of them, or nowhere. */
const names = ["a", "b", "aa", "ab", "ba", "bb"];
const below = (paths: readonly string[]) => paths.flatMap((path) => names.map((name) => `${path}/${name}`));
const paths = [names, below(names), below(below(names)), below(below(below(names)))].flat();

/** The same rules as a regular expression, written independently. */
const asExpression = (text: string): RegExp => {
  const names = text.split("/");
  const source = names
    .map((name, at) => {
      const isLast = at === names.length - 1;
      if (name === "**") return isLast ? "[^/]+(?:/[^/]+)*" : "(?:[^/]+/)*";
      const letters = name.replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
      return isLast ? letters : `${letters}/`;
    })
    .join("");
  return new RegExp(`^${source}$`);
};

const nameText = fc.oneof(
  fc.constant("**"),
  fc.array(fc.constantFrom("a", "b", "*", "?"), { minLength: 1, maxLength: 2 }).map((letters) => letters.join("")),
);
const patternText = fc
  .array(nameText, { minLength: 1, maxLength: 3 })
  .map((list) => list.join("/"))
  // Two stars side by side in one name are refused.
  .filter((text) => parsePattern(text).ok);

test("matching agrees with a regular expression", () => {
  fc.assert(
    fc.property(patternText, (text) => {
      const expression = asExpression(text);
      expect(paths.filter((path) => matchesPath(pattern(text), path))).toEqual(
        paths.filter((path) => expression.test(path)),
      );
    }),
    { numRuns: 200 },
  );
});

test("two patterns intersect exactly if some path is in both", () => {
  fc.assert(
    fc.property(patternText, patternText, (a, b) => {
      const [one, other] = [asExpression(a), asExpression(b)];
      const isShared = paths.some((path) => one.test(path) && other.test(path));
      expect({ a, b, meet: intersects(pattern(a), pattern(b)) }).toEqual({ a, b, meet: isShared });
    }),
    { numRuns: 600 },
  );
});

test("a sample is in its pattern", () => {
  fc.assert(
    fc.property(patternText, (text) => expect(matchesPath(pattern(text), samplePath(pattern(text)))).toBe(true)),
  );
});
