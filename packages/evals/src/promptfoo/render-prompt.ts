/**
 * Renders a prompt for one set of variables.
 *
 * - `renderSuitePrompt(prompt, vars, context)` the text that is sent, and the variables with their files read and their own
 *   templates filled in.
 *
 * A prompt that is JSON is rendered text by text, so that quotes and line ends in variables do no harm.
 */
import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { parse } from "yaml";
import { type AssertionTools, CannotCheck, callFile, isMembers, splitReference } from "../assertions/index.ts";
import { runCommand } from "../run-command.ts";
import { renderTemplate, TemplateFault, type Vars } from "../template/index.ts";
import type { SuitePrompt } from "./suite.ts";

export interface RenderContext {
  readonly tools: AssertionTools;
  readonly provider: { readonly id: string; readonly label: string | undefined };
}

const media =
  /^\.(?:jpe?g|png|gif|webp|bmp|svg|tiff?|ico|avif|heic|heif|mp4|mov|webm|mkv|avi|wmv|m4v|wav|mp3|ogg|flac|m4a|aac|opus)$/i;
const promptTimeoutMs = 60_000;

export async function renderSuitePrompt(
  prompt: SuitePrompt,
  given: Vars,
  context: RenderContext,
): Promise<{ readonly text: string; readonly vars: Vars }> {
  const { env } = context.tools;
  const vars: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const read =
      typeof value === "string" && value.startsWith("file://")
        ? await readVariable(name, value, prompt, given, context)
        : value;
    vars[name] = typeof read === "string" ? read.replace(/\n$/, "") : read;
  }
  fillReferences(vars);
  const template = await templateOf(prompt, vars, context);
  const render = (text: string, values: Vars) => renderTemplate(partial(text), values, { env });
  let conversation: unknown;
  try {
    conversation = JSON.parse(template);
  } catch {
    const filled = Object.fromEntries(
      Object.entries(vars).map(([name, value]) => [
        name,
        typeof value === "string" && !mentionsUnknown(value, vars) ? render(value, vars) : value,
      ]),
    );
    return { text: render(template, filled), vars };
  }
  try {
    const text = JSON.stringify(
      eachText(conversation, (one) => renderTemplate(one, vars, { env })),
      null,
      2,
    );
    return { text, vars };
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    return { text: render(template, vars), vars };
  }
}

async function templateOf(prompt: SuitePrompt, vars: Vars, { tools, provider }: RenderContext): Promise<string> {
  const about = { vars, provider, config: prompt.config ?? {} };
  if (prompt.command) {
    const options = { cwd: tools.folder, env: tools.env, stdin: "", timeoutMs: promptTimeoutMs, signal: tools.signal };
    const result = await runCommand([...prompt.command, JSON.stringify(about)], options);
    if ("problem" in result) throw new CannotCheck(`the prompt ${prompt.label} could not be made: ${result.problem}`);
    return result.stdout.trim();
  }
  if (!prompt.script) return prompt.raw;
  const called = await callFile(prompt.script, "prompt", tools, [about]);
  const value = called?.value;
  if (typeof value === "string") return value;
  if (isMembers(value) && "prompt" in value)
    return typeof value.prompt === "string" ? value.prompt : JSON.stringify(value.prompt);
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  throw new CannotCheck(`the prompt ${prompt.label} must return a text or an object`);
}

async function readVariable(
  name: string,
  reference: string,
  prompt: SuitePrompt,
  vars: Vars,
  { tools, provider }: RenderContext,
): Promise<unknown> {
  const at = splitReference(reference, tools.folder);
  const called = /\.(?:py|[cm]?[jt]s)$/.test(at.path)
    ? await callFile(at, "get_var", tools, [name, prompt.raw, vars, ...(at.path.endsWith(".py") ? [] : [provider])])
    : undefined;
  if (called) {
    const answer = isMembers(called.value) ? called.value : {};
    if (answer.error) throw new CannotCheck(`${reference} failed: ${String(answer.error)}`);
    if (!answer.output) throw new CannotCheck(`${reference} must return { output }`);
    return at.path.endsWith(".py") ? String(answer.output).trim() : answer.output;
  }
  const path = resolve(tools.folder, reference.slice("file://".length));
  const bytes = await readFile(path).catch(() => {
    throw new CannotCheck(`the variable ${name} cannot be read: ${reference} does not exist`);
  });
  const kind = extname(path).toLowerCase();
  if (kind === ".pdf") throw new CannotCheck(`the variable ${name} is a PDF, whose text is not extracted`);
  if (media.test(kind))
    return /^\.(?:jpe?g|png|gif|webp|bmp|svg|tiff?|ico|avif|heic|heif)$/i.test(kind)
      ? `data:${imageType(kind, bytes)};base64,${bytes.toString("base64")}`
      : bytes.toString("base64");
  const text = bytes.toString("utf8");
  return kind === ".yaml" || kind === ".yml" ? JSON.stringify(parse(text)) : text.trim();
}

const imageTypes: Readonly<Record<string, string>> = {
  ...{
    png: "png",
    gif: "gif",
    bmp: "bmp",
    webp: "webp",
    svg: "svg+xml",
    tif: "tiff",
    tiff: "tiff",
    ico: "x-icon",
    avif: "avif",
  },
  ...{ heic: "heic", heif: "heif" },
};

/** The first bytes tell more than the name. */
function imageType(kind: string, bytes: Buffer): string {
  const start = bytes.subarray(0, 8).toString("latin1");
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("\x89PNG")) return "image/png";
  if (start.startsWith("GIF8")) return "image/gif";
  if (start.startsWith("RIFF")) return "image/webp";
  return `image/${imageTypes[kind.slice(1)] ?? "jpeg"}`;
}

const rounds = 5;

/** A variable may contain others: `{{ name }}` in it is replaced by their values. */
function fillReferences(vars: Record<string, unknown>): void {
  for (let round = 0; round < rounds; round += 1) {
    let isDone = true;
    for (const [name, value] of Object.entries(vars)) {
      const found = typeof value === "string" ? /\{\{\s*(\w+)\s*\}\}/.exec(value) : null;
      const other = found?.[1];
      if (!found || other === undefined || !Object.hasOwn(vars, other) || vars[other] === undefined) continue;
      vars[name] = (value as string).replace(found[0], String(vars[other]));
      isDone = false;
    }
    if (isDone) return;
  }
}

/** A text with half a tag is no template. */
function partial(text: string): string {
  const isPartial = /(?:\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$)/m.test(text);
  const isRaw = /\{%\s*raw\s*%\}/.test(text) && /\{%\s*endraw\s*%\}/.test(text);
  return isPartial && !isRaw ? `{% raw %}${text}{% endraw %}` : text;
}

const tags = /\{\{\s*([^{}\s|]+)\s*(?:\|[^}]+)?\}\}|\{%\s*(?:if|for)\s+([^{}\s]+)\s*.*?%\}/g;

function mentionsUnknown(text: string, vars: Vars): boolean {
  const loops = new Map([...text.matchAll(/\{%\s*for\s+(\w+)\s+in\s+(\w+)\s*%\}/g)].map((one) => [one[1], one[2]]));
  return [...text.replace(/\{#[\s\S]*?#\}/g, "").matchAll(tags)].some((one) => {
    const name = loops.get(one[1] ?? one[2]) ?? one[1] ?? one[2] ?? "";
    const root = /^[A-Za-z_]\w*/.exec(name)?.[0];
    return root !== undefined && root !== "env" && vars[root] === undefined;
  });
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => eachText(one, change));
  if (!isMembers(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachText(one, change)]));
}
