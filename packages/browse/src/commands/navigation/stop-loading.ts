import type { Answer, TabScope } from "../../command.ts";
import { stopNavigation } from "../../tab-events/navigations.ts";

export async function stopLoading(_input: object, scope: TabScope): Promise<Answer> {
  await stopNavigation(scope.tab);
  const url = scope.tab.page.url();
  return { text: `stopped loading ${url}`, data: { url }, fromPage: true };
}
