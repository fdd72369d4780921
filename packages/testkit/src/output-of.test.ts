import { expect, test } from "bun:test";
import { outputOf, plainText } from "./output-of.ts";
import { temporaryFolder, temporaryHome } from "./temporary-home.ts";

test("what a command said is shown whole, with its errors and its exit code", () => {
  expect(outputOf({ code: 64, stdout: "one\ntwo\n", stderr: "no such thing\n" })).toBe(
    "one\ntwo\n--- stderr\nno such thing\n--- exit code 64",
  );
  expect(outputOf({ code: 0, stdout: "fine\n", stderr: "" })).toBe("fine");
  expect(outputOf({ code: 0, stdout: "", stderr: "" })).toBe("");
});

test("what differs from run to run is replaced by its kind", () => {
  const differing = [
    `${temporaryHome().devflowHome}/config.yaml and ${temporaryFolder("shop")}`,
    "run 01890a5d-ac96-774b-bcce-b302099a8057, or 099a8057, or 01890a5d-ac96, at commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904, or 4b825dc642",
    "2026-07-30T12:00:01.123Z, 2026-07-30 12:00, 2026-07-30, 20260730T120001 and 12:00:01",
    "http://127.0.0.1:4780/runs#code=aB-c_1, --port 4781, pid 4711, Bun 1.4.4-canary.1, devflow 0.1.0.",
    "took 12 ms, then 1.5 s, then 2 min 3 s, 5 d ago",
    "plan        1.5 s  5157 tokens",
    "implement  12.5 s  3 events, 1.7 kB",
  ];
  expect(plainText(differing.join("\n"))).toMatchInlineSnapshot(`
    "<folder>/.devflow/config.yaml and <folder>
    run <id>, or <id>, or <id>, at commit <commit>, or <commit>
    <time>, <time>, <time>, <time> and <time>
    http://127.0.0.1:<port>/runs#code=<code>, --port <port>, pid <pid>, Bun <version>, devflow <version>.
    took <duration>, then <duration>, then <duration>, <duration> ago
    plan  <duration>  <n> tokens
    implement  <duration>  <n> events, <size>"
  `);
});

test("everything else stays as it is", () => {
  const text = "127.0.0.1 has 12 runs at 3.5 $, 20 of 30 in about a minute: café, decade, 100 %, 4 of 5 cases";
  expect(plainText(text)).toBe(text);
});
