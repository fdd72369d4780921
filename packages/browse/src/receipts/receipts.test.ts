import { describe, expect, test } from "bun:test";
import { readPageTree } from "../snapshot/page-tree.ts";
import { busyMs, saysItCloses, saysWorking } from "./at-work.ts";
import { changeText } from "./change-text.ts";
import { type Change, changesBetween, linesOfPage } from "./describe-diff.ts";
import { answerMs, firstSignMs, nextStep, type Observed, renderMs } from "./next-step.ts";
import { moreLines, receiptText } from "./receipt.ts";

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
    ["a dialog that has just faded: wait until it is removed", { changed: true, sinceMotionMs: 59 }, "wait"],
    ["a dialog that stays: read", { changed: true, sinceMotionMs: 60 }, "read"],
    ["a menu that cannot be reached yet: wait", { changed: true, openingForMs: 149, elapsedMs: 400 }, "wait"],
    ["a menu that stays out of reach: read", { changed: true, openingForMs: 150 }, "read"],
    ["a response that the page has not shown yet: wait", { changed: true, sinceAnswerMs: renderMs - 1 }, "wait"],
    ["a response that the page has shown: read", { changed: true, changedSinceAnswer: true, sinceAnswerMs: 1 }, "read"],
    ["a response that the page ignores: read", { changed: true, sinceAnswerMs: renderMs }, "read"],
  ])("%s", (_, seen, expected) => {
    const step = nextStep({ ...calm, ...seen });
    expect(step === "read" ? "read" : "wait").toBe(expected);
  });
});

const tree = (...children: unknown[]) => readPageTree([{ role: "generic", ref: "e1", children }]);

describe("what changed", () => {
  const lines = (before: unknown[], after: unknown[], limit = 12) => {
    const { shown, more } = changesBetween(tree(...before), tree(...after), limit);
    return [...shown.map(textOf), ...(more ? [`+${more}`] : [])];
  };
  const textOf = (change: Change) => changeText(change, undefined, {});

  test("says nothing of what has no words and cannot be reached", () => {
    const toggle = { role: "switch", checked: true };
    expect(lines(["Alerts"], ["Alerts", toggle])).toEqual([]);
    expect(lines(["Alerts", toggle], ["Alerts", "Saved"])).toEqual(['+ "Saved"']);
  });

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
      '~ button "Save" [disabled]',
      '~ textbox "Name": "A" → "B"',
      '+ alert "Saved"',
      '+   button "Close"',
      '- status "Old"',
    ]);
  });

  test("does not list a container named after its content beside the real change", () => {
    const row = (cell: string) => [
      { role: "row", name: `A ${cell}`, ref: "e2", children: [{ role: "cell", name: cell, ref: "e3" }] },
    ];
    expect(lines(row("1"), row("2"))).toEqual(['~ cell "1" → "2"']);
  });

  test("is limited, to twice as many where these are controls, and says how many more there are", () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ role: "button", name: `B ${n}`, ref: `e${n + 10}` }));
    expect(lines([], many, 5).at(-1)).toBe("+30");
  });

  test("what an agent needs next comes before plain words, and what is gone comes last", () => {
    const words = Array.from({ length: 20 }, (_, n) => ({ role: "paragraph", ref: `e${n + 10}`, text: `Words ${n}` }));
    const gone = [{ role: "paragraph", ref: "e9", text: "Old words" }];
    const end = [
      { role: "heading", name: "Next", ref: "e40" },
      { role: "button", name: "Go on", ref: "e41" },
    ];
    expect(lines(gone, [...words, ...end], 4)).toEqual([
      '+ "Words 0"',
      '+ "Words 1"',
      '+ heading "Next"',
      '+ button "Go on"',
      "+18",
    ]);
  });

  test("a row is one line with its words, its controls below", () => {
    const row = (n: number, name: string) => ({
      role: "row",
      ref: `e${n}`,
      name: "",
      children: [
        { role: "cell", ref: `e${n + 1}`, text: name },
        { role: "cell", ref: `e${n + 2}`, children: [{ role: "button", name: "Edit", ref: `e${n + 3}` }] },
      ],
    });
    const table = (...children: unknown[]) => [{ role: "table", ref: "e2", children }];
    expect(lines(table(row(10, "Ada")), table(row(10, "Ada"), row(20, "Grace")))).toEqual([
      '+ row "Grace"',
      '+   button "Edit"',
    ]);
    expect(lines(table(row(10, "Ada"), row(20, "Grace")), table(row(20, "Grace")))).toEqual(['- row "Ada"']);
  });

  test("what a cell says now is told with its row", () => {
    const table = (state: string) => [
      {
        role: "row",
        ref: "e2",
        children: [
          { role: "cell", ref: "e3", text: "Room 4" },
          { role: "cell", ref: "e4", text: state },
        ],
      },
    ];
    expect(lines(table("free"), table("taken"))).toEqual(['~ cell: "free" → "taken" in "Room 4"']);
  });

  test("the options of a select box are told with the box", () => {
    const box = (...names: string[]) => {
      const children = names.map((name, at) => ({ role: "option", name, ...(at === 0 && { selected: true }) }));
      return [{ role: "combobox", name: "Room", ref: "e2", children }];
    };
    expect(lines(box("Choose"), box("Choose", "Amber", "Basalt"))).toEqual([
      '~ combobox "Room" [options "Choose", "Amber", "Basalt"]',
    ]);
    expect(lines([], box("Amber", "Basalt"))).toEqual(['+ combobox "Room" [options "Amber", "Basalt"]']);
    const many = Array.from({ length: 30 }, (_, n) => `Room ${n}`);
    expect(lines(box(), box(...many))[0]).toEndWith('"Room 7", … 22 more]: "" → "Room 0"');
  });

  test("a page that renders itself anew is no change, and the button of a row stays that of its row", () => {
    const list = (first: number, ...names: string[]) =>
      names.map((name, at) => ({
        role: "listitem",
        ref: `e${first + 2 * at}`,
        children: [name, { role: "button", name: "Edit", ref: `e${first + 2 * at + 1}` }],
      }));
    const changes = changesBetween(tree(...list(10, "Ada", "Grace")), tree(...list(20, "Ada", "Eve", "Grace")), 12);
    expect(changes.shown.map(textOf)).toEqual(['+ listitem "Eve"', '+   button "Edit"']);
    expect(changes.renewed).toEqual([]);
  });

  test("a sum whose row is rendered anew is told once", () => {
    const sums = (first: number, ...rows: readonly (readonly [string, string])[]) =>
      rows.map(([term, sum], at) => ({
        role: "generic",
        ref: `e${first + 3 * at}`,
        children: [
          { role: "term", ref: `e${first + 3 * at + 1}`, text: term },
          { role: "definition", ref: `e${first + 3 * at + 2}`, text: sum },
        ],
      }));
    const before = sums(10, ["Subtotal", "€137.00"], ["Delivery", "–"], ["Total", "€137.00"]);
    const after = sums(30, ["Subtotal", "€137.00"], ["Voucher", "−€20.55"], ["Delivery", "–"], ["Total", "€116.45"]);
    expect(lines(before, after)).toEqual([
      '~ definition: "€137.00" → "€116.45" in "Total"',
      '+ listitem "Voucher −€20.55"',
    ]);
  });

  test("of a new page the content comes before the menu that is on every page", () => {
    const links = Array.from({ length: 19 }, (_, n) => ({ role: "link", name: `Nav ${n}`, ref: `e${n + 10}` }));
    const page = tree(
      { role: "navigation", ref: "e2", children: links },
      { role: "heading", name: "Desk", ref: "e3" },
      { role: "paragraph", ref: "e4", text: "Welcome back" },
      { role: "link", name: "Papers", ref: "e5" },
    );
    const { shown, menu, ...left } = linesOfPage(page, 4);
    expect(shown.map(textOf)).toEqual(['+ heading "Desk"', '+ "Welcome back"', '+ link "Papers"']);
    expect(moreLines(left)).toEqual(["… 19 more in navigation: snapshot -i"]);
    expect(menu).toHaveLength(19);
  });

  test("never shows the value of a field that may be secret", () => {
    const field = (text: string) => [{ role: "textbox", name: "Pin", ref: "e2", text }];
    const { shown } = changesBetween(tree(...field("")), tree(...field("4711")), 5);
    expect(changeText(shown[0]!, "e2", undefined)).toBe('~ @e2 textbox "Pin": "" → "••••"');
  });
});

