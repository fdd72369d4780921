/** Markdown for people: counts, failures and errors, and the rest folded. Untrusted text in it cannot mention, link or break the table. */
import { plainText } from "@devflow/core/plain-text";
import type { EvalResult, EvalRun } from "../../results/result.ts";
import { asText, type Exporter } from "./exporter.ts";

const longestCell = 300;
const mostPassing = 500;

export const markdownExport: Exporter = {
  id: "markdown",
  title: "Markdown",
  extension: ".md",
  carried: ["counts, every failure and error with expected and actual, the names of what passed (up to 500)"],
  lost: ["inputs, outputs of passing cases, tokens and cost", "it cannot be imported again"],
  async *write(run, results) {
    yield opening(run);
    const passing: string[] = [];
    let others = 0;
    let isFirst = true;
    for await (const result of results) {
      if (result.status === "pass" || result.status === "skipped") {
        if (passing.length < mostPassing)
          passing.push(`- ${escaped(title(result))}${result.status === "skipped" ? " (skipped)" : ""}`);
        else others += 1;
        continue;
      }
      if (isFirst) yield "\n| | case | problem | expected | actual |\n|---|---|---|---|---|\n";
      isFirst = false;
      for (const line of lines(result)) yield line;
    }
    if (passing.length > 0) {
      const rest = others === 0 ? "" : `\n- and ${others} more`;
      yield `\n<details><summary>${passing.length + others} passed or skipped</summary>\n\n${passing.join("\n")}${rest}\n\n</details>\n`;
    }
  },
};

function opening(run: EvalRun): string {
  const { total, passed, failed, errors, skipped } = run.totals;
  const facts = [
    run.label,
    run.model,
    run.tier,
    run.gitBranch,
    run.gitSha?.slice(0, 12),
    run.at.slice(0, 16).replace("T", " "),
  ];
  const shown = facts
    .filter((fact): fact is string => typeof fact === "string" && fact !== "")
    .map((fact) => escaped(fact));
  return `## ${escaped(run.suite)}: ${passed} of ${total} passed

${failed} failed, ${errors} error${errors === 1 ? "" : "s"}, ${skipped} skipped · ${shown.join(" · ")}
`;
}

function lines(result: EvalResult): string[] {
  const name = escaped(title(result));
  if (result.status === "error") return [`| ERROR | ${name} | ${escaped(result.error ?? "did not run")} | | |\n`];
  const failures =
    result.failures.length > 0 ? result.failures : [{ message: "no reason given", expected: null, actual: null }];
  return failures.map(
    ({ message, expected, actual }) =>
      `| FAIL | ${name} | ${escaped(message)} | ${escaped(asText(expected))} | ${escaped(asText(actual ?? result.output))} |\n`,
  );
}

function title(result: EvalResult): string {
  return `${result.name}${result.repeat === 0 ? "" : ` (repeat ${result.repeat + 1})`}`;
}

/** Entities, because not every Markdown renderer supports backslash escapes. */
function escaped(given: string): string {
  const words = plainText(given);
  const line = words.replace(/\s+/g, " ").trim();
  const cut = line.length > longestCell ? `${line.slice(0, longestCell - 1)}…` : line;
  return cut.toWellFormed().replace(/[&<>|@`*_[\]#\\!~]/g, (character) => `&#${character.codePointAt(0)};`);
}
