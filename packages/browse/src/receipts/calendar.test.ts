/** A calendar as libraries build it: a table of days without a name, under its month. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

/** Turns a calendar that `show` fills, given a month's first day, where that stands, and how many days there are. */
const turned = `
  let at = 0, show;
  const names = (first) => { month.textContent = first.toLocaleString("en", { month: "long" }); year.textContent = first.getFullYear(); };
  const turn = (by) => {
    at += by;
    const first = new Date(2026, 10 + at, 1);
    show(first, first.getDay(), new Date(2026, 11 + at, 0).getDate());
    names(first);
  };
  if (window.next) next.onclick = () => turn(1);`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/": html(`<button>Choose a day</button><div id=box></div><script>
      const days = Array.from({ length: 31 }, (_, at) => '<td><a href="#' + at + '">' + (at + 1) + '</a></td>');
      const weeks = days.map((day, at) => at % 7 === 0 ? '<tr>' + days.slice(at, at + 7).join('') + '</tr>' : '').join('');
      document.querySelector('button').onclick = () => box.innerHTML = '<div><div><a href="#prev">Prev</a><a href="#next">Next</a>' +
        '<div><span>December</span> <span>2016</span></div></div><table>' + weeks + '</table></div>';</script>`),
    "/same-cells": html(
      `<input role=combobox aria-label=Date id=date><div role=dialog><div>
        <button aria-label="Previous Month">‹</button><button id=year></button><button id=month></button>
        <button aria-label="Next Month" id=next>›</button></div>
        <table role=grid aria-label="Use the arrow keys"><tbody id=body></tbody></table></div>
      <style>td { cursor: pointer }</style><script>${turned}
      for (let week = 0; week < 6; week++) body.insertRow().innerHTML = '<td role=gridcell></td>'.repeat(7);
      const cells = [...body.querySelectorAll("td")];
      show = (first, start) => cells.forEach((cell, at) => {
        const day = new Date(first.getFullYear(), first.getMonth(), at - start + 1);
        cell.textContent = day.getDate();
        cell.onclick = () => { date.value = day.toDateString(); };
      });
      turn(0);</script>`,
    ),
    "/new-cells": html(
      `<p id=out>nothing</p><div id=picker></div><script>${turned}
      show = (first, start, count) => {
        const day = (at) => '<td>' + (at < 1 || at > count ? '' : '<button' + (at < 5 ? ' disabled' : '') + ' onclick="out.textContent = ' + at + '">' + at + '</button>') + '</td>';
        const week = (from) => '<tr>' + Array.from({ length: 7 }, (_, at) => day(from + at - start + 1)).join('') + '</tr>';
        picker.innerHTML = '<div><button onclick="turn(-1)">Prev</button><span id=month></span> <span id=year></span><button onclick="turn(1)">Next</button></div>' +
          '<table>' + [0, 7, 14, 21, 28, 35].map(week).join('') + '</table>';
        names(first);
      };
      turn(0);</script>`,
    ),
    "/full-names": html(
      `<div id=picker></div><button id=next>Next</button><script>${turned}
      show = (first, start, count) => {
        const month = first.toLocaleString("en", { month: "long" }) + " " + first.getFullYear();
        const day = (at) => '<td role=gridcell><button aria-label="Day, ' + month.replace(' ', ' ' + at + 'th, ') + '">' + at + '</button></td>';
        const days = Array.from({ length: count }, (_, at) => day(at + 1));
        picker.innerHTML = '<table role=grid aria-label="' + month + '">' + [0, 7, 14, 21, 28].map((at) => '<tr>' + days.slice(at, at + 7).join('') + '</tr>').join('') + '</table>';
      };
      const month = {}, year = {};
      turn(0);</script>`,
    ),
    "/numbered": html(
      `<h2>Standings of January 2027</h2><button onclick="list.hidden = false">Show</button><table id=list hidden>${Array.from(
        { length: 30 },
        (_, at) => `<tr><td>${at + 1}</td><td>Runner ${at + 1}</td></tr>`,
      ).join("")}</table>`,
    ),
    "/table": html(
      `<h2>People</h2><table>${"<tr><td>Ada</td><td><button>Edit person</button></td></tr>".repeat(9)}</table>`,
    ),
  });
});
afterAll(() => bench.close());

test("the month of a calendar is in the receipt of what opened it, and in a snapshot", async () => {
  const page = await bench.visit("/");
  const receipt = await page.text("click", "button:Choose a day");
  expect(receipt).toContain('"December 2016"');
  expect(receipt).toMatch(/\n\+ calendar "December 2016": days 1–31 are @e\d+–@e\d+$/);
  expect(await page.text("snapshot", "-i")).toMatch(/@e\d+ table "December 2016"\n {2}@e\d+ link "1"\n/);
});

test("a calendar whose cells stay is told by its month, with the refs of that month's days", async () => {
  const page = await bench.visit("/same-cells");
  expect(await page.text("click", "Next Month")).toMatch(
    /^clicked @e\d+ button "Next Month"\n~ calendar now "December 2026": days 1–31 are @e\d+–@e\d+$/,
  );
  const [, first = ""] = /January 2027": days 1–31 are @e(\d+)–/.exec(await page.text("click", "Next Month")) ?? [];
  const ref = (day: number) => `@e${Number(first) + day - 1}`;
  expect(await page.text("click", ref(31))).toContain("Sun Jan 31 2027");
  expect(await page.text("click", ref(1))).toContain("Fri Jan 01 2027");
});

test("a calendar that is rendered anew is told like that, with the days that cannot be chosen", async () => {
  const page = await bench.visit("/new-cells");
  await page.text("snapshot", "-i");
  const receipt = await page.text("click", "Next");
  expect(receipt.split("\n").filter((line) => !/(Prev|Next)"/.test(line))).toEqual([
    expect.stringMatching(/^~ calendar now "December 2026": days 1–31 are @e\d+–@e\d+; disabled: 1–4$/),
  ]);
  const [, first = ""] = /are @e(\d+)/.exec(receipt) ?? [];
  expect(await page.text("click", `@e${Number(first) + 11}`)).toContain('"nothing" → "12"');
});

test("so is one whose days are called by their whole dates", async () => {
  const page = await bench.visit("/full-names");
  await page.text("snapshot", "-i");
  expect(await page.text("click", "Next")).toMatch(/\n~ calendar now "December 2026": days 1–31 are @e\d+–@e\d+$/);
});

test("days that a snapshot gave refs, week by week, are told week by week", async () => {
  const page = await bench.visit("/same-cells");
  await page.text("snapshot", "-i");
  const receipt = await page.text("click", "Next Month");
  expect(receipt).toMatch(/"December 2026": days 1–5 are @e\d+–@e\d+, 6–12 @e\d+–@e\d+, /);
  const [, first = ""] = /6–12 @e(\d+)/.exec(receipt) ?? [];
  expect(await page.text("click", `@e${Number(first) + 6}`)).toContain("Sat Dec 12 2026");
});

test("a chosen day is told as a change of that day", async () => {
  const page = await bench.visit("/same-cells");
  await page.text("snapshot", "-i");
  expect(await page.text("click", "gridcell:20")).not.toContain("calendar");
});

test("a table of numbered rows is no calendar", async () => {
  const page = await bench.visit("/numbered");
  const receipt = await page.text("click", "Show");
  expect(receipt).toContain('row "1 Runner 1"');
  expect(receipt).not.toContain("calendar");
});

test("a table whose controls have names has no line among them", async () => {
  const page = await bench.visit("/table");
  expect(await page.text("snapshot", "-i")).not.toContain("table");
});
