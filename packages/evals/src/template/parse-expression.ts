/**
 * Parses expressions: the operators, filters, tests and calls of Nunjucks, with its precedence.
 *
 * - `ExpressionParser` reads from a list of tokens; block tags use it for their words too.
 */
import { TemplateFault, type Token } from "./lex.ts";

export interface Argument {
  /** Of a keyword argument. */
  readonly name: string | undefined;
  readonly value: Expression;
}

export type Expression =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "regex"; readonly source: string; readonly flags: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "dict"; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "member"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "group"; readonly value: Expression }
  | { readonly kind: "call"; readonly callee: Expression; readonly args: readonly Argument[]; readonly shown: string }
  | { readonly kind: "filter"; readonly name: string; readonly of: Expression; readonly args: readonly Argument[] }
  | { readonly kind: "test"; readonly of: Expression; readonly name: string; readonly args: readonly Argument[] }
  | { readonly kind: "unary"; readonly operator: "-" | "+" | "not"; readonly of: Expression }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "choice";
      readonly condition: Expression;
      readonly value: Expression;
      readonly otherwise: Expression | undefined;
    };

const maxDepth = 200;

/**
 * From the loosest to the tightest. Nunjucks writes an expression as JavaScript without parentheses, so what it computes
 * follows the precedence of JavaScript, also where its own grammar says otherwise; `//` and `**` become calls there.
 */
const levels = [
  ["===", "==", "!==", "!="],
  ["<=", ">=", "<", ">"],
  ["~", "+", "-"],
  ["*", "/", "%"],
  ["//"],
  ["**"],
] as const;

export class ExpressionParser {
  private at = 0;
  private depth = 0;
  private readonly tokens: readonly Token[];
  private readonly shown: string;

  constructor(tokens: readonly Token[], shown: string) {
    this.tokens = tokens;
    this.shown = shown;
  }

  fault(problem: string): TemplateFault {
    return new TemplateFault(`${problem} in ${this.shown.trim().slice(0, 80)}`);
  }

  get isDone(): boolean {
    return this.at >= this.tokens.length;
  }

  end(): void {
    if (!this.isDone) throw this.fault(`unexpected ${this.describe()}`);
  }

  private describe(): string {
    const token = this.tokens[this.at];
    if (!token) return "end";
    if (token.kind === "number") return String(token.value);
    return token.kind === "regex" ? `r/${token.source}/` : `"${token.text}"`;
  }

  private is(kind: "name" | "operator", text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === kind && token.text === text;
  }

  skip(kind: "name" | "operator", text: string): boolean {
    if (!this.is(kind, text)) return false;
    this.at += 1;
    return true;
  }

  expect(kind: "name" | "operator", text: string): void {
    if (!this.skip(kind, text)) throw this.fault(`expected "${text}", found ${this.describe()}`);
  }

  name(): string {
    const token = this.tokens[this.at];
    if (token?.kind !== "name") throw this.fault(`expected a name, found ${this.describe()}`);
    this.at += 1;
    return token.text;
  }

  expression(): Expression {
    if (++this.depth > maxDepth) throw this.fault("nested too deeply");
    try {
      let node = this.or();
      while (this.skip("name", "if")) {
        const condition = this.or();
        const otherwise = this.skip("name", "else") ? this.or() : undefined;
        node = { kind: "choice", condition, value: node, otherwise };
      }
      return node;
    } finally {
      this.depth -= 1;
    }
  }

