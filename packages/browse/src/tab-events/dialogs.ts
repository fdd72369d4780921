/**
 * Dialogs never block: each is answered at once and told in the next receipt.
 *
 * - `answerDialogs(tab)` from now on; alerts are accepted, leaving a page is accepted, questions are dismissed unless
 *   an answer was prepared.
 * - `prepareAnswer(tab, answer)` for the next question, or for all of them.
 */
import type { Dialog } from "playwright-core";
import type { DialogEntry, Tab } from "../command.ts";

export interface PreparedAnswer {
  readonly accept: boolean;
  readonly text?: string | undefined;
  /** For every question from now on, not just the next. */
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
  // The page may be gone by now; then there is nothing left to answer.
  await (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => undefined);
}
