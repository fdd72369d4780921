import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { preparePages } from "../../page-world/ask-page.ts";
import type { gotoRecord } from "../navigation.ts";
import { navigate } from "./arrival.ts";
import { completeUrl } from "./complete-url.ts";

type GotoInput = BrowseInput<typeof gotoRecord>;

export async function goto(input: GotoInput, scope: TabScope): Promise<Answer> {
  await preparePages();
  const url = completeUrl(input.url);
  scope.policy.checkUrl(url);
  if (input.insecure) {
    const cdp = await scope.tab.cdp();
    await cdp.send("Security.setIgnoreCertificateErrors", { ignore: true });
  }
  if (input.auth !== undefined) await scope.session.context.setHTTPCredentials(credentialsIn(input.auth));
  return navigate(scope, url, input.until, (limits) => scope.tab.page.goto(url, { ...limits, signal: scope.signal }));
}

function credentialsIn(auth: string): { username: string; password: string } {
  const at = auth.indexOf(":");
  return at < 0 ? { username: auth, password: "" } : { username: auth.slice(0, at), password: auth.slice(at + 1) };
}
