/** `eval-push-once.ts <home> <file>`: one push, as a process of its own so that its memory can be measured. */
import { openStore, readResults } from "@devflow/evals";

const [home = "", path = ""] = process.argv.slice(2);
const store = await openStore(home);
await store.push(await readResults({ kind: "file", path }, { defaults: { nowMs: Date.now() } }));
store.close();
