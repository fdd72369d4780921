import { expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { runProcess, temporaryHome } from "@devflow/testkit";
import { openStore } from "./open-store.ts";

const push = join(import.meta.dir, "../../testing/programs/push-file.ts");

test("a file of 150 MB is stored in less memory than its size", async () => {
  const home = temporaryHome();
  const path = join(home.path, "large.json");
  const file = openSync(path, "w");
  writeSync(file, '{"suite":"large","all_results":[');
  const count = 25_000;
  for (let at = 0; at < count; at++) {
    const response = `${at} `.repeat(3000).slice(0, 5900);
    const record = { name: `case ${at}`, passed: true, output: { response }, judge_scores: { accuracy: 0.5 } };
    writeSync(file, `${at > 0 ? "," : ""}${JSON.stringify(record)}`);
  }
  writeSync(file, `],"total":${count},"passed":${count}}`);
  closeSync(file);
  expect(statSync(path).size).toBeGreaterThan(145_000_000);

  const command = [process.execPath, push, "eval", "push", path];
  const ended = await runProcess(command, { env: home.environment(), timeoutMs: 170_000 });
  expect([ended.code, ended.stdout]).toEqual([0, `large: ${count} of ${count} passed\n`]);
  if (process.platform === "linux") expect(Number(/^peak (\d+) MB/.exec(ended.stderr)?.[1])).toBeLessThan(300);
  const store = await openStore(home.devflowHome);
  expect((await store.results(store.list().runs[0]?.runId ?? "", { page: 499 })).rows.at(-1)?.name).toBe("case 24999");
  store.close();
}, 200_000);
