/**
 * Parses exported cookies: JSON from an extension or from Playwright, a cURL command copied from the developer tools, or
 * a `cookies.txt`.
 *
 * - `parseCookieFile(text)` its cookies; throws `input_invalid` with the supported formats.
 */
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import { z } from "zod";
import { parseCurl } from "./curl-command.ts";
import type { ImportedCookie } from "./imported-cookie.ts";

/** Extensions write `no_restriction` for None, and `unspecified` or null when the site set nothing. */
const sameSite = z
  .string()
  .nullish()
  .transform((text): ImportedCookie["sameSite"] => {
    const word = text?.toLowerCase();
    if (word === "strict") return "Strict";
    if (word === "lax") return "Lax";
    return word === "none" || word === "no_restriction" ? "None" : undefined;
  });

const partition = z
  .union([z.string(), z.object({ topLevelSite: z.string() }).transform((key) => key.topLevelSite)])
  .nullish()
  .catch(undefined);

const jsonCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string().min(1),
  path: z.string().default("/"),
  expires: z.number().nullish(),
  expirationDate: z.number().nullish(),
  secure: z.boolean().default(false),
  httpOnly: z.boolean().default(false),
  sameSite,
  hostOnly: z.boolean().optional(),
  partitionKey: partition,
});

const jsonFile = z.union([
  z.array(jsonCookie),
  z.object({ cookies: z.array(jsonCookie) }).transform((file) => file.cookies),
]);

export function parseCookieFile(text: string): ImportedCookie[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("[") || trimmed.startsWith("{")) return parseJsonCookies(trimmed);
  if (/^curl\s/.test(trimmed)) return parseCurl(trimmed);
  if (/^#.*cookie/i.test(trimmed) || trimmed.split("\n").some((line) => line.split("\t").length === 7)) {
    return parseCookiesTxt(trimmed);
  }
  throw unreadable("it is neither JSON, nor a cURL command, nor a cookies.txt");
}

function parseJsonCookies(text: string): ImportedCookie[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message would quote the file, and with it a value.
    throw unreadable("it is not valid JSON");
  }
  const parsed = jsonFile.safeParse(content);
  if (!parsed.success) throw unreadable("its JSON is not a list of cookies with name, value and domain");
  return parsed.data.map((one) => {
    const expires = one.expires ?? one.expirationDate ?? -1;
    return {
      domain: one.hostOnly === false && !one.domain.startsWith(".") ? `.${one.domain}` : one.domain,
      name: one.name,
      value: new Secret(one.value),
      path: one.path,
      expires: expires > 0 ? Math.floor(expires) : undefined,
      secure: one.secure,
      httpOnly: one.httpOnly,
      sameSite: one.sameSite,
      partitionKey: one.partitionKey ?? undefined,
    };
  });
}

/** Seven columns: domain, include subdomains, path, secure, expiry, name, value. */
function parseCookiesTxt(text: string): ImportedCookie[] {
  return text.split(/\r?\n/).flatMap((line): ImportedCookie[] => {
    const isHttpOnly = line.startsWith("#HttpOnly_");
    const columns = (isHttpOnly ? line.slice("#HttpOnly_".length) : line).split("\t");
    if (columns.length !== 7 || (line.startsWith("#") && !isHttpOnly)) return [];
    const [domain = "", subdomains, path = "/", secure, expiry, name = "", value = ""] = columns;
    return [
      {
        domain: subdomains === "TRUE" && !domain.startsWith(".") ? `.${domain}` : domain,
        name,
        value: new Secret(value),
        path,
        expires: Number(expiry) > 0 ? Number(expiry) : undefined,
        secure: secure === "TRUE",
        httpOnly: isHttpOnly,
        sameSite: undefined,
        partitionKey: undefined,
      },
    ];
  });
}

function unreadable(why: string): DevflowError {
  return new DevflowError("input_invalid", {
    details: {
      problem: `No cookies can be read from the file: ${why}.`,
      next: "Export them as JSON, or copy a request as cURL from the browser's developer tools.",
    },
  });
}
