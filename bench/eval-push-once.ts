/** `eval-push-once.ts <home> <file>`: one push in a separate process, which prints its peak memory in MB. */
import { readFileSync } from "node:fs";
import { readResults } from "@devflow/evals";
import { openStore } from "@devflow/evals/store";

const [home = "", path = ""] = process.argv.slice(2);
const store = await openStore(home);
await store.push(await readResults(path, { defaults: { nowMs: Date.now() } }));
store.close();
// From the system, not from the runtime, where a child starts with its parent's peak.
const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
console.log(Number(peak) / 1024);
