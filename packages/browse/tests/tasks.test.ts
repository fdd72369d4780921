/** What was done once is one command from then on, and survives changes of the page. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowserBench } from "./browser-bench.ts";

let send = "Sign up now";
let rows = "";
const bench = await openBrowserBench({
  "/form": (_, response) =>
    response.end(`<!doctype html><title>Sign up</title><h1>Sign up</h1>
      <form onsubmit="event.preventDefault(); said.textContent = 'Welcome ' + this.name.value + ' ' + this.size.value">
      <label>Name <input name=name></label> <label>Size <select name=size><option>S</option><option>L</option></select></label>
      <label>Password <input type=password name=secret></label>
      ${send === "Sign up now" ? "" : "<p>New here?</p>"}<button>${send}</button></form>${rows}<p id=said></p>`),
});

const limit = 120_000;
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
    const file = readFileSync(join(bench.workspace.folder, "pages", `127-0-0-1-${bench.port}.yaml`), "utf8");
    expect(file).toContain("name: Sign up now");
    expect(file).not.toContain("hunter2");
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
