import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { foldOutline } from "./fold.ts";
import { tokensOf } from "./line.ts";
import { type OutlineNode, outlineOf } from "./outline.ts";
import { readPageTree } from "./page-tree.ts";
import { makeRefBook } from "./ref-book.ts";
import { renderText } from "./render.ts";

/** The first seven cards. */
const isInView = ({ page }: OutlineNode) => /^e[0-6]\d$/.test(page.ref ?? "");
const card = (n: number) => ({
  role: "article",
  ref: `e${n}0`,
  children: [
    { role: "link", name: `Product ${n}`, ref: `e${n}1` },
    { role: "button", name: "Add to cart", ref: `e${n}2` },
    { role: "button", name: "Save", ref: `e${n}3` },
  ],
});

const anyTree = fc.letrec((tie) => ({
  node: fc.record(
    {
      role: fc.constantFrom("button", "link", "generic", "list", "listitem", "article", "heading", "textbox", "iframe"),
      name: fc.string({ maxLength: 20 }),
      text: fc.string({ maxLength: 20 }),
      ref: fc.option(
        fc.nat(9_999).map((n) => `e${n}`),
        { nil: undefined },
      ),
      children: fc.array(fc.oneof({ maxDepth: 5 }, fc.string({ maxLength: 9 }), tie("node")), { maxLength: 9 }),
    },
    { requiredKeys: ["role"] },
  ),
})).node;

const shownAndFolded = (json: unknown, budget: number) => {
  const outline = outlineOf(readPageTree(json));
  return { outline, folded: foldOutline(outline, { budget, isInView }) };
};

function render(json: unknown, budget: number): string {
  const { outline, folded } = shownAndFolded(json, budget);
  const book = makeRefBook();
  return renderText({
    outline,
    folded,
    facts: new Map(),
    refOf: ({ role, page }) => (page.ref ? book.refFor(page.ref, { role, name: page.name }) : undefined),
    groupOf: ({ parent, role, run }) =>
      book.groupFor({ parent: String(parent), role, run, options: {}, scope: undefined }),
  });
}

describe("folding", () => {
  test("what fits the budget is not folded", () => {
    const { outline, folded } = shownAndFolded([card(1), card(2)], 4_000);
    expect(folded.folded).toEqual([]);
    expect(folded.items).toHaveLength(outline.length);
  });

  test("of 300 similar cards those in view are shown, the others become one line that says how to expand them", () => {
    const text = render({ role: "main", ref: "e1", children: Array.from({ length: 300 }, (_, n) => card(n)) }, 800);
    expect(text.split("\n").at(-1)).toMatch(
      /^ {2}article ×\d+ more of 300: link, "Add to cart", "Save" — expand @g1 \d+-\d+$/,
    );
    expect(text).toContain('link "Product 0"');
    expect(tokensOf(text)).toBeLessThan(900);
  });

  test("a member that changed is shown even when it is far out of view", () => {
    const outline = outlineOf(readPageTree(Array.from({ length: 300 }, (_, n) => card(n))));
    const folded = foldOutline(outline, { budget: 300, isInView, isChanged: ({ page }) => page.ref === "e2500" });
    const shown = folded.items.flatMap((item) => (item.kind === "line" ? [item.node.page.ref] : []));
    expect(shown).toContain("e2500");
  });

  test("every line is shown or in exactly one fold, for any page and budget", () => {
    fc.assert(
      fc.property(fc.array(anyTree, { maxLength: 8 }), fc.integer({ min: 50, max: 2_000 }), (json, budget) => {
        const { outline, folded } = shownAndFolded(json, budget);
        const seen = new Array<number>(outline.length).fill(0);
        for (const item of folded.items) if (item.kind === "line") seen[item.node.index]! += 1;
        for (const { hidden } of folded.folded) {
          for (const member of hidden) for (let at = member; at < outline[member]!.end; at++) seen[at]! += 1;
        }
        expect(seen.every((times) => times === 1)).toBe(true);
      }),
    );
  });

  test("lines come in reading order, each after its parent", () => {
    fc.assert(
      fc.property(fc.array(anyTree, { maxLength: 8 }), fc.integer({ min: 50, max: 500 }), (json, budget) => {
        const { folded } = shownAndFolded(json, budget);
        const shown = folded.items.flatMap((item) => (item.kind === "line" ? [item.node] : []));
        const order = shown.map(({ index }) => index);
        expect(order).toEqual([...order].sort((a, b) => a - b));
        const there = new Set(order);
        expect(shown.every(({ parent }) => parent < 0 || there.has(parent))).toBe(true);
      }),
    );
  });

  test("the text stays near the budget on large pages", () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 4_000 }), fc.integer({ min: 50, max: 600 }), (budget, cards) => {
        const json = { role: "main", children: Array.from({ length: cards }, (_, n) => card(n)) };
        expect(tokensOf(render(json, budget))).toBeLessThanOrEqual(budget + 40);
      }),
      { numRuns: 30 },
    );
  });
});
