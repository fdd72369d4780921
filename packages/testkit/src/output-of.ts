/**
 * The output of a command for inline snapshots: complete, with values that differ from run to run replaced by placeholders,
 * so that a test fails on any change of wording and on nothing else.
 *
 * - `outputOf(result)` standard output, then standard error and the exit code if there is an error.
 * - `plainText(text)` the same replacements for any text.
 */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function outputOf({ code, stdout, stderr }: CommandResult): string {
  return [
    ...(stdout === "" ? [] : [plainText(stdout).trimEnd()]),
    ...(stderr === "" ? [] : ["--- stderr", plainText(stderr).trimEnd()]),
    ...(code === 0 ? [] : [`--- exit code ${code}`]),
  ].join("\n");
}

const project = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
/** The folders of `temporaryFolder`; on macOS they are behind a link. */
const temporary = new RegExp(`(?:/private)?(?:${literal(tmpdir())}|/tmp)/[a-z-]+-[A-Za-z0-9]{6}(?![A-Za-z0-9])`, "g");

/** In this order: a time before the numbers in it, a whole id before its last digits. */
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
  // Abbreviated commits and ids, as commands print and accept them.
  [/\b[0-9a-f]{10}\b/g, "<commit>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4})?\b/g, "<id>"],
  [/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>"],
  [/\b(pid|process) \d+/g, "$1 <pid>"],
  [/\b(port) \d+/gi, "$1 <port>"],
  [/(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?(?!\.?\d)/g, "<version>"],
  // In a column a number is right-aligned, so the blanks before it belong to it.
  [/(?<= {2}) +(?=\d+(?:\.\d+)? (?:ms|s|min|h|d|B|[kMG]B)\b)/g, ""],
  [/\b\d+(?:\.\d+)? (?:ms|s|min|h|d)\b(?: \d+ (?:s|min|h)\b)?/g, "<duration>"],
  [/\b\d+(?:\.\d+)? (?:B|[kMG]B)\b/g, "<size>"],
  [/\b\d+ (tokens|events|rows|changes)\b/g, "<n> $1"],
];

export function plainText(text: string): string {
  return replacements.reduce((plain, [pattern, kind]) => plain.replace(pattern, kind), text);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
