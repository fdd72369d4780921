/**
 * People's verdicts on one result, read and added on its page. They are the labels that judges are measured by.
 *
 * - `labelsView(store, labels, place)`, `addLabel(store, parts, place, body)`.
 */
import { DevflowError } from "@devflow/core/errors";
import { type EvalLabel, EvalLabelInput } from "@devflow/protocol";
import { type HumanLabel, outputShaOf } from "../judges/index.ts";
import type { EvalStore } from "../store/index.ts";
import type { ResultPlace } from "./result-view.ts";
import { refOf } from "./run-line.ts";

type ReadLabels = (suite: string) => Promise<readonly HumanLabel[]>;

export interface LabelParts {
  readonly labels?: ReadLabels | undefined;
  /** Absent where labels cannot be written, for example on a team server. */
  readonly writeLabel?: ((suite: string, label: Omit<HumanLabel, "by">) => Promise<void>) | undefined;
}

export async function labelsView(
  store: EvalStore,
  labels: ReadLabels,
  { run: ref, ordinal }: ResultPlace,
): Promise<{ labels: EvalLabel[] }> {
  const { line } = await store.run(ref);
  const result = await store.result(refOf(line), ordinal);
  const sha = outputShaOf(result.output);
  const own = (await labels(line.suite)).filter((one) => one.name === result.name && one.output_sha === sha);
  return {
    labels: own
      .map(({ at, by, criterion, verdict, note }) => ({ at, by, criterion, verdict, note }))
      .toSorted((a, b) => (a.at < b.at ? 1 : -1)),
  };
}

export async function addLabel(
  store: EvalStore,
  { labels = async () => [], writeLabel }: LabelParts,
  place: ResultPlace,
  body: unknown,
): Promise<{ labels: EvalLabel[] }> {
  const given = EvalLabelInput.safeParse(body);
  if (!given.success) {
    const problem = given.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    throw new DevflowError("input_invalid", { details: { problem, next: "Choose pass or fail." } });
  }
  if (!writeLabel) {
    throw new DevflowError("forbidden", {
      details: { problem: "Labels cannot be added here.", next: "devflow eval label <run>" },
    });
  }
  const { line } = await store.run(place.run);
  const result = await store.result(refOf(line), place.ordinal);
  await writeLabel(line.suite, {
    ...{ at: new Date().toISOString(), run_id: line.runId, name: result.name },
    ...{ input_sha: result.inputSha, repeat: result.repeat, output_sha: outputShaOf(result.output) },
    ...given.data,
  });
  return labelsView(store, labels, place);
}
