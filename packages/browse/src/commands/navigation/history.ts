import { DevflowError } from "@devflow/core/errors";
import type { Answer, TabScope } from "../../command.ts";
import { navigate, type Until } from "./arrival.ts";

export async function moveInHistory(way: "back" | "forward", scope: TabScope): Promise<Answer> {
  const { page } = scope.tab;
  const cdp = await scope.tab.cdp();
  const { currentIndex, entries } = await cdp.send("Page.getNavigationHistory");
  const aim = entries[currentIndex + (way === "back" ? -1 : 1)];
  if (!aim) {
    const details = {
      url: `The page ${way}`,
      reason: `there is no page to go ${way} to`,
      next: "See the tab: devflow browse tabs",
    };
    throw new DevflowError("browse_navigation_failed", { details });
  }
  const step = way === "back" ? page.goBack.bind(page) : page.goForward.bind(page);
  return navigate(scope, aim.url, undefined, step, "step");
}

export function reload(input: { readonly until?: Until | undefined }, scope: TabScope): Promise<Answer> {
  const { page } = scope.tab;
  return navigate(scope, page.url(), input.until, (limits) => page.reload(limits));
}
