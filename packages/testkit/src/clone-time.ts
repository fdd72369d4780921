/** `bun packages/testkit/src/clone-time.ts`: how long a test file waits for its database. */
import { testClone } from "./database.ts";

const kept = await testClone();
const times: number[] = [];
for (let count = 0; count < 40; count++) {
  const start = performance.now();
  const clone = await testClone();
  times.push(performance.now() - start);
  await clone.drop();
}
await kept.drop();
times.sort((a, b) => a - b);
const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
process.stdout.write(`clone of the template: p50 ${at(0.5)}, p95 ${at(0.95)} (${times.length} clones)\n`);
