/**
 * When the browser tells about a gate outside of the page: only where the reader asked for it, and only for gates that opened since.
 *
 * - `createGateNotices()` → `fresh(approvals)`, the gates that were not there when it was asked last; never any on the first time.
 * - `readNotify`, `writeNotify` the reader's wish, kept in this browser.
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
      // A gate that froze and was asked again is asked anew.
      known = new Set([...(before ?? []), ...approvals.map(idOf)]);
      return before ? approvals.filter((approval) => !before.has(idOf(approval))) : [];
    },
  };
}

const idOf = (approval: ApprovalView): string => `${approval.id}:${approval.epoch}`;
