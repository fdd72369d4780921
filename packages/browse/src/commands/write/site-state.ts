/** Sets cookies and storage of a site. Values are never repeated in the answer. */

import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { cookieRecord, storageSetRecord } from "../write.ts";

type CookieInput = BrowseInput<typeof cookieRecord>;

export async function cookie(input: CookieInput, { tab, session }: TabScope): Promise<Answer> {
  const url = tab.page.url();
  if (input.domain === undefined && !url.startsWith("http")) {
    const next = "Open a page first, or pass --domain: devflow browse goto <url>";
    throw new DevflowError("input_invalid", {
      details: { problem: "This tab has no site to set a cookie for.", next },
    });
  }
  const domain = input.domain ?? new URL(url).hostname;
  if (input.value === undefined) {
    await session.context.clearCookies({ name: input.name, domain });
    return { text: `removed the cookie ${input.name} of ${domain}`, data: { name: input.name, domain, set: false } };
  }
  const { name, value, path, httpOnly, secure } = input;
  await session.context.addCookies([
    { name, value, domain, path, httpOnly, secure, ...(input.sameSite && { sameSite: input.sameSite }) },
  ]);
  return { text: `set the cookie ${name} for ${domain}${path}`, data: { name, domain, path, set: true } };
}

type StorageSetInput = BrowseInput<typeof storageSetRecord>;

export function storageSet(input: StorageSetInput, scope: TabScope): Promise<Answer> {
  return withReceipt(scope, {
    prepare: async () => undefined,
    async act() {
      const order = { key: input.key, value: input.value ?? null, area: input.area };
      const worked = await scope.tab.frame().evaluate(({ key, value, area }) => {
        try {
          const storage = area === "local" ? localStorage : sessionStorage;
          if (value === null) storage.removeItem(key);
          else storage.setItem(key, value);
          return true;
        } catch {
          return false;
        }
      }, order);
      if (!worked) {
        const next = "Open a page of the site first: devflow browse goto <url>";
        throw new DevflowError("input_invalid", { details: { problem: "This page has no storage.", next } });
      }
      const verb = input.value === undefined ? "removed" : "set";
      return { did: `${verb} ${input.key} in ${input.area}Storage`, data: { key: input.key, area: input.area } };
    },
  });
}
