/** Records of the commands that read a page. Their handlers are in read/. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../command.ts";
import { lastArg, optionalTargetArg, targetArg } from "./targets-arg.ts";

const budget = z.number().int().min(50).max(200_000).optional().describe("Most tokens to spend (4000)");
const read = { group: "Read", effect: "read", needs: "tab" } as const;

export const elementStates = [
  "visible",
  "hidden",
  "enabled",
  "disabled",
  "checked",
  "unchecked",
  "editable",
  "focused",
] as const;

export const snapshotRecord = defineBrowseRecord({
  ...read,
  name: "snapshot",
  summary: "Print the page as lines with refs",
  description:
    'One line per node: @e3 button "Save" [disabled]. A ref stays the same as long as its element exists. What does ' +
    "not fit the budget is folded; open it with expand.",
  args: z.object({
    target: option(z.string().min(1).optional(), { positional: 0, placeholder: "<target>" }).describe(
      "Only inside this element, as with -s: a ref (@e3), CSS, text=words or role:name",
    ),
    interactive: option(z.boolean().default(false), { short: "i" }).describe("Only elements you can act on"),
    compact: option(z.boolean().default(false), { short: "c" }).describe("Omit redundant containers"),
    depth: option(z.number().int().min(0).optional(), { short: "d" }).describe("Only this many levels"),
    scope: option(z.string().optional(), { short: "s", placeholder: "<target>" }).describe("Only inside this element"),
    diff: option(z.boolean().default(false), { short: "D" }).describe("Only changes since the last snapshot"),
    annotate: option(z.string().optional(), { short: "a", placeholder: "<file>" }).describe(
      "Also save a screenshot with the refs drawn on it",
    ),
    clickables: option(z.boolean().default(false), { short: "C" }).describe(
      "All click listeners without a role, as @c refs, however many",
    ),
    budget,
  }),
  examples: [
    { run: "snapshot -i", does: "what you can click and fill" },
    { run: "snapshot @e3", does: "a dialog, a frame or another part" },
    { run: "snapshot -s main --budget 800", does: "the main part in few tokens" },
  ],
});

export const expandRecord = defineBrowseRecord({
  ...read,
  name: "expand",
  summary: "Print members of a group that a snapshot folded",
  args: z.object({
    group: option(z.string().regex(/^@?g\d+$/, "expected a group like @g1"), { positional: 0 }).describe(
      "As the snapshot named it: @g1",
    ),
    range: option(
      z
        .string()
        .regex(/^\d+(-\d+)?$/, "expected a range like 120-130")
        .optional(),
      { positional: 1 },
    ).describe("Which members, from 1: 120-130"),
    budget,
  }),
  examples: [{ run: "expand @g1 120-130", does: "eleven of the folded lines" }],
});

export const textRecord = defineBrowseRecord({
  ...read,
  name: "text",
  summary: "Print the text of the page and its frames, or of one element",
  args: z.object({ target: optionalTargetArg(0), max: maxCharacters(20_000) }),
  examples: [{ run: "text main", does: "the text of the main part" }],
});

export const findRecord = defineBrowseRecord({
  ...read,
  name: "find",
  summary: "Find lines of the whole page by text, including folded ones",
  args: z.object({
    words: option(z.string().min(1), { positional: 0 }).describe("Text to find, ignoring case"),
    regex: z.boolean().default(false).describe("Treat it as a regular expression"),
    limit: z.number().int().min(1).max(500).default(20).describe("Most lines to print"),
  }),
  examples: [{ run: "find 'checkout'", does: "every line with that word, and its ref" }],
});

export const networkRecord = defineBrowseRecord({
  ...read,
  name: "network",
  summary: "List the page's requests with status, time and size",
  args: z.object({
    last: lastArg,
    failed: z.boolean().default(false).describe("Only failed requests"),
    match: z.string().optional().describe("Only URLs that contain this"),
    type: z.string().optional().describe("Only this type: document, xhr, fetch, script, image …"),
  }),
  examples: [{ run: "network --failed", does: "requests that failed" }],
});

export const readCommands = [
  defineBrowseCommand(snapshotRecord, async () => (await import("./read/snapshot.ts")).snapshot),
  defineBrowseCommand(expandRecord, async () => (await import("./read/expand.ts")).expand),
  defineBrowseCommand(textRecord, async () => (await import("./read/content.ts")).text),
  defineBrowseCommand(
    {
      ...read,
      name: "html",
      summary: "Print the current markup of the page, or of one element",
      args: z.object({ target: optionalTargetArg(0), max: maxCharacters(40_000) }),
      examples: [{ run: "html @e3", does: "the markup of one element" }],
    },
    async () => (await import("./read/content.ts")).markup,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "links",
      summary: "List the page's links with their URLs",
      args: z.object({ last: z.number().int().min(1).max(5_000).default(200).describe("Most links to list") }),
      examples: [{ run: "links", does: "all links, each once" }],
    },
    async () => (await import("./read/links.ts")).links,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "forms",
      summary: "List the page's forms and their fields",
      args: z.object({}),
      examples: [{ run: "forms", does: "fields with type, label, value, and whether required" }],
    },
    async () => (await import("./read/forms.ts")).forms,
  ),
  defineBrowseCommand(findRecord, async () => (await import("./read/find.ts")).find),
  defineBrowseCommand(
    {
      ...read,
      name: "accessibility",
      summary: "Audit the page with axe-core",
      args: z.object({
        tags: z.array(z.string()).optional().describe("Only rules with these tags, like wcag2aa"),
      }),
      deadlineMs: 60_000,
      examples: [{ run: "accessibility --tags wcag2a --tags wcag2aa", does: "violations of WCAG 2 A and AA" }],
    },
    async () => (await import("./read/accessibility.ts")).accessibility,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "console",
      summary: "Show what the page wrote to its console",
      args: z.object({
        last: lastArg,
        level: z.enum(["log", "info", "warn", "error", "debug", "uncaught"]).optional().describe("Only this level"),
      }),
      examples: [{ run: "console --level warn", does: "the newest warnings" }],
    },
    async () => (await import("./read/logs.ts")).consoleLog,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "errors",
      summary: "Show the page's errors: uncaught, logged, and failed requests",
      args: z.object({ last: lastArg }),
      examples: [{ run: "errors", does: "everything that went wrong in this tab" }],
    },
    async () => (await import("./read/logs.ts")).errors,
  ),
  defineBrowseCommand(networkRecord, async () => (await import("./read/logs.ts")).network),
  defineBrowseCommand(
    {
      ...read,
      name: "dialogs",
      summary: "List the dialogs the page opened and how they were answered",
      args: z.object({ last: lastArg }),
      examples: [{ run: "dialogs", does: "alerts, confirms and prompts, with their answers" }],
    },
    async () => (await import("./read/logs.ts")).dialogs,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "cookies",
      summary: "List this page's cookies, never with full values",
      args: z.object({ all: z.boolean().default(false).describe("Cookies of every site in this session") }),
      examples: [{ run: "cookies", does: "name, domain, flags and expiry" }],
    },
    async () => (await import("./read/state.ts")).cookies,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "storage",
      summary: "Show the page's localStorage and sessionStorage",
      args: z.object({
        key: option(z.string().optional(), { positional: 0 }).describe("Only this key, with its full value"),
      }),
      examples: [{ run: "storage theme", does: "the value of one key" }],
    },
    async () => (await import("./read/state.ts")).storage,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "perf",
      summary: "Show how long the page took to load, and its slowest requests",
      args: z.object({}),
      examples: [{ run: "perf", does: "time to first byte, DOM and load; weight; slowest requests" }],
    },
    async () => (await import("./read/speed.ts")).perf,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "vitals",
      summary: "Show this page's web vitals: LCP, CLS, INP, TTFB, FCP",
      args: z.object({}),
      examples: [{ run: "vitals", does: "the vitals so far, each rated" }],
    },
    async () => (await import("./read/speed.ts")).vitals,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "attrs",
      summary: "Show an element's tag, attributes, box and value",
      args: z.object({ target: targetArg(0) }),
      examples: [{ run: "attrs @e3", does: "its tag, attributes, box and value" }],
    },
    async () => (await import("./read/element.ts")).attrs,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "css",
      summary: "Show computed styles of an element",
      args: z.object({
        target: targetArg(0),
        properties: option(z.array(z.string()).optional(), { positional: 1 }).describe(
          "Which properties; by default the most useful",
        ),
      }),
      examples: [{ run: "css @e3 color font-size", does: "two properties" }],
    },
    async () => (await import("./read/element.ts")).css,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "is",
      summary: "Check whether an element is in a given state",
      args: z.object({
        state: option(z.enum(elementStates), { positional: 0 }).describe("Which state"),
        target: targetArg(1),
      }),
      examples: [{ run: "is visible @e3", does: "true or false" }],
    },
    async () => (await import("./read/element.ts")).is,
  ),
  defineBrowseCommand(
    {
      ...read,
      name: "js",
      summary: "Run JavaScript in the page",
      description: "An expression, or statements with return. Promises are awaited. The value is printed as JSON.",
      // A script may change anything.
      effect: "write",
      args: z.object({
        script: option(z.string().min(1), { positional: 0 }).describe("Expression or function body"),
      }),
      examples: [{ run: "js 'document.title'", does: "the title of the page" }],
    },
    async () => (await import("./read/js.ts")).js,
  ),
];

function maxCharacters(most: number) {
  return z.number().int().min(100).max(2_000_000).default(most).describe("Most characters to print");
}
