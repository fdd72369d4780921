/** Formatting of diffs, Markdown, artifacts and transcripts. */
import { describe, expect, test } from "bun:test";
import { hostileTexts } from "../../../tests/xss-corpus.ts";
import { readArtifact } from "./artifact-sections.ts";
import { diffLines } from "./diff-lines.ts";
import { diffFiles, diffRows, foldedAtFirst } from "./diff-rows.ts";
import { parseInline, parseMarkdown } from "./markdown.ts";
import { addChunks, emptyTranscript } from "./transcript-blocks.ts";

describe("diffs", () => {
  test("side by side, removed lines stand beside the added ones that follow them", () => {
    const text = ["diff --git a/a b/a", "@@ -1,4 +1,4 @@", " same", "-one", "-two", "+eins", " end", "+last"].join(
      "\n",
    );
    const files = diffFiles(text);
    const none = new Set<string>();
    const sides = diffRows(files, { layout: "split", folded: none }).map((row) =>
      row.is === "pair" ? [row.left?.text, row.right?.text] : row.is,
    );
    expect(sides).toEqual([
      "file",
      "hunk",
      ["same", "same"],
      ["one", "eins"],
      ["two", undefined],
      ["end", "end"],
      [undefined, "last"],
    ]);
    expect(diffRows(files, { layout: "inline", folded: none }).map((row) => row.is)).toEqual([
      "file",
      "hunk",
      "same",
      "removed",
      "removed",
      "added",
      "same",
      "added",
    ]);
  });

  test("a long file is folded at first, and a folded file is one row", () => {
    const long = Array.from({ length: 501 }, (_, index) => `+line ${index}`).join("\n");
    const files = diffFiles(
      `diff --git a/lock b/lock\n@@ -0,0 +1,501 @@\n${long}\ndiff --git a/b b/b\n@@ -1 +1 @@\n-x\n+y\n`,
    );
    const folded = foldedAtFirst(files);
    expect([...folded]).toEqual(["lock"]);
    expect(diffRows(files, { layout: "inline", folded }).map((row) => row.is)).toEqual([
      "file",
      "file",
      "hunk",
      "removed",
      "added",
    ]);
  });

  test("every line has its sign and its line number", () => {
    const text = [
      "diff --git a/src/a b.ts b/src/a b.ts",
      "index 1..2 100644",
      "--- a/src/a b.ts",
      "+++ b/src/a b.ts",
      "@@ -3,3 +3,3 @@ function x()",
      " same",
      "-old",
      "+new",
      "\\ No newline at end of file",
      "",
    ].join("\n");
    expect(diffLines(text)).toEqual([
      { is: "file", path: "src/a b.ts" },
      { is: "hunk", text: "@@ -3,3 +3,3 @@ function x()" },
      { is: "same", text: "same", old: 3, new: 3 },
      { is: "removed", text: "old", old: 4, new: undefined },
      { is: "added", text: "new", old: undefined, new: 4 },
      { is: "note", text: "No newline at end of file" },
    ]);
  });

  test("a renamed file has its new name, a binary file a note", () => {
    const text = [
      "diff --git a/old.ts b/new.ts",
      "similarity index 100%",
      "rename from old.ts",
      "rename to new.ts",
      "diff --git a/x.png b/x.png",
      "Binary files a/x.png and b/x.png differ",
    ].join("\n");
    expect(diffLines(text).map((line) => (line.is === "file" ? line.path : "text" in line ? line.text : ""))).toEqual([
      "new.ts",
      "similarity index 100%",
      "rename from old.ts",
      "rename to new.ts",
      "x.png",
      "Binary files a/x.png and b/x.png differ",
    ]);
  });

  test("lines inside a hunk that look like headers are lines", () => {
    const text = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n--- x\n+++ y\n";
    expect(diffLines(text).slice(2)).toEqual([
      { is: "removed", text: "-- x", old: 1, new: undefined },
      { is: "added", text: "++ y", old: undefined, new: 1 },
    ]);
  });
});

