/**
 * The address of a team server as it is written everywhere: scheme, host and port, nothing after.
 *
 * - `serverUrl(text)` throws `input_invalid` for anything that is not https, or http on this machine.
 */
import { DevflowError } from "@devflow/core/errors";

export function serverUrl(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    url = undefined;
  }
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url.origin;
  throw new DevflowError("input_invalid", {
    details: {
      problem: `"${text}" is not the address of a team server.`,
      next: "It begins with https://, for example https://devflow.example.com",
    },
  });
}
