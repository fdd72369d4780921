/**
 * Three flows, walked with what the skill text teaches: look, act by ref, read the receipt. No command fails, no step needs a
 * second look, and what is read stays small.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { flowRoutes } from "../testing/flow-site.ts";
import { openBrowserBench } from "./browser-bench.ts";

const html = (body: string) => `<!doctype html><title>Consent</title>${body}`;
const bench = await openBrowserBench({
  ...flowRoutes(),
  "/consent": html(`<button onclick="window.open('/consent/window')">Agree</button>
    <button onclick="window.open('/consent/thanks')">Confirm</button>`),
  "/consent/thanks":
    html(`<button onclick="document.body.innerHTML = '<h1>Thank you</h1><p>This window closes by itself.</p>';
    setTimeout(() => window.close(), 900)">Yes</button>`),
  "/consent/window": html(`<button onclick="setTimeout(() => window.close(), 600)">Yes</button>`),
});
const limit = 120_000;

/** An agent: it knows only what it has read, and remembers the refs in it. */
function agent() {
  const refs = new Map<string, string>();
  let bytes = 0;
  const run = async (...words: string[]): Promise<string> => {
    const out = await bench.text(...words);
    bytes += Buffer.byteLength(out) + Buffer.byteLength(words.join(" "));
    for (const [, ref = "", what = ""] of out.matchAll(/(@e\d+) ((?:button|link|textbox|combobox|option) [^\n]*)/g)) {
      // The newest is the last.
      refs.delete(what);
      refs.set(what, ref);
    }
    return out;
  };
  const ref = (words: string): string => {
    const known = [...refs].findLast(([what]) => what.startsWith(words));
    if (!known) throw new Error(`${words} was not read; known: ${[...refs.keys()].join(", ")}`);
    return known[1];
  };
  return { run, ref, bytes: () => bytes };
}

test(
  "a single-page app: options that arrive late, a toast, a row without words",
  async () => {
    const { run, ref, bytes } = agent();
    expect(await run("goto", bench.url("/team"))).toMatch(/listitem "Ann Globex"\n {4}@e\d+ button <button.trash>/);
    expect(await run("click", ref('button "Add person"'))).toContain('combobox "Company"');
    await run("fill", ref('textbox "Name"'), "Bob");
    // The options come 0.4 s after the typing, from a server.
    expect(await run("fill", ref('combobox "Company"'), "Ini")).toContain('option "Initech"');
    expect(await run("click", ref('option "Initech"'))).toContain('button "Save" [no longer disabled]');
    const saved = await run("click", ref('button "Save"'));
    expect(saved).toContain('status "Saved Bob"');
    expect(saved).toMatch(/listitem "Ann Globex"\n\+ {3}@e\d+ button <button.trash>/);
    expect(await run("click", ref("button <button.trash>"))).toContain('status "Bob was removed"');
    expect(bytes()).toBeLessThan(1_700);
  },
  limit,
);

test(
  "a log-in that fails first, an upload through a hidden field, and a popup that closes itself",
  async () => {
    const { run, ref, bytes } = agent();
    writeFileSync(join(bench.workspace.root, "contract.pdf"), "words");
    await run("goto", bench.url("/account"));
    const logIn = (password: string) =>
      run(
        "chain",
        `fill ${ref('textbox "Mail"')} ada@example.com`,
        `fill ${ref('textbox "Password"')} "${password}"`,
        `click ${ref('button "Log in"')}`,
      );
    expect(await logIn("wrong")).toContain('alert "Wrong mail or password"');
    expect(await logIn("correct horse")).toMatch(/new page "Account":[\s\S]*button "Finish" \[disabled\]/);
    expect(await run("upload", ref('button "Contract"'), "contract.pdf")).toContain('+ "contract.pdf was received"');
    expect(await run("click", ref('link "Read the terms"'))).toContain("opened tab t2");
    // Its window has a name, so it is used again.
    expect(await bench.text("click", ref('link "Read the terms"'))).toMatch(/^tab t2 now shows \S+\/terms; go there/m);
    await run("tab", "t2");
    expect(await run("click", ref('button "Accept"'))).toMatch(
      /the page closed tab t2; now in t1, where this changed:\n {2}~ "Terms: not accepted" → "Terms: accepted"\n {2}~ @e\d+ button "Finish" \[no longer disabled\]/,
    );
    expect(await run("click", ref('button "Finish"'))).toContain('new page "Finished"');
    expect(bytes()).toBeLessThan(2_200);
  },
  limit,
);

test(
  "what a popup changes in the page that opened it is told, and where",
  async () => {
    const { run, ref } = agent();
    await run("goto", bench.url("/login"));
    await run("fill", ref('textbox "Mail"'), "ada@example.com");
    await run("fill", ref('textbox "Password"'), "correct horse");
    await run("click", ref('button "Log in"'));
    const opened = await run("click", ref('link "Read the terms"'));
    const popup = /opened tab (t\d+)/.exec(opened)?.[1] ?? "none";
    await run("tab", popup);
    expect(await run("click", ref('button "I have read this"'))).toMatch(
      /in tab (t\d+) this changed; go there: tab \1\n {2}~ "Terms: not accepted" → "Terms: read"/,
    );
    expect(await run("click", ref('button "I have read this"'))).toContain("no observable effect");
    await run("closetab", popup);
  },
  limit,
);

test(
  "a chain of redirects, and a pay frame of another site that answers late",
  async () => {
    const { run, ref, bytes } = agent();
    await run("goto", bench.url("/buy"));
    expect(await run("click", ref('link "Check out"'))).toContain('new page "Pay"');
    const pay = (number: string) =>
      run("chain", `fill ${ref('textbox "Card number"')} ${number}`, `click ${ref('button "Pay"')}`);
    expect(await pay("4242")).toContain('alert "The card number needs 16 digits"');
    expect(await pay("4242424242424242")).not.toContain("4242");
    expect(await run("wait", "--text", "is paid")).toContain("Order 4711 is paid");
    expect(bytes()).toBeLessThan(1_600);
  },
  limit,
);

test(
  "a new tab says what it has and where one came from, and a tab that its page closes later is told with the next answer",
  async () => {
    const { run, ref } = agent();
    await run("goto", bench.url("/consent"));
    const opened = await run("newtab", bench.url("/consent/window"));
    expect(opened.split("\n").slice(1, -2)).toEqual([
      expect.stringMatching(/^t\d+, opened from (t\d+); back: tab \1$/),
      `HTTP 200 "Consent" ${bench.url("/consent/window")}`,
      expect.stringMatching(/^ {2}@e\d+ button "Yes"$/),
    ]);
    const [, from = ""] = /opened from (t\d+)/.exec(opened) ?? [];
    await run("tab", from);
    const [, id = ""] = /opened tab (t\d+)/.exec(await run("click", ref('button "Agree"'))) ?? [];
    await run("tab", id);
    await run("click", ref('button "Yes"'));
    await Bun.sleep(900);
    // Also where the answer is about tabs, and not about a page.
    const { notes } = await bench.call(["tab", from]);
    expect(notes).toEqual([`The page closed tab ${id}; commands go to ${from} now: ${bench.url("/consent")}`]);
    const [, other = ""] = /opened tab (t\d+)/.exec(await run("click", 'button "Confirm"')) ?? [];
    await run("tab", other);
    expect(await run("click", ref('button "Yes"'))).toContain(`the page closed tab ${other}; now in ${from}`);
  },
  limit,
);
