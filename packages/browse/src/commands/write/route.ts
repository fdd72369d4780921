/** Mocks or blocks requests instead of sending them to their server. */

import { DevflowError } from "@devflow/core/errors";
import type { Route } from "playwright-core";
import type { Answer, BrowseInput, Tab, TabScope } from "../../command.ts";
import type { routeRecord } from "../write.ts";

type RouteInput = BrowseInput<typeof routeRecord>;

interface Rule {
  readonly does: string;
  used: number;
  readonly handler: (route: Route) => Promise<void>;
}

const rulesOfTab = Symbol("browse routes");
const rulesOf = (tab: Tab): Map<string, Rule> => tab.memory(rulesOfTab, () => new Map());

export async function route(input: RouteInput, { tab }: TabScope): Promise<Answer> {
  const rules = rulesOf(tab);
  const { pattern } = input;
  if (pattern === undefined) return list(rules);
  const known = rules.get(pattern);
  if (known) await tab.page.unroute(pattern, known.handler);
  rules.delete(pattern);
  if (input.off) {
    return {
      text: known ? `${pattern} goes to its server again` : `${pattern} had no rule`,
      data: { pattern, rule: null },
    };
  }
  const rule = ruleFor(input);
  rules.set(pattern, rule);
  await tab.page.route(pattern, rule.handler);
  return { text: `${pattern}: ${rule.does}`, data: { pattern, rule: rule.does } };
}

function list(rules: ReadonlyMap<string, Rule>): Answer {
  const entries = [...rules].map(([pattern, { does, used }]) => ({ pattern, does, used }));
  const text = entries.map(({ pattern, does, used }) => `${pattern}: ${does}, used ${used} times`).join("\n");
  return { text: text || "no rules", data: { rules: entries } };
}

function ruleFor(input: RouteInput): Rule {
  const { block, status, body, type } = input;
  if (!block && status === undefined && body === undefined) {
    const next = "For example: devflow browse route '**/api/user' --status 500";
    throw new DevflowError("usage", { details: { problem: "A route needs --block, --status or --body.", next } });
  }
  const rule: Rule = {
    does: block
      ? "blocked"
      : `answered with ${status ?? 200}${body === undefined ? "" : ` and ${body.length} characters`}`,
    used: 0,
    async handler(intercepted) {
      rule.used += 1;
      if (block) return intercepted.abort("blockedbyclient");
      const contentType = type ?? (/^\s*[[{]/.test(body ?? "") ? "application/json" : "text/plain");
      // Cross-origin fetches need the CORS header that the real server would send.
      const headers = { "access-control-allow-origin": "*" };
      await intercepted.fulfill({ status: status ?? 200, body: body ?? "", contentType, headers });
    },
  };
  return rule;
}
