/**
 * Which gates to show a browser notification for: only gates that opened since the last call, and only if the user turned it on.
 *
 * - `createGateNotices()` → `fresh(approvals)`, the gates that are new since the last call; none on the first call.
 * - `readNotify`, `writeNotify` the user's choice, kept in this browser.
 */
import type { ApprovalView } from "@devflow/protocol";

const key = "devflow.notify";
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export const readNotify = (storage: Store): boolean => storage.getItem(key) === "gates";
export function writeNotify(storage: Store, isOn: boolean): void {
  if (isOn) storage.setItem(key, "gates");
  else storage.removeItem(key);
}

export function createGateNotices() {
  let known: Set<string> | undefined;
  return {
    fresh(approvals: readonly ApprovalView[]): ApprovalView[] {
      const before = known;
      // A gate that was paused and opened again has a new epoch and counts as new.
      known = new Set([...(before ?? []), ...approvals.map(idOf)]);
      return before ? approvals.filter((approval) => !before.has(idOf(approval))) : [];
    },
  };
}

const idOf = (approval: ApprovalView): string => `${approval.id}:${approval.epoch}`;
