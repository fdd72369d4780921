import { describe, expect, test } from "bun:test";
import { readPageTree } from "../snapshot/page-tree.ts";
import { changesBetween, changeText } from "./describe-diff.ts";
import { receiptText } from "./receipt.ts";
import { answerMs, firstSignMs, nextStep, type Observed, renderMs } from "./wait-for-effect.ts";

describe("how long to wait for an effect", () => {
  const calm: Observed = {
    elapsedMs: 0,
    changed: false,
    changedSinceAnswer: false,
    pending: 0,
    sinceAnswerMs: undefined,
    hasSideEffect: false,
  };
  test.each<[string, Partial<Observed>, "read" | "wait"]>([
    ["a change: read at once", { changed: true }, "read"],
    ["a dialog, download or new tab: read at once", { hasSideEffect: true, pending: 3 }, "read"],
    ["nothing yet: wait a moment", { elapsedMs: firstSignMs - 1 }, "wait"],
    ["nothing after that: read", { elapsedMs: firstSignMs }, "read"],
    ["a pending request: wait", { changed: true, pending: 1, elapsedMs: answerMs - 1 }, "wait"],
    ["a request pending too long: read", { pending: 1, elapsedMs: answerMs }, "read"],
    ["a submitted form: wait for its document", { changed: true, submitting: true, elapsedMs: answerMs - 1 }, "wait"],
    ["a submitted form that a script cancelled: read", { submitting: true, elapsedMs: answerMs }, "read"],
    ["a response that the page has not shown yet: wait", { changed: true, sinceAnswerMs: renderMs - 1 }, "wait"],
    ["a response that the page has shown: read", { changed: true, changedSinceAnswer: true, sinceAnswerMs: 1 }, "read"],
    ["a response that the page ignores: read", { changed: true, sinceAnswerMs: renderMs }, "read"],
  ])("%s", (_, seen, expected) => {
    const step = nextStep({ ...calm, ...seen });
    expect(step === "read" ? "read" : "wait").toBe(expected);
  });
});

describe("what changed", () => {
  const tree = (...children: unknown[]) => readPageTree([{ role: "generic", ref: "e1", children }]);
  const lines = (before: unknown[], after: unknown[], limit = 12) => {
    const { shown, more } = changesBetween(tree(...before), tree(...after), limit);
    return [...shown.map((change) => changeText(change, ({ ref }) => ref, {})), ...(more ? [`+${more}`] : [])];
  };

  test("lists added, removed and changed elements, one line each", () => {
    expect(
      lines(
        [
          { role: "button", name: "Save", ref: "e2" },
          { role: "textbox", name: "Name", ref: "e3", text: "A" },
          { role: "status", ref: "e4", text: "Old" },
        ],
        [
          { role: "button", name: "Save", ref: "e2", disabled: true },
          { role: "textbox", name: "Name", ref: "e3", text: "B" },
          { role: "alert", ref: "e5", children: [{ role: "button", name: "Close", ref: "e6" }, "Saved"] },
        ],
      ),
    ).toEqual([
      '~ @e2 button "Save" [disabled]',
      '~ @e3 textbox "Name": "A" → "B"',
      "+ @e5 alert",
      '+   @e6 button "Close"',
      '+   "Saved"',
      '- @e4 status: "Old"',
    ]);
  });

  test("does not list a container named after its content beside the real change", () => {
    const row = (cell: string) => [
      { role: "row", name: `A ${cell}`, ref: "e2", children: [{ role: "cell", name: cell, ref: "e3" }] },
    ];
    expect(lines(row("1"), row("2"))).toEqual(['~ @e3 cell "1" → "2"']);
  });

  test("is limited and says how many more there are", () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ role: "button", name: `B ${n}`, ref: `e${n + 10}` }));
    expect(lines([], many, 5).at(-1)).toBe("+35");
  });

  test("never shows the value of a field that may be secret", () => {
    const field = (text: string) => [{ role: "textbox", name: "Pin", ref: "e2", text }];
    const { shown } = changesBetween(tree(...field("")), tree(...field("4711")), 5);
    expect(changeText(shown[0]!, ({ ref }) => ref, undefined)).toBe('~ @e2 textbox "Pin": "" → "••••"');
  });
});

test("a receipt without an effect says so", () => {
  const none = { changes: [], more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [] };
  expect(receiptText({ did: "clicked @e1", ...none, effect: false, ms: 1 })).toBe("clicked @e1\nno observable effect");
});
