import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import { prepareAnswer } from "../../tab-events/dialogs.ts";
import type { dialogRecord } from "../write.ts";

type DialogInput = BrowseInput<typeof dialogRecord>;

export async function dialog(input: DialogInput, { tab }: TabScope): Promise<Answer> {
  attachTab(tab);
  prepareAnswer(tab, { accept: input.answer === "accept", text: input.text, always: input.always });
  const which = input.always ? "every dialog from now on" : "the next dialog";
  return { text: `${which} will be ${input.answer === "accept" ? "accepted" : "dismissed"}`, data: { ...input } };
}
