/** Assertions on XML, HTML and SQL in an output. */
import { SaxesParser } from "saxes";
import { CodeFailure } from "../../code/index.ts";
import { type Check, type Checker, type Grade, isMembers, need, yesOrNo } from "../assertion.ts";
import { containsHtml, htmlFault } from "../html.ts";
import { likelyNotSql, sqlBlocks } from "../sql-text.ts";
import { hasElement, xmlForest } from "../xml-elements.ts";

function requiredElements({ value, baseType }: Check): readonly string[] {
  if (typeof value === "string") return value.split(",").map((one) => one.trim());
  if (Array.isArray(value)) return value.map(String);
  if (!isMembers(value) || Object.keys(value).length === 0) return [];
  need(Array.isArray(value.requiredElements), `${baseType} needs a text, a list, or requiredElements as its value`);
  return (value.requiredElements as unknown[]).map(String);
}

const isXml: Checker = (check) => {
  const required = requiredElements(check);
  const fault = xmlFault(check.text);
  if (fault !== undefined) return yesOrNo(false, check, `the output is not XML: ${fault}`);
  const [tree = {}] = xmlForest(check.text);
  const missing = required.filter((path) => !hasElement(tree, path));
  const problem = check.isNegated ? "the output is XML" : `the XML lacks ${missing.join(", ")}`;
  return yesOrNo(missing.length === 0, check, problem);
};

const containsXml: Checker = (check) => {
  const required = requiredElements(check);
  const holds = xmlForest(check.text).some((tree) => required.every((path) => hasElement(tree, path)));
  const what = required.length > 0 ? ` with ${required.join(", ")}` : "";
  return yesOrNo(holds, check, `the output contains ${check.isNegated ? "" : "no "}XML${what}`);
};

/** Declarations inside a document type are refused: they can expand without end. */
function xmlFault(text: string): string | undefined {
  const parser = new SaxesParser({ xmlns: true });
  let fault: string | undefined;
  parser.on("doctype", (declaration) => {
    const isPlain =
      /^\s+[\p{L}_:][\p{L}\p{N}_:.-]*\s*(?:SYSTEM\s+("[^"#]*"|'[^'#]*')\s*|PUBLIC\s+("[\w\s'()+,./:=?;!*#@$%-]*"|'[\w\s()+,./:=?;!*#@$%-]*')\s+("[^"#]*"|'[^'#]*')\s*)?$/u.test(
        declaration,
      );
    if (!isPlain)
      fault = /\[/.test(declaration) ? "it declares entities or elements of its own" : "its DOCTYPE is malformed";
  });
  parser.on("error", (error) => {
    fault ??= error.message;
  });
  parser.write(text).close();
  return fault;
}

const isSql: Checker = async (check) => {
  const { value } = check;
  need(!value || isMembers(value), "is-sql needs an object as its value");
  const faults = await sqlFaults(check.text, check);
  const problem = check.isNegated
    ? "the output is SQL"
    : `the output is not the SQL that is allowed: ${faults.join(", ")}`;
  return yesOrNo(faults.length === 0, check, problem);
};

const containsSql: Checker = async (check) => {
  const blocks = sqlBlocks(check.text);
  for (const candidate of blocks.length > 0 ? blocks : [check.text]) {
    if (candidate.trim() !== "" && (await sqlFaults(candidate, check)).length === 0) {
      return yesOrNo(true, check, "the output contains SQL");
    }
  }
  return yesOrNo(false, check, "the output contains no SQL that is allowed");
};

async function sqlFaults(text: string, { value, baseType, tools }: Check): Promise<string[]> {
  const settings = isMembers(value) ? value : {};
  const database = typeof settings.databaseType === "string" ? settings.databaseType : "MySQL";
  const list = (given: unknown) => (Array.isArray(given) ? given.map(String) : undefined);
  if (likelyNotSql(text, database)) return ["syntax"];
  try {
    const job = {
      kind: "sql" as const,
      folder: tools.folder,
      text,
      database,
      tables: list(settings.allowedTables),
      columns: list(settings.allowedColumns),
    };
    return (await tools.code.run(job)) as string[];
  } catch (error) {
    if (error instanceof CodeFailure && error.isMissing) {
      need(false, `${baseType} needs a parser next to the suite: npm install node-sql-parser`);
    }
    throw error;
  }
}

const isHtml: Checker = (check): Grade => {
  const fault = htmlFault(check.text);
  return yesOrNo(fault === undefined, check, fault ?? "the output is HTML");
};

export const markupAssertions: Readonly<Record<string, Checker>> = {
  "is-xml": isXml,
  "contains-xml": containsXml,
  "is-sql": isSql,
  "contains-sql": containsSql,
  "is-html": isHtml,
  "contains-html": (check) =>
    yesOrNo(containsHtml(check.text), check, `expected the output ${check.isNegated ? "not " : ""}to contain HTML`),
};
