/** Emulates network conditions and sets request headers. */
import { DevflowError } from "@devflow/core/errors";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import type { speeds, throttleRecord } from "../write.ts";

export async function offline(input: { readonly state: "on" | "off" }, { session }: TabScope): Promise<Answer> {
  await session.context.setOffline(input.state === "on");
  const text = input.state === "on" ? "this session is offline" : "this session is online again";
  return { text, data: { offline: input.state === "on" } };
}

/** As browsers' developer tools set them: bits per second down and up, round-trip milliseconds. */
const networks: Readonly<Record<(typeof speeds)[number], readonly [number, number, number]>> = {
  "slow-3g": [400_000, 400_000, 2_000],
  "fast-3g": [1_440_000, 675_000, 562],
  "slow-4g": [1_440_000, 675_000, 150],
  "fast-4g": [8_100_000, 1_350_000, 85],
  off: [-8, -8, 0],
};

type ThrottleInput = BrowseInput<typeof throttleRecord>;

export async function throttle(input: ThrottleInput, { tab }: TabScope): Promise<Answer> {
  const cdp = await tab.cdp();
  const [down, up, latency] = networks[input.speed];
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: down / 8,
    uploadThroughput: up / 8,
  });
  const cpu = input.cpu ?? 1;
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  const processor = cpu > 1 ? `, the CPU is ${cpu} times slower` : "";
  const text = input.speed === "off" ? `full speed${processor}` : `the network is ${input.speed}${processor}`;
  return { text, data: { speed: input.speed, cpu } };
}

export async function headers(input: { readonly headers: readonly string[] }, { tab }: TabScope): Promise<Answer> {
  const isOff = input.headers.length === 1 && input.headers[0] === "off";
  const entries = isOff ? [] : input.headers.map(headerOf);
  await tab.page.setExtraHTTPHeaders(Object.fromEntries(entries));
  const names = entries.map(([name]) => name);
  // Only the names, since the values are often secrets.
  const text = names.length > 0 ? `sent with every request of this tab: ${names.join(", ")}` : "no extra headers";
  return { text, data: { headers: names } };
}

function headerOf(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/.exec(line);
  if (!match?.[1]) {
    const next = "For example: devflow browse headers 'X-Env: staging'";
    throw new DevflowError("input_invalid", {
      details: { problem: "A header needs a name, a colon and a value.", next },
    });
  }
  return [match[1], match[2] ?? ""];
}
