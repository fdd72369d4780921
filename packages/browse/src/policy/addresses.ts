/**
 * Addresses that a page can never reach, under any name: those where clouds serve credentials, and the link-local ranges
 * around them.
 *
 * - `forbiddenAddress(ip)` why an address is forbidden; undefined when it is not. IPv4 inside IPv6 counts as IPv4.
 * - `forbiddenName(host)` the same for names of cloud metadata services.
 */
import { BlockList, isIP } from "node:net";

const ranges: readonly (readonly [address: string, bits: number, family: "ipv4" | "ipv6", why: string])[] = [
  ["169.254.0.0", 16, "ipv4", "link-local addresses serve cloud credentials"],
  ["100.100.100.200", 32, "ipv4", "it is a cloud metadata service"],
  ["192.0.0.192", 32, "ipv4", "it is a cloud metadata service"],
  ["168.63.129.16", 32, "ipv4", "it is a cloud metadata service"],
  ["fe80::", 10, "ipv6", "it is a link-local address"],
  ["fd00::", 8, "ipv6", "unique local addresses serve cloud credentials"],
  ["0.0.0.0", 8, "ipv4", "it is not a host address"],
  ["255.255.255.255", 32, "ipv4", "it is not a host address"],
  ["224.0.0.0", 4, "ipv4", "it is not a host address"],
  ["ff00::", 8, "ipv6", "it is not a host address"],
];

const lists = ranges.map(([address, bits, family, why]) => {
  const list = new BlockList();
  list.addSubnet(address, bits, family);
  return { list, family, why };
});

export function forbiddenAddress(ip: string): string | undefined {
  const plain = ip.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const embedded = embeddedIpv4(plain);
  if (embedded) return forbiddenAddress(embedded);
  const family = isIP(plain) === 6 ? "ipv6" : "ipv4";
  return lists.find((one) => one.family === family && one.list.check(plain, family))?.why;
}

const names = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
]);

export function forbiddenName(host: string): string | undefined {
  return names.has(host) ? "it is a cloud metadata service" : undefined;
}

/** `::ffff:a9fe:a9fe`, `::169.254.169.254`, `64:ff9b::a9fe:a9fe` and `2002:a9fe:a9fe::` all are 169.254.169.254. */
function embeddedIpv4(ip: string): string | undefined {
  if (isIP(ip) !== 6) return undefined;
  const groups = expand(ip);
  const isMapped = groups.slice(0, 5).every((one) => one === 0) && (groups[5] === 0xffff || groups[5] === 0);
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b;
  const [high, low] = groups[0] === 0x2002 ? [groups[1], groups[2]] : [groups[6], groups[7]];
  if (!isMapped && !isTranslated && groups[0] !== 0x2002) return undefined;
  // :: and ::1 are IPv6 addresses.
  if (isMapped && groups[5] === 0 && high === 0 && (low ?? 0) < 2) return undefined;
  return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join(".");
}

function expand(ip: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(ip);
  const whole = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : ip;
  const [head = "", tail] = whole.split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return parse(head);
  const [first, last] = [parse(head), parse(tail)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}
