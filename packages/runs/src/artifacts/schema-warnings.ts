/**
 * What is allowed in a schema and probably not meant: unknown keywords, keywords that do not fit the type.
 *
 * - `schemaWarnings(schema)` what the strict mode of ajv would refuse, one sentence each.
 */
export async function schemaWarnings(schema: object): Promise<string[]> {
  // Loaded only for schemas that people write: it is large, and nothing else needs it.
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const warnings = new Set<string>();
  const note = (...words: unknown[]) => void warnings.add(plain(words.join(" ")));
  const logger = { log: note, warn: note, error: () => undefined };
  try {
    // `string or null` marks a member that may be unknown, and a member may be required before it is described.
    const options = { allowUnionTypes: true, strictRequired: false, validateSchema: false, validateFormats: false };
    new Ajv2020({ ...options, strict: "log", logger }).compile(schema);
  } catch {
    // It does not support all of the standard; what it noted until then still counts.
  }
  return [...warnings];
}

const plain = (text: string): string =>
  text.replace(/^strict mode: /, "").replace(/ \(strictTypes\)$| \(strictTuple\)$/, "");
