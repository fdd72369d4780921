/**
 * Names as the accessible name computation (W3C accname) gives them, in the cases that pages get wrong most often: images
 * inside, fields inside labels, file inputs, slots. What differs from the standard is in docs/browse.md.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench, type Visit } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";
import { askPage } from "../page-world/ask-page.ts";
import { captureTree } from "./capture-tree.ts";
import type { PageNode } from "./page-tree.ts";

/** The element is the one with the attribute `x`. */
const cases: readonly (readonly [name: string, markup: string])[] = [
  // images inside
  ["Home", `<a x href=#><img alt="Home"></a>`],
  ["Save draft", `<button x><img alt="Save"> draft</button>`],
  ["Close", `<button x><svg><title>Close</title></svg></button>`],
  ["Logo", `<a x href=#><img title="Logo"></a>`],
  ["Star", `<button x><span role=img aria-label="Star"></span></button>`],
  ["Go on", `<a x href=#><img alt=""> Go on</a>`],
  ["Search", `<input x type=image alt="Search">`],
  ["Submit", `<input x type=image>`],
  ["Vector", `<svg><a x href=#><text y=10>Vector</text></a></svg>`],
  // fields inside labels
  ["Flash 3 times", `<label><input x type=checkbox> Flash <input value=3> times</label>`],
  ["Flash 3 times", `<label><input x type=checkbox> Flash <select><option>1<option selected>3</select> times</label>`],
  ["Flash 5 times", `<label><input x type=checkbox> Flash <input type=range value=5 max=9> times</label>`],
  ["Flash 7 times", `<label><input x type=checkbox> Flash <textarea>7</textarea> times</label>`],
  [
    "Flash six times",
    `<label><input x type=checkbox> Flash <b role=spinbutton aria-valuetext=six aria-valuenow=6>?</b> times</label>`,
  ],
  [
    "Flash two times",
    `<label><input x type=checkbox> Flash <span role=combobox><span role=listbox><span role=option>one</span>
     <span role=option aria-selected=true>two</span></span></span> times</label>`,
  ],
  ["Times a day", `<label>Times <input x value=3> a day</label>`],
  ["Size", `<label>Size <select x><option>S<option>L</select></label>`],
  // file inputs
  ["Photo", `<label>Photo <input x type=file title="JPEG only"></label>`],
  ["Photo", `<input x type=file aria-label="Photo">`],
  ["Choose File", `<input x type=file>`],
  // slots
  ["Default", `<shadow-of content="<button x><slot>Default</slot></button>"></shadow-of>`],
  ["Given", `<shadow-of content="<button x><slot>Default</slot></button>">Given</shadow-of>`],
  [
    "Icon Text",
    `<shadow-of content="<button x><slot name=icon></slot> <slot></slot></button>"><img slot=icon alt="Icon">Text</shadow-of>`,
  ],
  ["Deep text", `<shadow-of content="<a x href=#><slot></slot></a>"><span>Deep <b>text</b></span></shadow-of>`],
  ["Seen", `<shadow-of content="<button x><slot></slot></button>"><span hidden>Hidden</span>Seen</shadow-of>`],
  ["Inner", `<shadow-of content="<label for=i>Inner</label><input x id=i>"></shadow-of>`],
  // others
  ["Hidden label", `<span id=h hidden>Hidden label</span><button x aria-labelledby=h>Shown</button>`],
  ["Two One", `<span id=one>One</span><span id=two>Two</span><input x aria-labelledby="two one">`],
  ["Address", `<fieldset x><legend>Address</legend><input></fieldset>`],
  ["Prices", `<table x><caption>Prices</caption><tr><td>1</td></tr></table>`],
  ["Chart", `<figure x><img alt=""><figcaption>Chart</figcaption></figure>`],
  ["New item", `<style>.new::before { content: "New " }</style><button x class=new>item</button>`],
  ["Star item", `<style>.star::before { content: "★" / "Star " }</style><button x class=star>item</button>`],
  ["One Two", `<button x><div>One</div><div>Two</div></button>`],
  ["OneTwo", `<button x><span>One</span><span>Two</span></button>`],
  ["Go", `<button x>Go <span aria-hidden=true>×</span></button>`],
  ["Search here", `<input x placeholder="Search here">`],
  ["Search title", `<input x title="Search title">`],
];

/** What differs from the standard: ours, the standard's, the markup. Each is a row of the table in docs/browse.md. */
const differences: readonly (readonly [ours: string, standard: string, markup: string])[] = [
  ["Flash times", "Flash 4 times", `<label><input x type=checkbox> Flash <span role=combobox>4</span> times</label>`],
  [
    "Go",
    "Go on",
    `<button x>Go <span style="visibility:hidden">away<b style="visibility:visible">on</b></span></button>`,
  ],
  ["3 €", "Price", `<dl><dt>Lamp</dt><dd x aria-label="Price">3 €</dd></dl>`],
  ["Go", "\u00a0Go", `<button x aria-label="&nbsp;Go">x</button>`],
  ["Down load", "Down\tload", `<button x aria-label="Down&#9;load">x</button>`],
  [
    "text",
    "image",
    `<button x><a href=# aria-labelledby=n1><img id=n1 alt=image aria-labelledby=n2></a></button><i id=n2>text</i>`,
  ],
  [
    "AB",
    "ATB",
    `<style>.q::before { content: "A" } .q::after { content: "B" }</style><a x class=q href=# title=T></a>`,
  ],
  ["x 2", "x2", `<button x>x<sup>2</sup></button>`],
];

const slots = `<script>customElements.define("shadow-of", class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = this.getAttribute("content"); } })</script>`;

let bench: Bench;
let page: Visit;
let nodes: readonly PageNode[];
beforeAll(async () => {
  const markups = [...cases.map(([, markup]) => markup), ...differences.map(([, , markup]) => markup)];
  const all = markups.map((markup, at) => `<section id=c${at}>${markup}</section>`).join("\n");
  bench = await openBench({
    "/": html(`${all}${slots}`),
    "/file": html(`<input type=file title="Your photo, JPEG">`),
  });
  page = await bench.visit("/");
  ({ nodes } = await captureTree(page.tab));
});
afterAll(() => bench.close());

async function nameAt(at: number): Promise<string | undefined> {
  const ref = await askPage(page.tab.page.locator(`#c${at} [x]`), { ask: "ref" });
  const node = nodes.find((one) => one.ref === ref);
  return node?.name || node?.text;
}

for (const [at, [name, markup]] of cases.entries()) {
  test(`${markup.replace(/\s+/g, " ")} is called ${JSON.stringify(name)}`, async () => {
    expect(await nameAt(at)).toBe(name);
  });
}

for (const [at, [ours, standard, markup]] of differences.entries()) {
  test(`${markup} is called ${JSON.stringify(ours)}, not ${JSON.stringify(standard)}`, async () => {
    expect(ours).not.toBe(standard);
    expect(await nameAt(cases.length + at)).toBe(ours);
  });
}

test("the title of a file field, which is not its name, is shown beside it", async () => {
  const other = await bench.visit("/file");
  expect(await other.text("snapshot", "-i")).toBe('@e1 button "Choose File" [title "Your photo, JPEG"]');
});
