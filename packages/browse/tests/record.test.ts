/** A flow that a person does in the browser becomes evidence, a spec and a verb. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readBundle } from "../src/evidence/bundle.ts";
import { openBrowserBench } from "./browser-bench.ts";

let signedUp = "";
const bench = await openBrowserBench({
  "/form": `<!doctype html><title>Sign up</title><h1>Sign up</h1>
    <form action="/welcome" method=post><label>Name <input name=name></label>
    <label>Size <select name=size><option>S</option><option>L</option></select></label>
    <label>Password <input type=password name=secret></label>
    <label><input type=checkbox name=news> <b>Newsletter</b></label>
    <label>Code <input name=code></label>
    <button type=button onclick="said.textContent = 'Checked'"><span>Check</span></button><p id=said></p>
    <button>Sign up now</button></form>
    <script>setInterval(() => said.click(), 20);
    document.querySelector('[name=name]').addEventListener('input', () => said.dispatchEvent(new MouseEvent('click')));</script>`,
  "/log-in": `<!doctype html><title>Log in</title><form action="/enter" method=post>
    <label>User <input name=user></label><label>Password <input type=password name=password></label>
    <button>Sign in</button></form>`,
  "/enter": (request, response) => {
    request.on("data", () => {});
    request.on("end", () => response.writeHead(303, { location: "/shop" }).end());
  },
  "/shop": `<!doctype html><title>Shop</title><h1>Shop</h1><button onclick="show('/shop/cart')">Cart</button>
    <button onclick="setTimeout(() => { said.textContent = 'Paid'; }, 60)">Pay</button><p id=said></p>
    <script>function show(path) { history.pushState(null, '', path); said.textContent = 'Here is ' + path; }</script>`,
  "/frame": `<!doctype html><title>Cart</title><h1>Cart</h1><iframe title="Coupon" srcdoc="<label>Code <input></label>"></iframe>`,
  "/welcome": (request, response) => {
    let sent = "";
    request.on("data", (part) => (sent += part));
    request.on("end", () => {
      signedUp = sent;
      response.end(
        "<!doctype html><title>Welcome</title><h1>Welcome</h1><details><summary>Done</summary>Bye</details>",
      );
    });
  },
});

const limit = 180_000;
const ref = (text: string, words: string) => new RegExp(`@e\\d+(?= ${words})`).exec(text)?.[0] ?? "";

/** Commands press real keys and buttons, as a person does; recorded is what arrives in the page. */
async function doIt(): Promise<void> {
  const seen = await bench.text("snapshot", "-i");
  await bench.text("click", ref(seen, 'textbox "Name"'));
  await bench.text("type", "Bo");
  await bench.text("type", "b");
  await bench.text("press", "ArrowDown", ref(seen, 'combobox "Size"'));
  await bench.text("fill", ref(seen, 'textbox "Password"'), "hunter2-canary");
  await bench.text("click", "text=Newsletter");
  await bench.text("fill", ref(seen, 'textbox "Code"'), "TENOFF");
  await bench.text("dblclick", ref(seen, 'button "Check"'));
  await bench.text("click", ref(seen, 'button "Sign up now"'));
  await bench.text("click", "text=Done");
}

test(
  "what a person does is evidence, in the order in which it was done, without what a page only pretends",
  async () => {
    await bench.text("goto", bench.url("/form"));
    expect(await bench.text("record", "start", "sign-up", "--no-shots")).toContain("devflow browse record stop");
    await doIt();
    const stopped = await bench.text("record", "stop");
    expect(stopped).toContain("devflow browse task sign-up [name] [size] <password> [code]");
    const [, folder = ""] = /devflow browse verify (\S+)/.exec(stopped) ?? [];
    const bundle = join(bench.workspace.root, folder);
    const { commands, isEnded } = readBundle(bundle);
    const told = commands.map(({ body: { command, targets, input } }) => [
      command,
      targets.target?.name ?? "",
      input.value ?? input.options ?? "",
    ]);
    expect(isEnded).toBe(true);
    expect(told).toEqual([
      ["goto", "", ""],
      ["fill", "Name", "Bob"],
      ["select", "Size", ["L"]],
      ["fill", "Password", "{{SECRET_1}}"],
      ["click", "Newsletter", ""],
      ["fill", "Code", "TENOFF"],
      ["dblclick", "Check", ""],
      ["click", "Sign up now", ""],
      ["click", "Done", ""],
    ]);
    const spec = readFileSync(join(bundle, "replay.spec.ts"), "utf8");
    expect(spec).toContain("page.getByRole('textbox', { name: 'Name', exact: true }).fill(\"Bob\");");
    expect(spec).toContain("page.getByRole('button', { name: 'Sign up now', exact: true }).click();");
    for (const file of ["journal.jsonl", "replay.spec.ts"])
      expect(readFileSync(join(bundle, file), "utf8")).not.toContain("hunter2");
  },
  limit,
);

