/**
 * Dialogs never block: each is answered at once and listed in the next receipt.
 *
 * - `answerDialogs(tab)` from now on. Alerts and leaving a page are accepted; confirms and prompts are dismissed unless an
 *   answer was prepared.
 * - `prepareAnswer(tab, answer)` for the next confirm or prompt, or for all of them.
 */
import type { Dialog } from "playwright-core";
import type { DialogEntry, Tab } from "../command.ts";

export interface PreparedAnswer {
  readonly accept: boolean;
  readonly text?: string | undefined;
  /** For every confirm or prompt from now on, not only the next. */
  readonly always: boolean;
}

interface Plan {
  answer: PreparedAnswer | undefined;
}

const planOfTab = Symbol("browse dialog plan");
const planOf = (tab: Tab): Plan => tab.memory(planOfTab, () => ({ answer: undefined }));

export function prepareAnswer(tab: Tab, answer: PreparedAnswer): void {
  planOf(tab).answer = answer;
}

export function answerDialogs(tab: Tab): void {
  tab.page.on("dialog", (dialog) => void answer(tab, dialog));
}

async function answer(tab: Tab, dialog: Dialog): Promise<void> {
  const kind = dialog.type() as DialogEntry["kind"];
  const plan = planOf(tab);
  const isQuestion = kind === "confirm" || kind === "prompt";
  const prepared = isQuestion ? plan.answer : undefined;
  const accept = prepared?.accept ?? !isQuestion;
  const text = kind === "prompt" && accept ? (prepared?.text ?? dialog.defaultValue()) : undefined;
  if (prepared && !prepared.always) plan.answer = undefined;
  tab.logs.dialogs.push({
    kind,
    message: dialog.message(),
    answer: accept ? "accepted" : "dismissed",
    ...(text !== undefined && { text }),
  });
  // The page may already be gone; then there is nothing to answer.
  await (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
}
