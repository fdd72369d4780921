/**
 * Which hosts an agent may reach through the forwarder. Pure.
 *
 * - `isAllowedHost(rules, host, port)` a rule names a host with port 443, `host:port`, or `*.host` for every host below it.
 * - `rulesFromVariables(env)` where the person's own variables send the agent, such as `ANTHROPIC_BASE_URL`.
 */

export function isAllowedHost(rules: readonly string[], host: string, port: number): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  return rules.some((rule) => {
    const [, name = "", ruled = "443"] = /^(.*?)(?::(\d+))?$/.exec(rule.toLowerCase()) ?? [];
    if (Number(ruled) !== port || name === "") return false;
    return name.startsWith("*.") ? wanted.endsWith(name.slice(1)) && wanted !== name.slice(2) : wanted === name;
  });
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