  private or(): Expression {
    let left = this.and();
    while (this.skip("name", "or")) left = { kind: "binary", operator: "or", left, right: this.and() };
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.skip("name", "and")) left = { kind: "binary", operator: "and", left, right: this.not() };
    return left;
  }

  private not(): Expression {
    if (++this.depth > maxDepth) throw this.fault("nested too deeply");
    try {
      return this.skip("name", "not") ? negated(this.not()) : this.inside();
    } finally {
      this.depth -= 1;
    }
  }

  private inside(): Expression {
    let left = this.test();
    for (;;) {
      const next = this.tokens[this.at + 1];
      const isNegated = this.is("name", "not") && next?.kind === "name" && next.text === "in";
      if (isNegated) this.at += 1;
      if (!this.skip("name", "in")) return left;
      const found: Expression = { kind: "binary", operator: "in", left, right: this.test() };
      left = isNegated ? { kind: "unary", operator: "not", of: found } : found;
    }
  }

  private test(): Expression {
    const of = this.level(0);
    if (!this.skip("name", "is")) return of;
    const isNegated = this.skip("name", "not");
    const name = this.skip("name", "none") ? "none" : this.name();
    const args = this.is("operator", "(") ? this.args() : [];
    const found: Expression = { kind: "test", of, name, args };
    return isNegated ? { kind: "unary", operator: "not", of: found } : found;
  }

  private level(index: number): Expression {
    const operators = levels[index];
    if (operators === undefined) return this.unary(false);
    let left = this.level(index + 1);
    for (;;) {
      const operator = operators.find((one) => this.skip("operator", one));
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: this.level(index + 1) };
    }
  }

  private unary(isInner: boolean): Expression {
    if (++this.depth > maxDepth) throw this.fault("nested too deeply");
    try {
      let node: Expression;
      if (this.skip("operator", "-")) node = { kind: "unary", operator: "-", of: this.unary(true) };
      else if (this.skip("operator", "+")) node = { kind: "unary", operator: "+", of: this.unary(true) };
      else node = this.postfix(this.primary());
      return isInner ? node : this.filters(node);
    } finally {
      this.depth -= 1;
    }
  }

  private filters(node: Expression): Expression {
    let found = node;
    while (this.skip("operator", "|")) {
      let name = this.name();
      while (this.skip("operator", ".")) name += `.${this.name()}`;
      found = { kind: "filter", name, of: found, args: this.is("operator", "(") ? this.args() : [] };
    }
    return found;
  }

  /** The name and the arguments of `{% filter upper %}`. */
  filterCall(): { name: string; args: readonly Argument[] } {
    return { name: this.name(), args: this.is("operator", "(") ? this.args() : [] };
  }

  private postfix(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.skip("operator", ".")) {
        node = { kind: "member", of: node, key: { kind: "literal", value: this.name() } };
      } else if (this.is("operator", "(")) {
        node = { kind: "call", callee: node, args: this.args(), shown: this.shown.trim() };
      } else if (this.skip("operator", "[")) {
        node = this.subscript(node);
      } else return node;
    }
  }

  private subscript(of: Expression): Expression {
    const key = this.expression();
    this.expect("operator", "]");
    return { kind: "member", of, key };
  }

  args(): Argument[] {
    this.expect("operator", "(");
    const args: Argument[] = [];
    while (!this.skip("operator", ")")) {
      if (args.length > 0) this.expect("operator", ",");
      const value = this.expression();
      if (value.kind === "name" && this.skip("operator", "="))
        args.push({ name: value.name, value: this.expression() });
      else args.push({ name: undefined, value });
    }
    return args;
  }

  private primary(): Expression {
    const token = this.tokens[this.at];
    if (!token) throw this.fault("unexpected end");
    this.at += 1;
    switch (token.kind) {
      case "number":
        return { kind: "literal", value: token.value };
      case "string":
        return { kind: "literal", value: token.text };
      case "regex":
        return { kind: "regex", source: token.source, flags: token.flags };
      case "name":
        if (Object.hasOwn(constants, token.text)) return { kind: "literal", value: constants[token.text] };
        return { kind: "name", name: token.text };
      case "operator":
        return this.aggregate(token.text);
    }
  }

  private aggregate(opening: string): Expression {
    if (opening === "(") {
      const items = [this.expression()];
      while (this.skip("operator", ",")) items.push(this.expression());
      this.expect("operator", ")");
      // A group of several values has the value of the last, like the comma of JavaScript.
      return { kind: "group", value: items[items.length - 1] as Expression };
    }
    if (opening === "[") {
      const items: Expression[] = [];
      while (!this.skip("operator", "]")) {
        if (items.length > 0) this.expect("operator", ",");
        items.push(this.expression());
      }
      return { kind: "list", items };
    }
    if (opening === "{") {
      const pairs: [Expression, Expression][] = [];
      while (!this.skip("operator", "}")) {
        if (pairs.length > 0) this.expect("operator", ",");
        const key = this.primary();
        this.expect("operator", ":");
        pairs.push([key.kind === "name" ? { kind: "literal", value: key.name } : key, this.expression()]);
      }
      return { kind: "dict", pairs };
    }
    this.at -= 1;
    throw this.fault(`unexpected ${this.describe()}`);
  }
}

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, none: null, null: null };

/** `not a == b` is `!a == b` in JavaScript: the leftmost operand is negated. */
function negated(node: Expression): Expression {
  const isCall = node.kind === "binary" && ["in", "//", "**"].includes(node.operator);
  if (node.kind !== "binary" || isCall) return { kind: "unary", operator: "not", of: node };
  return { ...node, left: negated(node.left) };
}
