/** Reading a page: the records. Their handlers are in read/. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand } from "../command.ts";
import { lastArg, optionalTargetArg, targetArg } from "./targets-arg.ts";

const budget = z.number().int().min(50).max(200_000).optional().describe("Tokens to spend at most (4000)");
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

export const readCommands = [
  defineBrowseCommand({
    ...read,
    name: "snapshot",
    summary: "The page as lines with refs",
    description:
      'One line a node: @e3 button "Save" [disabled]. Refs stay the same while the element lives. What does not fit ' +
      "the budget is folded and can be opened with expand.",
    args: z.object({
      interactive: option(z.boolean().default(false), { short: "i" }).describe("Only what can be acted on"),
      compact: option(z.boolean().default(false), { short: "c" }).describe("Without containers that add nothing"),
      depth: option(z.number().int().min(0).optional(), { short: "d" }).describe("Only so many levels"),
      scope: option(z.string().optional(), { short: "s", placeholder: "<target>" }).describe(
        "Only inside this element",
      ),
      diff: option(z.boolean().default(false), { short: "D" }).describe("Only what changed since the last look"),
      annotate: option(z.string().optional(), { short: "a", placeholder: "<file>" }).describe(
        "Also save a screenshot with the refs drawn on it",
      ),
      clickables: option(z.boolean().default(false), { short: "C" }).describe(
        "Also what listens for clicks without a role, as @c refs",
      ),
      budget,
    }),
    examples: [
      { run: "snapshot -i", does: "what can be clicked and filled" },
      { run: "snapshot -s main --budget 800", does: "the main part in few tokens" },
    ],
    handler: async () => (await import("./read/snapshot.ts")).snapshot,
  }),
  defineBrowseCommand({
    ...read,
    name: "expand",
    summary: "Members of a group that a snapshot folded",
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
    handler: async () => (await import("./read/expand.ts")).expand,
  }),
  defineBrowseCommand({
    ...read,
    name: "text",
    summary: "The words of the page, or of one element",
    args: z.object({ target: optionalTargetArg(0), max: maxCharacters(20_000) }),
    examples: [{ run: "text main", does: "the words of the main part" }],
    handler: async () => (await import("./read/content.ts")).text,
  }),
  defineBrowseCommand({
    ...read,
    name: "html",
    summary: "The markup of the page, or of one element, as it is now",
    args: z.object({ target: optionalTargetArg(0), max: maxCharacters(40_000) }),
    examples: [{ run: "html @e3", does: "the markup of one element" }],
    handler: async () => (await import("./read/content.ts")).markup,
  }),
  defineBrowseCommand({
    ...read,
    name: "links",
    summary: "The links of the page with their addresses",
    args: z.object({ last: z.number().int().min(1).max(5_000).default(200).describe("How many at most") }),
    examples: [{ run: "links", does: "all links, each once" }],
    handler: async () => (await import("./read/lists.ts")).links,
  }),
  defineBrowseCommand({
    ...read,
    name: "forms",
    summary: "The forms of the page and what their fields want",
    args: z.object({}),
    examples: [{ run: "forms", does: "fields with kind, label, whether required, and value" }],
    handler: async () => (await import("./read/lists.ts")).forms,
  }),
  defineBrowseCommand({
    ...read,
    name: "find",
    summary: "Lines of the whole page that hold some words, folded ones too",
    args: z.object({
      words: option(z.string().min(1), { positional: 0 }).describe("Words, in any case"),
      regex: z.boolean().default(false).describe("They are a regular expression"),
      limit: z.number().int().min(1).max(500).default(20).describe("How many lines at most"),
    }),
    examples: [{ run: "find 'checkout'", does: "every line with that word and its ref" }],
    handler: async () => (await import("./read/find.ts")).find,
  }),
  defineBrowseCommand({
    ...read,
    name: "accessibility",
    summary: "Audit the page with axe-core",
    args: z.object({
      tags: z.array(z.string()).optional().describe("Only rules with these tags, like wcag2aa"),
    }),
    deadlineMs: 60_000,
    examples: [{ run: "accessibility --tags wcag2a --tags wcag2aa", does: "what breaks WCAG 2 A and AA" }],
    handler: async () => (await import("./read/accessibility.ts")).accessibility,
  }),
  defineBrowseCommand({
    ...read,
    name: "console",
    summary: "What the page wrote to its console",
    args: z.object({
      last: lastArg,
      level: z.enum(["log", "info", "warn", "error", "debug", "uncaught"]).optional().describe("Only this level"),
    }),
    examples: [{ run: "console --level warn", does: "the newest warnings" }],
    handler: async () => (await import("./read/logs.ts")).consoleLog,
  }),
  defineBrowseCommand({
    ...read,
    name: "errors",
    summary: "Errors of the page: uncaught, logged, and failed requests",
    args: z.object({ last: lastArg }),
    examples: [{ run: "errors", does: "everything that went wrong in this tab" }],
    handler: async () => (await import("./read/logs.ts")).errors,
  }),
  defineBrowseCommand({
    ...read,
    name: "network",
    summary: "Requests of the page with status, time and size",
    args: z.object({
      last: lastArg,
      failed: z.boolean().default(false).describe("Only those that failed"),
      match: z.string().optional().describe("Only addresses that hold this"),
      type: z.string().optional().describe("Only this kind: document, xhr, fetch, script, image …"),
    }),
    examples: [{ run: "network --failed", does: "requests that came to nothing" }],
    handler: async () => (await import("./read/logs.ts")).network,
  }),
  defineBrowseCommand({
    ...read,
    name: "dialogs",
    summary: "Dialogs that the page opened and how they were answered",
    args: z.object({ last: lastArg }),
    examples: [{ run: "dialogs", does: "alerts, questions and their answers" }],
    handler: async () => (await import("./read/logs.ts")).dialogs,
  }),
  defineBrowseCommand({
    ...read,
    name: "cookies",
    summary: "Cookies of this page, never their whole values",
    args: z.object({ all: z.boolean().default(false).describe("Of every site in this session") }),
    examples: [{ run: "cookies", does: "name, domain, flags and expiry" }],
    handler: async () => (await import("./read/state.ts")).cookies,
  }),
  defineBrowseCommand({
    ...read,
    name: "storage",
    summary: "What the page keeps in localStorage and sessionStorage",
    args: z.object({
      key: option(z.string().optional(), { positional: 0 }).describe("Only this key, its value at length"),
    }),
    examples: [{ run: "storage theme", does: "the value of one key" }],
    handler: async () => (await import("./read/state.ts")).storage,
  }),
  defineBrowseCommand({
    ...read,
    name: "perf",
    summary: "How long the page took to load, and its slowest requests",
    args: z.object({}),
    examples: [{ run: "perf", does: "time to first byte, DOM and load; weight; slowest requests" }],
    handler: async () => (await import("./read/speed.ts")).perf,
  }),
  defineBrowseCommand({
    ...read,
    name: "vitals",
    summary: "Web vitals of this page: LCP, CLS, INP, TTFB, FCP",
    args: z.object({}),
    examples: [{ run: "vitals", does: "the vitals so far, each rated" }],
    handler: async () => (await import("./read/speed.ts")).vitals,
  }),
  defineBrowseCommand({
    ...read,
    name: "attrs",
    summary: "An element's tag, attributes, box and value",
    args: z.object({ target: targetArg(0) }),
    examples: [{ run: "attrs @e3", does: "what the element is made of" }],
    handler: async () => (await import("./read/element.ts")).attrs,
  }),
  defineBrowseCommand({
    ...read,
    name: "css",
    summary: "Computed styles of an element",
    args: z.object({
      target: targetArg(0),
      properties: option(z.array(z.string()).optional(), { positional: 1 }).describe(
        "Which ones; else the telling ones",
      ),
    }),
    examples: [{ run: "css @e3 color font-size", does: "two properties" }],
    handler: async () => (await import("./read/element.ts")).css,
  }),
  defineBrowseCommand({
    ...read,
    name: "is",
    summary: "Whether an element is in some state",
    args: z.object({
      state: option(z.enum(elementStates), { positional: 0 }).describe("Which state"),
      target: targetArg(1),
    }),
    examples: [{ run: "is visible @e3", does: "true or false" }],
    handler: async () => (await import("./read/element.ts")).is,
  }),
  defineBrowseCommand({
    ...read,
    name: "js",
    summary: "Run JavaScript in the page",
    description: "An expression, or statements with return. A promise is awaited. The value comes back as JSON.",
    // It may change anything, whatever it is meant for.
    effect: "write",
    args: z.object({
      script: option(z.string().min(1), { positional: 0 }).describe("Expression or function body"),
    }),
    examples: [{ run: "js 'document.title'", does: "the title of the page" }],
    handler: async () => (await import("./read/js.ts")).js,
  }),
];

function maxCharacters(most: number) {
  return z.number().int().min(100).max(2_000_000).default(most).describe("Characters at most");
}
