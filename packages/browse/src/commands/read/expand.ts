import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { defaultBudget, expandGroup } from "../../snapshot/take-snapshot.ts";
import type { expandRecord } from "../read.ts";

type ExpandInput = BrowseInput<typeof expandRecord>;

export async function expand(input: ExpandInput, { tab }: TabScope): Promise<Answer> {
  const [from, to] = (input.range ?? "").split("-").map(Number);
  const range = input.range === undefined ? undefined : ([from!, to ?? from!] as const);
  const taken = await expandGroup(tab, input.group.replace("@", ""), range, input.budget ?? defaultBudget);
  const { text, tree: _tree, ...data } = taken;
  return { text, data, fromPage: true };
}
