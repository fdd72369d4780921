/**
 * Safari's `Cookies.binarycookies`: big-endian page table, little-endian records, times since 2001.
 *
 * - `parseSafariCookies(bytes)` its cookies; throws `input_invalid` for any other file.
 */
import { DevflowError } from "@devflow/core/errors";
import { Secret } from "@devflow/core/secret";
import type { ImportedCookie } from "./imported-cookie.ts";

const secondsTo2001 = 978_307_200;
const secureFlag = 1;
const httpOnlyFlag = 4;

export function parseSafariCookies(bytes: Buffer): ImportedCookie[] {
  try {
    if (bytes.toString("latin1", 0, 4) !== "cook") throw new Error("it does not begin with `cook`");
    const pageCount = bytes.readUInt32BE(4);
    const cookies: ImportedCookie[] = [];
    let at = 8 + 4 * pageCount;
    for (let page = 0; page < pageCount; page++) {
      const size = bytes.readUInt32BE(8 + 4 * page);
      cookies.push(...parsePage(bytes.subarray(at, at + size)));
      at += size;
    }
    return cookies;
  } catch (cause) {
    throw new DevflowError("input_invalid", {
      details: {
        problem: `This is not a Safari cookie file: ${(cause as Error).message}.`,
        next: "Export the cookies as JSON instead.",
      },
      cause,
    });
  }
}

function parsePage(page: Buffer): ImportedCookie[] {
  if (page.readUInt32BE(0) !== 0x100) throw new Error("a page has no header");
  return Array.from({ length: page.readUInt32LE(4) }, (_, index) => {
    const start = page.readUInt32LE(8 + 4 * index);
    return parseRecord(page.subarray(start, start + page.readUInt32LE(start)));
  });
}

function parseRecord(record: Buffer): ImportedCookie {
  const flags = record.readUInt32LE(8);
  const textAt = (field: number): string => {
    const start = record.readUInt32LE(field);
    const end = record.indexOf(0, start);
    if (start >= record.length || end < 0) throw new Error("a string is not terminated");
    return record.toString("utf8", start, end);
  };
  return {
    domain: textAt(16),
    name: textAt(20),
    path: textAt(24),
    value: new Secret(textAt(28)),
    expires: Math.floor(record.readDoubleLE(40)) + secondsTo2001,
    secure: (flags & secureFlag) !== 0,
    httpOnly: (flags & httpOnlyFlag) !== 0,
    sameSite: undefined,
    partitionKey: undefined,
  };
}
