/** The sandbox of agents. It fails only where it is switched on: no run with a real agent could start. */
import { DevflowError } from "@devflow/core/errors";
import { requireSandbox } from "@devflow/runs/sandbox";
import { type Check, fail, pass } from "../check.ts";

export const checkSandbox: Check = {
  name: "sandbox",
  run: async ({ inspection: { config }, env }) => {
    const isOn = config?.sandbox === true;
    try {
      await requireSandbox(env);
    } catch (error) {
      if (!(error instanceof DevflowError) || error.code !== "sandbox_unavailable") throw error;
      return isOn
        ? fail(`on, but impossible: ${error.details.reason}`, error.hint)
        : pass(`off, and impossible here: ${error.details.reason}`);
    }
    return pass(isOn ? "on; agents are confined" : "off; confine agents with: devflow config set sandbox true");
  },
};
