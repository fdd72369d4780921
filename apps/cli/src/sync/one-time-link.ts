/**
 * A setup, invite or sign-in link as people paste it.
 *
 * - `readLink(text, wanted)` its server, what it is for and its token; `input_invalid` for anything else.
 */
import { DevflowError } from "@devflow/core/errors";
import { signInPaths } from "@devflow/protocol";
import { serverUrl } from "../team/server-url.ts";

const purposes = ["setup", "invite", "link"] as const;

export interface OneTimeLink {
  readonly server: string;
  readonly purpose: (typeof purposes)[number];
  readonly token: string;
}

/** `wanted` is the kind that the command asked for, for its example. */
export function readLink(text: string, wanted: OneTimeLink["purpose"] = "invite"): OneTimeLink {
  const url = URL.parse(text.trim());
  const purpose = purposes.find((one) => signInPaths[one] === url?.pathname);
  const token = new URLSearchParams(url?.hash.slice(1)).get("token");
  if (url && purpose && token) return { server: serverUrl(url.origin), purpose, token };
  throw new DevflowError("input_invalid", {
    details: {
      problem: "This is not a setup, invite or sign-in link.",
      next: `It looks like https://devflow.example.com${signInPaths[wanted]}#token=… (put it in quotes)`,
    },
  });
}
