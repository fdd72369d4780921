/**
 * Streams the test cases of a JUnit file with their enclosing suites. No tree is built, and a DTD is refused, so that there are no
 * entities to expand.
 */
import { SaxesParser } from "saxes";
import { type ImportLimits, inMegabytes } from "../../results/limits.ts";
import { refuse } from "../../results/refuse.ts";
import { encodingOf, type Source } from "../../results/source.ts";

export interface JUnitCase {
  readonly kind: "case";
  readonly suite: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
  readonly outcomes: readonly JUnitOutcome[];
  readonly stdout: string;
  readonly stderr: string;
}

export interface JUnitOutcome {
  readonly element: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface JUnitSuite {
  readonly kind: "suite";
  readonly element: "testsuites" | "testsuite";
  readonly depth: number;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface JUnitProperty {
  readonly kind: "property";
  readonly name: string;
  readonly value: string;
}

export type JUnitPart = JUnitCase | JUnitSuite | JUnitProperty;

const outcomeElements = new Set([
  "failure",
  "error",
  "skipped",
  "flakyFailure",
  "flakyError",
  "rerunFailure",
  "rerunError",
]);

interface OpenCase {
  readonly attributes: Record<string, string>;
  readonly properties: Record<string, string>;
  readonly outcomes: { element: string; attributes: Record<string, string>; text: string }[];
  stdout: string;
  stderr: string;
  size: number;
}

export async function* junitParts(source: Source, limits: ImportLimits): AsyncGenerator<JUnitPart> {
  const ready: JUnitPart[] = [];
  const suites: string[] = [];
  const path: string[] = [];
  let current: OpenCase | null = null;
  let failed: unknown = null;
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on("error", (error) => {
    failed ??= refuse(
      `${source.name} is not valid XML: ${error.message}.`,
      "Create it again with the tool that wrote it.",
      error,
    );
  });
  parser.on("doctype", () => {
    failed ??= refuse(
      `${source.name} has a document type definition, which is not allowed.`,
      "Remove the <!DOCTYPE …> and push it again.",
    );
  });
  parser.on("opentag", (tag) => {
    const attributes = tag.attributes as Record<string, string>;
    path.push(tag.name);
    if (path.length > limits.depth) {
      failed ??= refuse(
        `${source.name} is nested deeper than ${limits.depth} elements.`,
        "Check the file before importing it.",
      );
    }
    if (tag.name === "testsuite" || tag.name === "testsuites") {
      ready.push({ kind: "suite", element: tag.name, depth: suites.length, attributes });
      suites.push(attributes.name ?? "");
    } else if (tag.name === "testcase") {
      current = { attributes, properties: {}, outcomes: [], stdout: "", stderr: "", size: 0 };
    } else if (outcomeElements.has(tag.name)) current?.outcomes.push({ element: tag.name, attributes, text: "" });
    else if (tag.name === "property" && attributes.name !== undefined) {
      if (current !== null) current.properties[attributes.name] = attributes.value ?? "";
      else ready.push({ kind: "property", name: attributes.name, value: attributes.value ?? "" });
    }
  });
  const onText = (words: string) => {
    if (current === null) return;
    const element = path.at(-1) ?? "";
    current.size += words.length;
    if (current.size > limits.recordBytes) {
      failed ??= refuse(
        `${source.name} contains a test case of more than ${inMegabytes(limits.recordBytes)}.`,
        "Remove the output of that test case.",
      );
    } else if (outcomeElements.has(element)) current.outcomes.at(-1)!.text += words;
    else if (element === "system-out") current.stdout += words;
    else if (element === "system-err") current.stderr += words;
    else if (element === "property" && words.trim() !== "") {
      const last = Object.keys(current.properties).at(-1);
      if (last !== undefined) current.properties[last] += words;
    }
  };
  parser.on("text", onText);
  parser.on("cdata", onText);
  parser.on("closetag", (tag) => {
    path.pop();
    if (tag.name === "testsuite" || tag.name === "testsuites") suites.pop();
    else if (tag.name === "testcase" && current !== null) {
      const { attributes, properties, outcomes, stdout, stderr } = current;
      ready.push({ kind: "case", suite: suites.at(-1) ?? "", attributes, properties, outcomes, stdout, stderr });
      current = null;
    }
  });
  const decoder = await decoderFor(source);
  for await (const piece of source.bytes()) {
    parser.write(decode(decoder, piece, source, true));
    if (failed !== null) throw failed;
    yield* ready.splice(0);
  }
  parser.write(decode(decoder, new Uint8Array(0), source, false));
  parser.close();
  if (failed !== null) throw failed;
  yield* ready.splice(0);
}

async function decoderFor(source: Source): Promise<TextDecoder> {
  const head = (await source.head()).subarray(0, 200);
  const marked = encodingOf(head);
  const said = /^\s*<\?xml[^>]*encoding=["']([\w.:-]+)["']/.exec(new TextDecoder("latin1").decode(head))?.[1];
  const label = marked === "utf-8" ? (said ?? "utf-8") : marked;
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (error) {
    throw refuse(
      `${source.name} declares the encoding ${label}, which is not supported.`,
      "Convert it to UTF-8.",
      error,
    );
  }
}

function decode(decoder: TextDecoder, piece: Uint8Array, source: Source, stream: boolean): string {
  try {
    return decoder.decode(piece, { stream });
  } catch (error) {
    throw refuse(
      `${source.name} is not encoded as ${decoder.encoding}, as it declares.`,
      "Convert it to UTF-8.",
      error,
    );
  }
}
