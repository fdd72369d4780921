/**
 * Parses a template into nodes.
 *
 * - `parseTemplate(source)` throws a `TemplateFault` for what cannot be rendered, such as `{% include %}`.
 */
import { splitTemplate, TemplateFault, type TemplatePart, tokensOf } from "./lex.ts";
import { type Argument, type Expression, ExpressionParser } from "./parse-expression.ts";

export interface Branch {
  readonly condition: Expression;
  readonly body: readonly Node[];
}

export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly value: Expression }
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly otherwise: readonly Node[] }
  | {
      readonly kind: "for";
      readonly names: readonly string[];
      readonly of: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | { readonly kind: "set"; readonly names: readonly string[]; readonly value: Expression | readonly Node[] }
  | {
      readonly kind: "macro";
      readonly name: string;
      readonly parameters: readonly Argument[];
      readonly body: readonly Node[];
    }
  | {
      readonly kind: "filter";
      readonly name: string;
      readonly args: readonly Argument[];
      readonly body: readonly Node[];
    }
  | {
      readonly kind: "switch";
      readonly value: Expression;
      readonly cases: readonly { readonly value: Expression; readonly body: readonly Node[] }[];
      readonly otherwise: readonly Node[];
    };

const unsupported = new Set(["include", "import", "from", "extends", "block", "call", "asyncEach", "asyncAll"]);

export function parseTemplate(source: string): Node[] {
  const parser = new TemplateParser(splitTemplate(source));
  return parser.body([]).nodes;
}

class TemplateParser {
  private at = 0;
  private readonly parts: readonly TemplatePart[];

  constructor(parts: readonly TemplatePart[]) {
    this.parts = parts;
  }

  /** Reads until a block whose first word is one of `ends`, and returns it. */
  body(ends: readonly string[]): { nodes: Node[]; end: ExpressionParser; word: string } {
    const nodes: Node[] = [];
    while (this.at < this.parts.length) {
      const part = this.parts[this.at++] as TemplatePart;
      if (part.kind === "text") nodes.push(part);
      else if (part.kind === "output") nodes.push({ kind: "output", value: whole(part.source) });
      else {
        const tag = new ExpressionParser(tokensOf(part.source), part.source);
        const word = tag.name();
        if (ends.includes(word)) return { nodes, end: tag, word };
        nodes.push(this.block(word, tag));
      }
    }
    if (ends.length > 0) throw new TemplateFault(`expected {% ${ends.join(" %} or {% ")} %} before the end`);
    return { nodes, end: new ExpressionParser([], ""), word: "" };
  }

  private block(word: string, tag: ExpressionParser): Node {
    switch (word) {
      case "if":
      case "ifAsync":
        return this.condition(tag);
      case "for":
        return this.loop(tag);
      case "set":
        return this.assignment(tag);
      case "macro":
        return this.macro(tag);
      case "filter": {
        const { name, args } = tag.filterCall();
        tag.end();
        return { kind: "filter", name, args, body: this.body(["endfilter"]).nodes };
      }
      case "switch":
        return this.choice(tag);
      default:
        throw new TemplateFault(
          unsupported.has(word) ? `{% ${word} %} is not supported` : `unknown block {% ${word} %}`,
        );
    }
  }

  private condition(tag: ExpressionParser): Node {
    const branches: Branch[] = [];
    let condition = tag.expression();
    tag.end();
    for (;;) {
      const { nodes, end, word } = this.body(["elif", "elseif", "else", "endif"]);
      branches.push({ condition, body: nodes });
      if (word === "endif") return { kind: "if", branches, otherwise: [] };
      if (word === "else") {
        end.end();
        return { kind: "if", branches, otherwise: this.body(["endif"]).nodes };
      }
      condition = end.expression();
      end.end();
    }
  }

  private loop(tag: ExpressionParser): Node {
    const names = [tag.name()];
    while (tag.skip("operator", ",")) names.push(tag.name());
    tag.expect("name", "in");
    const of = tag.expression();
    tag.end();
    const { nodes, word } = this.body(["else", "endfor"]);
    return { kind: "for", names, of, body: nodes, otherwise: word === "else" ? this.body(["endfor"]).nodes : [] };
  }

  private assignment(tag: ExpressionParser): Node {
    const names = [tag.name()];
    while (tag.skip("operator", ",")) names.push(tag.name());
    if (!tag.skip("operator", "=")) {
      tag.end();
      return { kind: "set", names, value: this.body(["endset"]).nodes };
    }
    const value = tag.expression();
    tag.end();
    return { kind: "set", names, value };
  }

  private macro(tag: ExpressionParser): Node {
    const name = tag.name();
    const parameters = tag.args();
    tag.end();
    return { kind: "macro", name, parameters, body: this.body(["endmacro"]).nodes };
  }

  private choice(tag: ExpressionParser): Node {
    const value = tag.expression();
    tag.end();
    const cases: { value: Expression; body: readonly Node[] }[] = [];
    let { end, word } = this.body(["case", "default", "endswitch"]);
    while (word === "case") {
      const wanted = end.expression();
      end.end();
      const read = this.body(["case", "default", "endswitch"]);
      cases.push({ value: wanted, body: read.nodes });
      [end, word] = [read.end, read.word];
    }
    return { kind: "switch", value, cases, otherwise: word === "default" ? this.body(["endswitch"]).nodes : [] };
  }
}

function whole(source: string): Expression {
  const parser = new ExpressionParser(tokensOf(source), source);
  const found = parser.expression();
  parser.end();
  return found;
}
