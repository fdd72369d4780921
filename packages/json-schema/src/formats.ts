/**
 * The values of `format`, for schemas in which it is a requirement.
 *
 * - `hasFormat(format, value)` whether the text or number has it; unknown formats require nothing.
 */
const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 && !isLeap ? 28 : (days[month - 1] ?? 0));
}

/** A leap second exists only where the time is 23:59:60 in UTC. */
function isTime(text: string, needsZone: boolean): boolean {
  const found = /^(\d\d):(\d\d):(\d\d(?:\.\d+)?)(z|([+-])(\d\d)(?::?(\d\d))?)?$/i.exec(text);
  if (!found) return false;
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const [zoneHour, zoneMinute] = [Number(found[6] ?? 0), Number(found[7] ?? 0)];
  if (zoneHour > 23 || zoneMinute > 59 || (needsZone && !found[4])) return false;
  if (hour <= 23 && minute <= 59 && second < 60) return true;
  const sign = found[5] === "-" ? -1 : 1;
  const inUtc = (hour * 60 + minute - sign * (zoneHour * 60 + zoneMinute) + 2880) % 1440;
  return inUtc === 23 * 60 + 59 && second < 61 && minute <= 59;
}

function isDateTime(text: string, needsZone: boolean): boolean {
  const parts = text.split(/t|\s/i);
  return parts.length === 2 && isDate(parts[0] ?? "") && isTime(parts[1] ?? "", needsZone);
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:(?:[\w.~!$&'()*+,;=:@/?#[\]-]|%[0-9a-f]{2})+$/i.test(text) && /\/|:/.test(text);
}

function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

function isIpv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0 || /[^0-9a-f:.]/i.test(text)) return false;
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const all = [...groups(head), ...groups(tail ?? "")];
  const last = all.at(-1) ?? "";
  const hasIpv4 = last.includes(".");
  if (hasIpv4 && !isIpv4(last)) return false;
  const size = all.length + (hasIpv4 ? 1 : 0);
  const areHex = (hasIpv4 ? all.slice(0, -1) : all).every((one) => /^[0-9a-f]{1,4}$/i.test(one));
  return areHex && (tail === undefined ? size === 8 : size <= 7);
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostname = new RegExp(`^(?=.{1,253}\\.?$)${label}(?:\\.${label})*\\.?$`, "i");
const mailbox = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const domain = new RegExp(`^(?:${label}\\.)+${label}$`, "i");
const duration = /^P(?!$)(?:(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?|\d+W)$/;

const textFormats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => isTime(text, true),
  "date-time": (text) => isDateTime(text, true),
  "iso-time": (text) => isTime(text, false),
  "iso-date-time": (text) => isDateTime(text, false),
  duration: (text) => duration.test(text),
  email: (text) => {
    const at = text.lastIndexOf("@");
    return at > 0 && mailbox.test(text.slice(0, at)) && domain.test(text.slice(at + 1));
  },
  hostname: (text) => hostname.test(text),
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  url: (text) => /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text),
  "uri-reference": (text) => isUri(text) || /^(?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9a-f]{2})*$/i.test(text),
  "uri-template": (text) => /^(?:[^\s"'<>%\\^`{|}]|%[0-9a-f]{2}|\{[+#./;?&=,!@|]?[\w%.,:*]+\})*$/i.test(text),
  uuid: (text) => /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  regex: isRegex,
  "json-pointer": (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text),
  "json-pointer-uri-fragment": (text) => /^#(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9a-f]{2}|~[01])*)*$/i.test(text),
  "relative-json-pointer": (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text),
  byte: (text) => /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i.test(text),
};

const numberFormats: Readonly<Record<string, (value: number) => boolean>> = {
  int32: (value) => Number.isInteger(value) && value >= -(2 ** 31) && value <= 2 ** 31 - 1,
  int64: (value) => Number.isInteger(value),
};

export function hasFormat(format: string, value: unknown): boolean {
  if (typeof value === "string") return !Object.hasOwn(textFormats, format) || textFormats[format]?.(value) === true;
  if (typeof value !== "number") return true;
  return !Object.hasOwn(numberFormats, format) || numberFormats[format]?.(value) === true;
}
