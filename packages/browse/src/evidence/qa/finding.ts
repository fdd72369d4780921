/** An entry of `findings.json`. */
import { z } from "zod";

export const severities = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

export const categories = [
  "functional",
  "console",
  "accessibility",
  "ux",
  "performance",
  "visual",
  "links",
  "content",
] as const;
export type Category = (typeof categories)[number];

export const Finding = z.object({
  title: z.string().min(1).max(300),
  severity: z.enum(severities),
  category: z.enum(categories),
  url: z.string().max(2000).optional(),
  steps: z.array(z.string().max(1000)).max(50).default([]),
  expected: z.string().max(2000).optional(),
  actual: z.string().max(2000).optional(),
  screenshots: z.array(z.string().max(500)).max(50).default([]),
  fixed: z.boolean().default(false),
});
export type Finding = z.output<typeof Finding>;

/** Identifies the same fault in two reports by what and where it is; steps and screenshots may differ. */
export function findingKey({ category, title, url }: Finding): string {
  const path = url !== undefined && URL.canParse(url) ? new URL(url).pathname : (url ?? "");
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return `${category} ${path} ${words}`;
}
