/** The tasks of a run with lanes, one line each, for the terminal. Pure. */
import { plainLine } from "@devflow/core/plain-text";
import type { RunDetail, TaskView } from "@devflow/protocol";
import { textTable } from "../text-table.ts";
import { shortId } from "./words.ts";

export function laneLines({ tasks, host }: Pick<RunDetail, "tasks" | "host">): string[] {
  if (tasks.length === 0) return [];
  const isSpread = tasks.some(({ lane }) => lane && lane.host !== host);
  const titles = ["LANE", "STATE", "RUN", ...(isSpread ? ["MACHINE"] : []), "AFTER", "TASK"];
  const table = textTable(
    titles.map((title) => ({ title })),
    tasks.map((task) => [
      task.id,
      stateOf(task),
      task.lane ? shortId(task.lane.runId) : "",
      ...(isSpread ? [plainLine(task.lane?.machine ?? "")] : []),
      task.dependsOn.join(", "),
      plainLine(task.title),
    ]),
  );
  return [...table.split("\n"), ...tasks.flatMap(remarksOf)];
}

function stateOf({ state, lane, order, tries, mergeCommit }: TaskView): string {
  const again = tries > 1 ? `, try ${tries}` : "";
  if (state === "working") return `${doing(lane)}${again}`;
  if (state === "done") return mergeCommit === null ? "done, changed nothing" : `merged ${order ?? ""}`.trimEnd();
  if (state === "merged") return "merged, testing";
  return `${state}${again}`;
}

function doing(lane: TaskView["lane"]): string {
  if (!lane) return "working";
  if (lane.state === "aborted" || lane.state === "failed") return lane.state;
  if (lane.questions > 0) return "asks";
  if (lane.queued) return "in line";
  if (lane.state === "paused") return "paused";
  return lane.phase ?? lane.state.replaceAll("_", " ");
}

function remarksOf({ id, reason, state, lane, collisions }: TaskView): string[] {
  const asks = lane && lane.questions > 0 ? [`${id} asks: devflow run show ${shortId(lane.runId)}`] : [];
  const why = reason && (state === "failed" || state === "dropped") ? [`${id}: ${plainLine(reason)}`] : [];
  const met = collisions.map((one) => `${id} collides with ${one.with}: ${one.files.map(plainLine).join(", ")}`);
  return [...asks, ...why, ...met];
}
