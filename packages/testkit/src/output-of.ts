/**
 * What a command said, as a test compares it with an inline snapshot: whole, and with what differs from run to run
 * replaced by its kind, so that every change of wording is seen and nothing else is.
 *
 * - `outputOf(result)` standard output, then standard error and the exit code where there is something to tell.
 * - `plainText(text)` the same replacements for any text.
 */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function outputOf({ code, stdout, stderr }: Said): string {
  return [
    ...(stdout === "" ? [] : [plainText(stdout).trimEnd()]),
    ...(stderr === "" ? [] : ["--- stderr", plainText(stderr).trimEnd()]),
    ...(code === 0 ? [] : [`--- exit code ${code}`]),
  ].join("\n");
}

const project = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
/** As `temporaryFolder` makes them, on macOS behind a link. */
const temporary = new RegExp(`(?:/private)?(?:${literal(tmpdir())}|/tmp)/[a-z-]+-[A-Za-z0-9]{6}(?![A-Za-z0-9])`, "g");

/** In this order: a time is looked for before the numbers in it, a whole id before the end of one. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [temporary, "<folder>"],
  [new RegExp(literal(project), "g"), "<project>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?/g, "<time>"],
  [/\b\d\d:\d\d:\d\d\b/g, "<time>"],
  [/\b\d{8}T\d{6,9}\b/g, "<time>"],
  [/#code=[\w-]+/g, "#code=<code>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>"],
  [/\b[0-9a-f]{64}\b/g, "<hash>"],
  [/\b[0-9a-f]{40}\b/g, "<commit>"],
  // The beginning of a commit, the beginning or end of an id, as commands print and take them.
  [/\b[0-9a-f]{10}\b/g, "<commit>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4})?\b/g, "<id>"],
  [/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>"],
  [/\b(pid|process) \d+/g, "$1 <pid>"],
  [/\b(port) \d+/gi, "$1 <port>"],
  [/(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?(?!\.?\d)/g, "<version>"],
  // In a column it stands on the right, so the blanks before it are part of the number.
  [/(?<= {2}) +(?=\d+(?:\.\d+)? (?:ms|s)\b)/g, ""],
  [/\b\d+(?:\.\d+)? (ms|s|B|tokens|events)\b/g, "<n> $1"],
];

export function plainText(text: string): string {
  return replacements.reduce((plain, [pattern, kind]) => plain.replace(pattern, kind), text);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
