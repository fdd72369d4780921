/**
 * Renders the templates of prompts and variables, in the language of Nunjucks with autoescape off.
 *
 * - `renderTemplate(source, vars, options)` the text; throws a `TemplateFault` for what cannot be parsed or rendered.
 *
 * Nothing is compiled or executed: a template reads own members of its variables, within limits on its work. Inheritance,
 * includes and imports are refused. Missing variables are empty.
 */
import { type Filter, globals, type Keywords, tests, filters as usualFilters } from "./filters.ts";
import { TemplateFault } from "./lex.ts";
import type { Argument, Expression } from "./parse-expression.ts";
import { type Node, parseTemplate } from "./parse-template.ts";
import { memberOf } from "./safe-members.ts";

export type Vars = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  /** `env` in templates. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly filters?: Readonly<Record<string, Filter>>;
}

const maxSteps = 5_000_000;
const maxLength = 64 * 1024 * 1024;
const maxKept = 1_000;
const parsed = new Map<string, readonly Node[]>();

export function renderTemplate(source: string, vars: Vars, options: RenderOptions = {}): string {
  if (!/\{[{%#]/.test(source)) return source;
  const nodes = parsed.get(source) ?? keep(source, parseTemplate(source));
  const rendering = new Rendering(options);
  try {
    return rendering.text(nodes, new Frame(undefined, { env: options.env ?? {}, ...vars }));
  } catch (error) {
    if (error instanceof TemplateFault) throw error;
    throw new TemplateFault((error as Error).message, { cause: error });
  }
}

function keep(source: string, nodes: readonly Node[]): readonly Node[] {
  if (parsed.size >= maxKept) parsed.clear();
  parsed.set(source, nodes);
  return nodes;
}

class Frame {
  readonly above: Frame | undefined;
  private readonly values: Map<string, unknown>;

  constructor(above: Frame | undefined, values: Vars = {}) {
    this.above = above;
    this.values = new Map(Object.entries(values));
  }

  lookup(name: string): unknown {
    for (let at: Frame | undefined = this; at; at = at.above) {
      const found = at.values.get(name);
      if (found !== undefined) return found;
    }
    return Object.hasOwn(globals, name) ? globals[name] : undefined;
  }

  /** Where the name already has a value, or here. */
  assign(name: string, value: unknown): void {
    for (let at: Frame | undefined = this; at; at = at.above) {
      if (at.values.get(name) === undefined) continue;
      at.values.set(name, value);
      return;
    }
    this.values.set(name, value);
  }

  define(name: string, value: unknown): void {
    this.values.set(name, value);
  }
}

class Rendering {
  private steps = 0;
  private length = 0;
  private depth = 0;
  private readonly filters: Readonly<Record<string, Filter>>;

  constructor({ filters = {} }: RenderOptions) {
    this.filters = { ...usualFilters, ...filters };
  }

