/**
 * Arguments as the journal may hold them: what is secret becomes `{{SECRET_1}}`, and whoever repeats the command has to
 * bring it.
 *
 * - `sealInput(command, input, isSecretField)` the input for the journal, and the names of what was sealed.
 * - `unsealInput(input, secrets)` for a re-run; the names that are missing.
 */
import { redactSecrets, safeText } from "@devflow/redact";

/** Arguments that hold secrets whatever the page is. */
const alwaysSecret: Readonly<Record<string, readonly string[]>> = {
  goto: ["auth"],
  cookie: ["value"],
  headers: ["headers"],
  "storage-set": ["value"],
};
/** What is typed, into whichever field. */
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

/** Text of the page for the journal: what looks like a secret is gone. */
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
