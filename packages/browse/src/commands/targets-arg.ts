/** The argument that names an element, the same in every command. */
import { option } from "@devflow/core/command";
import { z } from "zod";

const summary = "A ref (@e3), CSS, text=words or role:name";

export const targetArg = (positional: number) =>
  option(z.string().min(1), { positional, placeholder: "<target>" }).describe(summary);

export const optionalTargetArg = (positional: number) =>
  option(z.string().min(1).optional(), { positional, placeholder: "<target>" }).describe(summary);

export const lastArg = z.number().int().min(1).max(5_000).default(30).describe("How many of the newest entries");
