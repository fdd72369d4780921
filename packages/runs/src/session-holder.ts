/** The holder of a real agent for the executable's hidden command; little else of runs is loaded with it. */
import { dirname } from "node:path";
import { type HolderOptions, runHolder, wires } from "@devflow/session/holder";
import { readArtifact, schemasWith } from "./artifacts/index.ts";

/** Ends when its agent ends. */
export function runSessionHolder(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  return runHolder(folder, { wires, env, checkArtifact });
}

const checkArtifact: HolderOptions["checkArtifact"] = async (
  { expectedArtifact: path, expectedSchema },
  { launch },
) => {
  const reading = await readArtifact({ path, folder: dirname(path) });
  if (!reading.ok) return [reading.message];
  if (!reading.json.ok) return [reading.json.error];
  const verdict = schemasWith(launch.schemas).validate(expectedSchema, reading.json.value);
  return verdict.ok ? [] : verdict.errors.map(({ path: place, message }) => `${place || "(file)"}: ${message}`);
};
