/** Waiting: for what, and what happened meanwhile. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/pay": html(`<h1>Check-out</h1><button id=pay>Pay</button><p id=out></p><script>
      pay.onclick = () => {
        pay.disabled = true;
        pay.textContent = "Processing…";
        setTimeout(() => out.insertAdjacentHTML("beforeend", "<label>Purchase password <input></label>"), 2500);
      };</script>`),
    "/save": html(`<button id=save>Save</button><p id=out></p><script>
      save.onclick = async () => {
        out.textContent = "Saving…";
        await fetch("/slow");
        out.textContent = "";
        const toast = document.createElement("div");
        toast.setAttribute("role", "alert");
        document.body.append(toast);
        toast.textContent = "Saved as C69-1558";
        setTimeout(() => toast.remove(), 100);
      };</script>`),
    "/slow": () => Bun.sleep(2_000).then(() => "{}"),
    "/leave": html(
      `<button id=go>Pay</button><script>go.onclick = () => setTimeout(() => location = "/done", 400)</script>`,
    ),
    "/done": html("<h1>Thank you</h1><p>Order 4711</p>"),
    "/keys": html(`<input id=count><output id=out></output><script>let all = 0;
      count.onkeydown = () => { out.value = ++all; };</script>`),
  });
});
afterAll(() => bench.close());

test("a button that is still at work names the wait for whatever comes, which tells it with refs", async () => {
  const page = await bench.visit("/pay");
  expect((await page.text("click", "Pay")).split("\n").at(-1)).toBe(
    "still at work; wait for what comes: wait --change",
  );
  expect(await page.text("wait", "--change")).toMatch(
    /^after \d+ ms: a change\n(\+ "Purchase password"\n)?\+ @e\d+ textbox "Purchase password"$/,
  );
});

test("waiting for an idle network waits for the request under way, and tells a toast that is gone by then", async () => {
  const page = await bench.visit("/save");
  expect(await page.text("click", "Save")).toEndWith("still loading: GET /slow; wait for it: wait --idle");
  expect(await page.text("wait", "--idle")).toMatch(
    /^after \d{3,4} ms: an idle network\n[\s\S]*alert "Saved as C69-1558" \[gone\]$/,
  );
});

test.each([[["find", "Saved"]], [["text"]]])("what was announced and is gone is told by %p, too", async (words) => {
  const page = await bench.visit("/save");
  await page.text("click", "Save");
  await Bun.sleep(1_500);
  const told = await page.text(...words);
  expect(told).toStartWith('meanwhile: alert "Saved as C69-1558" [gone]\n');
  expect(await page.text(...words)).not.toContain("meanwhile");
});

test("a wait in vain says where the page is, and what it has", async () => {
  const page = await bench.visit("/leave");
  await page.text("click", "Pay");
  const { hint } = (await page.run("wait", "--text", "Paid", "--timeout", "900").catch((error) => error)) as Error & {
    hint: string;
  };
  expect(hint.split("\n")).toEqual([
    `The page is "Test page" ${bench.site.url("/done")}`,
    "Meanwhile:",
    '  "Test page":',
    '    heading "Thank you" [level 1]',
    '    "Order 4711"',
    "See the current page: devflow browse snapshot -i",
  ]);
});

test("a key is pressed as often as asked, and the order of text and target is explained", async () => {
  const page = await bench.visit("/keys");
  const receipt = await page.text("press", "ArrowLeft", "#count", "--times", "12");
  expect(receipt).toStartWith("pressed ArrowLeft 12 times on @e");
  expect(receipt).toContain('"12"');
  const failure = (await page.run("type", "@e1", "Kongens gate 24").catch((error) => error)) as Error & {
    hint: string;
  };
  expect([failure.message, failure.hint]).toEqual([
    "type takes the text first, then the target.",
    "Try: devflow browse type <text> @e1",
  ]);
});
