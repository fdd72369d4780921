/** What looks different from its baseline is in the evidence and in the QA report, as a picture. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { devflowCommand, runProcess } from "@devflow/testkit";
import { openBrowserBench } from "./browser-bench.ts";

let title = "Cart";
const bench = await openBrowserBench({
  "/cart": (_, response) => response.end(`<!doctype html><title>Cart</title><h1>${title}</h1><p>Three things</p>`),
});
const report = async () => {
  const { stdout } = await runProcess([...devflowCommand(), "qa", "report", "--json"], {
    env: bench.env,
    cwd: bench.workspace.root,
    timeoutMs: 60_000,
  });
  return readFileSync((JSON.parse(stdout) as { report: string }).report, "utf8").replaceAll(String(bench.port), "4000");
};

test("a report shows in red what differs from the baseline, with the picture beside it", async () => {
  await bench.text("evidence", "start", "looks", "--no-shots");
  await bench.text("goto", bench.url("/cart"));
  await bench.text("screenshot", "--compare", "cart.png");
  await bench.text("screenshot", "--compare", "cart.png");
  title = "Basket";
  await bench.text("reload");
  const { ok, ...reply } = await bench.call(["screenshot", "--compare", "cart.png"]);
  expect([ok, "exit" in reply && reply.exit]).toEqual([true, 65]);
  await bench.text("evidence", "stop");
  const text = await report();
  const start = text.indexOf("## Compared pictures");
  expect(text.slice(start, text.indexOf("## Pages")).replace(/[\d.]+ %/, "<n> %")).toMatchInlineSnapshot(`
    "## Compared pictures: 1 of 2 differ

    - http://127.0.0.1:4000/cart, compared with cart.png: looks the same
    - http://127.0.0.1:4000/cart, compared with cart.png: <n> % of the pixels differ

    ![What differs from cart.png, in red](0005-difference.png)

    "
  `);
  expect(text).toContain("| visual | 80 |");
  const [folder] = new Bun.Glob("*/report.md").scanSync(join(bench.workspace.folder, "qa-reports"));
  const picture = /\(([^)]*difference\.png)\)/.exec(text)?.[1] ?? "";
  const beside = join(bench.workspace.folder, "qa-reports", dirname(folder ?? ""), picture);
  expect(readFileSync(beside).subarray(1, 4).toString()).toBe("PNG");
}, 120_000);

test("a picture of the difference that was exchanged later breaks the evidence", async () => {
  const [found] = new Bun.Glob("*/shots/*-difference.png").scanSync(join(bench.workspace.folder, "evidence"));
  const path = join(bench.workspace.folder, "evidence", found ?? "");
  expect(existsSync(path)).toBe(true);
  writeFileSync(path, "other");
  expect(bench.text("verify", "--check-only")).rejects.toThrow("difference.png was changed");
}, 60_000);
