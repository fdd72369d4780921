/**
 * Which questions to show a browser notification for: only those asked since the last call, and only if the user turned it on.
 *
 * - `questionsOf(approvals, permissions)` open gates and permission requests as one list.
 * - `createNotices()` → `fresh(questions)`, the ones that are new since the last call; none on the first call.
 * - `readNotify`, `writeNotify` the user's choice, kept in this browser.
 */
import type { ApprovalView, OpenPermission } from "@devflow/protocol";
import { gateQuestion, permissionQuestion } from "./run-words.ts";

export interface Question {
  readonly id: string;
  readonly runId: string;
  readonly runTitle: string;
  readonly text: string;
  readonly askedAt: string;
}

export function questionsOf(approvals: readonly ApprovalView[], permissions: readonly OpenPermission[]): Question[] {
  const gates = approvals.map((gate) => ({
    // A gate that was paused and opened again has a new epoch and counts as new.
    id: `${gate.id}:${gate.epoch}`,
    runId: gate.runId,
    runTitle: gate.runTitle,
    text: gateQuestion(gate),
    askedAt: gate.createdAt,
  }));
  const asked = permissions.map((permission) => ({
    id: `${permission.sessionId}:${permission.id}`,
    runId: permission.runId,
    runTitle: permission.runTitle,
    text: permissionQuestion(permission),
    askedAt: permission.askedAt,
  }));
  return [...gates, ...asked];
}

const key = "devflow.notify";
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export const readNotify = (storage: Store): boolean => storage.getItem(key) === "gates";
export function writeNotify(storage: Store, isOn: boolean): void {
  if (isOn) storage.setItem(key, "gates");
  else storage.removeItem(key);
}

export function createNotices() {
  let known: Set<string> | undefined;
  return {
    fresh(questions: readonly Question[]): Question[] {
      const before = known;
      known = new Set([...(before ?? []), ...questions.map(({ id }) => id)]);
      return before ? questions.filter(({ id }) => !before.has(id)) : [];
    },
  };
}
