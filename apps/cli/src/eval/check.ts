/**
 * `devflow eval check`: a promptfoo suite as it is, cases whose providers are asked (`--run`), or cases and their outputs.
 */
import type { HandlerOf } from "@devflow/core/command";
import type { FindTeam } from "../team/team.ts";
import type { evalCheckRecord } from "./check-commands.ts";
import { asksItself, refuseForSuites, tierOf } from "./check-input.ts";
import { findPromptfooSuite } from "./find-promptfoo-suite.ts";

export const checkWith =
  (findTeam: FindTeam): HandlerOf<typeof evalCheckRecord> =>
  async (input, context) => {
    const suite = await findPromptfooSuite(input, context);
    if (suite !== undefined) {
      refuseForSuites(input);
      const { checkPromptfooSuite } = await import("./check-promptfoo.ts");
      return await checkPromptfooSuite(suite, { ...input, tier: tierOf(input, context) }, findTeam, context);
    }
    if (asksItself(input)) return await (await import("./run-suite.ts")).runSuite(input, context, findTeam);
    return await (await import("./check-cases.ts")).checkCases(input, context, findTeam);
  };
