import { describe, expect, test } from "bun:test";
import { madeResult, madeRun, madeSide } from "../../testing/made-runs.ts";
import { compareRuns } from "./compare-runs.ts";
import { codeBlock, codeSpan, plainMarkdown } from "./inert-text.ts";
import { compareCommentMarker, renderCompareMarkdown } from "./render-compare-markdown.ts";
import { renderCompareText } from "./render-compare-text.ts";
import { wordDiff } from "./word-diff.ts";

const hostile =
  "\u001b[31m\u001b]0;owned\u0007<img src=x onerror=alert(1)> | ``` @team #12 https://evil.example \u202etxt\n\n# Title";

function broken(name: string, count = 8) {
  const results = (status: "pass" | "fail") =>
    Array.from({ length: 30 }, (_, i) => {
      const isBroken = status === "fail" && i < count;
      return madeResult({
        name: i === 0 ? name : `case ${i}`,
        inputSha: `i${i}`,
        status: isBroken ? "fail" : "pass",
        output: { response: isBroken ? `Good bye ${name}` : `Good day ${name}` },
        durationMs: status === "fail" ? 900 + i : 400 + i,
        failures: isBroken
          ? [
              {
                type: "deterministic",
                expectationType: "contains",
                message: `no greeting in ${name}`,
                criterion: null,
                expected: "Good day",
                actual: `Good bye ${name}`,
                details: null,
                scores: null,
              },
            ]
          : [],
      });
    });
  return compareRuns(
    [madeRun({ gitSha: "a".repeat(40), runId: "1" }, results("pass"))],
    [madeRun({ gitSha: "b".repeat(40), runId: "2" }, results("fail"))],
  );
}

describe("the terminal", () => {
  test("shows the verdict first, then what broke with expected and actual", () => {
    const text = renderCompareText(broken("greets"));
    const lines = text.split("\n");
    expect(lines[0]).toBe("Regression in suite: 8 cases broke, 0 fixed.");
    expect(text).toContain("suite  regression  100.0 %  73.3 %   −26.7");
    expect(text).toContain("broke  greets  1/1 → 0/1");
    expect(text).toContain("expected Good day");
    expect(text).toContain("actual   Good bye greets");
    expect(text).toContain("latency p50  415 ms → 915 ms");
    expect(text).not.toContain("\u001b");
  });

  test("shows colours and word diffs on request", () => {
    const text = renderCompareText(broken("greets"), { colour: true, diff: true });
    expect(text).toContain("\u001b[31mRegression");
    expect(text).toContain("Good \u001b[31m[-day-]\u001b[0m\u001b[32m{+bye+}\u001b[0m greets");
  });

  test("shows no escape sequence from a model", () => {
    const text = renderCompareText(broken(hostile), { diff: true });
    for (const unseen of ["\u001b", "\u0007", "\u202e"]) expect(text).not.toContain(unseen);
    expect(text).not.toContain("owned");
  });
});

