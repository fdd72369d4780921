/**
 * A Playwright test that does what a bundle recorded, for those who want it in their own suite.
 *
 * - `playwrightSpec(bundle)` its text. A command that Playwright has no word for becomes a comment, never a guess.
 */

import type { CommandBody, DurableTarget } from "../journal/index.ts";
import type { Bundle } from "./bundle.ts";
import { stepCode } from "./spec-steps.ts";

export function playwrightSpec({ start, commands, head }: Omit<Bundle, "folder" | "isEnded">): string {
  const variables = new Map<string, string>();
  const secrets = new Set<string>();
  const lines: string[] = [];
  for (const { seq, body } of commands) {
    if (body.effect === "read") continue;
    const { name, declaration } = pageOf(body.tab, variables);
    if (declaration) lines.push(declaration);
    const code = body.outcome.kind === "failed" ? undefined : stepCode(body, name);
    if (code === undefined) {
      lines.push(`// ${seq}: devflow browse ${body.command} ${comment(body)}`);
      continue;
    }
    lines.push(...code.map(withSecrets(secrets)), ...expectations(body, name));
  }
  const needed = [...secrets].map((name) => `// Needs the environment variable ${name}.`);
  return [
    `// Made by \`devflow browse evidence stop\` from ${start.bundle}, at commit ${start.commit ?? "none"}${start.changedFiles > 0 ? ` with ${start.changedFiles} changed files` : ""}.`,
    `// The journal it comes from ends with ${head}.`,
    ...needed,
    'import { expect, test } from "@playwright/test";',
    "",
    `test(${JSON.stringify(start.name)}, async ({ context, page }) => {`,
    ...lines.map((line) => `  ${line}`),
    "});",
    "",
  ].join("\n");
}

function pageOf(tab: string | null, variables: Map<string, string>): { name: string; declaration?: string } {
  const known = variables.get(tab ?? "");
  if (known) return { name: known };
  if (variables.size === 0) {
    variables.set(tab ?? "", "page");
    return { name: "page" };
  }
  const name = `page${variables.size + 1}`;
  variables.set(tab ?? "", name);
  return { name, declaration: `const ${name} = context.pages()[${variables.size - 1}] ?? (await context.newPage());` };
}

/** What the receipt saw is what the test demands: the address, and the first thing that appeared. */
function expectations({ outcome }: CommandBody, page: string): string[] {
  if (outcome.kind !== "receipt") return [];
  const { url, page: opened, changes } = outcome.receipt;
  const lines = url && !url.to.includes("{{") ? [`await expect(${page}).toHaveURL(${JSON.stringify(url.to)});`] : [];
  if (opened?.title) lines.push(`await expect(${page}).toHaveTitle(${JSON.stringify(opened.title)});`);
  const appeared = changes.map((line) => /^\+ (?:@\w+ )?([a-z]+) ("(?:[^"\\]|\\.)*")/.exec(line)).find(Boolean);
  if (appeared?.[1] && appeared[2] && !appeared[2].includes("…")) {
    const role = JSON.stringify(appeared[1]);
    lines.push(`await expect(${page}.getByRole(${role}, { name: ${appeared[2]} }).first()).toBeVisible();`);
  }
  return lines;
}

export function targetCode(target: DurableTarget, page: string): string {
  return `${page}.${target.code}`;
}

const withSecrets = (secrets: Set<string>) => (line: string) =>
  line.replace(/"\{\{(SECRET_\d+)\}\}"/g, (_, name: string) => {
    secrets.add(name);
    return `process.env.${name} ?? ""`;
  });

/** On one line, whatever it holds. */
function comment({ input, outcome }: CommandBody): string {
  const why = outcome.kind === "failed" ? ` (failed: ${outcome.message})` : "";
  return `${JSON.stringify(input)}${why}`.replace(/[\r\n\u2028\u2029]/g, " ");
}