  text(nodes: readonly Node[], frame: Frame): string {
    let all = "";
    for (const node of nodes) {
      if (++this.steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`);
      const piece = this.node(node, frame);
      this.length += piece.length;
      if (this.length > maxLength) throw new TemplateFault(`the result is longer than ${maxLength} characters`);
      all += piece;
    }
    return all;
  }

  private node(node: Node, frame: Frame): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "output": {
        const value = this.value(node.value, frame);
        return value === undefined || value === null ? "" : String(value);
      }
      case "if": {
        const branch = node.branches.find(({ condition }) => this.value(condition, frame));
        return this.text(branch?.body ?? node.otherwise, frame);
      }
      case "for":
        return this.loop(node, frame);
      case "set": {
        const { value: given } = node;
        const value = isNodes(given) ? this.text(given, frame) : this.value(given, frame);
        for (const name of node.names) frame.assign(name, value);
        return "";
      }
      case "macro":
        frame.assign(node.name, this.macro(node, frame));
        return "";
      case "filter":
        return String(this.filtered(node.name, this.text(node.body, frame), node.args, frame) ?? "");
      case "switch": {
        const value = this.value(node.value, frame);
        const found = node.cases.findIndex((one) => this.value(one.value, frame) === value);
        // A case without a body has the body of the next.
        const body = found === -1 ? undefined : node.cases.slice(found).find((one) => one.body.length > 0)?.body;
        return this.text(body ?? node.otherwise, frame);
      }
    }
  }

  private loop({ names, of, body, otherwise }: Extract<Node, { kind: "for" }>, frame: Frame): string {
    const items = this.itemsOf(this.value(of, frame), names.length);
    if (items.length === 0) return this.text(otherwise, frame);
    const inner = new Frame(frame);
    const { length } = items;
    let all = "";
    for (const [index, item] of items.entries()) {
      const values = names.length === 1 ? [item] : Array.isArray(item) ? (item as unknown[]) : [item];
      for (const [at, name] of names.entries()) inner.define(name, values[at]);
      inner.define("loop", {
        ...{ index: index + 1, index0: index, revindex: length - index, revindex0: length - index - 1 },
        ...{ first: index === 0, last: index === length - 1, length },
      });
      all += this.text(body, inner);
    }
    return all;
  }

  private itemsOf(value: unknown, names: number): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (typeof value === "string") return names === 1 ? value.split("") : [];
    if (names < 2 || typeof value !== "object" || value === null) return [];
    return Object.entries(value);
  }

  private macro(
    { parameters, body, name }: Extract<Node, { kind: "macro" }>,
    outer: Frame,
  ): (...args: unknown[]) => string {
    return (...given) => {
      if (++this.depth > 100) throw new TemplateFault(`the macro ${name} calls itself without end`);
      const last = given.at(-1);
      const keywords = last instanceof KeywordArguments ? last.values : {};
      const positional = last instanceof KeywordArguments ? given.slice(0, -1) : given;
      const frame = new Frame(outer);
      for (const [index, { name: key, value }] of parameters.entries()) {
        const named = key ?? (value.kind === "name" ? value.name : "");
        const usual = key === undefined ? undefined : this.value(value, outer);
        const keyword = Object.hasOwn(keywords, named) ? keywords[named] : usual;
        frame.define(named, index < positional.length ? positional[index] : keyword);
      }
      try {
        return this.text(body, frame);
      } finally {
        this.depth -= 1;
      }
    };
  }

  private value(node: Expression, frame: Frame): unknown {
    if (++this.steps > maxSteps) throw new TemplateFault(`the template takes more than ${maxSteps} steps`);
    switch (node.kind) {
      case "literal":
        return node.value;
      case "regex":
        return new RegExp(node.source, node.flags);
      case "name":
        return frame.lookup(node.name);
      case "list":
        return node.items.map((item) => this.value(item, frame));
      case "dict":
        return Object.fromEntries(node.pairs.map(([key, value]) => [this.value(key, frame), this.value(value, frame)]));
      case "member":
        return memberOf(this.value(node.of, frame), this.value(node.key, frame));
      case "group":
        return this.value(node.value, frame);
      case "call":
        return this.call(node, frame);
      case "filter":
        return this.filtered(node.name, this.value(node.of, frame), node.args, frame);
      case "test": {
        const test = Object.hasOwn(tests, node.name) ? tests[node.name] : undefined;
        if (!test) throw new TemplateFault(`unknown test "${node.name}"`);
        return test(this.value(node.of, frame), this.args(node.args, frame).positional[0]);
      }
      case "unary": {
        const value = this.value(node.of, frame);
        return node.operator === "not" ? !value : node.operator === "-" ? -(value as number) : +(value as number);
      }
      case "binary":
        return this.binary(node, frame);
      case "choice": {
        if (this.value(node.condition, frame)) return this.value(node.value, frame);
        return node.otherwise ? this.value(node.otherwise, frame) : "";
      }
    }
  }

  private call({ callee, args, shown }: Extract<Expression, { kind: "call" }>, frame: Frame): unknown {
    const found = this.value(callee, frame);
    if (typeof found !== "function") throw new TemplateFault(`"${shown}" calls what is not a function`);
    const { positional, keywords } = this.args(args, frame);
    const hasKeywords = Object.keys(keywords).length > 0;
    return (found as (...given: unknown[]) => unknown)(
      ...positional,
      ...(hasKeywords ? [new KeywordArguments(keywords)] : []),
    );
  }

  private filtered(name: string, value: unknown, args: readonly Argument[], frame: Frame): unknown {
    const filter = Object.hasOwn(this.filters, name) ? this.filters[name] : undefined;
    if (!filter) throw new TemplateFault(`unknown filter "${name}"`);
    const { positional, keywords } = this.args(args, frame);
    return filter(value, positional, keywords);
  }

  private args(args: readonly Argument[], frame: Frame): { positional: unknown[]; keywords: Keywords } {
    const positional: unknown[] = [];
    const keywords: Record<string, unknown> = {};
    for (const { name, value } of args) {
      if (name === undefined) positional.push(this.value(value, frame));
      else keywords[name] = this.value(value, frame);
    }
    return { positional, keywords };
  }

  private binary({ operator, left, right }: Extract<Expression, { kind: "binary" }>, frame: Frame): unknown {
    const a = this.value(left, frame);
    if (operator === "and") return a && this.value(right, frame);
    if (operator === "or") return a || this.value(right, frame);
    const b = this.value(right, frame);
    return operate(operator, a as number, b as number);
  }
}

/** The operators of JavaScript, which Nunjucks uses as they are. */
function operate(operator: string, a: number, b: number): unknown {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a % b;
    case "**":
      return a ** b;
    case "~":
      return `${a as unknown as string}${b as unknown as string}`;
    case "==":
      // biome-ignore lint/suspicious/noDoubleEquals: what == means in Nunjucks
      return a == b;
    case "!=":
      // biome-ignore lint/suspicious/noDoubleEquals: what != means in Nunjucks
      return a != b;
    case "===":
      return a === b;
    case "!==":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    default:
      return contains(b, a);
  }
}

function contains(place: unknown, wanted: unknown): boolean {
  if (Array.isArray(place)) return place.includes(wanted);
  if (typeof place === "string") return place.includes(String(wanted));
  if (typeof place === "object" && place !== null) return Object.hasOwn(place, String(wanted));
  throw new TemplateFault(`cannot look for "${String(wanted)}" in ${place === null ? "null" : typeof place}`);
}

class KeywordArguments {
  readonly values: Keywords;
  constructor(values: Keywords) {
    this.values = values;
  }
}

const isNodes = (value: Expression | readonly Node[]): value is readonly Node[] => Array.isArray(value);
