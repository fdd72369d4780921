/**
 * Command arguments for the journal: secrets become `{{SECRET_1}}` and so on, and a replay needs their values.
 *
 * - `sealInput(command, input, options)` the input for the journal, and the names of its secrets.
 * - `unsealInput(input, secrets)` the input for a replay, and the names that are missing.
 */
import { redactSecrets, safeText } from "@devflow/redact";

/** Arguments that are secret on every page. */
const alwaysSecret: Readonly<Record<string, readonly string[]>> = {
  goto: ["auth"],
  cookie: ["value"],
  headers: ["headers"],
  "storage-set": ["value"],
};
/** Arguments with typed text. */
const typed = ["value", "text", "key"] as const;

export interface Sealed {
  readonly input: Record<string, unknown>;
  readonly secrets: readonly string[];
}

export function sealInput(
  command: string,
  input: Readonly<Record<string, unknown>>,
  { isSecretField = false, firstNumber = 1 } = {},
): Sealed {
  const secrets: string[] = [];
  const name = () => {
    secrets.push(`SECRET_${firstNumber + secrets.length}`);
    return `{{${secrets.at(-1)}}}`;
  };
  const hidden = new Set<string>([...(alwaysSecret[command] ?? []), ...(isSecretField ? typed : [])]);
  const seal = (value: unknown, isHidden: boolean): unknown => {
    if (typeof value === "string") return isHidden || looksSecret(value) ? name() : safeText(value).value;
    if (Array.isArray(value)) return value.map((one) => seal(one, isHidden));
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, seal(one, isHidden)]));
    }
    return value;
  };
  const sealed = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, seal(value, hidden.has(key))]);
  return { input: Object.fromEntries(sealed), secrets };
}

/** Text from the page for the journal, with anything that looks like a secret redacted. */
export function cleanText(text: string): string {
  return redactSecrets(safeText(text).value).text;
}

export function unsealInput(
  input: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>>,
): { readonly input: Record<string, unknown>; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const open = (value: unknown): unknown => {
    if (typeof value === "string") {
      return value.replace(/\{\{(SECRET_\d+)\}\}/g, (whole, name: string) => {
        if (Object.hasOwn(secrets, name)) return secrets[name] ?? "";
        missing.add(name);
        return whole;
      });
    }
    if (Array.isArray(value)) return value.map(open);
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, open(one)]));
    }
    return value;
  };
  return { input: open(input) as Record<string, unknown>, missing: [...missing] };
}

const looksSecret = (text: string): boolean => redactSecrets(text).found.length > 0;
