/**
 * Which hosts an agent may reach through the forwarder. Pure.
 *
 * - `isAllowedHost(rules, host, port)` a rule names a host with port 443, `host:port`, or `*.host` for every host below it.
 * - `isPublicAddress(address)` false for addresses of this machine and of private networks: a name that leads there is
 *   refused, whoever owns the name.
 * - `rulesFromVariables(env)` where the person's own variables send the agent, such as `ANTHROPIC_BASE_URL`.
 */
import { BlockList, isIP, isIPv6 } from "node:net";

export function isAllowedHost(rules: readonly string[], host: string, port: number): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  return rules.some((rule) => {
    const [, name = "", ruled = "443"] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
    if (Number(ruled) !== port || name === "") return false;
    return name.startsWith("*.") ? wanted.endsWith(name.slice(1)) && wanted !== name.slice(2) : wanted === name;
  });
}

const notPublic = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  notPublic.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  notPublic.addSubnet(net, bits, "ipv6");

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return isPublicAddress(mapped);
  return !notPublic.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

export interface VariableRules {
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}

export function rulesFromVariables(env: Readonly<Record<string, string>>): VariableRules {
  const urls = Object.entries(env).flatMap(([name, value]) =>
    /_(BASE_URL|ENDPOINT|API_URL|API_BASE)$/.test(name) && URL.canParse(value) ? [new URL(value)] : [],
  );
  const web = urls.filter(({ protocol }) => protocol === "http:" || protocol === "https:");
  const portOf = ({ port, protocol }: URL) => Number(port || (protocol === "https:" ? 443 : 80));
  const isHere = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return {
    hosts: web.filter((url) => !isHere(url)).map((url) => `${url.hostname}:${portOf(url)}`),
    ports: web.filter(isHere).map(portOf),
  };
}
