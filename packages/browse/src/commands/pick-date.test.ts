/** Dates in fields that cannot be typed into and open a calendar. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DevflowError } from "@devflow/core/errors";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { readPageTree } from "../snapshot/page-tree.ts";
import { calendarIn, dayFrom } from "./write/calendar-in.ts";
import { fill } from "./write/fill.ts";

/** A calendar at November 2026; `day` and `head` are how a library writes them. */
const calendar = (head: string, day: string, more = "") => `
  <label>Date <input id=date readonly class=datepicker></label><div id=box></div><p id=out></p><script>
  let shown = new Date(2026, 10, 1);
  const name = (style, lang = document.documentElement.lang || 'en') => shown.toLocaleDateString(lang, { month: style });
  const turn = (by) => { shown = new Date(shown.getFullYear(), shown.getMonth() + by, 1); setTimeout(show, 80); };
  const choose = (n) => { date.value = n + ' ' + name('short', 'en') + ' ' + shown.getFullYear(); box.innerHTML = ''; };
  const day = ${day};
  function show() {
    const last = new Date(shown.getFullYear(), shown.getMonth() + 1, 0).getDate();
    const days = [...[30, 31].map((n) => '<td><span>' + n + '</span></td>'), ...Array.from({ length: last }, (_, at) => day(at + 1)), ...[1, 2, 3].map((n) => '<td><span>' + n + '</span></td>')];
    box.innerHTML = '<div style="position:absolute;background:white">' + (${head})() + '<table><tr>' + days.map((one, at) => one + (at % 7 === 6 ? '</tr><tr>' : '')).join('') + '</tr></table>${more}</div>';
  }
  date.onclick = () => setTimeout(show, 60);</script>`;
const cell = `(n) => '<td onclick="choose(' + n + ')">' + n + '</td>'`;
const buttons = (previous: string, next: string) =>
  `'<button onclick="turn(-12)">Previous year</button><button onclick="turn(-1)">${previous}</button>' + title + '<button onclick="turn(1)">${next}</button><button onclick="turn(12)">Next year</button>'`;
const head = (title: string, previous = "Previous month", next = "Next month") =>
  `() => { const title = ${title}; return ${buttons(previous, next)}; }`;
const title = `'<b>' + name('long') + ' ' + shown.getFullYear() + '</b>'`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/cells": html(calendar(head(title), cell)),
    "/buttons": html(
      calendar(
        head(`'<button>' + shown.getFullYear() + '</button><button>' + name('long') + '</button>'`, "‹", "›"),
        `(n) => '<td><button aria-label="Choose ' + name('long') + ' ' + n + 'th, ' + shown.getFullYear() + '" onclick="choose(' + n + ')">' + n + '</button></td>'`,
      ),
    ),
    "/german": html(
      `<script>document.documentElement.lang = 'de'</script>${calendar(head(title, "Vorheriger Monat", "Nächster Monat"), cell)}`,
    ),
    "/still": html(calendar(`() => ${title}`, cell)),
    "/taken": html(calendar(head(title), `(n) => '<td>' + n + '</td>'`)),
    "/plain": html(`<label>Date <input id=date readonly class=datepicker></label>`),
  });
});
afterAll(() => bench.close());

const holds = (page: Visit) => page.text("js", "date.value");
async function refusal(page: Visit, value: string) {
  const error = await page.run("fill", "#date", value).then(
    () => undefined,
    (one: DevflowError) => one,
  );
  return `${error?.message} ${error?.details.next}`;
}

test.each(["/cells", "/buttons", "/german"])(
  "a day is chosen in the calendar of %s, some months away",
  async (path) => {
    const page = await bench.visit(path);
    expect(await page.text("fill", "#date", "2027-01-12")).toMatch(
      /^filled @e\d+ textbox "Date"(: "" → "12 Jan 2027"|[^\n]*\n[\s\S]*12 Jan 2027)/,
    );
    expect(await page.text("fill", "#date", "2026-10-31")).toContain("31 Oct 2026");
    expect(await holds(page)).toBe("31 Oct 2026");
  },
);

test("a month without buttons beside it is enough for its own days", async () => {
  const page = await bench.visit("/still");
  expect(await page.text("fill", "#date", "2026-11-30")).toContain('"30 Nov 2026"');
  expect(await refusal(page, "2027-01-12")).toContain("its calendar shows 2026-11 and could not be turned");
  expect(await holds(page)).toBe("30 Nov 2026");
});

test("what does not work is said, and what can be done instead", async () => {
  const taken = await bench.visit("/taken");
  expect(await refusal(taken, "2026-11-12")).toMatch(
    /its value did not change; it may not be free\. .*choose the day there/,
  );
  const plain = await bench.visit("/plain");
  expect(await refusal(plain, "2026-11-12")).toContain("could not be read as a calendar");
  expect(await refusal(plain, "tomorrow")).toMatch(
    /may open a calendar\. Fill it with a date as 2026-12-31, or click it and choose the day/,
  );
});

const month = (name: string, from: number, days: number) => [
  { role: "heading", name, ref: `f1e${from}` },
  ...Array.from({ length: days }, (_, at) => ({ role: "gridcell", name: String(at + 1), ref: `f1e${from + at + 1}` })),
];

test.each<[string, unknown[], string[], string]>([
  ["one month", month("November 2026", 1, 30), ["en"], "2026-11 30"],
  ["its name in another language", month("novembre 2026", 1, 30), ["fr", "en"], "2026-11 30"],
  ["a short name", month("Nov 2026", 1, 30), ["en"], "2026-11 30"],
  ["numbers", month("11/2026", 1, 30), ["en"], "2026-11 30"],
  ["Japanese", month("2026年11月", 1, 30), ["ja", "en"], "2026-11 30"],
  [
    "two months: which one is meant is unclear",
    [...month("November 2026", 1, 30), ...month("December 2026", 50, 31)],
    ["en"],
    "none",
  ],
  ["another number of days than the month has", month("February 2026", 1, 30), ["en"], "none"],
  ["no month that is named", month("Choose a day", 1, 30), ["en"], "none"],
])("a calendar with %s", (_, nodes, languages, expected) => {
  const found = calendarIn(readPageTree(nodes), new Set(), languages);
  expect(found ? `${found.year}-${found.month} ${found.days.length}` : "none").toBe(expected);
});

test("only a date that exists is one", () => {
  expect(dayFrom("2028-02-29")).toEqual({ year: 2028, month: 2, day: 29 });
  expect(["2027-02-29", "2027-13-01", "12/01/2027", "soon"].map(dayFrom)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a command that was given up turns no further", async () => {
  const page = await bench.visit("/cells");
  const stop = new AbortController();
  const filling = fill({ target: "#date", value: "2029-08-12" }, { ...page.scope, signal: stop.signal }).catch(String);
  await page.tab.page.waitForFunction("document.querySelector('#box b')?.textContent.startsWith('January')");
  stop.abort(new Error("given up"));
  expect(await filling).toContain("given up");
  const month = () => page.text("js", "box.querySelector('b').textContent");
  const shown = await month();
  await Bun.sleep(400);
  expect(await month()).toBe(shown);
});
