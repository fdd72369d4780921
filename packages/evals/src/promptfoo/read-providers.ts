/** `readProviders(given, files, env)` the providers of a suite, as names, objects, or files that hold them. */
import { isMembers, numberOr, SuiteFault, type SuiteProvider, textOr } from "./suite.ts";
import { type SuiteFiles, withReferences } from "./suite-files.ts";
import { withEnvironment } from "./with-environment.ts";

export async function readProviders(
  given: unknown,
  files: SuiteFiles,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SuiteProvider[]> {
  const listed = Array.isArray(given) ? (given as unknown[]) : given === undefined ? [] : [given];
  const found: SuiteProvider[] = [];
  for (const one of listed) {
    if (typeof one === "string" && /^file:\/\/.*\.(?:ya?ml|json)$/.test(one)) {
      const data = withReferences(await files.data(files.path(one)));
      found.push(...(await readProviders(data, files, env)));
    } else found.push(providerOf(one, env));
  }
  return found;
}

export function providerOf(given: unknown, env: Readonly<Record<string, string | undefined>>): SuiteProvider {
  const filled = withEnvironment(given, env);
  if (typeof filled === "string") return providerFrom(filled, {});
  if (!isMembers(filled)) throw new SuiteFault(`a provider must be a name or an object, not ${JSON.stringify(given)}`);
  if (typeof filled.id === "string") return providerFrom(filled.id, filled);
  const [id, ...more] = Object.keys(filled);
  const options = id === undefined ? undefined : filled[id];
  if (id === undefined || more.length > 0 || !isMembers(options))
    throw new SuiteFault(`a provider needs an id: ${JSON.stringify(given)}`);
  return providerFrom(textOr(options.id) ?? id, options);
}

function providerFrom(id: string, options: Readonly<Record<string, unknown>>): SuiteProvider {
  return {
    id,
    label: textOr(options.label),
    config: isMembers(options.config) ? options.config : {},
    prompts: Array.isArray(options.prompts) ? options.prompts.map(String) : undefined,
    transform: options.transform,
    delayMs: numberOr(options.delay) ?? 0,
  };
}
