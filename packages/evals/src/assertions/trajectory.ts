/**
 * The steps of an agent, from the spans of its trace.
 *
 * - `trajectoryOf(trace)` the steps in order of time: tools, commands, searches, reasoning, messages, other spans.
 * - `matchesStep(step, matcher)`, `matcherOf(given, type)` by type and by name or pattern.
 * - `trajectorySummary(trace)` for a judge; long trajectories are shortened in the middle.
 */
import { isMembers, type Trace, type TraceSpan } from "./assertion.ts";
import { matchesName } from "./name-pattern.ts";

export type StepType = "tool" | "command" | "search" | "reasoning" | "message" | "span";

export interface Step {
  readonly type: StepType;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly args: unknown;
  readonly span: TraceSpan;
}

export interface Matcher {
  readonly type?: StepType | readonly StepType[] | undefined;
  readonly name?: string | undefined;
  readonly pattern?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const toolNameKeys =
  "tool.name tool_name tool function.name function_name ai.toolCall.name gen_ai.tool.name agent.tool_name agent.tool agent.toolName codex.mcp.tool".split(
    " ",
  );
const argumentKeys = [
  ...["tool.", "tool_", "function.", "function_", "ai.toolCall.", "gen_ai.tool.", "agent.tool.", "codex.mcp."].flatMap(
    (prefix) =>
      ["args", "arguments", "input"]
        .filter((word) => prefix !== "function_" || word !== "input")
        .map((word) => prefix + word),
  ),
  ..."gen_ai.tool.call.args gen_ai.tool.call.arguments args arguments input".split(" "),
];
const commandKeys = ["codex.command", "command", "command.name", "command_name"];
const searchKeys = ["codex.search.query", "search.query", "search_query"];
const commandTools = new Set(["exec_command", "local_shell", "shell"]);
const searchName = /(?:^|[\s._:/-])(?:search|find|lookup|retriev(?:e|al))(?:$|[\s._:/-])/i;

type Attributes = Readonly<Record<string, unknown>>;

const firstText = (attributes: Attributes, keys: readonly string[]): string | undefined => {
  const found = keys.map((key) => attributes[key]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found.trim() : undefined;
};

function toolName({ name, attributes = {} }: TraceSpan): string | undefined {
  const known = firstText(attributes, toolNameKeys);
  if (known) return known;
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value !== "string" || value.trim() === "" || isStructured(value)) continue;
    if (/tool.?name|function.?name/i.test(key)) return value.trim();
    if (/(?:^|[._])tool(?:$|[._])/i.test(key) && !/result|output|definition/i.test(key)) return value.trim();
  }
  return /^mcp .*\/(.+)$/.exec(name)?.[1]?.trim();
}

function isStructured(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  return typeof structured(text) === "object";
}

function structured(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  const text = value.trim();
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function toolArguments({ attributes = {} }: TraceSpan): unknown {
  const known = argumentKeys.map((key) => structured(attributes[key])).find((value) => value !== undefined);
  if (known !== undefined) return known;
  const other = Object.entries(attributes).find(
    ([key, value]) =>
      /(?:^|[._])(?:arguments|args|input)(?:$|[._])/i.test(key) &&
      !/result|output|error|status/i.test(key) &&
      structured(value) !== undefined,
  );
  return other ? structured(other[1]) : undefined;
}

function command(span: TraceSpan, tool: string | undefined, tools: ReadonlySet<string>): string | undefined {
  const { name, attributes = {} } = span;
  const known = firstText(attributes, commandKeys);
  if (known) return known;
  const other = Object.entries(attributes).find(
    ([key, value]) =>
      typeof value === "string" && value.trim() !== "" && /command/i.test(key) && !/output|result/i.test(key),
  );
  if (other) return String(other[1]).trim();
  const args = toolArguments(span);
  if (tool && tools.has(tool.toLowerCase()) && isMembers(args)) {
    const given = args.cmd ?? args.command ?? args.commands;
    const separator = args.cmd === undefined && args.command === undefined ? "; " : " ";
    const text = Array.isArray(given)
      ? given
          .map((part) => String(part).trim())
          .filter(Boolean)
          .join(separator)
      : given;
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return name.startsWith("exec ") ? name.slice(5).trim() : undefined;
}

function search({ name, attributes = {} }: TraceSpan): string | undefined {
  const known = firstText(attributes, searchKeys);
  if (known) return known;
  const isSearch =
    searchName.test(name) ||
    Object.keys(attributes).some(
      (key) => key !== "query" && /(?:^|[._])(?:search|lookup|retriev(?:e|al))(?:$|[._])/i.test(key),
    );
  const query = firstText(attributes, ["query"]);
  if (query && isSearch) return query;
  return name.startsWith("search ") ? name.slice(7).replace(/^"|"$/g, "").trim() : undefined;
}

function stepOf(span: TraceSpan, tools: ReadonlySet<string>): Step {
  const { name, attributes = {} } = span;
  const tool = toolName(span);
  const run = command(span, tool, tools);
  const made = (type: StepType, title: string, aliases: readonly (string | undefined)[], args?: unknown): Step => ({
    type,
    name: title,
    aliases: [...new Set([name, title, ...aliases.filter((one) => one !== undefined)])],
    args,
    span,
  });
  const executable = run?.split(/\s+/)[0];
  if (run && tool && tools.has(tool.toLowerCase()))
    return made("command", run, [tool, executable], toolArguments(span));
  if (tool) return made("tool", tool, [], toolArguments(span));
  if (run) return made("command", run, [executable]);
  const query = search(span);
  if (query) return made("search", query, []);
  const item = attributes["codex.item.type"];
  if (item === "reasoning" || /^reasoning(?:[_\s]|$)/i.test(name)) return made("reasoning", name, ["reasoning"]);
  if (item === "agent_message" || name === "agent response" || name === "send input")
    return made("message", name, ["message"]);
  return made("span", name, []);
}

export function trajectoryOf({ spans, metadata }: Trace): Step[] {
  const own = Array.isArray(metadata?.commandToolNames) ? metadata.commandToolNames : [];
  const tools = new Set([
    ...commandTools,
    ...own.filter((one) => typeof one === "string").map((one) => one.trim().toLowerCase()),
  ]);
  const end = ({ startTime, endTime }: TraceSpan) => endTime ?? startTime;
  return spans.toSorted((a, b) => a.startTime - b.startTime || end(a) - end(b)).map((span) => stepOf(span, tools));
}

export function matcherOf(given: unknown, type?: StepType): Matcher {
  if (typeof given === "string") return { pattern: given, type };
  const matcher = (isMembers(given) ? given : {}) as Matcher;
  return { ...matcher, type: matcher.type ?? type };
}

export function matchesStep(step: Step, { type, pattern, name }: Matcher): boolean {
  if (type && !(Array.isArray(type) ? type : [type]).includes(step.type)) return false;
  const wanted = pattern || name;
  return !wanted || step.aliases.some((alias) => matchesName(alias, wanted));
}

const mostSteps = 24;

export function trajectorySummary(trace: Trace): string {
  const steps = trajectoryOf(trace).map(({ type, name, span }, index) => ({
    index: index + 1,
    type,
    name,
    ...(span.name === name ? {} : { span: span.name }),
    ...(span.statusCode ? { status: span.statusCode, message: span.statusMessage } : {}),
  }));
  const half = mostSteps / 2;
  const omitted = steps.length - mostSteps;
  const shown = omitted > 0 ? [...steps.slice(0, half), { omitted }, ...steps.slice(-half)] : steps;
  return JSON.stringify({ steps: steps.length, trajectory: shown }, null, 2);
}