test("a search whose field gets an icon, in a box around both, goes on being waited for", () => {
  const field = (text?: string) => ({ role: "textbox", name: "Search orders", ref: "e3", ...(text && { text }) });
  const beside = (...others: unknown[]) => tree({ role: "generic", ref: "e2", children: [field("r"), ...others] });
  expect(busyMs(tree(field()), beside({ role: "img", ref: "e4" }), "e3")).toBe(600);
  expect(busyMs(tree(field()), beside({ role: "paragraph", ref: "e4", text: "3 found" }), "e3")).toBeUndefined();
});

test.each([
  ["This window closes by itself.", true],
  ["Done. This tab will be closed in 3 s.", true],
  ["You may close this window now.", false],
  ["The shop closes at six.", false],
])("whether a page says that it closes: %s", (text, closes) => {
  expect(saysItCloses(tree({ role: "paragraph", ref: "e2", text }))).toBe(closes);
});

test.each([
  ["Payment confirmed. Returning you to the shop…", true],
  ["Saving...", true],
  ["Something for everyone…", false],
  ["The winter is coming. Order now", false],
])("whether words say that something is being done: %s", (text, works) => {
  expect(saysWorking(tree({ role: "paragraph", ref: "e2", text }), tree())).toBe(works);
});

const none = { changes: [], more: 0, console: [], failed: [], dialogs: [], downloads: [], opened: [] };

test("a receipt without an effect says so", () => {
  expect(receiptText({ did: "clicked @e1", ...none, effect: false, ms: 1 })).toBe("clicked @e1\nno observable effect");
});

test("what changed about the target stands in the first line, and an alert on a new page only once", () => {
  const did = 'filled @e5 textbox "Name"';
  const changes = ['+ "Looks good"', '~ @e5 textbox "Name": "" → "Ada"'];
  expect(receiptText({ did, ...none, changes, effect: true, ms: 1 })).toBe(
    'filled @e5 textbox "Name": "" → "Ada"\n+ "Looks good"',
  );
  const page = { title: "Log in", lines: ['alert "Wrong password"', '@e1 textbox "Mail"'], more: 3 };
  const url = { from: "http://a/", to: "http://a/login" };
  expect(
    receiptText({ did: "submitted", ...none, url, page, changes: ['alert "Wrong password"'], effect: true, ms: 1 }),
  ).toBe(
    [
      "submitted",
      "url → /login",
      'new page "Log in":',
      '  alert "Wrong password"',
      '  @e1 textbox "Mail"',
      "  … 3 more to read: text",
    ].join("\n"),
  );
});
