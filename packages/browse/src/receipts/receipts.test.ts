import { describe, expect, test } from "bun:test";
import { readPageTree } from "../snapshot/page-tree.ts";
import { changesBetween, changeText } from "./describe-diff.ts";
import { receiptText } from "./receipt.ts";
import { answerMs, firstSignMs, nextStep, renderMs, type Seen } from "./settle.ts";

describe("how long to wait for an effect", () => {
  const calm: Seen = {
    elapsedMs: 0,
    changed: false,
    changedSinceAnswer: false,
    pending: 0,
    sinceAnswerMs: undefined,
    told: false,
  };
  test.each<[string, Partial<Seen>, "look" | "wait"]>([
    ["a change is looked at at once", { changed: true }, "look"],
    ["a dialog, download or new tab tells enough", { told: true, pending: 3 }, "look"],
    ["nothing yet: a moment more", { elapsedMs: firstSignMs - 1 }, "wait"],
    ["nothing at all: that is the answer", { elapsedMs: firstSignMs }, "look"],
    ["a request under way is waited for", { changed: true, pending: 1, elapsedMs: answerMs - 1 }, "wait"],
    ["but not for ever", { pending: 1, elapsedMs: answerMs }, "look"],
    ["an answer that the page has not shown yet", { changed: true, sinceAnswerMs: renderMs - 1 }, "wait"],
    ["an answer that the page has shown", { changed: true, changedSinceAnswer: true, sinceAnswerMs: 1 }, "look"],
    ["an answer that the page does nothing with", { changed: true, sinceAnswerMs: renderMs }, "look"],
  ])("%s", (_, seen, expected) => {
    const step = nextStep({ ...calm, ...seen });
    expect(step === "look" ? "look" : "wait").toBe(expected);
  });
});

describe("what changed", () => {
  const tree = (...children: unknown[]) => readPageTree([{ role: "generic", ref: "e1", children }]);
  const lines = (before: unknown[], after: unknown[], limit = 12) => {
    const { shown, more } = changesBetween(tree(...before), tree(...after), limit);
    return [...shown.map((change) => changeText(change, ({ ref }) => ref, {})), ...(more ? [`+${more}`] : [])];
  };

  test("elements that came, went and changed, each in one line", () => {
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

  test("a container named after what it holds is not told beside what really changed", () => {
    const row = (cell: string) => [
      { role: "row", name: `A ${cell}`, ref: "e2", children: [{ role: "cell", name: cell, ref: "e3" }] },
    ];
    expect(lines(row("1"), row("2"))).toEqual(['~ @e3 cell "1" → "2"']);
  });

  test("the list is bounded and says how many more there are", () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ role: "button", name: `B ${n}`, ref: `e${n + 10}` }));
    expect(lines([], many, 5).at(-1)).toBe("+35");
  });

  test("the value of a field nobody vouched for is not shown", () => {
    const field = (text: string) => [{ role: "textbox", name: "Pin", ref: "e2", text }];
    const { shown } = changesBetween(tree(...field("")), tree(...field("4711")), 5);
    expect(changeText(shown[0]!, ({ ref }) => ref, undefined)).toBe('~ @e2 textbox "Pin": "" → "••••"');
  });
});

test("a receipt without any effect says so", () => {
  const none = { changes: [], more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [] };
  expect(receiptText({ did: "clicked @e1", ...none, effect: false, ms: 1 })).toBe("clicked @e1\nno observable effect");
});
