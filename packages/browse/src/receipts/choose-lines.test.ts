/** Which lines an answer has where a page or dialog has more of them. */
import { expect, test } from "bun:test";
import { readPageTree } from "../snapshot/page-tree.ts";
import { changeText } from "./change-text.ts";
import { type Changes, changesBetween, linesOfPage } from "./describe-diff.ts";
import { maxChanges, moreLines } from "./receipt.ts";

let refs = 2;
const element = (role: string, name: string, ...children: unknown[]) => ({ role, name, ref: `e${refs++}`, children });
const words = (text: string) => ({ role: "paragraph", ref: `e${refs++}`, text });
const links = (count: number, name: string) =>
  Array.from({ length: count }, (_, at) => element("link", `${name} ${at}`));
const tree = (...children: unknown[]) => readPageTree([{ role: "generic", ref: "e1", children }]);
const linesOf = (changes: Changes) => [
  ...changes.shown.map((change) => changeText(change, undefined, {})),
  ...moreLines(changes),
];
const page = (...children: unknown[]) =>
  linesOf(linesOfPage(tree(...children), maxChanges)).map((line) => line.replace("+ ", ""));

const header = () => element("banner", "", element("navigation", "Main", ...links(5, "Part")));
const footer = () => element("contentinfo", "", words("© 2026 Town of Elmbrook · Accessibility"), ...links(3, "Legal"));

test("the rows of a summary come before the menu and the footer, which are counted", () => {
  const sums = ["Vehicle KLM-482", "Zone C", "Valid until 31 July", "Keeper Ann", "Fee €67", "Total €73"];
  const steps = ["1 Vehicle", "2 Permit", "3 Check"].map((step) => element("listitem", "", words(step), words("done")));
  const rows = sums.map((sum) => element("listitem", "", words(sum), element("link", `Change ${sum.split(" ")[0]}`)));
  const shown = page(
    header(),
    element("main", "", element("list", "", ...steps), element("list", "", ...rows), element("button", "Submit")),
    footer(),
  );
  for (const sum of sums) expect(shown).toContain(`listitem "${sum} Change ${sum.split(" ")[0]}"`);
  expect(shown.slice(0, -1).join("\n")).not.toMatch(/Part|Legal|©/);
  const menu = '"Part 0", "Part 1", "Part 2", "Part 3", "Part 4"';
  expect(shown.at(-1)).toBe(`… 9 more in navigation and footer (${menu}): snapshot -i`);
});

test("a page that has nothing to use but its menu shows it", () => {
  expect(page(header(), element("main", "", words("Welcome back")), footer()).slice(0, 2)).toEqual([
    'navigation "Main"',
    '  link "Part 0"',
  ]);
});

test("what a field expects is shown with it, before other words", () => {
  const fields = Array.from({ length: 14 }, (_, at) =>
    element("generic", "", words(`Hint ${at}`), element("textbox", `Field ${at}`)),
  );
  const rules = Array.from({ length: 20 }, (_, at) => words(`Rule ${at} of this town`));
  const shown = page(element("main", "", element("heading", "Rules"), ...rules, ...fields.slice(0, 8)));
  expect(shown.filter((line) => line.startsWith('"Hint'))).toHaveLength(8);
  expect(shown.at(-1)).toMatch(/^… \d+ more to read: text$/);
});

test("each kind that is left out says where it is, if it is around the content", () => {
  const rules = Array.from({ length: 30 }, (_, at) => words(`Rule ${at} of this town`));
  expect(page(header(), element("main", "", element("button", "Accept"), ...rules)).at(-1)).toBe(
    '… 5 more to use in navigation ("Part 0", "Part 1", "Part 2", "Part 3", "Part 4"): snapshot -i; 19 more to read: text',
  );
});

test("what a dialog says comes before what changed elsewhere when it opened", () => {
  const facts = ["Status Open", "Customer Ann", "Site Mill Lane", "Visit on Tuesday", "Technician Bob"];
  const said = facts.map((fact) => element("listitem", "", words(fact), words("as agreed")));
  const before = tree(element("main", "", element("button", "Open")));
  const others = Array.from({ length: 9 }, (_, at) => element("button", `Elsewhere ${at}`));
  const dialog = element(
    "dialog",
    "Order",
    element("button", "Close"),
    element("list", "", ...said),
    ...links(4, "Tab"),
  );
  const shown = linesOf(changesBetween(before, tree(element("main", "", ...others), dialog), maxChanges));
  for (const fact of facts) expect(shown).toContain(`+   listitem "${fact} as agreed"`);
});
