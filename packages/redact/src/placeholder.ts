/**
 * Placeholders for secrets: `<password>`, `${TOKEN}`, `changeme`, `****`, `null`.
 *
 * - `isPlaceholder(value)` true for them.
 */
const words = new Set([
  ...["password", "passwd", "pass", "pwd", "secret", "token", "key", "apikey", "api_key", "user", "username"],
  ...["null", "none", "nil", "undefined", "true", "false", "string", "text", "number", "boolean", "bool", "str", "any"],
  ...[
    "unknown",
    "void",
    "never",
    "required",
    "optional",
    "redacted",
    "hidden",
    "masked",
    "example",
    "changeme",
    "change-me",
  ],
  ...["your-password", "your_password", "your-token", "your_token", "your-api-key", "your_api_key", "xxx", "todo"],
  ...["self", "this", "new", "await", "function", "return", "const", "let", "var", "env"],
]);

export function isPlaceholder(value: string): boolean {
  const bare = value.replace(/[;,.!?]+$/, "");
  if (words.has(bare.toLowerCase())) return true;
  // A variable reference, a template, or a marker from an earlier redaction.
  if (/^(?:\$[A-Za-z_{(]|\{\{?|<|\[redacted|%[A-Za-z_({]|#\{|process\.env|os\.environ|import\.meta)/.test(bare))
    return true;
  // One character repeated: ****, xxxx, ....
  return /^(.)\1*$/s.test(bare) || /^(?:your|my|some|example|placeholder|dummy|fake|sample)[-_ ]/i.test(bare);
}
