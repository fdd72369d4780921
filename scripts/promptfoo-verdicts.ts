/**
 * Runs promptfoo itself on the outputs and suites that its verdicts are compared on.
 *
 *     bun scripts/promptfoo-verdicts.ts            compares its verdicts with the recorded ones, and with Devflow's; part of the soak
 *     bun scripts/promptfoo-verdicts.ts --record   records them first
 *
 * promptfoo takes 2 GB and minutes, so `npm test` compares Devflow with the recorded verdicts only.
 */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  assertionVectors,
  ourSuiteVerdicts,
  ourVerdicts,
  promptfooFixtures,
  recordedAssertions,
  recordedSuites,
  suiteNames,
  theirAssertionVerdicts,
  theirSuiteVerdicts,
  verdictsFile,
} from "@devflow/evals/testing/promptfoo";
import { findPromptfoo } from "../bench/promptfoo.ts";

const root = join(import.meta.dir, "..");
const isRecording = process.argv.includes("--record");
const found = findPromptfoo({ root, cache: join(root, ".cache/bench"), say: (line) => console.log(line) });
if (!found) process.exit(1);
const [node = "node", program = ""] = found.command(root).argv;
const promptfoo = { folder: join(dirname(program), "../.."), node };

const vectors = assertionVectors(promptfooFixtures);
const assertions = theirAssertionVerdicts(promptfoo, vectors);
const suites = Object.fromEntries(suiteNames().map((name) => [name, theirSuiteVerdicts(promptfoo, name)]));
if (isRecording) {
  writeFileSync(verdictsFile("assertions"), `[\n${assertions.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`);
  writeFileSync(verdictsFile("suites"), `${JSON.stringify(suites, null, 1)}\n`);
  console.log(`recorded ${assertions.length} assertions and ${suiteNames().length} suites`);
}

const differences: string[] = [];
const compare = (what: string, ours: unknown, theirs: unknown) => {
  if (!Bun.deepEquals(ours, theirs))
    differences.push(`${what}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
};
const own = await ourVerdicts(vectors, promptfooFixtures);
for (const [index, { assertion, output }] of vectors.entries()) {
  const what = `${assertion.type} ${JSON.stringify(assertion.value)} on ${JSON.stringify(output)}`;
  compare(what, rounded(own[index]), rounded(assertions[index]));
  compare(`recorded ${what}`, recordedAssertions()[index], assertions[index]);
}
for (const name of suiteNames()) {
  compare(name, await ourSuiteVerdicts(name), suites[name]);
  compare(`recorded ${name}`, recordedSuites()[name], suites[name]);
}
for (const line of differences.slice(0, 50)) console.log(line.slice(0, 500));
console.log(`${vectors.length} assertions and ${suiteNames().length} suites, ${differences.length} differences`);
process.exit(differences.length === 0 ? 0 : 1);

function rounded(verdict: unknown): unknown {
  const { score, ...rest } = verdict as { score?: number };
  return { ...rest, ...(score === undefined ? {} : { score: Number(score.toFixed(9)) }) };
}
