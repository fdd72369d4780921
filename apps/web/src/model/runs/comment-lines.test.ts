/** Which lines of a diff a comment is about. */
import { describe, expect, test } from "bun:test";
import { CommentView } from "@devflow/protocol";
import { commentsByLine, lineKey, nextLine, placeName, rangeOf, targetAt } from "./comment-lines.ts";
import { diffFiles, diffRows } from "./diff-rows.ts";

const text = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,4 @@
 one
-two
+zwei
+drei
 four
diff --git a/b.ts b/b.ts
@@ -9,1 +9,2 @@
 nine
+ten
`;
const inline = diffRows(diffFiles(text), { layout: "inline", folded: new Set() });
const split = diffRows(diffFiles(text), { layout: "split", folded: new Set() });
const shown = (target: ReturnType<typeof targetAt>) => target && [target.side, placeName(target), target.text];

describe("the line of a row", () => {
  test("is one of the work, or of the base when it was removed", () => {
    expect(inline.map((_, index) => shown(targetAt(inline, index)))).toEqual([
      undefined,
      undefined,
      ["new", "a.ts:1", "one"],
      ["old", "a.ts:2", "two"],
      ["new", "a.ts:2", "zwei"],
      ["new", "a.ts:3", "drei"],
      ["new", "a.ts:4", "four"],
      undefined,
      undefined,
      ["new", "b.ts:9", "nine"],
      ["new", "b.ts:10", "ten"],
    ]);
  });

  test("side by side each half has its own", () => {
    expect(shown(targetAt(split, 3, "left"))).toEqual(["old", "a.ts:2", "two"]);
    expect(shown(targetAt(split, 3, "right"))).toEqual(["new", "a.ts:2", "zwei"]);
    expect(targetAt(split, 4, "left")).toBeUndefined();
  });
});

test("a range takes the lines of one side and one file, in either direction", () => {
  expect(shown(rangeOf(inline, 4, 6))).toEqual(["new", "a.ts:2-4", "zwei\ndrei\nfour"]);
  expect(shown(rangeOf(inline, 6, 2))).toEqual(["new", "a.ts:1-4", "one\nzwei\ndrei\nfour"]);
  expect(shown(rangeOf(inline, 2, 3))).toEqual(["old", "a.ts:2", "two"]);
  expect(shown(rangeOf(inline, 4, 9))).toEqual(["new", "b.ts:9", "nine"]);
});

test("the arrow keys skip what is no line, and stop at the ends", () => {
  expect([nextLine(inline, -1, 1), nextLine(inline, 6, 1), nextLine(inline, 10, 1), nextLine(inline, 2, -1)]).toEqual([
    2, 9, 10, 2,
  ]);
});

test("a comment is shown where its lines are now, and nowhere once they are gone", () => {
  const id = "01890000-0000-7000-8000-000000000001";
  const at = "2026-01-01T10:00:00.000Z";
  const comment = (change: object) =>
    CommentView.parse({
      ...{ id, author: { userId: id, kind: "human", via: "web" }, file: "a.ts", side: "new", line: 2, endLine: 3 },
      ...{ commit: "c", quote: "x", text: "t", revision: 1, createdAt: at, updatedAt: at, attachments: [], sent: null },
      ...{ place: { is: "same" }, ...change },
    });
  const found = commentsByLine([
    comment({}),
    comment({ place: { is: "moved", line: 8 } }),
    comment({ place: { is: "gone" } }),
  ]);
  expect([...found.keys()]).toEqual([
    lineKey({ file: "a.ts", side: "new", line: 3 }),
    lineKey({ file: "a.ts", side: "new", line: 9 }),
  ]);
});