test(
  "it is verified and repeated like the evidence of an agent",
  async () => {
    const secrets = join(bench.workspace.root, "secrets.json");
    await Bun.write(secrets, JSON.stringify({ SECRET_1: "other" }));
    expect(await bench.text("verify", "--secrets", secrets)).toContain("9 steps");
    const again = await bench.text("task", "sign-up", "Ann", "S", "other", "NONE");
    expect(again).toContain("sign-up: done, 9 steps");
    expect(signedUp).toBe("name=Ann&size=S&secret=other&news=on&code=NONE");
  },
  limit,
);

test(
  "acts in a frame are found again in that frame, and a page that the person opens is a step",
  async () => {
    await bench.text("goto", bench.url("/frame"));
    await bench.text("record", "start", "coupon", "--no-shots");
    await bench.text("fill", "textbox:Code", "TENOFF");
    await bench.text("press", "Enter");
    await bench.text("goto", bench.url("/form"));
    const stopped = await bench.text("record", "stop");
    expect(stopped).toContain("devflow browse task coupon [code]");
    const [, folder = ""] = /devflow browse verify (\S+)/.exec(stopped) ?? [];
    const told = readBundle(join(bench.workspace.root, folder)).commands.map(({ body }) => [
      body.command,
      body.targets.target?.code ?? body.input.url,
    ]);
    const code =
      "locator('iframe[title=\"Coupon\"]').contentFrame().getByRole('textbox', { name: 'Code', exact: true })";
    expect(told).toEqual([
      ["goto", bench.url("/frame")],
      ["fill", code],
      ["press", code],
      ["goto", bench.url("/form")],
    ]);
    expect(await bench.text("task", "coupon", "FIVE")).toContain("coupon: done, 4 steps");
  },
  limit,
);

test("a second recording is refused, and so is an end without a beginning", async () => {
  await bench.text("record", "start", "other", "--no-shots");
  expect(bench.text("record", "start", "third")).rejects.toThrow("already being recorded");
  await bench.text("record", "stop");
  expect(bench.text("record", "stop")).rejects.toThrow("A recording of a person in this session");
});

test(
  "a click keeps the page that it led to, however soon the next thing is done, a password is not kept, and that is verified",
  async () => {
    await bench.text("goto", bench.url("/log-in"));
    // Known as a secret only by its field, since it is short.
    const short = "pw-x9";
    // With screenshots, which take longer than the person.
    await bench.text("record", "start", "pay");
    await bench.text(
      "chain",
      "fill textbox:User Ann",
      `fill textbox:Password ${short}`,
      'click "button:Sign in"',
      "click button:Cart",
      "click button:Pay",
    );
    await bench.text("goto", bench.url("/form"));
    const [, folder = ""] = /devflow browse verify (\S+)/.exec(await bench.text("record", "stop")) ?? [];
    const spec = readFileSync(join(bench.workspace.root, folder, "replay.spec.ts"), "utf8");
    expect(
      spec
        .split("\n")
        .filter((line) => /goto|click|URL/.test(line))
        .map((line) => line.trim()),
    ).toEqual([
      `await page.goto("${bench.url("/log-in")}");`,
      "await page.getByRole('button', { name: 'Sign in', exact: true }).click();",
      `await expect(page).toHaveURL("${bench.url("/shop")}");`,
      "await page.getByRole('button', { name: 'Cart', exact: true }).click();",
      `await expect(page).toHaveURL("${bench.url("/shop/cart")}");`,
      "await page.getByRole('button', { name: 'Pay', exact: true }).click();",
      `await page.goto("${bench.url("/form")}");`,
    ]);
    expect(readFileSync(join(bench.workspace.root, folder, "journal.jsonl"), "utf8")).not.toContain(short);
    const secrets = join(bench.workspace.root, "short.json");
    await Bun.write(secrets, JSON.stringify({ SECRET_1: short }));
    const verified = await bench.text("verify", folder, "--secrets", secrets);
    expect(verified).toContain("7 steps were replayed and went as recorded");
    expect(await bench.text("task", "pay", "Bob", short)).toContain("pay: done, 7 steps");
  },
  limit,
);
