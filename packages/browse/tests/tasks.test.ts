/** What was done once is one command from then on, and survives changes of the page. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowserBench } from "./browser-bench.ts";

const shop = (user: string) => `<!doctype html><title>Shop</title><h1>Hello ${user}</h1>`;
let drafts = "";
let send = "Sign up now";
let rows = "";
const bench = await openBrowserBench({
  // Like many apps: every page has the same title, and a failed log-in stays on its page.
  "/login": `<!doctype html><title>Shop</title><h1>Log in</h1><form onsubmit="event.preventDefault(); enter(this)">
      <label>User <input name=user></label> <label>Password <input type=password name=password></label>
      <button>Sign in</button></form><p role=alert id=problem></p>
      <script>async function enter({ user, password }) {
        const answer = await fetch('/session', { method: 'post', body: password.value });
        await answer.text();
        if (answer.ok) location = '/shop/' + user.value;
        else problem.textContent = 'Wrong password';
      }</script>`,
  "/session": (request, response) => {
    request.on("data", (sent) => {
      response.statusCode = String(sent) === "good" ? 200 : 401;
    });
    request.on("end", () => response.end("{}"));
  },
  "/draft": (_, response) =>
    response.end(`<!doctype html><title>Draft</title><h1>Draft</h1><label>Note <input></label> ${drafts}
      <p id=said></p><script>for (const button of document.querySelectorAll('button'))
        button.onclick = () => { said.textContent = 'Pressed ' + button.textContent; };</script>`),
  "/shop/ann": shop("ann"),
  "/shop/bob": shop("bob"),
  "/form": (_, response) =>
    response.end(`<!doctype html><title>Sign up</title><h1>Sign up</h1>
      <form onsubmit="event.preventDefault(); said.textContent = 'Welcome ' + this.name.value + ' ' + this.size.value">
      <label>Name <input name=name></label> <label>Size <select name=size><option>S</option><option>L</option></select></label>
      <label>Password <input type=password name=secret></label>
      ${send === "Sign up now" ? "" : "<p>New here?</p>"}<button>${send}</button></form>${rows}<p id=said></p>`),
});

const limit = 120_000;
const verbs = () => readFileSync(join(bench.workspace.folder, "pages", `127-0-0-1-${bench.port}.yaml`), "utf8");
const ref = (text: string, words: string) => new RegExp(`@e\\d+(?= ${words})`).exec(text)?.[0] ?? "";

test(
  "a recorded flow becomes a verb that takes what was typed, and costs a fraction of the bytes",
  async () => {
    let bytes = 0;
    const run = async (...words: string[]) => {
      const out = await bench.text(...words);
      bytes += out.length + words.join(" ").length;
      return out;
    };
    await bench.text("evidence", "start", "sign-up", "--no-shots");
    await run("goto", bench.url("/form"));
    const seen = await run("snapshot", "-i");
    await run("fill", ref(seen, 'textbox "Name"'), "Bob");
    await run("select", ref(seen, 'combobox "Size"'), "L");
    await run("fill", ref(seen, 'textbox "Password"'), "hunter2-canary");
    expect(await run("click", ref(seen, 'button "Sign up now"'))).toContain("Welcome Bob L");
    await bench.text("evidence", "stop");
    expect(await bench.text("learn", "sign-up")).toContain("devflow browse task sign-up [name] [size] <password>");
    expect(await bench.text("task")).toBe("sign-up [name] [size] <password>\n");
    const words = ["task", "sign-up", "Ann", "password=other"];
    const out = await bench.text(...words);
    expect(out).toContain("sign-up: done, 5 steps\n");
    expect(out).toContain("Welcome Ann L");
    expect(out.length + words.join(" ").length).toBeLessThan(bytes / 3);
    expect(verbs()).toContain("name: Sign up now");
    expect(verbs()).not.toContain("hunter2");
  },
  limit,
);

test(
  "a verb finds a renamed button again, says so and remembers it",
  async () => {
    send = "Sign up here";
    const first = await bench.text("task", "sign-up", "Eve", "S", "pw");
    expect(first).toContain('changed step 5, click button "Sign up now": now button "Sign up here"');
    expect(first).toContain("Welcome Eve S");
    expect(await bench.text("task", "sign-up", "Eve", "S", "pw")).not.toContain("changed");
  },
  limit,
);

test(
  "a verb does not choose among several that are like its target",
  async () => {
    send = "Delete account";
    rows = ["Ann", "Bob"].map((name) => `<ul><li>${name} <button>Sign up there</button></li></ul>`).join("");
    const { code, stdout } = await bench.cli(["task", "sign-up", "Eve", "S", "pw"]);
    expect(code).toBe(65);
    expect(stdout).toMatch(
      /stopped step 5, click button "Sign up here": Nothing matches .*: @e\d+ button "Sign up there" in "Ann", @e\d+ button "Sign up there" in "Bob"/,
    );
    rows = "";
  },
  limit,
);

test(
  "a value by a name that the verb does not have is refused",
  async () => {
    const { code, stderr } = await bench.cli(["task", "sign-up", "nmae=Eve", "S", "pw"]);
    expect(code).toBe(64);
    expect(stderr).toContain("It has no value nmae. It takes: name, size, password.");
    expect(stderr).toContain("If that is the text itself: name=nmae=Eve");
  },
  limit,
);

test(
  "a verb that no longer works says at which step, and ends with exit code 65",
  async () => {
    send = "";
    const { code, stdout } = await bench.cli(["task", "sign-up", "Eve", "S", "pw"]);
    expect(code).toBe(65);
    expect(stdout).toContain("sign-up: 4 of 5 steps");
    expect(stdout).not.toContain("recorded=");
    const unknown = await bench.cli(["task", "sign-upp"]);
    expect(unknown.stderr).toContain("Did you mean: devflow browse task sign-up");
  },
  limit,
);

test(
  "a log-in that fails is not reported as done, and the answer says what differed and where it stopped",
  async () => {
    await bench.text("evidence", "start", "log-in", "--no-shots");
    await bench.text("goto", bench.url("/login"));
    await bench.text("fill", "textbox:User", "ann");
    await bench.text("fill", "textbox:Password", "good");
    expect(await bench.text("click", "button:Sign in")).toContain("/shop/ann");
    await bench.text("evidence", "stop");
    await bench.text("learn", "log-in");
    expect(await bench.text("task", "log-in", "bob", "password=good")).toContain("log-in: done, 4 steps");
    const { code, stdout } = await bench.cli(["task", "log-in", "bob", "password=bad"]);
    expect(code).toBe(65);
    expect(stdout.split("\n").filter((line) => !line.startsWith("["))).toEqual([
      "log-in: 3 of 4 steps",
      'stopped step 4, click button "Sign in": expected the URL /shop/*, but it did not change',
      'stopped step 4, click button "Sign in": unexpected alert: "Wrong password"',
      `stopped step 4, click button "Sign in": unexpected failed request: POST ${bench.url("/session")} 401`,
      `The page is ${bench.url("/login")}`,
      "See it: snapshot -i",
      "",
    ]);
  },
  limit,
);

const button = (name: string) => `<button>${name}</button>`;

test(
  "a verb never presses a button that says something else than the learned one, and its file stays as it was",
  async () => {
    drafts = button("Save draft");
    await bench.text("evidence", "start", "save", "--no-shots");
    await bench.text("goto", bench.url("/draft"));
    await bench.text("click", "button:Save draft");
    await bench.text("evidence", "stop");
    await bench.text("learn", "save");
    const learned = verbs();
    for (const [now, told] of [
      [button("Discard draft"), '@e1 button "Discard draft"'],
      [button("Do not save draft"), '@e1 button "Do not save draft"'],
      [button("Save as draft") + button("Save a draft"), '@e2 button "Save a draft", @e1 button "Save as draft"'],
      [`<button hidden>Save draft</button>${button("Save draft and close")}`, '@e1 button "Save draft and close"'],
    ] as const) {
      drafts = now;
      const { code, stdout } = await bench.cli(["task", "save"]);
      expect([code, stdout.replace(/@e\d+/g, "@e")]).toEqual([
        65,
        expect.stringContaining(`Nothing matches button "Save draft". Closest now: ${told.replace(/@e\d+/g, "@e")}`),
      ]);
      expect(stdout).toContain(`write its name into step 2 of save in .devflow/pages/127-0-0-1-${bench.port}.yaml`);
      expect(await bench.text("text")).not.toContain("Pressed");
      expect(verbs()).toBe(learned);
    }
  },
  limit,
);

test(
  "a button with one small word more is found again and told, and kept only when the whole verb did what it should",
  async () => {
    const learned = verbs();
    drafts = `<button hidden>Save draft</button>${button("Save draft now")}<script>alert("Disk full")</script>`;
    const failed = await bench.cli(["task", "save"]);
    expect([failed.code, verbs()]).toEqual([65, learned]);
    drafts = `<button hidden>Save draft</button>${button("Save draft now")}`;
    const done = await bench.text("task", "save");
    expect(done).toContain('changed step 2, click button "Save draft": now button "Save draft now"');
    expect(done).toContain("Pressed Save draft now");
    expect(verbs()).toContain("name: Save draft now");
    expect(await bench.text("task", "save")).not.toContain("changed");
  },
  limit,
);

test(
  "a verb whose file is corrected by hand works again",
  async () => {
    drafts = button("Store it");
    expect((await bench.cli(["task", "save"])).code).toBe(65);
    const path = join(bench.workspace.folder, "pages", `127-0-0-1-${bench.port}.yaml`);
    writeFileSync(path, verbs().replace("name: Save draft now", "name: Store it"));
    expect(await bench.text("task", "save")).toContain("Pressed Store it");
  },
  limit,
);
