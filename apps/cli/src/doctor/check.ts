/** One check: its subject, and its result. */
import type { CommandContext } from "@devflow/core/command";
import type { ConfigInspection } from "@devflow/core/config";
import { z } from "zod";

export const checkStatuses = ["pass", "warn", "fail"] as const;
export type CheckStatus = (typeof checkStatuses)[number];

export const CheckResult = z.object({
  name: z.string(),
  status: z.enum(checkStatuses),
  detail: z.string(),
  /** What to do; empty when nothing needs to be done. */
  remediation: z.string(),
});
export type CheckResult = z.infer<typeof CheckResult>;

export interface CheckContext {
  readonly inspection: ConfigInspection;
  readonly env: CommandContext["env"];
  readonly cwd: string;
}

export type Finding = Omit<CheckResult, "name">;

export interface Check {
  readonly name: string;
  run(context: CheckContext): Promise<Finding>;
}

export const pass = (detail: string, remediation = ""): Finding => ({ status: "pass", detail, remediation });
export const warn = (detail: string, remediation: string): Finding => ({ status: "warn", detail, remediation });
export const fail = (detail: string, remediation: string): Finding => ({ status: "fail", detail, remediation });
