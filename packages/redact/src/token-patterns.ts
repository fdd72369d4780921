/**
 * Tokens recognized by their format: a provider's prefix and enough characters after it.
 *
 * - `findTokens` the finder.
 *
 * Each pattern is a literal prefix and one character class whose minimum is a constant, with nothing required after it.
 * A failed attempt therefore costs at most that constant, and hostile text cannot make the search slow.
 */
import type { SecretFinding } from "./secret-finding.ts";

const providers: readonly (readonly [kind: string, pattern: string])[] = [
  ["anthropic", "sk-ant-[A-Za-z0-9_-]{16,}"],
  ["openrouter", "sk-or-v1-[a-f0-9]{32,}"],
  ["openai", "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"],
  ["openai", "sk-[A-Za-z0-9]{32,}"],
  ["github", "gh[pousr]_[A-Za-z0-9]{30,}"],
  ["github", "github_pat_[A-Za-z0-9_]{22,}"],
  ["gitlab", "gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}"],
  ["aws", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"],
  ["slack", "xox[abceoprs]-[A-Za-z0-9-]{10,}"],
  ["slack", "xapp-[0-9]-[A-Za-z0-9-]{10,}"],
  ["slack", "hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"],
  ["google", "AIza[A-Za-z0-9_-]{35}"],
  ["google", "ya29\\.[A-Za-z0-9_-]{20,}"],
  ["google", "GOCSPX-[A-Za-z0-9_-]{20,}"],
  ["stripe", "(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"],
  ["stripe", "whsec_[A-Za-z0-9+/=]{24,}"],
  ["npm", "npm_[A-Za-z0-9]{36}"],
  ["pypi", "pypi-[A-Za-z0-9_-]{50,}"],
  ["huggingface", "hf_[A-Za-z0-9]{30,}"],
  ["groq", "gsk_[A-Za-z0-9]{40,}"],
  ["xai", "xai-[A-Za-z0-9]{60,}"],
  ["sendgrid", "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{20,}"],
  ["twilio", "SK[a-f0-9]{32}(?![A-Za-z0-9])"],
  ["supabase", "sb(?:p|_secret)_[A-Za-z0-9_-]{20,}"],
  ["digitalocean", "do[opr]_v1_[a-f0-9]{40,}"],
  ["linear", "lin_(?:api|oauth)_[A-Za-z0-9]{30,}"],
  ["telegram", "[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"],
  // A refresh token has three parts; all others are one.
  ["devflow", "dfr_[0-9a-f-]{36}\\.[A-Za-z0-9_-]{43}\\.[A-Za-z0-9_-]{43}"],
  ["devflow", "df[dilmot]_[A-Za-z0-9_-]{32,}"],
  ["age", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"],
];

// Not after a letter or digit: "task-antelope…" contains no key. The letter that ends a terminal color does not count.
const boundary = "(?:(?<![A-Za-z0-9])|(?<=\\x1b\\[[\\d;]{0,12}m))";
const anyProvider = new RegExp(`${boundary}(?:${providers.map(([, pattern]) => `(${pattern})`).join("|")})`, "g");

export function* findTokens(text: string): Generator<SecretFinding> {
  for (const match of text.matchAll(anyProvider)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    yield { kind: providers[which]?.[0] ?? "token", start: match.index, end: match.index + match[0].length };
  }
}
