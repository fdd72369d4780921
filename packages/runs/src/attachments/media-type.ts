/**
 * What a file is, by its content and not by its name. Pure.
 *
 * - `mediaTypeOf(bytes)` PNG, JPEG, GIF, WebP, PDF, UTF-8 text, or `application/octet-stream`.
 * - `isPicture(type)` whether a browser shows it without danger. An SVG is text, with scripts.
 * - `claimedType(name)` what the name says it is, for the types that can be recognized.
 */
const unknown = "application/octet-stream";
const text = "text/plain";

const starts: readonly (readonly [type: string, start: string])[] = [
  ["image/png", "89504e470d0a1a0a"],
  ["image/jpeg", "ffd8ff"],
  ["image/gif", "47494638"],
  ["application/pdf", "255044462d"],
];

export function mediaTypeOf(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12));
  const found = starts.find(([, start]) => head.toString("hex").startsWith(start));
  if (found) return found[0];
  if (head.toString("latin1").startsWith("RIFF") && head.subarray(8).toString("latin1") === "WEBP") return "image/webp";
  return isText(bytes) ? text : unknown;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export const isPicture = (type: string): boolean => type.startsWith("image/");
export const isTextType = (type: string): boolean => type === text;

const byEnding: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  txt: text,
  md: text,
  json: text,
  csv: text,
  svg: text,
};

export function claimedType(name: string): string | undefined {
  const ending = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined;
}
