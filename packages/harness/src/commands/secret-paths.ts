/**
 * Names of files that may contain secrets. Only names are checked; nothing is opened.
 *
 * - `secretPath(word, context)` the path in this word that may contain secrets; undefined when there is none.
 *
 * A name such as `tokenizer.ts` or `secret-santa.md` is source or prose, not a secret; `.env.example` is a sample.
 */
import { posix, resolve } from "node:path";

export interface SecretContext {
  readonly cwd: string;
  /** Files that this command may use (the repository's `copy`), relative to `cwd` or absolute. */
  readonly allow: readonly string[];
  /** Whether every plain word is a file (`cat credentials`), or only what looks like a path. */
  readonly isReader?: boolean;
  /** Words without an extension are branches and not files (`git switch fix/token-refresh`). */
  readonly hasRevisions?: boolean;
}

export function secretPath(word: string, context: SecretContext): string | undefined {
  return candidates(word, context).find((path) => isSecret(path, context));
}

/** The positions in a word where a path may begin: `--env-file=.env`, `./a:/b`, `HEAD:.env`, `@key.pem`, `-i~/.ssh/id`. */
function candidates(word: string, { isReader = false }: SecretContext): string[] {
  if (/\s/.test(word) && !isReader) return [];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return word.startsWith("file://") ? [word.slice("file://".length)] : [];
  const value = word.startsWith("-") ? (/^--?[^=]+=(.*)$/s.exec(word)?.[1] ?? attachedValue(word)) : word;
  const parts = value.split(/[=:,]/).map((part) => part.replace(/^[@<>]+/, ""));
  return parts.filter((part) => part !== "" && (isReader || looksLikePath(part)));
}

function attachedValue(option: string): string {
  return option.startsWith("--") ? "" : option.slice(2);
}

function looksLikePath(text: string): boolean {
  return (
    /[/\\]/.test(text) || /^[.~]/.test(text) || /\.[a-z0-9]{1,10}$/i.test(text) || isPrivateKey(text.toLowerCase())
  );
}

function isSecret(path: string, { cwd, allow, hasRevisions = false }: SecretContext): boolean {
  const normal = posix.normalize(path.replaceAll("\\", "/")).toLowerCase();
  const whole = resolve(cwd, path);
  if (allow.some((one) => resolve(cwd, one) === whole)) return false;
  if (inSecretFolder(normal)) return true;
  if (normal.endsWith("/")) return false;
  const name = posix.basename(normal);
  if (isDotEnv(name) || isPrivateKey(name)) return true;
  if (hasRevisions && posix.extname(name) === "") return false;
  return isTellingName(name);
}

const secretFolders = new Set([".ssh", ".aws", ".kube", ".gnupg"]);

function inSecretFolder(path: string): boolean {
  const parts = path.split("/");
  if (parts.some((part) => secretFolders.has(part))) return true;
  if (parts.some((part, index) => part === ".config" && parts[index + 1] === "gcloud")) return true;
  return /^\/proc\/[^/]+\/environ$/.test(path);
}

function isDotEnv(name: string): boolean {
  return (
    /^\.env/.test(name) &&
    !/^\.env(\.\w+)*\.(example|sample|template|dist|defaults|schema)$/.test(name) &&
    !/^\.env\.d\.ts$/.test(name) &&
    !/^\.environment/.test(name)
  );
}

function isPrivateKey(name: string): boolean {
  if (/(^|[._-])pub(lic)?([._-]|$)/.test(name)) return false;
  return (
    /.\.(pem|key|p12|pfx)$/.test(name) ||
    /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/.test(name) ||
    /^\.(netrc|pgpass)$/.test(name)
  );
}

const source = new Set(
  "ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi ipynb go rs rb erb java kt kts swift scala groovy clj c h cc cpp hpp cs fs m mm php ex exs erl hs ml lua r jl dart zig nim sh bash zsh fish ps1 sql graphql proto css scss sass less html htm md mdx rst adoc tex snap svg png jpg jpeg gif webp tf git patch diff lock"
    .split(" ")
    .map((extension) => `.${extension}`),
);

function isTellingName(name: string): boolean {
  if (source.has(posix.extname(name))) return false;
  // Words that only start like a secret.
  const rest = name.replaceAll(/tokeni[sz]\w*|design[-_.]?tokens?|secretar(y|ies|iat)/g, "");
  return /token|secret|credentials/.test(rest);
}