describe("the comment of a pull request", () => {
  test("starts with its marker and the verdict, and gives the interval in words", () => {
    const markdown = renderCompareMarkdown(broken("a greeting"));
    expect(markdown.startsWith(`${compareCommentMarker}\n### Evals: regression\n`)).toBe(true);
    expect(markdown).toContain(
      "Pass rate 100.0 % → 73.3 % of 30 cases (−26.7 points; 95 % interval: 12.3 to 44.4 points worse; p = 0.008)",
    );
    expect(markdown).toContain("- `a greeting` 1/1 → 0/1");
    expect(markdown).toContain("  - expected `Good day`\n  - actual `Good bye a greeting`");
    expect(markdown.match(/no greeting in a greeting/g)).toHaveLength(1);
    expect(markdown).toMatch(/- latency p50 415 ms → 915 ms 2\.\d\d×.*p &#60; 0\.001/);
    expect(markdown.match(/<details>/g)?.length).toBe(markdown.match(/<\/details>/g)?.length);
  });

  test("hostile content stays inert: nothing outside code, no open fence, no mention", () => {
    const markdown = renderCompareMarkdown(broken(hostile), { diff: true });
    const outside = markdown
      .replace(/^(`{3,})[^\n]*\n[\s\S]*?\n\1$/gm, "")
      .replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, "")
      .replace(/<code>[^<]*<\/code>/g, "");
    for (const evil of ["<img", "@team", "evil.example", "# Title", "\u202e", "\u001b"])
      expect(outside).not.toContain(evil);
    for (const unseen of ["\u001b", "\u202e"]) expect(markdown).not.toContain(unseen);
    expect(outside).not.toContain("```");
  });

  test("never says 'no regression' if nothing was compared", () => {
    const markdown = renderCompareMarkdown(compareRuns(madeSide({ a: "p" }), madeSide({ b: "p" })));
    expect(markdown).toContain("### Evals: nothing compared");
    expect(markdown).toContain("**Nothing was compared**");
  });

  test("removed failing cases are not folded", () => {
    const markdown = renderCompareMarkdown(compareRuns(madeSide({ a: "p", gone: "f" }), madeSide({ a: "p" })));
    expect(markdown).toContain("**Removed while failing:** `gone`");
  });

  test("stays below GitHub's size limit, with every fold closed", () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`a rather long name of a case ${"x".repeat(90)} ${i}`, "p"]),
    );
    const failing = Object.fromEntries(Object.keys(many).map((name) => [name, "f"]));
    const suites = Array.from({ length: 6 }, (_, s) => ({ suite: `suite ${s}`, runId: `${s}` }));
    const report = compareRuns(
      suites.flatMap((given) => madeSide(many, given)),
      suites.flatMap((given) => madeSide(failing, given)),
    );
    const markdown = renderCompareMarkdown(report);
    expect(markdown.length).toBeLessThan(65_536);
    expect(markdown).toContain("Shortened:");
    expect(markdown.match(/<details>/g)?.length ?? 0).toBe(markdown.match(/<\/details>/g)?.length ?? 0);
  });
});

describe("inert text", () => {
  test("code spans can contain any number of backticks and bars", () => {
    expect(codeSpan("a `b` | c")).toBe("``a `b` \\| c``");
    expect(codeSpan("`x")).toBe("`` `x ``");
    expect(codeSpan("")).toBe("`(empty)`");
    expect(codeBlock("```\nx")).toBe("````\n```\nx\n````");
  });

  test("sentences contain no mentions and no links", () => {
    expect(plainMarkdown("@a #1 http://x <b>")).toBe("@\u200ba #\u200b1 http:\u200b//x &#60;b&#62;");
  });
});

describe("word diff", () => {
  test("lists what was removed and added, in order", () => {
    expect(wordDiff("the quick brown fox", "the slow brown fox jumps")).toEqual([
      { kind: "same", text: "the " },
      { kind: "removed", text: "quick" },
      { kind: "added", text: "slow" },
      { kind: "same", text: " brown fox" },
      { kind: "added", text: " jumps" },
    ]);
    expect(wordDiff("same", "same")).toEqual([{ kind: "same", text: "same" }]);
    expect(wordDiff("", "x")).toEqual([{ kind: "added", text: "x" }]);
  });

  test("both texts can be restored from the diff, also large ones", () => {
    const a = Array.from({ length: 5000 }, (_, i) => `w${i}`).join(" ");
    const b = Array.from({ length: 5000 }, (_, i) => `v${i}`).join(" ");
    for (const [before, after] of [
      [a, b],
      ["a b c d", "b x d e"],
    ] as const) {
      const changes = wordDiff(before, after);
      const side = (other: string) =>
        changes
          .filter(({ kind }) => kind !== other)
          .map(({ text }) => text)
          .join("");
      expect([side("added"), side("removed")]).toEqual([before, after]);
    }
  });
});
