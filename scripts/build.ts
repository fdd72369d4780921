/**
 * `npm run build`: `dist/devflow` for this machine. `npm run build -- --out <file>` writes it elsewhere; `--worker` builds
 * `dist/devflow-worker` instead.
 */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildExecutable } from "./build/executable.ts";
import { targetOfThisMachine } from "./build/targets.ts";

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { out: { type: "string" }, worker: { type: "boolean", default: false } } });
const outfile = resolve(values.out ?? join(root, values.worker ? "dist/devflow-worker" : "dist/devflow"));
const target = targetOfThisMachine();
const started = performance.now();
if (values.worker) await (await import("./build/worker.ts")).buildWorker({ root, outfile });
else await buildExecutable({ root, target, postgres: join(root, "node_modules", target.postgresPackage), outfile });
const megabytes = (statSync(outfile).size / 1e6).toFixed(1);
console.log(`${outfile}: ${megabytes} MB for ${target.name} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
