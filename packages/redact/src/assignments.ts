/**
 * Secrets that are assigned to a telling name: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `secret: …`.
 *
 * - `findAssignments` the finder.
 * - `isSecretMember(name, value)` the kind, when a member of that name holds a secret.
 *
 * The name alone proves little, because code is full of `token = readToken()` and `password: string`. How certain the value
 * must look depends on how it is written: in quotes, after a tight `NAME=`, or loosely as in YAML and code.
 */
import { isPlaceholder } from "./placeholder.ts";
import type { SecretFinding } from "./secret-finding.ts";

const passwordWords = "passw(?:or)?d|passphrase|pwd";
const keyWords =
  "secret(?:[_-]?(?:access[_-]?)?key)?|token|(?:api|access|account|private|signing|encryption|master|auth)[_-]?key|credentials?";
const names = `(?:(?<password>${passwordWords})|(?:${keyWords}))`;
const assigned = new RegExp(`${names}["'\`]?(?<separator>\\s{0,3}(?:=>|:=|[:=])(?![=:>])\\s{0,3})`, "gi");
const passedAsFlag = new RegExp(`--(?:[a-z]{1,12}-){0,3}${names}(?<separator> {1,3})(?!-)`, "gi");
const quotedValue = /(["'`])((?:(?!\1)[^\n\\]){1,512})\1/y;
const bareValue = /[^\s"'`,;&<>(){}[\]|\\]{1,512}/y;

export function* findAssignments(text: string): Generator<SecretFinding> {
  for (const pattern of [assigned, passedAsFlag]) {
    for (const match of text.matchAll(pattern)) {
      const at = match.index + match[0].length;
      const isPassword = match.groups?.password !== undefined;
      const found = valueAt(text, at);
      if (!found || isPlaceholder(found.value) || isTernary(text, match.index)) continue;
      const isTight = match.groups?.separator === "=" || pattern === passedAsFlag;
      const isSecret = found.isQuoted
        ? isSecretInQuotes(found.value, isPassword)
        : isTight
          ? isSecretBehindTightName(found.value, text[found.end], nameBefore(text, at))
          : isSecretInCode(found.value, text[found.end]);
      if (isSecret) yield { kind: kindOf(isPassword), start: found.start, end: found.end };
    }
  }
}

const memberName = new RegExp(`${names}$`, "i");

export function isSecretMember(name: string, value: string): string | undefined {
  const match = memberName.exec(name);
  if (!match || isPlaceholder(value)) return undefined;
  const isPassword = match.groups?.password !== undefined;
  return isSecretInQuotes(value, isPassword) ? kindOf(isPassword) : undefined;
}

const kindOf = (isPassword: boolean): string => (isPassword ? "password" : "assigned-secret");

interface Value {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

function valueAt(text: string, at: number): Value | undefined {
  quotedValue.lastIndex = at;
  const inQuotes = quotedValue.exec(text)?.[2];
  if (inQuotes !== undefined) {
    return { value: inQuotes, start: at + 1, end: at + 1 + inQuotes.length, isQuoted: true };
  }
  bareValue.lastIndex = at;
  const bare = bareValue.exec(text)?.[0];
  return bare === undefined ? undefined : { value: bare, start: at, end: at + bare.length, isQuoted: false };
}

/** Labels and messages have spaces; keys of other things (`token: "csrf-token"`) are words with separators. */
function isSecretInQuotes(value: string, isPassword: boolean): boolean {
  if (/\s/.test(value) || value.length < 4 || isPath(value)) return false;
  if (isPassword) return !/passw|pwd/i.test(value);
  return value.length >= 8 && /\d/.test(value) && !isWords(value);
}

/** A value after `PASSWORD=` in an environment file is a secret; `connect(token=token)` in a program is not. */
function isSecretBehindTightName(value: string, next: string | undefined, name: string): boolean {
  if (value.length < 4 || isPath(value) || isExpression(value, next)) return false;
  const isEnvironmentName = /^[A-Z][A-Z0-9_]*$/.test(name);
  return isEnvironmentName || /[^A-Za-z_$.]/.test(value);
}

function isSecretInCode(value: string, next: string | undefined): boolean {
  if (value.length < 8 || isPath(value) || isExpression(value, next) || isWords(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value);
}

function isExpression(value: string, next: string | undefined): boolean {
  if (next === "(" || next === "[" || next === "<" || next === "{") return true;
  // A chain of names: request.headers.token, this.password!, Option?.key
  return (
    /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)+[?!]?$/.test(value) || /^[A-Za-z_$]+[?!]?$/.test(withoutTerms(value))
  );
}

/** Words with separators, with digits only in common technical terms: sha256, utf-8, v2. */
function isWords(value: string): boolean {
  return /^[A-Za-z]*(?:[-_.:/ ][A-Za-z]+)*$/.test(withoutTerms(value));
}

function withoutTerms(value: string): string {
  return value
    .replace(/(?:base|sha|utf|md|uuid|oauth|http|ed|int|float)-?(?:\d{1,3}|25519)(?!\d)/gi, "")
    .replace(/(?<![A-Za-z0-9])[a-z]{1,2}\d{1,3}(?![A-Za-z0-9])/gi, "");
}

function isPath(value: string): boolean {
  return /^(?:~|\.{1,2})?\/[\w.-]+(?:\/[\w.-]+)*\/?$/.test(value) && !/[A-Za-z0-9+]{24,}/.test(value);
}

/** `hidden ? "password" : "text"` assigns nothing. */
function isTernary(text: string, nameStart: number): boolean {
  return /\?\s{0,3}["'`]$/.test(text.slice(Math.max(0, nameStart - 6), nameStart));
}

/** The name that ends right before the separator, ignoring quotes. */
function nameBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 80), at);
  return /([A-Za-z0-9_-]+)["'`]?\s*[=:>]*\s*$/.exec(before)?.[1] ?? "";
}
