/**
 * The keys that encrypt Chromium's cookies, from the system's keyring. Each program is run without a shell and may take
 * ten seconds, since a dialog may wait for the person.
 *
 * - `systemKeys(store, prefixes, place)` the keys for these prefixes; `missing` says why a key is not available.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "@devflow/core/config";
import type { CookieStore } from "./browsers.ts";
import { type ChromiumKeys, deriveKey } from "./chromium-crypto.ts";
import { windowsKey } from "./windows-key.ts";

export interface KeyPlace {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
}

const linuxRounds = 1;
const macRounds = 1003;
const timeoutMs = 10_000;

export async function systemKeys(
  store: CookieStore,
  prefixes: ReadonlySet<string>,
  place: KeyPlace,
): Promise<ChromiumKeys> {
  const protectedKey = protectedKeyOf(store.userData);
  if (protectedKey) return await windowsKeys(protectedKey, place);
  if (place.platform === "darwin") return await macKeys(store, prefixes, place);
  // Chromium uses "peanuts" without a keyring, and falls back to the empty password when KWallet fails.
  const fixed = ["peanuts", ""].map((password) => deriveKey(password, linuxRounds));
  if (!prefixes.has("v11")) return { cbc: { v10: fixed } };
  const password = (await fromKeyring(store, place)) ?? (await fromKwallet(store, place));
  return {
    cbc: {
      v10: fixed,
      v11: ["", ...(password === undefined ? [] : [password])].reverse().map((one) => deriveKey(one, linuxRounds)),
    },
    missing: `the key is in the keyring under "${store.safeStorage} Safe Storage", and neither secret-tool nor kwallet-query returned it`,
  };
}

async function macKeys(store: CookieStore, prefixes: ReadonlySet<string>, place: KeyPlace): Promise<ChromiumKeys> {
  const missing = `the Keychain did not return "${store.safeStorage} Safe Storage": allow it in the dialog, then repeat the command`;
  if (!prefixes.has("v10")) return { cbc: {}, missing };
  const words = ["find-generic-password", "-w", "-a", store.safeStorage, "-s", `${store.safeStorage} Safe Storage`];
  const password = await ask("security", words, place);
  return password === undefined ? { cbc: {}, missing } : { cbc: { v10: [deriveKey(password, macRounds)] }, missing };
}

function fromKeyring({ application }: CookieStore, place: KeyPlace): Promise<string | undefined> {
  const words = ["lookup", "xdg:schema", "chrome_libsecret_os_crypt_password_v2", "application", application];
  return ask("secret-tool", words, place);
}

async function fromKwallet({ safeStorage }: CookieStore, place: KeyPlace): Promise<string | undefined> {
  const words = ["--read-password", `${safeStorage} Safe Storage`, "--folder", `${safeStorage} Keys`, "kdewallet"];
  const answer = await ask("kwallet-query", words, place);
  // It prints the error on standard output and exits with 0.
  return answer?.startsWith("Failed to read") ? undefined : answer;
}

async function windowsKeys(protectedKey: Buffer, place: KeyPlace): Promise<ChromiumKeys> {
  const script =
    "Add-Type -AssemblyName System.Security; " +
    "$in = [Convert]::FromBase64String([Console]::In.ReadToEnd()); " +
    "[Convert]::ToBase64String([Security.Cryptography.ProtectedData]::Unprotect($in, $null, 'CurrentUser'))";
  const answer = await ask(
    "powershell.exe",
    ["-NoProfile", "-NonInteractive", "-Command", script],
    place,
    protectedKey.toString("base64"),
  );
  const key = answer === undefined ? undefined : Buffer.from(answer, "base64");
  return key?.length === 32
    ? { cbc: {}, gcm: key }
    : { cbc: {}, missing: "the profile is from Windows, and its key is available only there" };
}

function protectedKeyOf(userData: string): Buffer | undefined {
  try {
    return windowsKey(readFileSync(join(userData, "Local State"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Undefined when the program is missing, fails, takes too long or prints nothing. */
function ask(program: string, words: string[], { env }: KeyPlace, input = ""): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: timeoutMs, encoding: "utf8" } as const;
    const child = execFile(program, words, options, (error, stdout) => {
      const answer = stdout.replace(/\r?\n$/, "");
      resolve(error || answer === "" ? undefined : answer);
    });
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