describe("Markdown", () => {
  test("headings, lists, tables, code, quotes and rules are recognized", () => {
    const text =
      "# Title\n\nOne\ntwo\n\n- a\n  - b\n    more\n\n1. x\n\n| h | i |\n|---|---|\n| 1 \\| 2 | `c` |\n\n```ts\n# no heading\n```\n> said\n\n---\n";
    expect(parseMarkdown(text).map((block) => block.is)).toEqual([
      "heading",
      "paragraph",
      "list",
      "list",
      "table",
      "code",
      "quote",
      "rule",
    ]);
    expect(parseMarkdown(text)[2]).toMatchObject({ items: [{ depth: 0 }, { depth: 1, spans: [{ text: "b more" }] }] });
    expect(parseMarkdown(text)[4]).toMatchObject({ rows: [[[{ text: "1 | 2" }], [{ is: "code", text: "c" }]]] });
  });

  test("strong, emphasis and code are recognized; a name with underscores is not emphasis", () => {
    expect(parseInline("a **b** *c* `d*e*` plan_is_approved")).toEqual([
      { is: "text", text: "a " },
      { is: "strong", text: "b" },
      { is: "text", text: " " },
      { is: "em", text: "c" },
      { is: "text", text: " " },
      { is: "code", text: "d*e*" },
      { is: "text", text: " plan_is_approved" },
    ]);
  });

  test("tags and URLs stay plain text", () => {
    for (const text of hostileTexts) {
      const seen = JSON.stringify(parseMarkdown(`${text}\n\n[x](javascript:alert(1))`));
      expect(seen).not.toContain('"href"');
      expect(seen).not.toContain('"html"');
      expect(seen).toContain("[x](javascript:alert(1))");
    }
  });

  test("an unclosed fence, an empty text and a megabyte of text are parsed", () => {
    expect(parseMarkdown("```\nx")).toEqual([{ is: "code", text: "x" }]);
    expect(parseMarkdown("")).toEqual([]);
    expect(parseMarkdown("*".repeat(50_000)).length).toBeGreaterThan(0);
    expect(parseMarkdown("`a` **b** \n".repeat(50_000)).length).toBe(1);
  });
});

describe("artifacts", () => {
  test("names become words, lists of objects become tables, empty lists are marked as empty", () => {
    const text = JSON.stringify({
      acceptanceCriteria: [
        { id: "A1", text: "x" },
        { id: "A2", verifies: ["R1", "R2"] },
      ],
      noChange: false,
      notes: ["n"],
      risks: [],
    });
    expect(readArtifact(text)).toEqual({
      is: "sections",
      sections: [
        {
          name: "Acceptance criteria",
          value: {
            is: "table",
            columns: ["Id", "Text", "Verifies"],
            rows: [
              ["A1", "x", ""],
              ["A2", "", "R1, R2"],
            ],
          },
        },
        { name: "No change", value: { is: "text", text: "no" } },
        { name: "Notes", value: { is: "list", items: ["n"] } },
        { name: "Risks", value: { is: "nothing" } },
      ],
    });
  });

  test("anything but a JSON object is shown as it is", () => {
    expect(readArtifact("[1]")).toEqual({ is: "plain", text: "[1]" });
    expect(readArtifact("{half")).toEqual({ is: "plain", text: "{half" });
    expect(readArtifact('{"__proto__": {"x": 1}}')).toMatchObject({ is: "sections" });
  });
});

describe("transcripts", () => {
  test("twenty thousand chunks become a few blocks, in order, each chunk once", () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) => ({
      seq: (index + 1) * 10,
      content: `line ${index}\n`,
    }));
    const whole = addChunks(addChunks(emptyTranscript, chunks.slice(0, 15_000)), chunks.slice(10_000));
    expect(whole.seq).toBe(200_000);
    expect(whole.blocks.map((block) => block.text).join("")).toBe(chunks.map((chunk) => chunk.content).join(""));
    expect(whole.blocks.length).toBeLessThan(60);
    expect(whole.blocks.map((block) => block.id)).toEqual(whole.blocks.map((_, index) => index));
  });

  test("full blocks stay the same objects, so that they are not rendered again", () => {
    const first = addChunks(emptyTranscript, [{ seq: 1, content: "x".repeat(20_000) }]);
    const second = addChunks(first, [{ seq: 2, content: "y" }]);
    expect(second.blocks[0]).toBe(first.blocks[0]!);
    expect(second.blocks[1]).toBe(first.blocks[1]!);
  });

  test("terminal colours, titles and cursor moves are removed", () => {
    const content = "\u001b[31mred\u001b[0m\u001b]0;title\u0007 \u001b[2Kx\r\ny\u0000";
    expect(addChunks(emptyTranscript, [{ seq: 1, content }]).blocks.map(({ text }) => text)).toEqual(["red x\ny"]);
  });
});
