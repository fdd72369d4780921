/**
 * - `isPublicAddress(ip)` false for this machine, private networks, addresses inside of others (NAT64, IPv4 in IPv6) that lead
 *   there, and whatever is no address. A name that leads to one that is not public is refused, whoever owns the name.
 */
import { BlockList, isIP } from "node:net";

const notPublic = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  notPublic.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  notPublic.addSubnet(net, bits, "ipv6");
}

export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return isPublicAddress(mapped);
  const family = isIP(bare);
  if (family === 0 || /^::ffff:/i.test(bare)) return false;
  return !notPublic.check(bare, family === 6 ? "ipv6" : "ipv4");
}
