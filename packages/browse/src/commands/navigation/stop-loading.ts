import type { Answer, TabScope } from "../../command.ts";

export async function stopLoading(_input: object, scope: TabScope): Promise<Answer> {
  const cdp = await scope.tab.cdp();
  await cdp.send("Page.stopLoading");
  const url = scope.tab.page.url();
  return { text: `stopped loading ${url}`, data: { url }, fromPage: true };
}
