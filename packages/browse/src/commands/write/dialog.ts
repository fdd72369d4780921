import type { Answer, TabScope } from "../../command.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import { prepareAnswer } from "../../tab-events/dialogs.ts";

export interface DialogInput {
  readonly answer: "accept" | "dismiss";
  readonly text?: string | undefined;
  readonly always: boolean;
}

export async function dialog(input: DialogInput, { tab }: TabScope): Promise<Answer> {
  attachTab(tab);
  prepareAnswer(tab, { accept: input.answer === "accept", text: input.text, always: input.always });
  const which = input.always ? "every dialog from now on" : "the next dialog";
  return { text: `${which} will be ${input.answer === "accept" ? "accepted" : "dismissed"}`, data: { ...input } };
}
